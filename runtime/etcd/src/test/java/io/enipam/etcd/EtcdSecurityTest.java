package io.enipam.etcd;

import static io.enipam.etcd.Clients.TABLE;
import static io.enipam.etcd.Clients.content;
import static io.enipam.etcd.Clients.done;
import static io.enipam.etcd.Clients.opened;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.protobuf.ByteString;
import io.enipam.etcd.EtcdSettings.ClientCertificate;
import io.enipam.etcd.EtcdSettings.Tls;
import io.enipam.etcd.EtcdSettings.User;
import io.enipam.etcd.testing.EtcdServer;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Journal;
import io.enipam.sdk.JournalException;
import io.etcd.jetcd.api.AuthEnableRequest;
import io.etcd.jetcd.api.AuthGrpc;
import io.etcd.jetcd.api.AuthRoleAddRequest;
import io.etcd.jetcd.api.AuthRoleGrantPermissionRequest;
import io.etcd.jetcd.api.AuthUserAddRequest;
import io.etcd.jetcd.api.AuthUserGrantRoleRequest;
import io.etcd.jetcd.api.Permission;
import io.grpc.MethodDescriptor;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Users, roles and certificates: the right ones work, wrong ones are refused with what to check, and no password is shown. */
class EtcdSecurityTest {
    private static final String PASSWORD = "kept-secret-5";

    @TempDir
    Path temp;

    @AutoClose
    private final Clients clients = new Clients();

    @BeforeAll
    static void assumeEtcd() {
        Clients.assumeEtcd();
    }

    // ---- users

    private static EtcdSettings as(EtcdServer etcd, String name, String password, String prefix) {
        return new EtcdSettings(
                List.of(etcd.endpoint()),
                Optional.empty(),
                Optional.of(new User(name, password)),
                prefix,
                Duration.ofMinutes(1));
    }

    /** A user who may read and write below /enipam alone, and authentication on; tokens last for two seconds. */
    private EtcdServer withUsers() {
        EtcdServer etcd = clients.started(temp, "http", EtcdServer.LARGE_REQUESTS, "--auth-token-ttl=2");
        EtcdClient client = clients.connect(etcd.endpoint()).client();
        for (String name : List.of("root", "manager")) {
            call(
                    client,
                    AuthGrpc.getUserAddMethod(),
                    AuthUserAddRequest.newBuilder()
                            .setName(name)
                            .setPassword(PASSWORD)
                            .build());
            call(
                    client,
                    AuthGrpc.getRoleAddMethod(),
                    AuthRoleAddRequest.newBuilder().setName(name).build());
            call(
                    client,
                    AuthGrpc.getUserGrantRoleMethod(),
                    AuthUserGrantRoleRequest.newBuilder()
                            .setUser(name)
                            .setRole(name)
                            .build());
        }
        call(
                client,
                AuthGrpc.getRoleGrantPermissionMethod(),
                AuthRoleGrantPermissionRequest.newBuilder()
                        .setName("manager")
                        .setPerm(Permission.newBuilder()
                                .setPermType(Permission.Type.READWRITE)
                                .setKey(ByteString.copyFromUtf8("/enipam/"))
                                .setRangeEnd(ByteString.copyFromUtf8("/enipam0")))
                        .build());
        call(client, AuthGrpc.getAuthEnableMethod(), AuthEnableRequest.getDefaultInstance());
        clients.disconnect();
        return etcd;
    }

    private static <Q, A> void call(EtcdClient client, MethodDescriptor<Q, A> method, Q request) {
        client.call(method, request).join();
    }

    @Test
    void aUserWithTheRoleOfThePrefixMayDoAllThatAJournalDoesAlsoAfterItsTokenExpired() throws InterruptedException {
        EtcdServer etcd = withUsers();
        Journal journal = opened(clients.connect(as(etcd, "manager", PASSWORD, "/enipam")));
        done(journal.update(tx -> {
            tx.put(TABLE, "k", "1");
            tx.delete(TABLE, "none");
        }));
        Thread.sleep(4_000); // etcd looks for old tokens once a second
        done(journal.update(
                tx -> tx.put(TABLE, "k2", tx.get(TABLE, "k").orElseThrow().value())));
        assertThat(content(journal)).isEqualTo(Map.of("k", "1", "k2", "1"));
    }

    @Test
    void aWrongPasswordIsRefusedAtOnceAndNotShown() {
        EtcdServer etcd = withUsers();
        refused(
                as(etcd, "manager", "wrong-secret", "/enipam"),
                "etcd at " + etcd.endpoint()
                        + " failed: authentication failed, invalid user ID or password; check the user and the password");
    }

    @Test
    void whereThereAreUsersNoneIsRefused() {
        EtcdServer etcd = withUsers();
        refused(
                Clients.settings(etcd.endpoint()),
                "etcd at " + etcd.endpoint()
                        + " failed: user name is empty; its authentication is enabled: name a user and a"
                        + " password");
    }

    @Test
    void aUserWithoutTheRoleOfThePrefixIsRefused() {
        EtcdServer etcd = withUsers();
        refused(
                as(etcd, "manager", PASSWORD, "/elsewhere"),
                "etcd at " + etcd.endpoint()
                        + " failed: permission denied; grant the user's role readwrite on the prefix"
                        + " (etcdctl role grant-permission --prefix=true)");
    }

