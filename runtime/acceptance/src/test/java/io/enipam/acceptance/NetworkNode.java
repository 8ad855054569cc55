package io.enipam.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/** A node: the namespace of an instance, and {@code enipamd} in it, as often as it is started again. */
final class NetworkNode implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    private final ProgramRunner programs;
    private final Netns netns;
    private final Path root;
    private final AttachedShell shell;
    private @Nullable Process process;

    /** @param settings what {@code enipam.yaml} says beside where the cloud is */
    NetworkNode(ProgramRunner programs, Netns netns, Path root, String settings) throws IOException {
        this(programs, netns, root, settings, "");
    }

    /** @param terway what {@code eni.json} says beside the account, each with a comma before it */
    NetworkNode(ProgramRunner programs, Netns netns, Path root, String settings, String terway) throws IOException {
        this.programs = programs;
        this.netns = netns;
        this.root = root;
        this.shell = new AttachedShell(root.resolve("run/enipam.sock"), root.getParent());
        Files.writeString(
                Files.createDirectories(root.resolve("etc/eni")).resolve("eni.json"),
                CloudProcess.account().replace("}", terway + "}"));
        Files.writeString(
                Files.createDirectories(root.resolve("etc/enipam")).resolve("enipam.yaml"),
                "cloud: {endpoint: \"http://100.100.100.201\"}\n"
                        + (settings.contains("datapath:") ? "" : "datapath: {use: \"on\"}\n")
                        + "node: {name: " + netns.name() + "}\n" + settings);
    }

    Netns netns() {
        return netns;
    }

    /** Where the CNI front calls the daemon. */
    Path cniSocket() {
        return root.resolve("run/cni.sock");
    }

    /** Where the daemon keeps something below its root. */
    Path file(String below) {
        return root.resolve(below);
    }

    void launch() {
        launch(Path.of("ip"), "netns", "exec", netns.name());
    }

    /** Without a mount of sysfs in its namespace: {@code /sys} is that of this process's; its mounts are its own. */
    void launchWithForeignSysfs() {
        launch(Path.of("nsenter"), "--net=" + netns.path(), "unshare", "--mount", "--propagation", "slave");
    }

    private void launch(Path enter, String... words) {
        List<String> command = new ArrayList<>(List.of(words));
        command.addAll(List.of(ProgramRunner.daemon().toString(), "--root", root.toString(), "--log-level", "info"));
        process = programs.startLogged(log(), enter, command.toArray(String[]::new));
    }

    /** Process id of the daemon. */
    long pid() {
        return running().pid();
    }

    void awaitReady() {
        Awaitility.await("the daemon on " + netns.name() + " serves")
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(50))
                .until(() -> {
                    assertThat(running().isAlive())
                            .as("it runs; its log ends with\n%s", logTail())
                            .isTrue();
                    return Files.exists(root.resolve("run/enipam.sock"))
                            && shell.run("-c", "status").out().contains("READY");
                });
    }

    /** Recovers its database where the daemon runs. */
    ProgramRunner.Result recover() {
        return programs.run(
                Path.of("ip"),
                "netns",
                "exec",
                netns.name(),
                ProgramRunner.daemon().toString(),
                "--root",
                root.toString(),
                "--recover");
    }

    /** The same in another network namespace, where the cloud does not answer. */
    ProgramRunner.Result recoverElsewhere() {
        return programs.run(ProgramRunner.daemon(), "--root", root.toString(), "--recover", "--wait", "15");
    }

    /** Runs commands of the shell that must succeed, and tells what they print. */
    String ok(String commands) {
        ProgramRunner.Result result = shell(commands);
        assertThat(result.status())
                .as(commands + ": " + result + "\n" + logTail())
                .isZero();
        return result.out();
    }

    /** Runs commands of the shell, whatever comes of it. */
    ProgramRunner.Result shell(String commands) {
        return shell.run("-c", commands);
    }

    /** SIGKILL, and waits for the end. */
    void kill() throws InterruptedException {
        running().destroyForcibly().waitFor();
    }

    /** SIGTERM; {@link #close} waits for the end. */
    void terminate() {
        if (process != null) {
            process.destroy();
        }
    }

    String logTail() {
        try {
            List<String> lines = Files.readAllLines(log());
            return String.join("\n", lines.subList(Math.max(0, lines.size() - 40), lines.size()));
        } catch (IOException e) {
            return "(no log: " + e + ")";
        }
    }

    private Path log() {
        return root.resolveSibling(netns.name() + ".log");
    }

    private Process running() {
        return Objects.requireNonNull(process, "it was not started");
    }

    @Override
    public void close() throws InterruptedException {
        terminate();
        if (process != null) {
            if (!process.waitFor(30, TimeUnit.SECONDS)) {
                kill();
            }
        }
    }
}
