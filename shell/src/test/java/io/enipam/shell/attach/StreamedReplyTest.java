package io.enipam.shell.attach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.enipam.shell.FakeDaemon;
import io.enipam.shell.attach.DaemonConnection.StreamedReply;
import io.enipam.v1.GetStatusRequest;
import io.enipam.v1.ListIdleReply;
import io.enipam.v1.ListIdleRequest;
import io.grpc.Context;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class StreamedReplyTest {
    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private final List<Long> armed = new ArrayList<>();
    private final List<Runnable> alarms = new ArrayList<>();
    private long now;

    private Runnable later(long nanos, Runnable what) {
        armed.add(nanos);
        alarms.add(what);
        return () -> alarms.remove(what);
    }

    /** Three parts, each of which takes the daemon a second. */
    private Iterator<Integer> slow() {
        return new Iterator<>() {
            private int sent;
            private boolean here;

            @Override
            public boolean hasNext() {
                now += here ? 0 : SECOND;
                here = true;
                return sent < 3;
            }

            @Override
            public Integer next() {
                here = false;
                return sent++;
            }
        };
    }

    @Test
    void whoReadsForAnHourBetweenTwoPartsGetsTheRestOfTheList() {
        StreamedReply<Integer> parts =
                new StreamedReply<>(Duration.ofSeconds(10), this::later, () -> now, (e, begun) -> e, this::slow);
        List<Integer> taken = new ArrayList<>();

        while (parts.hasNext()) {
            taken.add(parts.next());
            assertThat(alarms).as("nothing is waited for").isEmpty();
            now += 3600 * SECOND;
        }

        assertThat(taken).containsExactly(0, 1, 2);
        assertThat(armed).startsWith(10 * SECOND, 9 * SECOND).endsWith(7 * SECOND);
    }

    @Test
    void aDaemonThatTakesTooLongInAllEndsTheCallAsADeadlineDoes() {
        List<Context> calls = new ArrayList<>();
        StreamedReply<Integer> parts =
                new StreamedReply<>(Duration.ofSeconds(10), this::later, () -> now, (e, begun) -> e, () -> {
                    calls.add(Context.current());
                    return new Iterator<>() {
                        @Override
                        public boolean hasNext() {
                            alarms.get(0).run();
                            throw new IllegalStateException("cut");
                        }

                        @Override
                        public Integer next() {
                            throw new IllegalStateException("never asked");
                        }
                    };
                });

        assertThatIllegalStateException().isThrownBy(parts::hasNext);

        assertThat(calls.get(0).cancellationCause()).isInstanceOf(TimeoutException.class);
        assertThat(Context.current().isCancelled())
                .as("what it was called in goes on")
                .isFalse();
    }

    @Test
    void aDaemonThatHangsInAListIsToldAsOneThatDidNotAnswerInTime(@TempDir Path directory) throws IOException {
        Path socket = directory.resolve("s");
        try (FakeDaemon daemon = new FakeDaemon(socket);
                DaemonConnection connection = DaemonConnection.open(socket)) {
            // a daemon that has not been connected to when time is over is told as one that is not there
            connection.inspect(Duration.ofMinutes(1), stub -> stub.getStatus(GetStatusRequest.getDefaultInstance()));
            daemon.hang(ListIdleRequest.class);
            Iterator<ListIdleReply> parts = connection.stream(
                    Duration.ofMillis(50), stub -> stub.listIdle(ListIdleRequest.getDefaultInstance()));

            ShellException late = catchThrowableOfType(ShellException.class, parts::hasNext);

            assertThat(late.exit()).isEqualTo(ExitStatus.REFUSED);
            assertThat(late.code()).isEqualTo("DEADLINE_EXCEEDED");
        }
    }
}
