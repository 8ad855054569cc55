package io.enipam.acceptance;

import io.enipam.shell.attach.DaemonConnection;
import io.enipam.shell.attach.ShellException;
import io.enipam.v1.GetStatusReply;
import io.enipam.v1.GetStatusRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/**
 * {@code enipamd} on one root directory, started again each time it was killed.
 *
 * <p>Its JVM has what makes a start cheap, the compiler's first tier alone beside the archive that every build has:
 * the rounds are about what a kill does, and what a start costs is measured elsewhere.
 */
final class RestartableDaemon implements AutoCloseable {
    private static final Duration CALL = Duration.ofSeconds(10);

    private final ProgramRunner programs;
    private final Path program;
    private final Path root;
    private final Path log;
    private final List<String> more;
    private volatile @Nullable Process process;
    private long startedNanos;
    /** Whether a call may find nobody: from just before a kill until the next daemon is known to serve. */
    private volatile boolean away = true;

    /** @param more what else is on its command line */
    RestartableDaemon(ProgramRunner programs, Path root, Path log, String... more) {
        this(programs, ProgramRunner.daemon(), root, log, more);
    }

    /** @param program what becomes the daemon, in the same process */
    RestartableDaemon(ProgramRunner programs, Path program, Path root, Path log, String... more) {
        this.programs = programs;
        this.program = program;
        this.root = root;
        this.log = log;
        this.more = List.of(more);
    }

    Path socket() {
        return root.resolve("run/enipam.sock");
    }

    boolean away() {
        return away;
    }

    void start() {
        startedNanos = System.nanoTime();
        List<String> arguments = new ArrayList<>(List.of("--root", root.toString(), "--log-level", "info"));
        arguments.addAll(more);
        process = programs.startLogged(log, program, arguments.toArray(String[]::new));
    }

    /** Waits until it serves; returns how long it took from its start. */
    Duration awaitReady() {
        try (DaemonConnection shell = connection()) {
            Awaitility.await("the daemon serves")
                    .atMost(Duration.ofSeconds(60))
                    .pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(10))
                    .until(() -> alive() && phase(shell).equals("READY"));
        }
        away = false;
        return Duration.ofNanos(System.nanoTime() - startedNanos);
    }

    private DaemonConnection connection() {
        Awaitility.await("the daemon has a socket")
                .atMost(Duration.ofSeconds(60))
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(10))
                .until(() -> alive() && Files.exists(socket()));
        return DaemonConnection.open(socket());
    }

    private boolean alive() {
        if (!running().isAlive()) {
            throw new AssertionError("the daemon did not start; its log ends with\n" + logTail());
        }
        return true;
    }

    private static String phase(DaemonConnection shell) {
        try {
            GetStatusReply status = shell.inspect(CALL, stub -> stub.getStatus(GetStatusRequest.getDefaultInstance()));
            return status.getPhase();
        } catch (ShellException nobodyYet) {
            return "";
        }
    }

    /** SIGKILL, and waits for the end. */
    void kill() throws InterruptedException {
        strike();
        running().waitFor();
    }

    /** SIGKILL; may be called by any thread. */
    void strike() {
        away = true;
        running().destroyForcibly();
    }

    String logTail() {
        try {
            List<String> lines = Files.readAllLines(log);
            return String.join("\n", lines.subList(Math.max(0, lines.size() - 60), lines.size()));
        } catch (IOException e) {
            return "(no log: " + e + ")";
        }
    }

    private Process running() {
        Process running = process;
        if (running == null) {
            throw new IllegalStateException("not started");
        }
        return running;
    }

    @Override
    public void close() throws InterruptedException {
        if (process != null) {
            kill();
        }
    }
}
