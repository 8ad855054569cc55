package io.enipam.aliyun;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.enipam.aliyun.calls.ApiCallLog;
import io.enipam.aliyun.calls.ApiCallLog.CloudCall;
import io.enipam.aliyun.client.MetadataClient;
import io.enipam.aliyun.client.RetryingEcsApi.CallConfig;
import io.enipam.aliyun.credentials.CredentialsProvider.CloudCredentials;
import io.enipam.aliyun.credentials.CredentialsProvider.CredentialsConfig;
import io.enipam.aliyun.credentials.CredentialsProvider.CredentialsException;
import io.enipam.aliyun.eni.EniUse;
import io.enipam.emulator.CloudEmulator;
import io.enipam.emulator.EmulatorConfig;
import io.enipam.engine.simulation.MemoryCloudJournal;
import io.enipam.engine.testing.RealTime;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every way to come by credentials: the real SDK and the real metadata client against the emulator. */
@Timeout(120)
class CredentialsTest {
    private static final String SECRET = "a-secret-nobody-may-see";

    @TempDir
    Path directory;

    private final RealTime time = new RealTime();
    private final RecordedEvents events = new RecordedEvents();
    private final ApiCallLog book = new ApiCallLog(time, new SplittableRandom(1), Map.of());
    private CloudEmulator emulator;

    @BeforeEach
    void start() {
        emulator = CloudEmulator.start(EmulatorConfig.defaults()
                .withSite(new EmulatorConfig.Site(
                        "cn-hangzhou",
                        List.of("cn-hangzhou-a"),
                        List.of("ecs.g7.xlarge"),
                        Map.of("vsw-1", "10.0.1.0/24")))
                .withAccessKey("test-key", SECRET));
    }

    @AfterEach
    void stop() {
        emulator.close();
        time.close();
    }

    private static URI uri(InetSocketAddress address) {
        return URI.create("http://127.0.0.1:" + address.getPort());
    }

    private URI metadata() {
        return uri(emulator.metadataAddress());
    }

    private AliyunCloud open(CredentialsConfig credentials) {
        return AliyunCloud.open(
                new AliyunConfig(
                        credentials,
                        CallConfig.USUAL,
                        Optional.of(uri(emulator.address())),
                        metadata(),
                        EniConfig.defaults()),
                book,
                time,
                time,
                events,
                new MemoryCloudJournal());
    }

    private Path file(String id, String secret, String token) throws IOException {
        Path file = directory.resolve("token-config");
        Path fresh = Files.writeString(directory.resolve("fresh"), """
            {"access.key.id": "%s", "access.key.secret": "%s", "security.token": "%s"}
            """.formatted(id, secret, token));
        return Files.move(fresh, file, StandardCopyOption.REPLACE_EXISTING);
    }

    @Test
    void anAccessKeyOpensTheCloud() {
        try (AliyunCloud cloud = open(new CredentialsConfig.Fixed("test-key", SECRET))) {
            assertThat(cloud.instanceId()).isEqualTo(emulator.instanceIds().get(0));
        }
        assertThat(book.calls()).extracting(CloudCall::api).contains("DescribeInstanceTypes", "DescribeVSwitches");
    }

    @Test
    void theInstancesRoleOpensTheCloud() throws Exception {
        try (AliyunCloud cloud = open(new CredentialsConfig.InstanceRole())) {
            assertThat(cloud.factory(EniUse.ADDRESSES)
                            .list()
                            .toCompletableFuture()
                            .get(30, TimeUnit.SECONDS))
                    .isEmpty();
        }
    }

