package io.enipam.emulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.emulator.cloud.EmulatorException;
import java.io.IOException;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The control API on a unix socket, which is reached from any network namespace. */
@Timeout(60)
class ControlSocketTest {
    @TempDir
    private Path directory;

    private Path path;

    @AutoClose
    private TestCloud cloud;

    @BeforeEach
    void start() {
        path = directory.resolve("control.sock");
        cloud = open();
    }

    private TestCloud open() {
        return new TestCloud(EmulatorConfig.defaults(), TestCloud.controlledOn(UnixDomainSocketAddress.of(path)));
    }

    private String ask(String request) throws IOException {
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(path))) {
            channel.write(ByteBuffer.wrap(request.getBytes(StandardCharsets.UTF_8)));
            return new String(Channels.newInputStream(channel).readAllBytes(), StandardCharsets.UTF_8);
        } catch (SocketException reset) {
            // closed before all of the request was read
            return "";
        }
    }

    private String get(String what) throws IOException {
        return ask("GET /" + what + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    }

    private String post(String what, String json) throws IOException {
        return ask(
                "POST /" + what + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
                        + json.length() + "\r\n\r\n" + json);
    }

    @Test
    void aRuleThatIsAddedThroughTheSocketActsAndIsListed() throws IOException {
        String added =
                post("faults", "{\"api\":\"DescribeInstances\",\"nth\":1,\"effect\":\"fail\",\"code\":\"Throttling\"}");

        assertThat(added).startsWith("HTTP/1.1 201 ").contains("Location: /faults/1");
        assertThat(cloud.call("DescribeInstances").error()).isEqualTo("400 Throttling");
        assertThat(get("faults")).startsWith("HTTP/1.1 200 ").contains("\"applied\" : 1");
        assertThat(get("nothing")).startsWith("HTTP/1.1 404 ");
        assertThat(ask("DELETE /faults/1 HTTP/1.1\r\nHost: localhost\r\n\r\n")).startsWith("HTTP/1.1 200 ");
    }

    @Test
    void aRequestThatMakesNoSenseEndsItsConnectionAndNoOther() throws IOException {
        assertThat(ask("nonsense\r\n\r\n")).isEmpty();
        assertThat(ask("POST /reset HTTP/1.1\r\nContent-Length: -1\r\n\r\n")).isEmpty();
        assertThat(ask("POST /reset HTTP/1.1\r\nContent-Length: many\r\n\r\n")).isEmpty();
        assertThat(ask("POST /reset HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"))
                .isEmpty();
        assertThat(ask("GET /a b HTTP/1.1\r\n\r\n")).isEmpty();

        assertThat(get("books")).startsWith("HTTP/1.1 200 ");
    }

    @Test
    void theUserOfTheEmulatorAloneMayConnectAndTheFileGoesWithIt() throws IOException {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                .isEqualTo("rw-------");
        assertThat(cloud.emulator.controlAddress()).contains(UnixDomainSocketAddress.of(path));

        cloud.close();

        assertThat(path).doesNotExist();
    }

    @Test
    void aSocketOfAProcessThatWasKilledIsReplacedAndOneThatIsServedIsNot() throws IOException {
        assertThatThrownBy(this::open)
                .isInstanceOf(EmulatorException.class)
                .hasMessageContaining("cannot listen on unix:" + path)
                .hasMessageContaining("another process listens there");
        assertThat(get("books")).startsWith("HTTP/1.1 200 ");
        cloud.close();
        try (ServerSocketChannel killed = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            killed.bind(UnixDomainSocketAddress.of(path));
        }
        assertThat(path).exists();

        cloud = open();

        assertThat(get("books")).startsWith("HTTP/1.1 200 ");
    }

    @Test
    void aFileThatIsNoSocketIsLeftAlone() throws IOException {
        cloud.close();
        Files.writeString(path, "mine");

        assertThatThrownBy(this::open)
                .isInstanceOf(EmulatorException.class)
                .hasMessageContaining("choose another path");

        assertThat(path).hasContent("mine");
    }
}
