package io.enipam.emulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.enipam.emulator.TestClient.Answer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ControlApiTest {
    @AutoClose
    private final TestCloud cloud = new TestCloud(
            EmulatorConfig.defaults(),
            TestCloud.controlledOn(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)));

    private final TestClient http = new TestClient(address(), cloud.clock);

    private InetSocketAddress address() {
        return (InetSocketAddress) cloud.emulator.controlAddress().orElseThrow();
    }

    @Test
    void aRuleIsAddedListedAndRemoved() {
        Answer added =
                post("faults", "{\"api\":\"DescribeInstances\",\"nth\":1,\"effect\":\"fail\",\"code\":\"Throttling\"}");
        assertThat(added.status()).isEqualTo(201);
        assertThat(cloud.call("DescribeInstances").error()).isEqualTo("400 Throttling");

        JsonNode listed = get("faults").json().at("/faults/0");
        assertThat(listed.path("id").asInt()).isEqualTo(1);
        assertThat(listed.path("applied").asInt()).isEqualTo(1);
        assertThat(listed.path("message").asText()).isEqualTo("Request was denied due to request throttling.");

        assertThat(delete("faults/1").status()).isEqualTo(200);
        assertThat(delete("faults/1").status()).isEqualTo(404);
        assertThat(get("faults").json().path("faults")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"api\":\"*\",\"percent\":2.5,\"effect\":\"dropAnswer\"}",
                "{\"api\":\"AttachNetworkInterface\",\"eni\":\"eni-a\",\"every\":3,\"atMost\":2,\"effect\":\"dropRequest\"}",
                "{\"api\":\"*\",\"effect\":\"delay\",\"by\":\"1500ms\"}",
                "{\"api\":\"*\",\"effect\":\"tear\",\"at\":\"elsewhere\",\"honestLength\":false}",
                "{\"api\":\"DeleteNetworkInterface\",\"effect\":\"stick\",\"untilReissued\":true}",
                "{\"api\":\"*\",\"effect\":\"throttle\"}",
                "{\"api\":\"metadata/ram/\",\"effect\":\"fail\",\"code\":\"Own\",\"httpStatus\":502,\"message\":\"m\",\"afterWork\":true}"
            })
    void everyRuleComesBackAsItWasGiven(String rule) {
        Answer added = post("faults", rule);
        assertThat(added.status()).as(added.text()).isEqualTo(201);
        JsonNode given = new Answer(0, "", rule).json();
        JsonNode listed = get("faults/1").json();

        given.fields()
                .forEachRemaining(
                        field -> assertThat(listed.path(field.getKey()).asText())
                                .as(field.getKey())
                                .isEqualTo(field.getValue().asText()));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{}|the field 'api' must be a text",
                "[]|the body must be a JSON object",
                "{|the body is no JSON",
                "{\"api\":\"*\"}|the field 'effect' must be a text",
                "{\"api\":\"Nothing\",\"effect\":\"throttle\"}|no action 'Nothing'",
                "{\"api\":\"*\",\"effect\":\"explode\"}|no effect 'explode'",
                "{\"api\":\"*\",\"effect\":\"fail\",\"code\":\"Own\"}|Own is not known",
                "{\"api\":\"*\",\"effect\":\"throttle\",\"code\":\"x\"}|'code' means nothing here",
                "{\"api\":\"*\",\"effect\":\"delay\",\"by\":\"soon\"}|'soon' is no time",
                "{\"api\":\"*\",\"effect\":\"tear\",\"at\":\"end\"}|at must be",
                "{\"api\":\"*\",\"nth\":1,\"percent\":2,\"effect\":\"throttle\"}|not both",
                "{\"api\":\"*\",\"nth\":\"1\",\"effect\":\"throttle\"}|'nth' must be a whole number",
                "{\"api\":\"*\",\"effect\":\"stick\",\"untilReissued\":1}|must be true or false"
            })
    void aRuleThatCannotBeIsToldAsAProblem(String rule, String detail) {
        Answer refused = post("faults", rule);

        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.contentType()).isEqualTo("application/problem+json");
        assertThat(refused.json().path("title").asText()).isEqualTo("Bad Request");
        assertThat(refused.json().path("status").asInt()).isEqualTo(400);
        assertThat(refused.json().path("detail").asText()).contains(detail);
        assertThat(get("faults").json().path("faults")).isEmpty();
    }

    @Test
    void latencyAndLimitsAreSetAndRead() {
        assertThat(put("latency", "{\"latency\":\"real,metadata=0\"}").status()).isEqualTo(200);
        assertThat(get("latency").json().path("latency").asText()).contains("metadata=0");
        assertThat(put("throttle", "{\"throttle\":\"DescribeInstances=0\"}").status())
                .isEqualTo(200);
        assertThat(cloud.call("DescribeInstances").error()).isEqualTo("400 Throttling.User");

        assertThat(post("reset", "").status()).isEqualTo(204);
        assertThat(get("latency").json().path("latency").asText()).isEqualTo("none");
        assertThat(get("throttle").json().path("throttle").asText()).isEqualTo("off");
        assertThat(put("throttle", "{\"throttle\":\"Describe=0\"}")
                        .json()
                        .path("detail")
                        .asText())
                .contains("no action 'Describe'");
        assertThat(put("latency", "{\"latency\":\"slow\"}")
                        .json()
                        .path("detail")
                        .asText())
                .contains("'slow' is no latency");
    }

    @Test
    void actionsAreDoneAtOnce() {
        String eni = cloud.attached("PrivateIpAddress.1", "10.0.0.77");

        assertThat(post("actions", "{\"action\":\"take-ip\",\"ip\":\"10.0.0.77\"}")
                        .json()
                        .path("eni")
                        .asText())
                .isEqualTo(eni);
        assertThat(action("stick", eni).json().path("rule").asInt()).isEqualTo(1);
        assertThat(action("release", eni).status()).isEqualTo(200);
        assertThat(action("detach-eni", eni).status()).isEqualTo(200);
        assertThat(cloud.status(eni)).isEqualTo("Available");
        assertThat(action("detach-eni", eni).status()).isEqualTo(409);
        assertThat(action("detach-eni", "eni-none").status()).isEqualTo(404);
        assertThat(post("actions", "{\"action\":\"expire-credential\"}")
                        .json()
                        .path("key")
                        .asText())
                .startsWith("STS.");
        assertThat(post("actions", "{\"action\":\"skew-clock\",\"ahead\":\"-20m\"}")
                        .status())
                .isEqualTo(200);
        assertThat(cloud.call("DescribeInstances").error()).isEqualTo("400 InvalidTimeStamp.Expired");
        assertThat(post("actions", "{\"action\":\"dance\"}").status()).isEqualTo(400);
    }

    @Test
    void theBooksAndTheCallsAreToldWithoutSecrets() {
        String eni = cloud.create();
        Answer books = get("books");

        assertThat(books.json().at("/enis/1/id").asText()).isEqualTo(eni);
        assertThat(books.json().at("/enis/1/status").asText()).isEqualTo("Available");
        assertThat(books.text()).doesNotContain("testsecret");
        assertThat(get("calls").json().at("/calls/0/api").asText()).isEqualTo("CreateNetworkInterface");
    }

    @Test
    void whatIsNotThereOrNotAllowedIsAProblem() {
        assertThat(get("").status()).isEqualTo(404);
        assertThat(get("faults/x").status()).isEqualTo(404);
        assertThat(delete("books").status()).isEqualTo(405);
        assertThat(post("faults", " ".repeat(70_000)).status()).isEqualTo(413);
        Answer form = http.send(HttpRequest.newBuilder(http.uri("reset")).POST(BodyPublishers.ofString("")));
        assertThat(form.status()).isEqualTo(415);
    }

    @Test
    void aPageThatHasItsNamePointHereIsRefused() throws IOException {
        InetSocketAddress address = address();
        try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
            socket.getOutputStream()
                    .write("GET /faults HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"
                            .getBytes(StandardCharsets.US_ASCII));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

            assertThat(answer).startsWith("HTTP/1.1 403 ").contains("not as evil.example");
        }
    }

    @Test
    void itListensOnLoopbackAlone() {
        assertThatThrownBy(() -> TestCloud.controlledOn(new InetSocketAddress("0.0.0.0", 0)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("loopback");
        assertThatThrownBy(() -> TestCloud.controlledOn(new InetSocketAddress("192.0.2.1", 0)))
                .isInstanceOf(IllegalArgumentException.class);
        try (TestCloud without = new TestCloud()) {
            assertThat(without.emulator.controlAddress()).isEmpty();
        }
    }

    private Answer action(String name, String eni) {
        return post("actions", "{\"action\":\"" + name + "\",\"eni\":\"" + eni + "\"}");
    }

    private Answer get(String path) {
        return http.send(HttpRequest.newBuilder(http.uri(path)));
    }

    private Answer delete(String path) {
        return http.send(HttpRequest.newBuilder(http.uri(path)).DELETE());
    }

    private Answer post(String path, String json) {
        return http.send(HttpRequest.newBuilder(http.uri(path))
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(json)));
    }

    private Answer put(String path, String json) {
        return http.send(HttpRequest.newBuilder(http.uri(path))
                .header("Content-Type", "application/json")
                .PUT(BodyPublishers.ofString(json)));
    }
}
