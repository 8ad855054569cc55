package io.enipam.frontends.cni;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.cni.FrameCodec;
import io.enipam.cni.FrameCodec.CniResponse;
import io.enipam.engine.simulation.VirtualTime;
import io.enipam.engine.testing.TestThreads;
import io.enipam.frontends.cni.CniConnection.AllowedPeers;
import io.enipam.frontends.cni.CniConnection.FrameMemoryLimiter;
import io.enipam.platform.ExecutorScheduler;
import io.enipam.platform.ReportRateLimiter;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** One connection, while others take the memory. */
@Timeout(120)
class CniConnectionTest {
    @TempDir
    private Path directory;

    @Test
    void aLargeCallThatWaitsForMemoryIsToldToTryAgainAndNotCutOff() throws Exception {
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(directory.resolve("s"));
        FrameMemoryLimiter memory = new FrameMemoryLimiter(6_000);
        try (ExecutorScheduler scheduler = new ExecutorScheduler();
                FrameMemoryLimiter.Reservation one = memory.share();
                FrameMemoryLimiter.Reservation two = memory.share();
                ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            one.admit(FrameCodec.LONGEST);
            two.admit(FrameCodec.LONGEST);
            server.bind(address);
            try (SocketChannel front = SocketChannel.open(address)) {
                CniConnection conversation = new CniConnection(
                        AllowedPeers.rootAndSelf(),
                        request -> new CniResponse(0, new byte[0], new byte[0]),
                        (severity, type, subject, message, more) -> {},
                        scheduler,
                        Duration.ofSeconds(3),
                        memory,
                        new ReportRateLimiter<>(Duration.ofMinutes(1), System::nanoTime));
                SocketChannel accepted = server.accept();
                // before it is waited for, which has an end
                front.write(ByteBuffer.wrap(new byte[] {1, 0, 0, 0, FrameCodec.VERSION}));
                CompletableFuture<Void> held =
                        CompletableFuture.runAsync(() -> conversation.hold(accepted), TestThreads.PER_TASK);
                CniResponse answer = FrameCodec.readAnswer(new DataInputStream(Channels.newInputStream(front)));
                assertThat(new String(answer.stdout(), UTF_8))
                        .contains("\"code\":11", "other calls take the memory that one of 16777216 bytes needs");
                held.join();
            }
        }
    }

    @Test
    void aUserWhoIsRefusedAgainAndAgainIsReportedAtOnceAndThenByACountEachMinute() throws Exception {
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(directory.resolve("s"));
        VirtualTime time = new VirtualTime();
        List<String> events = new ArrayList<>();
        CniConnection conversation = new CniConnection(
                new AllowedPeers(Set.of()),
                request -> new CniResponse(0, new byte[0], new byte[0]),
                (severity, type, subject, message, more) -> events.add(type + " " + more.get("times")),
                time,
                Duration.ofSeconds(10),
                new FrameMemoryLimiter(300),
                new ReportRateLimiter<>(CniConnection.REFUSALS_INTERVAL, time::nanoTime));
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(address);
            for (int i = 0; i < 20; i++) {
                refused(address, server, conversation);
            }
            assertThat(events).containsExactly("CniPeerRefused 1");

            time.advance(CniConnection.REFUSALS_INTERVAL);
            assertThat(events)
                    .as("the last refusals of a series are counted, although none follows")
                    .containsExactly("CniPeerRefused 1", "CniPeerRefused 19");

            time.advance(Duration.ofHours(1));
            assertThat(events).hasSize(2);
            refused(address, server, conversation);
            assertThat(events).endsWith("CniPeerRefused 1").hasSize(3);
        }
    }

    private static void refused(UnixDomainSocketAddress address, ServerSocketChannel server, CniConnection conversation)
            throws IOException {
        try (SocketChannel front = SocketChannel.open(address)) {
            conversation.hold(server.accept());
            CniResponse answer = FrameCodec.readAnswer(new DataInputStream(Channels.newInputStream(front)));
            assertThat(new String(answer.stdout(), UTF_8)).contains("\"code\":105");
        }
    }
}
