package io.enipam.emulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.emulator.TestClient.Answer;
import java.io.IOException;
import java.io.StringReader;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.xml.sax.InputSource;

class BadInputTest {
    private static final String MEGABYTE = "x".repeat(1 << 20);

    private final TestCloud cloud = new TestCloud();
    private final TestClient client = cloud.client;

    @AfterEach
    void theServerStillAnswers() {
        assertThat(cloud.call("DescribeInstances").status()).isEqualTo(200);
        cloud.close();
    }

    @Test
    void aMegabyteInTheQueryIsTooLong() {
        Answer answer = client.call("DescribeInstances", "InstanceName", MEGABYTE);

        assertThat(answer.error()).isEqualTo("414 RequestUriTooLarge");
    }

    @Test
    void aMegabyteInTheFormIsTooLong() {
        Map<String, String> call = client.parameters("DescribeInstances", "InstanceName", MEGABYTE);

        assertThat(client.postForm(TestClient.sign("POST", call)).error()).isEqualTo("413 RequestBodyTooLarge");
    }

    @Test
    void thousandsOfParametersAreTooMany() {
        StringBuilder query = new StringBuilder("?a=1");
        for (int i = 0; i < 5000; i++) {
            query.append("&p").append(i).append('=');
        }

        assertThat(client.send(HttpRequest.newBuilder(client.uri(query.toString())))
                        .status())
                .isEqualTo(400);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "?", "?&&&=&=", "?Action", "?Action=", "?=DescribeInstances", "?Action=a&Action=b"})
    void queriesWithoutSenseAreAnsweredWithAnError(String query) {
        assertThat(client.send(HttpRequest.newBuilder(client.uri(query))).status())
                .isEqualTo(400);
    }

    @Test
    void aParameterThatIsGivenTwiceIsRefusedUnlessItSaysTheSame() {
        Map<String, String> call = client.parameters("DescribeInstances", "InstanceName", "a");
        String signed = TestClient.encode(TestClient.sign("POST", call));

        assertThat(client.send(form(signed, "InstanceName=a")).status()).isEqualTo(200);
        for (String[] twice : new String[][] {
            {signed + "&InstanceName=b", ""},
            {signed, "InstanceName=b"},
            {signed, "InstanceName=a&InstanceName=c"}
        }) {
            assertThat(client.send(form(twice[0], twice[1])).error()).isEqualTo("400 InvalidParameter.Repeated");
        }
    }

    private HttpRequest.Builder form(String query, String body) {
        return HttpRequest.newBuilder(client.uri("?" + query))
                .header("Content-Type", "application/x-www-form-urlencoded; charset=UTF-8")
                .POST(BodyPublishers.ofString(body));
    }

    @Test
    void aFormWithBrokenEscapesIsAnsweredWithAnError() {
        Answer answer = client.send(HttpRequest.newBuilder(client.uri(""))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(BodyPublishers.ofString("Action=%zz&Format=JSON")));

        assertThat(answer.status()).isEqualTo(400);
    }

    @Test
    void aBodyThatIsNoFormIsNotRead() {
        Answer answer = client.send(HttpRequest.newBuilder(client.uri(""))
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString("{\"Action\":\"DescribeInstances\"}")));

        assertThat(answer.text()).contains("<Code>MissingAction</Code>");
    }

    @Test
    void otherPathsAreRefused() {
        assertThat(client.send(HttpRequest.newBuilder(client.uri("etc/passwd?Action=DescribeInstances")))
                        .status())
                .isEqualTo(404);
    }

    @ParameterizedTest
    @ValueSource(strings = {"PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "TRACE", "BREW"})
    void otherMethodsAreRefused(String method) throws IOException {
        String query = TestClient.encode(TestClient.sign(method, client.parameters("DescribeInstances")));
        String request = method + " /?" + query + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
        try (Socket socket = open(request)) {
            socket.setSoTimeout(30_000);
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

            assertThat(answer).startsWith("HTTP/1.1 405 ");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"Authorization", "x-acs-action", "User-Agent"})
    void headersThatAreTooLongAreRefused(String name) {
        Answer answer =
                client.send(HttpRequest.newBuilder(client.uri("?Format=JSON")).header(name, "y".repeat(100_000)));

        assertThat(answer.error()).isEqualTo("431 RequestHeaderTooLarge");
    }

    @Test
    void hundredsOfHeadersAreTooMany() {
        HttpRequest.Builder request = HttpRequest.newBuilder(client.uri("?Format=JSON"));
        for (int i = 0; i < 1000; i++) {
            request.header("X-" + i, "y");
        }
        assertThat(client.send(request).error()).isEqualTo("431 RequestHeaderTooLarge");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ACS3-HMAC-SHA256",
                "ACS3-HMAC-SHA256 x",
                "ACS3-HMAC-SHA256 Credential=testid,SignedHeaders=;;;,Signature=",
                "ACS3-RSA-SHA256 Credential=testid,SignedHeaders=host,Signature=zz",
                "ACS3-"
            })
    void authorizationWithoutSenseIsRefused(String authorization) {
        Answer answer = client.send(HttpRequest.newBuilder(client.uri(""))
                .header("x-acs-action", "DescribeInstances")
                .header("x-acs-version", "2014-05-26")
                .header("Authorization", authorization));

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.json().path("Code").asText()).isNotEmpty();
    }

    @Test
    void aListInDeeplyNestedJsonIsRefused() {
        assertThat(cloud.call("DescribeNetworkInterfaces", "NetworkInterfaceId", "[".repeat(20_000))
                        .error())
                .isEqualTo("400 InvalidParameter");
    }

    @Test
    void controlCharactersComeBackInBothFormats() throws Exception {
        String eni = cloud.create("Description", "a\u0000\u0001b");
        Map<String, String> call = client.parameters("DescribeNetworkInterfaces", "NetworkInterfaceId.1", eni);
        assertThat(client.get(TestClient.sign("GET", call))
                        .json()
                        .at("/NetworkInterfaceSets/NetworkInterfaceSet/0/Description")
                        .asText())
                .isEqualTo("a\u0000\u0001b");

        call = client.parameters("DescribeNetworkInterfaces", "NetworkInterfaceId.1", eni, "Format", "XML");
        String xml = client.get(TestClient.sign("GET", call)).text();
        assertThat(DocumentBuilderFactory.newInstance()
                        .newDocumentBuilder()
                        .parse(new InputSource(new StringReader(xml)))
                        .getElementsByTagName("Description")
                        .item(0)
                        .getTextContent())
                .isEqualTo("a\uFFFD\uFFFDb");
    }

    @Test
    void twoHundredHalfOpenConnectionsDoNotKeepOthersFromBeingServed() throws Exception {
        List<Socket> halves = new ArrayList<>();
        ExecutorService callers = Executors.newFixedThreadPool(4);
        try {
            List<Future<Answer>> calls = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                for (String half :
                        List.of("", "G", "GET / HT", "GET / HTTP/1.1\r\nHost: x\r\n", post(1000) + "Action=")) {
                    halves.add(open(half));
                }
                calls.add(callers.submit(() -> cloud.call("DescribeInstances")));
            }
            assertThat(halves).hasSize(200);
            for (Future<Answer> call : calls) {
                assertThat(call.get(60, TimeUnit.SECONDS).status()).isEqualTo(200);
            }
            // and with all of them open
            assertThat(cloud.createAnswer().status()).isEqualTo(200);
        } finally {
            callers.shutdownNow();
            for (Socket half : halves) {
                half.close();
            }
        }
    }

    @Test
    void aClientThatTricklesItsRequestIsServedInTheEnd() throws Exception {
        String query = TestClient.encode(TestClient.sign("GET", client.parameters("DescribeInstances")));
        byte[] request = ("GET /?" + query + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                .getBytes(StandardCharsets.ISO_8859_1);
        try (Socket socket = open("")) {
            socket.setTcpNoDelay(true);
            for (int from = 0; from < request.length; from += 40) {
                socket.getOutputStream().write(request, from, Math.min(40, request.length - from));
                socket.getOutputStream().flush();
                assertThat(cloud.call("DescribeRegions").status()).isEqualTo(200);
            }
            socket.setSoTimeout(30_000);
            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .startsWith("HTTP/1.1 200 ");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\u0000\u0001\u0002\u0003\r\n\r\n",
                "GET\r\n\r\n",
                "GET / HTTP/9.9\r\n\r\n",
                "GET http://[::bad/ HTTP/1.1\r\nHost: x\r\n\r\n",
                "GET mailto:x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
                "OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
                "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003",
                "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                "GET /?a=%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n"
            })
    void rubbishOnTheWireEndsThatConnectionAlone(String rubbish) throws IOException {
        try (Socket socket = open(rubbish)) {
            socket.shutdownOutput();
            socket.setSoTimeout(30_000);
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);

            assertThat(answer).doesNotContain("200 OK");
        }
    }

    private Socket open(String text) throws IOException {
        Socket socket = new Socket(
                cloud.emulator.address().getAddress(), cloud.emulator.address().getPort());
        socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
        return socket;
    }

    private static String post(int length) {
        return "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: "
                + length + "\r\n\r\n";
    }
}
