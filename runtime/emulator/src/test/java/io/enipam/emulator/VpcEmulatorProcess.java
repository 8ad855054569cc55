package io.enipam.emulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** {@code enipam-cloud --dataplane} as a process in the namespace of its VPC, as the launcher starts it, and its instances. */
final class VpcEmulatorProcess implements AutoCloseable {
    private static final JsonMapper JSON = new JsonMapper();

    /** Of this JVM alone: tests of other builds may run beside it. */
    final String prefix;

    private final Process process;
    final List<String> said = new ArrayList<>();
    private final Map<String, Process> shells = new HashMap<>();

    private VpcEmulatorProcess(String prefix, Process process) {
        this.prefix = prefix;
        this.process = process;
    }

    /** Skips the test if no namespaces can be made here, or if there is no {@code ping} to try them with. */
    static void requireNamespaces() {
        String name = "dpt" + ProcessHandle.current().pid() + "-trial";
        Result made = run("ip", "netns", "add", name);
        run("ip", "netns", "del", name);
        assumeTrue(made.status() == 0, "no network namespaces can be made here, which takes root: " + made.said());
        assumeTrue(run("ping", "-V").status() == 0, "there is no ping here: apt-get install iputils-ping");
    }

    /** What a command said and how it ended. */
    record Result(int status, String said) {}

    static Result run(String... command) {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return new Result(process.waitFor(), said);
        } catch (IOException e) {
            return new Result(-1, e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    static String ok(String... command) {
        Result result = run(command);
        assertThat(result.status())
                .as(String.join(" ", command) + ": " + result.said())
                .isZero();
        return result.said();
    }

    /** Starts it, and waits until it answers. */
    static VpcEmulatorProcess start(String name, Path state, String... options) throws IOException {
        String prefix = "dpt" + ProcessHandle.current().pid() + name;
        ok("ip", "netns", "add", prefix + "-vpc");
        Process process = java(
                prefix + "-vpc",
                EmulatorMain.class,
                Stream.concat(
                                Stream.of("--dataplane", "--namespaces=" + prefix, "--state=" + state),
                                Stream.of(options))
                        .toArray(String[]::new));
        VpcEmulatorProcess program = new VpcEmulatorProcess(prefix, process);
        BufferedReader out = process.inputReader();
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            program.said.add(line);
            if (line.contains("a daemon on ") && line.contains("node-1")) {
                return program;
            }
        }
        program.close();
        throw new AssertionError("it ended: " + program.said);
    }

    /** Starts one whose start fails, as the launcher starts it; returns what is left of its namespaces. */
    static List<String> failToStart(String name, String... options) throws IOException, InterruptedException {
        String prefix = "dpt" + ProcessHandle.current().pid() + name;
        Path record = Files.createDirectories(Path.of("/run/enipam-cloud")).resolve(prefix);
        ok("ip", "netns", "add", prefix + "-vpc");
        Files.writeString(record, prefix + "-vpc\n");
        Process process = java(
                prefix + "-vpc",
                "enipam.cloud.namespaces=" + prefix,
                EmulatorMain.class,
                Stream.concat(Stream.of("--dataplane", "--namespaces=" + prefix), Stream.of(options))
                        .toArray(String[]::new));
        try {
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isIn(1, 2);
            return namespaces(prefix);
        } finally {
            process.destroyForcibly();
            namespaces(prefix).forEach(left -> run("ip", "netns", "del", left));
            Files.deleteIfExists(record);
        }
    }

    private static Process java(String namespace, Class<?> main, String... arguments) throws IOException {
        return java(namespace, "enipam.launched=test", main, arguments);
    }

    private static Process java(String namespace, String property, Class<?> main, String... arguments)
            throws IOException {
        List<String> command = new ArrayList<>(List.of(
                "nsenter",
                "--net=/run/netns/" + namespace,
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-D" + property,
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    String vpc() {
        return prefix + "-vpc";
    }

    String node(int number) {
        return prefix + "-node-" + number;
    }

    /** Has something done on an instance. */
    String on(int number, String command) {
        Process shell = shells.computeIfAbsent(node(number), name -> {
            try {
                Process started = java(name, InstanceShell.class);
                assertThat(started.inputReader().readLine()).isEqualTo("ready");
                return started;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        try {
            PrintWriter to = new PrintWriter(shell.outputWriter(), true);
            to.println(command);
            return shell.inputReader().readLine();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    boolean pings(int number, String address) {
        return Boolean.parseBoolean(on(number, "ping " + address));
    }

    /** Calls the API from the first instance. */
    JsonNode api(String words) {
        try {
            return JSON.readTree(on(0, "api " + words));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Runs {@code ip} in a namespace. */
    static String ip(String namespace, String command) {
        List<String> words = new ArrayList<>(List.of("ip", "-n", namespace));
        words.addAll(List.of(command.split(" ")));
        return ok(words.toArray(String[]::new));
    }

    static List<String> namespaces(String prefix) {
        return ok("ip", "netns", "list")
                .lines()
                .map(line -> line.replaceFirst(" .*", ""))
                .filter(name -> name.startsWith(prefix + "-"))
                .toList();
    }

    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    int terminate() throws InterruptedException {
        process.toHandle().destroy();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return process.exitValue();
    }

    @Override
    public void close() {
        process.destroyForcibly();
        shells.values().forEach(Process::destroyForcibly);
        namespaces(prefix).forEach(name -> run("ip", "netns", "del", name));
        run("rm", "-f", "/run/enipam-cloud/" + prefix);
    }
}
