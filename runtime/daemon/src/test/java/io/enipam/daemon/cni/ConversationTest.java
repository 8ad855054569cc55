package io.enipam.daemon.cni;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.cni.CniAnswer;
import io.enipam.cni.Frames;
import io.enipam.daemon.platform.ExecutorScheduler;
import io.enipam.engine.testing.TestThreads;
import java.io.DataInputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** One connection, while others take the memory. */
@Timeout(120)
class ConversationTest {
    @TempDir
    private Path directory;

    @Test
    void a_large_call_that_waits_for_memory_is_told_to_try_again_and_not_cut_off() throws Exception {
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(directory.resolve("s"));
        FrameMemory memory = new FrameMemory(300);
        try (ExecutorScheduler scheduler = new ExecutorScheduler();
                FrameMemory.Share one = memory.share();
                FrameMemory.Share two = memory.share();
                ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            one.admit(Frames.LONGEST);
            two.admit(Frames.LONGEST);
            server.bind(address);
            try (SocketChannel front = SocketChannel.open(address)) {
                Conversation conversation = new Conversation(
                        Peers.rootAndSelf(),
                        request -> new CniAnswer(0, new byte[0], new byte[0]),
                        (severity, type, subject, message, more) -> {},
                        scheduler,
                        Duration.ofMillis(30),
                        memory);
                SocketChannel accepted = server.accept();
                CompletableFuture<Void> held =
                        CompletableFuture.runAsync(() -> conversation.hold(accepted), TestThreads.PER_TASK);
                front.write(ByteBuffer.wrap(new byte[] {1, 0, 0, 0, Frames.VERSION}));
                CniAnswer answer = Frames.readAnswer(new DataInputStream(Channels.newInputStream(front)));
                assertThat(new String(answer.stdout(), UTF_8))
                        .contains("\"code\":11", "other calls take the memory that one of 16777216 bytes needs");
                held.join();
            }
        }
    }
}
