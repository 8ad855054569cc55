package io.enipam.frontends.cni;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.enipam.cni.FrameCodec;
import io.enipam.cni.FrameCodec.CniRequest;
import io.enipam.cni.FrameCodec.CniResponse;
import io.enipam.engine.model.Event;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.testing.TestThreads;
import io.enipam.frontends.cni.CniConnection.AllowedPeers;
import io.enipam.platform.ExecutorScheduler;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The socket itself, whatever is served on it. */
@Timeout(120)
class CniSocketTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Function<CniRequest, CniResponse> ECHO = request ->
            new CniResponse(3, request.stdin(), request.environment().toString().getBytes(UTF_8));

    private static final byte[] HALF = {0, 0, 1, 0, FrameCodec.VERSION, 0, 0};

    @TempDir
    private Path directory;

    @AutoClose
    private final ExecutorScheduler scheduler = new ExecutorScheduler();

    private final List<String> events = new CopyOnWriteArrayList<>();
    private final EventSink sink =
            (Event.Severity severity, String type, String subject, String message, Map<String, String> more) ->
                    events.add(type + ": " + message);
    private Path path;

    @BeforeEach
    void begin() {
        path = directory.resolve("cni.sock");
    }

    @Test
    void aCallIsAnsweredWithWhatTheDeskSays() throws IOException {
        try (CniSocket socket = CniSocket.open(path, ECHO, sink, scheduler)) {
            CniClient.Told told = new CniClient(path).call(Map.of("CNI_COMMAND", "ADD"), "{}");
            assertThat(told.exit()).isEqualTo(3);
            assertThat(told.stdout()).isEqualTo("{}");
            assertThat(told.stderr()).isEqualTo("{CNI_COMMAND=ADD}");
            assertThat(socket).isNotNull();
        }
        assertThat(path).doesNotExist();
    }

    @Test
    void callsOfSixteenMegabytesComeThroughOneAfterAnother() throws IOException {
        byte[] large = new byte[16 << 20];
        try (CniSocket socket = CniSocket.open(
                path,
                request -> new CniResponse(
                        0, Integer.toString(request.stdin().length).getBytes(UTF_8), new byte[0]),
                sink,
                scheduler)) {
            List<CompletableFuture<String>> calls = java.util.stream.IntStream.range(0, 4)
                    .mapToObj(i -> CompletableFuture.supplyAsync(
                            () -> new CniClient(path).call(Map.of(), large).stdout(), TestThreads.PER_TASK))
                    .toList();
            assertThat(calls).extracting(CompletableFuture::join).containsOnly(Integer.toString(16 << 20));
            assertThat(socket).isNotNull();
        }
    }

    @Test
    void itsFileIsForItsOwnerAlone() throws IOException {
        try (CniSocket socket = CniSocket.open(path, ECHO, sink, scheduler)) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                    .isEqualTo("rw-------");
            assertThat(socket).isNotNull();
        }
    }

    @Test
    void anybodyElseThanRootAndTheDaemonsUserIsRefused() throws IOException {
        try (CniSocket socket =
                CniSocket.open(path, new AllowedPeers(Set.of()), ECHO, sink, scheduler, PATIENCE, 512)) {
            CniClient.Told told = new CniClient(path).call(Map.of("CNI_COMMAND", "ADD"), "{}");
            assertThat(told.exit()).isEqualTo(1);
            assertThat(told.code()).isEqualTo(105);
            assertThat(told.message()).contains("may not call the CNI");
            assertThat(events).anyMatch(event -> event.startsWith("CniPeerRefused: user "));
            for (int i = 0; i < 20; i++) {
                assertThat(new CniClient(path)
                                .call(Map.of("CNI_COMMAND", "ADD"), "{}")
                                .code())
                        .isEqualTo(105);
            }
            assertThat(events)
                    .as("a peer that calls again and again fills no list of events")
                    .filteredOn(event -> event.startsWith("CniPeerRefused"))
                    .hasSizeLessThanOrEqualTo(2);
            assertThat(socket).isNotNull();
        }
    }

    @Test
    void aFileThatADeadDaemonLeftIsReplaced() throws IOException {
        ServerSocketChannel dead = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        dead.bind(UnixDomainSocketAddress.of(path));
        dead.close();
        assertThat(path).exists();
        try (CniSocket socket = CniSocket.open(path, ECHO, sink, scheduler)) {
            assertThat(new CniClient(path).call(Map.of(), "x").stdout()).isEqualTo("x");
            assertThat(socket).isNotNull();
        }
    }

    @Test
    void aSocketThatIsServedIsLeftAlone() throws IOException {
        try (CniSocket socket = CniSocket.open(path, ECHO, sink, scheduler)) {
            assertThatThrownBy(() -> CniSocket.open(path, ECHO, sink, scheduler))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("is served by another process");
            assertThat(new CniClient(path).call(Map.of(), "x").stdout()).isEqualTo("x");
            assertThat(socket).isNotNull();
        }
    }

    @Test
    void whoeverSendsHalfACallIsCutOff() throws IOException {
        try (CniSocket socket =
                CniSocket.open(path, AllowedPeers.rootAndSelf(), ECHO, sink, scheduler, Duration.ofSeconds(3), 512)) {
            try (SocketChannel half = connected()) {
                half.write(ByteBuffer.wrap(HALF));
                assertThat(half.read(ByteBuffer.allocate(1))).as("cut off").isEqualTo(-1);
            }
            await().atMost(PATIENCE).until(() -> socket.busy() == 0);
        }
    }

    @Test
    void whoeverSendsHalfACallKeepsNobodyWaiting() throws IOException {
        try (CniSocket socket = CniSocket.open(path, AllowedPeers.rootAndSelf(), ECHO, sink, scheduler, PATIENCE, 512);
                SocketChannel half = connected()) {
            half.write(ByteBuffer.wrap(HALF));
            assertThat(new CniClient(path).call(Map.of(), "x").stdout()).isEqualTo("x");
            assertThat(socket).isNotNull();
        }
    }

    @Test
    void aFrameThatIsNoneIsAnsweredWithTheReason() throws IOException {
        try (CniSocket socket = CniSocket.open(path, ECHO, sink, scheduler)) {
            assertThat(answerTo(new byte[] {(byte) 0xff, 0, 0, 0}))
                    .contains("\"code\":5", "a frame of 4278190080 bytes");
            assertThat(answerTo(new byte[] {0, 0, 0, 5, 9, 0, 0, 0, 0})).contains("\"code\":5", "a frame of version 9");
            assertThat(answerTo(new byte[] {0, 0, 0, 5, FrameCodec.VERSION, 0x7f, 0, 0, 0}))
                    .contains("\"code\":5", "longer than the call");
            assertThat(socket).isNotNull();
        }
    }

    @Test
    void whoeverGoesAwayInTheMiddleHarmsNobody() throws IOException {
        try (CniSocket socket = CniSocket.open(path, ECHO, sink, scheduler)) {
            for (int i = 0; i < 50; i++) {
                try (SocketChannel gone = connected()) {
                    gone.write(ByteBuffer.wrap(new byte[] {0, 0, 0, 50, FrameCodec.VERSION}));
                }
            }
            assertThat(new CniClient(path).call(Map.of(), "x").stdout()).isEqualTo("x");
            assertThat(socket).isNotNull();
        }
    }

    @Test
    void aCallThatRunsWhenTheDaemonStopsIsToldSo() throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        CniSocket socket = CniSocket.open(
                path,
                AllowedPeers.rootAndSelf(),
                request -> {
                    running.countDown();
                    try {
                        Deadline.pause(TimeUnit.MINUTES.toMillis(10));
                    } catch (io.enipam.frontends.cni.spec.CniException e) {
                        return new CniResponse(1, e.getMessage().getBytes(UTF_8), new byte[0]);
                    }
                    throw new AssertionError("it was not interrupted");
                },
                sink,
                scheduler,
                Duration.ofSeconds(5),
                512);
        CompletableFuture<String> call = CompletableFuture.supplyAsync(
                () -> new CniClient(path).call(Map.of(), "x").stdout(), TestThreads.PER_TASK);
        running.await();
        socket.close();
        assertThat(call.get(30, TimeUnit.SECONDS)).isEqualTo("the daemon stops");
    }

    @Test
    void twoHundredCallsAtOnceAreAllAnsweredWhereThereIsRoomForFour() throws IOException {
        try (CniSocket socket = CniSocket.open(path, AllowedPeers.rootAndSelf(), ECHO, sink, scheduler, PATIENCE, 4)) {
            List<CompletableFuture<String>> calls = new java.util.ArrayList<>();
            for (int i = 0; i < 200; i++) {
                String text = "call " + i;
                calls.add(CompletableFuture.supplyAsync(
                        () -> new CniClient(path).call(Map.of(), text).stdout(), TestThreads.PER_TASK));
            }
            for (int i = 0; i < 200; i++) {
                assertThat(calls.get(i).join()).isEqualTo("call " + i);
            }
            await().atMost(PATIENCE).until(() -> socket.busy() == 0);
        }
    }

    private String answerTo(byte[] bytes) throws IOException {
        try (SocketChannel channel = connected()) {
            channel.write(ByteBuffer.wrap(bytes));
            CniResponse answer = FrameCodec.readAnswer(new DataInputStream(Channels.newInputStream(channel)));
            return new String(answer.stdout(), UTF_8);
        }
    }

    private SocketChannel connected() throws IOException {
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        channel.connect(UnixDomainSocketAddress.of(path));
        return channel;
    }

    @Test
    void aFrameThatWasWrittenIsReadAgain() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        CniRequest request = new CniRequest(Map.of("CNI_ARGS", "a=b;c=ü", "CNI_IFNAME", ""), "{}".getBytes(UTF_8));
        FrameCodec.write(request, new DataOutputStream(out));
        CniRequest read =
                FrameCodec.readRequest(new DataInputStream(new java.io.ByteArrayInputStream(out.toByteArray())));
        assertThat(read.environment()).isEqualTo(request.environment());
        assertThat(read.stdin()).isEqualTo(request.stdin());
    }
}
