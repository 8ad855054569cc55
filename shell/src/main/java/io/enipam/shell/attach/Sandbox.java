package io.enipam.shell.attach;

import io.enipam.v1.GetStatusRequest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A daemon of one's own: {@code enipamd --root DIR --emulate --ephemeral} in a scratch directory.
 *
 * <p>It goes with the shell, however the shell goes. At a normal exit {@link #close} closes the daemon's stdin, which
 * makes an ephemeral daemon stop and to remove its directory; at SIGTERM, SIGHUP and SIGINT a shutdown hook does the
 * same; after {@code kill -9} the kernel closes the pipe. The daemon ignores SIGINT and SIGHUP, since the terminal
 * sends those to all of the foreground: Ctrl-C at the prompt is meant for the shell.
 *
 * <p>{@link #close} may be called by any thread, also while the daemon still starts.
 */
public final class Sandbox implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(20);
    private static final Duration ANSWER = Duration.ofSeconds(1);
    private static final Duration STOP = Duration.ofSeconds(5);
    private static final int TAIL_LINES = 5;
    /** Marks the directory as made for the daemon, which then removes it if the shell is killed. */
    private static final String MARKER = ".ephemeral";

    private final PrivateDirectory directory;
    private final Thread hook = new Thread(this::shutDown, "enipam-sandbox-exit");
    private @Nullable Process daemon;
    private volatile boolean closed;
    private volatile Runnable beforeShutdown = () -> {};

    private Sandbox(PrivateDirectory directory) {
        this.directory = directory;
    }

    /**
     * Starts a daemon with options, and waits until it serves. Throws {@link ShellException} if it does not within that
     * time; nothing is left behind.
     */
    public static Sandbox start(Path launcher, List<String> options, Path scratch, Duration within) {
        if (!Files.isExecutable(launcher)) {
            throw ShellException.unattached(
                    "there is no program " + launcher,
                    "Start the shell with shell/bin/enipam of a complete checkout",
                    null);
        }
        Sandbox sandbox = new Sandbox(PrivateDirectory.make(scratch, "scratch", MARKER));
        Runtime.getRuntime().addShutdownHook(sandbox.hook);
        try {
            SocketPath.requireShort(sandbox.socket());
            sandbox.launch(launcher, options);
            sandbox.awaitReady(System.nanoTime() + within.toNanos(), within);
            return sandbox;
        } catch (Throwable e) {
            sandbox.close();
            throw e;
        }
    }

    public Path socket() {
        return directory.path().resolve("run").resolve("enipam.sock");
    }

    /** What to do first when a signal ends the program, so that no command complains that the daemon is gone. */
    public void beforeShutdown(Runnable action) {
        beforeShutdown = action;
    }

    private void shutDown() {
        beforeShutdown.run();
        close();
    }

    private Path log() {
        return directory.path().resolve("enipamd.log");
    }

    private synchronized void launch(Path launcher, List<String> options) {
        if (closed) {
            throw ShellException.interrupted();
        }
        List<String> command = new ArrayList<>(List.of(
                "/bin/sh",
                "-c",
                "trap '' INT HUP; exec \"$@\"",
                "enipamd",
                launcher.toString(),
                "--root",
                directory.path().toString(),
                "--emulate",
                "--ephemeral"));
        command.addAll(options);
        try {
            ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
            daemon = builder.redirectOutput(log().toFile()).start();
        } catch (IOException e) {
            throw ShellException.unattached(launcher + " cannot be started: " + e.getMessage(), "", e);
        }
    }

    private void awaitReady(long deadline, Duration within) {
        while (!Files.exists(socket())) {
            pause(deadline, within);
        }
        try (DaemonConnection connection = DaemonConnection.open(socket())) {
            while (!serves(connection)) {
                pause(deadline, within);
            }
        }
    }

    private static boolean serves(DaemonConnection connection) {
        try {
            return connection
                    .inspect(ANSWER, stub -> stub.getStatus(GetStatusRequest.getDefaultInstance()))
                    .getPhase()
                    .equals("READY");
        } catch (ShellException notYet) {
            return false; // the socket's file is there before the daemon listens; the caller's deadline ends this
        }
    }

    /** Waits a moment, if there is still something to wait for. */
    private void pause(long deadline, Duration within) {
        Process running = daemon;
        if (closed) {
            throw ShellException.interrupted();
        }
        if (running == null || !running.isAlive()) {
            throw notReady("the daemon ended" + (running == null ? "" : " with status " + running.exitValue()));
        }
        if (System.nanoTime() - deadline > 0) {
            throw notReady("the daemon does not serve after " + within.toSeconds() + " s");
        }
        try {
            Thread.sleep(POLL.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw ShellException.interrupted();
        }
    }

    private ShellException notReady(String why) {
        String tail = tail();
        return ShellException.unattached(why + (tail.isEmpty() ? "" : "; its last words: " + tail), "", null);
    }

    private String tail() {
        try {
            List<String> lines = Files.readString(log(), StandardCharsets.UTF_8)
                    .lines()
                    .map(String::strip)
                    .filter(line -> !line.isEmpty())
                    .toList();
            return String.join(" | ", lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size()));
        } catch (IOException e) {
            return "(its log cannot be read: " + e + ")";
        }
    }

    /** Stops the daemon and removes all that it made. Returns when that is done; a second call does nothing. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        forgetHook();
        try {
            stop(daemon);
            directory.remove();
        } catch (IOException e) {
            throw new ShellException(
                    ExitStatus.REFUSED,
                    "",
                    "the sandbox's directory " + directory.path() + " is still there: " + e,
                    "Remove it",
                    e);
        }
    }

    private static void stop(@Nullable Process daemon) {
        if (daemon == null) {
            return;
        }
        try {
            daemon.getOutputStream().close();
        } catch (IOException pipeGone) {
            daemon.destroy(); // its end of the pipe is closed: it is going or gone, and no longer hears us there
        }
        try {
            if (!daemon.waitFor(STOP.toMillis(), TimeUnit.MILLISECONDS)) {
                daemon.destroyForcibly().waitFor();
            }
        } catch (InterruptedException e) {
            daemon.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    private void forgetHook() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException shuttingDown) {
            return; // the hook is what called, or another thread of a program that ends anyway
        }
    }
}
