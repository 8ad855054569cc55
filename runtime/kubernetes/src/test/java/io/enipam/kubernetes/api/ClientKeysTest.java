package io.enipam.kubernetes.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.kubernetes.api.ApiServerClient.ApiLimits;
import io.enipam.kubernetes.api.ApiServerClient.RequestListener;
import io.enipam.kubernetes.testing.TlsApiServer;
import io.enipam.kubernetes.testing.TlsApiServer.Client;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Client certificates whose keys are in the forms that kubectl takes, at a server that wants one. */
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

    static List<Client> clients() throws Exception {
        List<Client> all = new ArrayList<>(List.of(TlsApiServer.ecInSec1(), TlsApiServer.ecInPkcs8()));
        try (TlsApiServer maker = TlsApiServer.start(Files.createTempDirectory(directory, "maker"))) {
            all.addAll(maker.others());
        }
        return all;
    }

    @ParameterizedTest
    @MethodSource("clients")
    void aKeyThatKubectlTakesLogsInFromAFileAndFromTheKubeconfig(Client client) throws Exception {
        for (Path kubeconfig : List.of(server.withFiles(client), server.withData(client))) {
            ApiAccess access = new ApiAccess.KubeConfig(kubeconfig);
            try (ApiServerClient calls = ApiServerClient.open(access, ApiLimits.usual(), RequestListener.NONE)) {
                String name = calls.request(
                                "GET node n",
                                api -> api.nodes()
                                        .withName("n")
                                        .get()
                                        .getMetadata()
                                        .getName())
                        .get(60, TimeUnit.SECONDS);
                assertThat(name).isEqualTo("n");
                assertThat(server.clients()).last().isEqualTo("CN=" + client.name());
            }
        }
    }

    @Test
    void oneFileWithCertificateAndKeyLogsInAsTheKubeletsDoes() throws Exception {
        Client ec = TlsApiServer.ecInPkcs8();
        Client same = new Client(ec.name(), ec.certificate() + ec.key(), ec.certificate() + ec.key());
        aKeyThatKubectlTakesLogsInFromAFileAndFromTheKubeconfig(same);
        Client keyFirst = new Client(ec.name(), ec.key() + ec.certificate(), ec.key() + ec.certificate());
        aKeyThatKubectlTakesLogsInFromAFileAndFromTheKubeconfig(keyFirst);
    }

    @Test
    void aKeyThatIsOfNoUseIsRefusedInWordsAndWithoutWhatIsInIt() throws Exception {
        Client good = TlsApiServer.ecInPkcs8();
        String body = good.key().lines().skip(1).findFirst().orElseThrow();
        refused(good.certificate(), "nothing", "the client key is none");
        refused(good.certificate(), good.key().replace(body, ""), "neither RSA nor EC nor Ed25519");
        refused(good.certificate(), good.key().replace("PRIVATE", "ENCRYPTED PRIVATE"), "decrypt it: openssl pkey");
        refused(
                good.certificate(),
                "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,0011\n\nMIG=\n"
                        + "-----END RSA PRIVATE KEY-----\n",
                "decrypt it: openssl pkey");
        refused("nothing", good.key(), "the client certificate");
        refused(good.certificate(), other().key(), "does not belong to the client certificate");
    }

    private static Client other() throws Exception {
        return clients().get(2);
    }

    private static void refused(String certificate, String key, String why) throws IOException {
        Client client = new Client("bad", certificate, key);
        for (Path kubeconfig : List.of(server.withFiles(client), server.withData(client))) {
            assertThatThrownBy(() -> ApiServerClient.open(
                            new ApiAccess.KubeConfig(kubeconfig), ApiLimits.usual(), RequestListener.NONE))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(why)
                    .satisfies(error -> assertThat(error.getMessage()).doesNotContain("MIG", "nothing"));
        }
    }
}