    @Test
    void aTemporaryKeyOpensTheCloudOnlyWithItsToken() {
        CloudCredentials role = new MetadataClient(metadata(), book.metadata()).keys();
        open(new CredentialsConfig.Fixed(role.accessKeyId(), role.accessKeySecret(), role.securityToken()))
                .close();

        assertThatThrownBy(() -> open(new CredentialsConfig.Fixed(role.accessKeyId(), role.accessKeySecret())))
                .isInstanceOfSatisfying(
                        FactoryException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.UNAUTHORIZED))
                .hasMessageContaining("MissingSecurityToken");
    }

    @Test
    void aFileWithATemporaryKeyOpensTheCloud() throws IOException {
        CloudCredentials role = new MetadataClient(metadata(), book.metadata()).keys();
        Path file = file(
                role.accessKeyId(), role.accessKeySecret(), role.securityToken().orElseThrow());

        open(new CredentialsConfig.InFile(file)).close();
    }

    @Test
    void aFileThatIsRenewedAfterTheCloudRefusedItsKeysServesTheSameCall() throws Exception {
        Path file = file("test-key", SECRET, "");
        try (AliyunCloud cloud = open(new CredentialsConfig.InFile(file))) {
            // the old key is revoked, as far as this node's file can say, and the new one is in the file already
            CloudCredentials role = new MetadataClient(metadata(), book.metadata()).keys();
            file("revoked", "hush", "");
            Files.setLastModifiedTime(file, FileTime.fromMillis(1));
            await().atMost(Duration.ofSeconds(30)).until(() -> refused(cloud).contains("InvalidAccessKeyId.NotFound"));
            file(
                    role.accessKeyId(),
                    role.accessKeySecret(),
                    role.securityToken().orElseThrow());

            cloud.factory(EniUse.ADDRESSES).list().toCompletableFuture().get(30, TimeUnit.SECONDS);
        }
    }

    private static String refused(AliyunCloud cloud) throws InterruptedException {
        try {
            cloud.factory(EniUse.ADDRESSES).list().toCompletableFuture().get(30, TimeUnit.SECONDS);
            return "";
        } catch (ExecutionException | TimeoutException e) {
            return String.valueOf(e.getMessage());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "nobody, x, InvalidAccessKeyId.NotFound, check access_key and access_secret in eni.json",
        "test-key, wrong, secret is wrong, check access_key and access_secret in eni.json"
    })
    void wrongKeysGiveOneClearLineWithoutThem(String id, String secret, String what, String advice) {
        assertThatThrownBy(() -> open(new CredentialsConfig.Fixed(id, secret + "-secret")))
                .isInstanceOfSatisfying(
                        FactoryException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.UNAUTHORIZED))
                .hasMessageContaining(what)
                .hasMessageContaining(advice)
                .message()
                .doesNotContain("\n", secret + "-secret", SECRET, "test-key");
        assertThat(book.calls())
                .as("the calls that failed are on record although the cloud was never opened")
                .extracting(CloudCall::failed)
                .containsOnly(true);
    }

    @Test
    void aWrongFileIsNamedWhenTheCloudRefusesItsKeys() throws IOException {
        Path file = file("nobody", "hush", "");

        assertThatThrownBy(() -> open(new CredentialsConfig.InFile(file)))
                .hasMessageContaining("check the file of credential_path, " + file)
                .hasMessageNotContaining("hush");
    }

    @Test
    void aFileThatIsMissingIsNamedAndNoCallIsMade() {
        assertThatThrownBy(() -> open(new CredentialsConfig.InFile(directory.resolve("none"))))
                .isInstanceOfSatisfying(
                        FactoryException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.UNAUTHORIZED))
                .hasMessageContaining(directory.resolve("none") + " does not exist");
        assertThat(emulator.snapshot().calls()).isEmpty();
    }

    @Test
    void anOldMetadataServiceWithoutTokensIsAskedPlainly() throws IOException {
        List<String> asked = new CopyOnWriteArrayList<>();
        HttpServer old = metadataService(asked, 200, """
            {"AccessKeyId": "STS.x", "AccessKeySecret": "hush", "SecurityToken": "t", "Code": "Success",
             "Expiration": "2999-01-31T08:00:00Z"}
            """);
        try {
            CloudCredentials keys = new MetadataClient(uri(old.getAddress()), book.metadata()).keys();

            assertThat(keys.accessKeyId()).isEqualTo("STS.x");
            assertThat(asked)
                    .containsExactly(
                            "PUT /latest/api/token",
                            "GET /latest/meta-data/ram/security-credentials/",
                            "GET /latest/meta-data/ram/security-credentials/TheRole");
        } finally {
            old.stop(0);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "200 | {\"Code\": \"Failed\", \"AccessKeySecret\": \"hush\"} | says Failed for the RAM role TheRole",
                "200 | {\"AccessKeyId\": \"x\", \"AccessKeySecret\": \"hush\"} | no whole set of keys",
                "200 | hush | no JSON object",
                "200 | {\"AccessKeyId\": \"x\", \"AccessKeySecret\": \"hush\", \"SecurityToken\": \"t\","
                        + " \"Expiration\": \"hush\"} | no time at which",
                "503 | hush | answers 503"
            })
    void aMetadataServiceThatGivesNoKeysIsQuotedWithoutWhatItGave(int status, String body, String what)
            throws IOException {
        HttpServer odd = metadataService(new CopyOnWriteArrayList<>(), status, body);
        try {
            assertThatThrownBy(() -> new MetadataClient(uri(odd.getAddress()), book.metadata()).keys())
                    .isInstanceOf(CredentialsException.class)
                    .hasMessageContaining(what)
                    .message()
                    .doesNotContain("hush", "\n");
        } finally {
            odd.stop(0);
        }
    }

    @Test
    void anInstanceWithoutARoleIsToldWhatToSetInstead() throws IOException {
        HttpServer none = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        none.createContext("/", exchange -> {
            exchange.sendResponseHeaders(404, -1);
            exchange.close();
        });
        none.start();
        try {
            assertThatThrownBy(() -> new MetadataClient(uri(none.getAddress()), book.metadata()).keys())
                    .hasMessageContaining("this instance has no RAM role")
                    .hasMessageContaining("set access_key and access_secret, or credential_path");
        } finally {
            none.stop(0);
        }
    }

    /** One with a role, but of the time before tokens. */
    private static HttpServer metadataService(List<String> asked, int status, String credentials) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            String path = exchange.getRequestURI().getPath();
            asked.add(exchange.getRequestMethod() + " " + path);
            boolean list = path.endsWith("security-credentials/");
            boolean one = path.endsWith("TheRole");
            byte[] bytes = (list ? "TheRole" : credentials).getBytes(StandardCharsets.UTF_8);
            if (list || one) {
                exchange.sendResponseHeaders(list ? 200 : status, bytes.length);
                exchange.getResponseBody().write(bytes);
            } else {
                exchange.sendResponseHeaders(404, -1);
            }
            exchange.close();
        });
        server.start();
        return server;
    }
}
