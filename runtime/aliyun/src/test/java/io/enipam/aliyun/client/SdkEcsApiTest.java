package io.enipam.aliyun.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.enipam.aliyun.ScriptedCloud;
import io.enipam.aliyun.api.EcsApi;
import io.enipam.aliyun.api.EcsException;
import io.enipam.aliyun.api.ErrorReactions.ErrorReaction;
import io.enipam.aliyun.client.RetryingEcsApi.EcsTransport;
import io.enipam.aliyun.client.RetryingEcsApi.EcsTransport.CallAttempt;
import io.enipam.aliyun.client.RetryingEcsApi.EcsTransport.Deadline;
import io.enipam.aliyun.credentials.CredentialsProvider.CredentialsConfig;
import io.enipam.aliyun.credentials.CredentialsProvider.StaticCredentialsProvider;
import io.enipam.engine.testing.RealTime;
import io.enipam.sdk.ErrorKind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the real SDK makes of odd answers, and what is left of that behind the port. */
@Timeout(60)
class SdkEcsApiTest {
    static {
        ScriptedCloud.quick();
    }

    private final List<String> queries = new CopyOnWriteArrayList<>();
    private HttpServer server;
    private final RealTime time = new RealTime();
    private EcsApi api;
    private EcsTransport wire;
    private volatile int status = 200;
    private volatile String body = "{}";

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            queries.add(exchange.getRequestURI().getQuery());
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "application/json;charset=utf-8");
            exchange.sendResponseHeaders(status, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        server.start();
        URI endpoint = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
        StaticCredentialsProvider keys = new StaticCredentialsProvider(new CredentialsConfig.Fixed("key", "secret"));
        wire = SdkEcsApi.transport(keys, "cn-hangzhou", Optional.of(endpoint));
        api = wire.forAttempt(new CallAttempt(Deadline.in(RetryingEcsApi.BUDGET, time)));
    }

    @AfterEach
    void stop() {
        time.close();
        server.stop(0);
    }

    @Test
    void anAnswerTornInsideAStringIsAFailureOfUnknownOutcomeAndNotTheEndOfTheProcess() {
        body = "{\"RequestId\":\"abc";

        assertThatThrownBy(() -> api.attachNetworkInterface("eni-1", "i-1"))
                .isInstanceOfSatisfying(EcsException.class, failure -> {
                    assertThat(failure.code()).isEqualTo("SDK.TornAnswer");
                    assertThat(failure.outcomeUnknown()).isTrue();
                    assertThat(failure.kind()).isEqualTo(ErrorKind.UNAVAILABLE);
                });
    }

    @Test
    void aRefusalTornAnywhereEndsTheCallAndKeepsNoThread() {
        String whole = "{\"RequestId\":\"req-1\",\"Code\":\"InvalidEniId.NotFound\",\"Message\":\"none\"}";
        status = 404;
        for (int length = 1; length < whole.length(); length++) {
            body = whole.substring(0, length);

            assertThatThrownBy(() -> api.deleteNetworkInterface("eni-1"))
                    .as(body)
                    .isInstanceOfSatisfying(
                            EcsException.class,
                            failure -> assertThat(failure.code()).isEqualTo("SDK.TornAnswer"));
        }
    }

    @Test
    void aRefusalCarriesCodeAndRequest() {
        status = 403;
        body = "{\"RequestId\":\"req-1\",\"Code\":\"EniPerInstanceLimitExceeded\",\"Message\":\"too\\nmany\"}";

        assertThatThrownBy(() -> api.attachNetworkInterface("eni-1", "i-1"))
                .isInstanceOfSatisfying(EcsException.class, failure -> {
                    assertThat(failure.code()).isEqualTo("EniPerInstanceLimitExceeded");
                    assertThat(failure.requestId()).isEqualTo("req-1");
                    assertThat(failure.httpStatus()).isEqualTo(400);
                    assertThat(failure.reaction()).isEqualTo(ErrorReaction.INHIBIT_CREATES);
                    assertThat(failure.outcomeUnknown()).isFalse();
                })
                .message()
                .doesNotContain("\n");
    }

    @Test
    void aFailureOfTheCloudIsOfUnknownOutcome() {
        status = 503;
        body = "{\"RequestId\":\"req-2\",\"Code\":\"ServiceUnavailable\",\"Message\":\"later\"}";

        assertThatThrownBy(() -> api.deleteNetworkInterface("eni-1"))
                .isInstanceOfSatisfying(EcsException.class, failure -> {
                    assertThat(failure.httpStatus()).isEqualTo(500);
                    assertThat(failure.outcomeUnknown()).isTrue();
                });
        assertThat(queries).as("one call on the wire: the SDK does not retry").hasSize(1);
    }

    @Test
    void aServerThatIsNotThereIsUnavailable() {
        server.stop(0);

        assertThatThrownBy(() -> api.describeNetworkInterface("eni-1"))
                .isInstanceOfSatisfying(
                        EcsException.class,
                        failure -> assertThat(failure.kind()).isEqualTo(ErrorKind.UNAVAILABLE));
    }

    @Test
    void everyPageIsRead() {
        body = "{\"RequestId\":\"r\",\"NextToken\":\"\",\"NetworkInterfaceSets\":{\"NetworkInterfaceSet\":["
                + "{\"NetworkInterfaceId\":\"eni-1\",\"Status\":\"InUse\",\"InstanceId\":\"i-1\",\"Type\":\"Secondary\","
                + "\"PrivateIpAddress\":\"10.0.0.1\",\"MacAddress\":\"m\",\"VSwitchId\":\"v\",\"PrivateIpSets\":{"
                + "\"PrivateIpSet\":[{\"PrivateIpAddress\":\"10.0.0.1\",\"Primary\":true},"
                + "{\"PrivateIpAddress\":\"10.0.0.2\",\"Primary\":false}]}}]}}";

        assertThat(api.describeNetworkInterfaces(Map.of("creator", "enipam")))
                .singleElement()
                .satisfies(eni -> {
                    assertThat(eni.ips()).containsExactly("10.0.0.1", "10.0.0.2");
                    assertThat(eni.instanceId()).isEqualTo("i-1");
                });
        assertThat(queries.get(0)).contains("Tag.1.Key=creator", "Tag.1.Value=enipam", "MaxResults=100");
    }

    @Test
    void whatIsNoAddressIsLeftOutOfAnswers() {
        body = "{\"RequestId\":\"r\",\"NetworkInterfaceSets\":{\"NetworkInterfaceSet\":["
                + "{\"NetworkInterfaceId\":\"eni-1\",\"Status\":\"InUse\",\"PrivateIpAddress\":\"10.0.0.1\",\"PrivateIpSets\":{"
                + "\"PrivateIpSet\":[{\"PrivateIpAddress\":\"10.0.0.1\"},{},{\"PrivateIpAddress\":\"10.0.0.256\"},"
                + "{\"PrivateIpAddress\":\"fd00::1\"},{\"PrivateIpAddress\":\"10.0.0.2\"}]}}]}}";
        assertThat(api.describeAttached("i-1").get(0).ips()).containsExactly("10.0.0.1", "10.0.0.2");

        body = "{\"RequestId\":\"r\",\"AssignedPrivateIpAddressesSet\":{\"PrivateIpSet\":{\"PrivateIpAddress\":"
                + "[\"\",\"none\",\"10.0.0.3\"]}}}";
        assertThat(api.assignPrivateIpAddresses("eni-1", 3, "t").ips()).containsExactly("10.0.0.3");
    }

    @Test
    void anAnswerThatDoesNotSayWhichEniWasMadeIsOfUnknownOutcome() {
        assertThatThrownBy(() -> api.createNetworkInterface(
                        new EcsApi.CreateInterfaceRequest("vsw-1", List.of("sg-1"), Map.of(), "token", 0)))
                .isInstanceOfSatisfying(EcsException.class, failure -> {
                    assertThat(failure.outcomeUnknown()).isTrue();
                    assertThat(failure.reaction()).isEqualTo(ErrorReaction.RETRY_SAME_TOKEN);
                });
    }

    @Test
    void aCloudThatGivesTheSamePageForEverIsNotReadForEver() {
        body = "{\"RequestId\":\"r\",\"NextToken\":\"same\",\"NetworkInterfaceSets\":{\"NetworkInterfaceSet\":[]}}";

        assertThatThrownBy(() -> api.describeNetworkInterfaces(Map.of())).hasMessageContaining("same page");
    }

    @Test
    void aServerThatNeverAnswersIsLeftWhenTheDeadlineComes() throws IOException {
        try (ScriptedCloud silent = new ScriptedCloud()) {
            silent.keepSilent();
            StaticCredentialsProvider keys =
                    new StaticCredentialsProvider(new CredentialsConfig.Fixed("key", "secret"));
            EcsApi hurried = SdkEcsApi.transport(keys, "cn-hangzhou", Optional.of(silent.endpoint()))
                    .forAttempt(new CallAttempt(Deadline.in(Duration.ofSeconds(5), time)));

            assertThatThrownBy(() -> hurried.attachNetworkInterface("eni-1", "i-1"))
                    .isInstanceOfSatisfying(EcsException.class, failure -> {
                        assertThat(failure.code()).isEqualTo("SDK.ReadTimeout");
                        assertThat(failure.kind()).isEqualTo(ErrorKind.DEADLINE_EXCEEDED);
                        assertThat(failure.outcomeUnknown()).isTrue();
                    });
            assertThat(silent.calls()).hasSize(1);
        }
    }

    @Test
    void anAnswerThatBeginsAndDoesNotEndIsLeftWhenTheDeadlineComes() throws IOException {
        try (ServerSocket slow = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread answering = new Thread(() -> beginToAnswer(slow));
            answering.start();
            StaticCredentialsProvider keys =
                    new StaticCredentialsProvider(new CredentialsConfig.Fixed("key", "secret"));
            EcsApi hurried = SdkEcsApi.transport(
                            keys, "cn-hangzhou", Optional.of(URI.create("http://127.0.0.1:" + slow.getLocalPort())))
                    .forAttempt(new CallAttempt(Deadline.in(Duration.ofSeconds(5), time)));

            assertThatThrownBy(() -> hurried.attachNetworkInterface("eni-1", "i-1"))
                    .isInstanceOfSatisfying(EcsException.class, failure -> {
                        assertThat(failure.code()).isEqualTo("SDK.ReadTimeout");
                        assertThat(failure.outcomeUnknown()).isTrue();
                    });
        }
    }

    /** The head of an answer, and the first byte of a hundred; then it waits until the caller is gone. */
    private static void beginToAnswer(ServerSocket server) {
        try (Socket caller = server.accept()) {
            caller.getOutputStream()
                    .write("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
                            .getBytes(StandardCharsets.UTF_8));
            caller.getInputStream().readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void aCallWhoseTimeIsUpDoesNotGoOverTheWire() {
        assertThatThrownBy(() -> wire.forAttempt(new CallAttempt(Deadline.in(Duration.ZERO, time)))
                        .deleteNetworkInterface("eni-1"))
                .isInstanceOf(EcsException.class);
        assertThat(queries).isEmpty();
    }

    @Test
    void loopbackIsNeverProxied() {
        assertThat(SdkEcsApi.noProxy(Map.of("NO_PROXY", "registry.local")))
                .startsWith("registry.local,")
                .contains("127.0.0.1");
        assertThat(SdkEcsApi.noProxy(Map.of())).contains("127.0.0.1", "localhost");
    }
}