    @Test
    void aUserIsNoProblemWhereAuthenticationIsOff() {
        EtcdServer etcd = clients.started(temp, "http", EtcdServer.LARGE_REQUESTS);
        Journal journal = opened(clients.connect(as(etcd, "manager", PASSWORD, "/enipam")));
        done(journal.update(tx -> tx.put(TABLE, "k", "1")));
    }

    private void refused(EtcdSettings settings, String message) {
        long began = System.nanoTime();
        assertThatThrownBy(() -> clients.connect(settings))
                .isInstanceOfSatisfying(
                        JournalException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.UNAUTHORIZED))
                .hasMessage(message)
                .hasStackTraceContaining("EtcdFailure")
                .extracting(EtcdSecurityTest::trace)
                .asString()
                .doesNotContain("secret");
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(settings.patience());
        assertThat(settings.toString()).doesNotContain("secret");
    }

    private static String trace(Throwable error) {
        StringWriter trace = new StringWriter();
        error.printStackTrace(new PrintWriter(trace));
        return trace.toString();
    }

    // ---- certificates

    private static EtcdSettings with(EtcdServer etcd, Tls tls, Duration patience) {
        return new EtcdSettings(
                List.of(etcd.endpoint()), Optional.of(tls), Optional.empty(), EtcdSettings.DEFAULT_PREFIX, patience);
    }

    /** An authority, and what it signed: {@code server} for this machine and {@code client}; as {@code NAME.pem}, {@code NAME.key}. */
    private void makeCertificates(String authority) throws IOException, InterruptedException {
        String script = """
                set -e
                cd '%s'
                openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj '/CN=%s' -keyout %s.key -out %s.pem
                for name in server client; do
                  openssl req -newkey rsa:2048 -nodes -subj "/CN=$name" -keyout $name.key -out $name.csr
                  printf 'subjectAltName=IP:127.0.0.1\\nextendedKeyUsage=serverAuth,clientAuth\\n' > $name.ext
                  openssl x509 -req -in $name.csr -CA %s.pem -CAkey %s.key -CAcreateserial -days 2 -extfile $name.ext -out $name.pem
                done
                """.formatted(temp, authority, authority, authority, authority, authority);
        Process process = new ProcessBuilder("sh", "-c", script)
                .redirectErrorStream(true)
                .redirectOutput(temp.resolve("openssl.log").toFile())
                .start();
        assertThat(process.waitFor())
                .as(Files.readString(temp.resolve("openssl.log")))
                .isZero();
    }

    private EtcdServer withCertificates() throws IOException, InterruptedException {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/openssl")), "there is no openssl here");
        makeCertificates("ca");
        return clients.started(
                temp,
                "https",
                EtcdServer.LARGE_REQUESTS,
                "--cert-file=" + temp.resolve("server.pem"),
                "--key-file=" + temp.resolve("server.key"),
                "--client-cert-auth",
                "--trusted-ca-file=" + temp.resolve("ca.pem"));
    }

    private Tls tls() {
        return new Tls(
                Optional.of(temp.resolve("ca.pem")),
                Optional.of(new ClientCertificate(temp.resolve("client.pem"), temp.resolve("client.key"))));
    }

    @Test
    void aClientWithACertificateThatEtcdTrustsMayCommit() throws IOException, InterruptedException {
        EtcdServer etcd = withCertificates();
        Journal journal = opened(clients.connect(with(etcd, tls(), Duration.ofMinutes(1))));
        done(journal.update(tx -> tx.put(TABLE, "k", "1")));
        assertThat(content(journal)).isEqualTo(Map.of("k", "1"));
    }

    @Test
    void anEtcdOfAnotherAuthorityIsNotTrusted() throws IOException, InterruptedException {
        EtcdServer etcd = withCertificates();
        makeCertificates("another");
        Tls other = new Tls(Optional.of(temp.resolve("another.pem")), Optional.empty());
        assertThatThrownBy(() -> clients.connect(with(etcd, other, Duration.ofSeconds(9))))
                .isInstanceOfSatisfying(
                        JournalException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.UNAUTHORIZED))
                .hasMessageContaining("certif")
                .hasMessageEndingWith("; check the authorities, the certificate and its key, and their dates");
    }

    @Test
    void aClientWithoutACertificateIsRefusedWhereEtcdAsksForOne() throws IOException, InterruptedException {
        EtcdServer etcd = withCertificates();
        Tls nameless = new Tls(Optional.of(temp.resolve("ca.pem")), Optional.empty());
        assertThatThrownBy(() -> clients.connect(with(etcd, nameless, Duration.ofSeconds(9))))
                .isInstanceOf(JournalException.class)
                .hasMessageStartingWith("etcd at " + etcd.endpoint() + " failed: ");
    }

    @Test
    void aFileThatIsMissingIsNamed() {
        Tls missing = new Tls(Optional.of(temp.resolve("none.pem")), Optional.empty());
        EtcdServer never = new EtcdServer(temp, "https");
        assertThatThrownBy(() -> clients.connect(with(never, missing, Duration.ofSeconds(1))))
                .isInstanceOfSatisfying(
                        JournalException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.MISCONFIGURED))
                .hasMessageContaining("none.pem");
    }
}
