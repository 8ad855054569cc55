package io.enipam.emulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.emulator.TestClient.Answer;
import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
    void otherMethodsAndPathsAreRefused() {
        assertThat(client.send(HttpRequest.newBuilder(client.uri("")).DELETE()).status())
                .isEqualTo(405);
        assertThat(client.send(HttpRequest.newBuilder(client.uri("etc/passwd?Action=DescribeInstances")))
                        .status())
                .isEqualTo(404);
    }

    @Test
    void halfRequestsDoNotKeepOthersFromBeingServed() throws IOException {
        List<Socket> halves = new ArrayList<>();
        try {
            for (String half : List.of("", "G", "GET / HT", "GET / HTTP/1.1\r\nHost: x\r\n", post(1000) + "Action=")) {
                for (int i = 0; i < 5; i++) {
                    halves.add(open(half));
                }
            }
            assertThat(cloud.call("DescribeInstances").status()).isEqualTo(200);
        } finally {
            for (Socket half : halves) {
                half.close();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\u0000\u0001\u0002\u0003\r\n\r\n",
                "GET\r\n\r\n",
                "GET / HTTP/9.9\r\n\r\n",
                "GET http://[::bad/ HTTP/1.1\r\nHost: x\r\n\r\n",
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
