package io.enipam.shell;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.kubernetes.testing.TlsApiServer;
import io.enipam.kubernetes.testing.TlsApiServer.Client;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code --node} by a kubeconfig whose client keys are in the forms that kubectl takes. */
@Timeout(240)
class ClientKeysTest {
    @TempDir
    static Path directory;

    @AutoClose
    private static TlsApiServer server;

    @BeforeAll
    static void start() throws Exception {
        server = TlsApiServer.start(directory);
    }

    @Test
    void aKeyThatKubectlTakesLogsInFromAFileAndFromTheKubeconfig() throws Exception {
        List<Client> clients = new ArrayList<>(List.of(TlsApiServer.ecInSec1(), TlsApiServer.ecInPkcs8()));
        clients.addAll(server.others());
        for (Client client : clients) {
            for (Path kubeconfig : List.of(server.withFiles(client), server.withData(client))) {
                TestShell.Result result = at(kubeconfig);
                assertThat(result.err())
                        .as("%s: it was asked, and has no such node", client.name())
                        .startsWith("enipam: attach failed: there is no node 'cn-1' in this cluster");
                assertThat(server.clients()).last().isEqualTo("CN=" + client.name());
            }
        }
    }

    @Test
    void aKeyThatIsOfNoUseIsToldInALine() throws Exception {
        Client good = TlsApiServer.ecInPkcs8();
        for (Client bad :
                List.of(new Client("bad", good.certificate(), "nothing"), new Client("bad", "nothing", good.key()))) {
            for (Path kubeconfig : List.of(server.withFiles(bad), server.withData(bad))) {
                TestShell.Result result = at(kubeconfig);
                assertThat(result.err())
                        .startsWith("enipam: attach failed: the context's user cannot log in: the client ")
                        .contains("(KUBECONFIG)")
                        .hasLineCount(1);
                assertThat(result.status()).isEqualTo(2);
            }
        }
    }

    private static TestShell.Result at(Path kubeconfig) {
        return new TestShell(directory, directory)
                .run("--kubeconfig", kubeconfig.toString(), "--node", "cn-1", "status");
    }
}
