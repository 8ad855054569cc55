package io.enipam.cni;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * A front that was built, and called as a container runtime does.
 *
 * @param name of it, for the reports
 * @param executable of it
 * @param patience a deadline in milliseconds within which it certainly has begun
 */
record BuiltPlugin(String name, Path executable, int patience) {
    static final Path MODULE = Path.of("").toAbsolutePath();

    @Override
    public String toString() {
        return name;
    }

    /** The C front, built here with these variables for the build; empty if there is no compiler that can. */
    static java.util.Optional<BuiltPlugin> inC(String name, Map<String, String> options) throws Exception {
        Path out = MODULE.resolve("target/fronts/" + name.replace(' ', '-'));
        Ran built = build(out, options);
        assertThat(built.status()).as(built.err()).isZero();
        return Files.exists(out.resolve("enipam-cni.jar"))
                ? java.util.Optional.empty()
                : java.util.Optional.of(new BuiltPlugin(name, out.resolve("enipam-cni"), 700));
    }

    /**
     * The Java front, as it is built where there is no compiler.
     *
     * @param out where nobody else builds at the same time
     */
    static BuiltPlugin inJava(Path out) throws Exception {
        Ran built = build(out, Map.of("CC", "no-such-compiler"));
        assertThat(built.status()).as(built.err()).isZero();
        return new BuiltPlugin("Java", out.resolve("enipam-cni"), 5000);
    }

    static Ran build(Path out, Map<String, String> environment) throws Exception {
        return build(out, environment, "/usr/bin:/bin");
    }

    static Ran build(Path out, Map<String, String> environment, String path) throws Exception {
        Map<String, String> all = new TreeMap<>(environment);
        all.put("JAVA_HOME", System.getProperty("java.home"));
        all.put("PATH", path);
        return Ran.of(
                List.of(
                        MODULE.resolve("src/main/sh/build-front").toString(),
                        out.toString(),
                        "0.1.0",
                        MODULE.resolve("target/classes").toString()),
                all,
                new byte[0]);
    }

    /** Calls it with a configuration on standard input. */
    Ran call(Path socket, String command, byte[] stdin, String... variables) throws Exception {
        return Ran.of(List.of(executable.toString()), environment(socket, command, variables), stdin);
    }

    /** Calls it by a line of sh, in which {@code "$0"} is the front. */
    Ran by(String line, Path socket, String command, String... variables) throws Exception {
        return Ran.of(
                List.of("/bin/sh", "-c", line, executable.toString()),
                environment(socket, command, variables),
                new byte[0]);
    }

    /** What it has in its environment. */
    Map<String, String> environment(Path socket, String command, String... variables) {
        Map<String, String> environment = new TreeMap<>(
                Map.of("PATH", "/usr/bin:/bin", "JAVA_HOME", System.getProperty("java.home"), "CNI_COMMAND", command));
        environment.put("ENIPAM_CNI_SOCKET", socket.toString());
        for (String variable : variables) {
            String[] parts = variable.split("=", 2);
            environment.put(parts[0], parts[1]);
        }
        return environment;
    }

    /** What a program did. */
    @SuppressWarnings("ArrayRecordComponent") // nobody compares them
    record Ran(int status, byte[] stdout, String err) {
        String out() {
            return new String(stdout, java.nio.charset.StandardCharsets.UTF_8);
        }

        static Ran of(List<String> command, Map<String, String> environment, byte[] stdin) throws Exception {
            Path directory = Files.createTempDirectory("front");
            try {
                Path in = Files.write(directory.resolve("in"), stdin);
                return of(command, environment, ProcessBuilder.Redirect.from(in.toFile()), directory);
            } finally {
                for (String name : List.of("in", "out", "err")) {
                    Files.deleteIfExists(directory.resolve(name));
                }
                Files.delete(directory);
            }
        }

        private static Ran of(
                List<String> command, Map<String, String> environment, ProcessBuilder.Redirect in, Path directory)
                throws IOException, InterruptedException {
            Path out = directory.resolve("out");
            Path err = directory.resolve("err");
            ProcessBuilder builder = new ProcessBuilder(new ArrayList<>(command))
                    .redirectInput(in)
                    .redirectOutput(out.toFile())
                    .redirectError(err.toFile());
            builder.environment().clear();
            builder.environment().putAll(environment);
            Process process = builder.start();
            try {
                assertThat(process.waitFor(120, TimeUnit.SECONDS))
                        .as("%s has ended", command)
                        .isTrue();
            } finally {
                process.destroyForcibly();
            }
            return new Ran(
                    process.exitValue(),
                    Files.readAllBytes(out),
                    new String(Files.readAllBytes(err), java.nio.charset.StandardCharsets.UTF_8));
        }
    }
}
