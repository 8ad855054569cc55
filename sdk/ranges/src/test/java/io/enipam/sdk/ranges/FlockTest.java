package io.enipam.sdk.ranges;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The lock by {@code enipam-flock} and by flock(1), beside a process of flock(1). */
class FlockTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    Path scratch;

    private Path file;

    @AutoClose
    private Flock flock;

    enum By {
        PROGRAM,
        FLOCK_1,
        /** As after an update that took it away. */
        PROGRAM_THAT_IS_GONE;

        Optional<Path> program() {
            return switch (this) {
                case PROGRAM -> Flock.in(Path.of("../.."));
                case FLOCK_1 -> Optional.empty();
                case PROGRAM_THAT_IS_GONE -> Optional.of(Path.of("/nowhere/enipam-flock"));
            };
        }
    }

    private void by(By by) {
        assumeTrue(by != By.PROGRAM || by.program().isPresent(), "there is no C compiler here");
        flock = new Flock(file, by.program());
    }

    @BeforeEach
    void makeFile() throws IOException {
        file = Files.createFile(scratch.resolve("lock"));
    }

    private boolean isFree() throws IOException, InterruptedException {
        Process other = new ProcessBuilder("flock", "-n", file.toString(), "true").start();
        assertThat(other.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return other.exitValue() == 0;
    }

    /** Another process that has the lock until it is destroyed. */
    private Process other() throws IOException {
        Process other = new ProcessBuilder("flock", "-F", file.toString(), "cat").start();
        other.getOutputStream().write('x');
        other.getOutputStream().flush();
        assertThat(other.getInputStream().read()).isEqualTo('x');
        return other;
    }

    @Test
    void aChildThatWasStoppedIsReplacedAndKeepsNobodyForEver() throws Exception {
        flock = new Flock(file, By.PROGRAM.program(), 5);
        Set<Long> before =
                ProcessHandle.current().children().map(ProcessHandle::pid).collect(Collectors.toSet());
        flock.lock(PATIENCE).close();
        List<Long> child = ProcessHandle.current()
                .children()
                .map(ProcessHandle::pid)
                .filter(pid -> !before.contains(pid))
                .toList();
        assertThat(new ProcessBuilder("kill", "-STOP", child.get(0).toString())
                        .start()
                        .waitFor())
                .isZero();
        try (Flock.Held held = flock.lock(Duration.ofSeconds(1))) {
            assertThat(isFree()).isFalse();
        }
        assertThat(isFree()).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void noOtherProcessHasItMeanwhile(By by) throws Exception {
        by(by);
        for (int round = 0; round < 3; round++) {
            try (Flock.Held held = flock.lock(PATIENCE)) {
                assertThat(isFree()).isFalse();
            }
            assertThat(isFree()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    void anotherProcessIsWaitedForAsLongAsTheCallerSays(By by) throws Exception {
        by(by);
        Process other = other();
        assertThatThrownBy(() -> flock.lock(Duration.ofSeconds(1)))
                .hasMessage(file + " is locked by another for more than 1s; 'fuser -v " + file + "' says by whom");
        CompletableFuture<Flock.Held> waiting = CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return flock.lock(PATIENCE);
                    } catch (IOException e) {
                        throw new IllegalStateException(e);
                    }
                },
                task -> new Thread(task).start());
        assertThat(waiting).isNotDone();
        other.destroy();
        try (Flock.Held held = waiting.get(60, TimeUnit.SECONDS)) {
            assertThat(isFree()).isFalse();
        }
        assertThat(isFree()).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void aFileThatIsNotThereIsNamedWithTheReason(By by) throws Exception {
        by(by);
        Files.delete(file);
        assertThatThrownBy(() -> flock.lock(PATIENCE))
                .hasMessageStartingWith(file + " cannot be locked: ")
                .hasMessageContaining("o such file");
        Files.createFile(file);
        try (Flock.Held held = flock.lock(PATIENCE)) {
            assertThat(isFree()).isFalse();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aFileThatWasReplacedIsTheOneThatIsLocked(By by) throws Exception {
        by(by);
        flock.lock(PATIENCE).close();
        Files.delete(file);
        Files.createFile(file);
        try (Flock.Held held = flock.lock(PATIENCE)) {
            assertThat(isFree()).isFalse();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aProcessThatWasKilledIsReplaced(By by) throws Exception {
        by(by);
        flock.lock(PATIENCE).close();
        ProcessHandle.current()
                .children()
                .filter(child -> child.info().commandLine().orElse("").endsWith(file.toString()))
                .forEach(child -> {
                    child.destroyForcibly();
                    child.onExit().join();
                });
        try (Flock.Held held = flock.lock(PATIENCE)) {
            assertThat(isFree()).isFalse();
        }
    }
}
