package io.enipam.emulator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Good requests with bytes changed, cut out, doubled and cut off, as seeds say. */
class FuzzTest {
    private static final int REQUESTS = 150;

    @AutoClose
    private final TestCloud cloud = new TestCloud();

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void aSpoiltRequestIsRefusedOrCutOffAndNeverAnInternalError(long seed) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < REQUESTS; i++) {
            byte[] spoilt = spoil(good(random), random);
            String status = send(spoilt).lines().findFirst().orElse("");

            assertThat(status)
                    .as("seed %s, request %s: %s", seed, i, new String(spoilt, StandardCharsets.ISO_8859_1))
                    .doesNotContain(" 500 ");
        }
        assertThat(cloud.call("DescribeInstances").status()).isEqualTo(200);
    }

    private byte[] good(SplittableRandom random) {
        String[] actions = {"DescribeInstances", "CreateNetworkInterface", "DescribeNetworkInterfaces", "TagResources"};
        String method = random.nextBoolean() ? "GET" : "POST";
        Map<String, String> params = cloud.client.parameters(
                actions[random.nextInt(actions.length)],
                "VSwitchId",
                TestCloud.VSWITCH,
                "NetworkInterfaceId.1",
                "eni-x",
                "Tag.1.Key",
                "k",
                "MaxResults",
                "10");
        String encoded = TestClient.encode(TestClient.sign(method, params));
        String head = "Host: x\r\nConnection: close\r\n";
        String request = method.equals("GET")
                ? "GET /?" + encoded + " HTTP/1.1\r\n" + head + "\r\n"
                : "POST / HTTP/1.1\r\n" + head + "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: "
                        + encoded.length() + "\r\n\r\n" + encoded;
        return request.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static byte[] spoil(byte[] request, SplittableRandom random) {
        byte[] bytes = request;
        int times = random.nextInt(1, 6);
        for (int i = 0; i < times && bytes.length > 8; i++) {
            int at = random.nextInt(bytes.length);
            int length = Math.min(random.nextInt(1, 20), bytes.length - at);
            switch (random.nextInt(4)) {
                case 0 -> {
                    bytes = bytes.clone();
                    bytes[at] = (byte) random.nextInt(256);
                }
                case 1 -> bytes = join(Arrays.copyOf(bytes, at), Arrays.copyOfRange(bytes, at + length, bytes.length));
                case 2 -> bytes = join(Arrays.copyOf(bytes, at + length), Arrays.copyOfRange(bytes, at, bytes.length));
                default -> bytes = Arrays.copyOf(bytes, at);
            }
        }
        return bytes;
    }

    private static byte[] join(byte[] one, byte[] other) {
        ByteArrayOutputStream both = new ByteArrayOutputStream();
        both.writeBytes(one);
        both.writeBytes(other);
        return both.toByteArray();
    }

    private String send(byte[] request) throws IOException {
        try (Socket socket = new Socket(
                cloud.emulator.address().getAddress(), cloud.emulator.address().getPort())) {
            socket.setSoTimeout(60_000);
            socket.getOutputStream().write(request);
            socket.shutdownOutput();
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (SocketException cutOff) {
            return "";
        }
    }
}
