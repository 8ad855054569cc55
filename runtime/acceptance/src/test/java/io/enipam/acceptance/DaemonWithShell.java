package io.enipam.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/**
 * {@code enipamd} on one root directory, as often as it is started again, and the shell that is attached to it one command line at
 * a time. What the daemon says is in a file beside the root.
 */
final class DaemonWithShell implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    private final ProgramRunner programs;
    private final Path root;
    private final AttachedShell shell;
    private @Nullable Process process;

    DaemonWithShell(ProgramRunner programs, Path root) {
        this.programs = programs;
        this.root = root;
        this.shell = new AttachedShell(socket(), root.getParent());
    }

    Path socket() {
        return root.resolve("run/enipam.sock");
    }

    /** Where it takes calls of the CNI. */
    Path cniSocket() {
        return root.resolve("run/cni.sock");
    }

    /** Starts it on an emulated cloud, and waits until it serves. */
    void start() {
        start("--emulate", "--log-level", "warn");
    }

    /** Starts it with options beside its root, and waits until it serves. */
    void start(String... options) {
        launch(options);
        await("the daemon serves", () -> attached("status").out().contains("READY"));
    }

    /** Starts a swarm's manager with the example plugin, and waits until it takes the swarm's commands. */
    void startSwarm(Path config) {
        Path plugin = Project.root().resolve("plugins-examples/swarm/target/plugin");
        start("--role", "cluster", "--log-level", "warn", "--config", config.toString(), "--plugin", plugin.toString());
        await("the extension runs", () -> attached("swarm network ls").status() == 0);
    }

    /** Starts it, and waits until it answers. */
    void launch(String... options) {
        process = programs.startLogged(
                log(),
                ProgramRunner.daemon(),
                Stream.concat(Stream.of("--root", root.toString()), Stream.of(options))
                        .toArray(String[]::new));
        await(
                "the daemon answers",
                () -> Files.exists(socket()) && attached("version").status() == 0);
    }

    private void await(String what, BooleanSupplier condition) {
        Awaitility.await(what)
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(50))
                .until(() -> {
                    assertThat(process().isAlive())
                            .as("it runs until %s; it said in %s why not", what, log())
                            .isTrue();
                    return condition.getAsBoolean();
                });
    }

    private Path log() {
        return root.resolveSibling("enipamd.log");
    }

    /** The process that was started last. */
    Process process() {
        return Objects.requireNonNull(process, "it was not started");
    }

    /** SIGKILL, and waits for the end; nothing if it never ran. */
    void kill() throws InterruptedException {
        if (process != null) {
            process.destroyForcibly().waitFor();
        }
    }

    /** SIGTERM, and waits for the end. */
    void terminate() throws InterruptedException {
        process().destroy();
        assertThat(process().waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }

    /** The shell that is attached to it, in the JVM of the tests. */
    AttachedShell shell() {
        return shell;
    }

    /** Runs commands on it, and tells how that went. */
    ProgramRunner.Result attached(String commands) {
        return shell.run("-c", commands);
    }

    /** Waits until no address is being assigned and the lower watermark of a sandbox is there. */
    void awaitPoolAtRest() {
        Awaitility.await("the pool is at rest")
                .atMost(Duration.ofSeconds(60))
                .until(() -> ok("pool show | jq '.pool.counts | .creating == 0 and .idle >= 2'")
                        .strip()
                        .equals("true"));
    }

    /** Runs commands that must succeed, and tells what they printed. */
    String ok(String commands) {
        ProgramRunner.Result result = attached(commands);
        assertThat(result.status()).as(commands + ": " + result).isZero();
        return result.out();
    }

    @Override
    public void close() throws InterruptedException {
        kill();
    }
}
