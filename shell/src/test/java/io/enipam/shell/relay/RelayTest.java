package io.enipam.shell.relay;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.enipam.engine.testing.TestThreads;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.Pipe;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class RelayTest {
    @TempDir
    Path directory;

    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private Path socket;
    private Pipe stdin;
    private Pipe stdout;

    @BeforeEach
    void pipes() throws IOException {
        socket = directory.resolve("s");
        stdin = Pipe.open();
        stdout = Pipe.open();
    }

    private int relay(ReadableByteChannel in, WritableByteChannel out, String... args) {
        return RelayMain.run(args, in, out, new PrintStream(err, true, UTF_8));
    }

    private CompletableFuture<Integer> start() {
        return CompletableFuture.supplyAsync(
                () -> relay(stdin.source(), stdout.sink(), "--socket", socket.toString()), TestThreads.PER_TASK);
    }

    private ServerSocketChannel listening() throws IOException {
        ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(socket));
        return server;
    }

    private String told() {
        return err.toString(UTF_8);
    }

    @Test
    void whatIsAskedReachesTheDaemonAndWhatItAnswersComesBackByteForByte() throws Exception {
        byte[] question = random(300_000, 1);
        byte[] answer = random(500_000, 2);
        try (ServerSocketChannel server = listening()) {
            CompletableFuture<Integer> status = start();
            CompletableFuture<byte[]> heard = CompletableFuture.supplyAsync(
                    () -> {
                        try {
                            return Channels.newInputStream(stdout.source()).readNBytes(answer.length);
                        } catch (IOException e) {
                            throw new java.io.UncheckedIOException(e);
                        }
                    },
                    TestThreads.PER_TASK);
            try (SocketChannel daemon = server.accept()) {
                CompletableFuture<byte[]> asked = CompletableFuture.supplyAsync(
                        () -> {
                            try {
                                return Channels.newInputStream(daemon).readNBytes(question.length);
                            } catch (IOException e) {
                                throw new java.io.UncheckedIOException(e);
                            }
                        },
                        TestThreads.PER_TASK);
                write(stdin.sink(), question);
                assertThat(asked.get(60, TimeUnit.SECONDS)).isEqualTo(question);
                write(daemon, answer);
                assertThat(heard.get(60, TimeUnit.SECONDS)).isEqualTo(answer);
            }
            assertThat(status.get(60, TimeUnit.SECONDS)).isEqualTo(RelayMain.DONE);
        }
        assertThat(told()).isEmpty();
    }

    @Test
    void theEndOfStdinIsPassedOnAndWhatTheDaemonSaysThenStillComesThrough() throws Exception {
        try (ServerSocketChannel server = listening()) {
            CompletableFuture<Integer> status = start();
            try (SocketChannel daemon = server.accept()) {
                stdin.sink().close();
                assertThat(daemon.read(ByteBuffer.allocate(1))).isEqualTo(-1);
                write(daemon, "last words".getBytes(UTF_8));
            }
            InputStream out = Channels.newInputStream(stdout.source());
            assertThat(new String(out.readNBytes(10), UTF_8)).isEqualTo("last words");
            assertThat(status.get(60, TimeUnit.SECONDS)).isEqualTo(RelayMain.DONE);
        }
    }

    @Test
    void aDaemonThatHangsDoesNotKeepARelayThatNobodyUsesAnyMore() throws Exception {
        try (ServerSocketChannel server = listening()) {
            CompletableFuture<Integer> status = start();
            try (SocketChannel daemon = server.accept()) {
                stdin.sink().close();
                assertThat(status.get(60, TimeUnit.SECONDS)).isEqualTo(RelayMain.DONE);
                assertThat(daemon.isOpen()).isTrue();
            }
        }
    }

    @Test
    void itEndsWithTheDaemonWhileStdinStaysOpen() throws Exception {
        try (ServerSocketChannel server = listening()) {
            CompletableFuture<Integer> status = start();
            server.accept().close();
            assertThat(status.get(60, TimeUnit.SECONDS)).isEqualTo(RelayMain.DONE);
            assertThat(stdin.sink().isOpen()).isTrue();
        }
    }

    @Test
    void aReaderThatDoesNotReadHoldsUpTheDaemonAndNothingPilesUpHere() throws Exception {
        try (ServerSocketChannel server = listening()) {
            start();
            try (SocketChannel daemon = server.accept()) {
                daemon.configureBlocking(false);
                AtomicLong sent = new AtomicLong();
                ByteBuffer chunk = ByteBuffer.allocate(64 << 10);
                // socket buffers, two pipe buffers and one of the relay: far below what the daemon wants to say
                await().atMost(Duration.ofSeconds(60))
                        .during(Duration.ofMillis(300))
                        .until(() -> {
                            chunk.clear();
                            int taken = daemon.write(chunk);
                            sent.addAndGet(taken);
                            return taken == 0;
                        });
                assertThat(sent.get()).isLessThan(8 << 20);
            }
        }
    }

    @Test
    void nobodyWhoReadsStdoutIsAnEndLikeAnyOther() throws Exception {
        try (ServerSocketChannel server = listening()) {
            CompletableFuture<Integer> status = start();
            try (SocketChannel daemon = server.accept()) {
                stdout.source().close();
                write(daemon, "x".getBytes(UTF_8));
                assertThat(status.get(60, TimeUnit.SECONDS)).isEqualTo(RelayMain.DONE);
            }
        }
        assertThat(told()).isEmpty();
    }

    @Test
    void aSocketThatIsNotThereIsOneLineAndStatus3() {
        int status = relay(stdin.source(), stdout.sink(), "--socket=" + socket);

        assertThat(status).isEqualTo(3);
        assertThat(told())
                .isEqualTo("enipam relay: there is no socket " + socket
                        + ". Is enipamd running, and does it listen there?" + " Name its socket with --socket PATH\n");
    }

    @Test
    void aSocketThatNobodyListensOnIsOneLineAndStatus3() throws Exception {
        listening().close();
        assertThat(Files.exists(socket)).isTrue();

        assertThat(relay(stdin.source(), stdout.sink(), "--socket", socket.toString()))
                .isEqualTo(3);
        assertThat(told())
                .isEqualTo("enipam relay: nobody listens on " + socket
                        + ". The daemon that made it is gone: look at its log\n");
    }

    @Test
    void aWordItDoesNotKnowIsAUsageError() {
        assertThat(relay(stdin.source(), stdout.sink(), "--sockett", "x")).isEqualTo(2);
        assertThat(told()).isEqualTo("enipam relay: '--sockett' is not known. It is: enipam relay [--socket PATH]\n");
    }

    private static void write(WritableByteChannel to, byte[] bytes) throws IOException {
        ByteBuffer left = ByteBuffer.wrap(bytes);
        while (left.hasRemaining()) {
            to.write(left);
        }
    }

    private static byte[] random(int length, long seed) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }
}
