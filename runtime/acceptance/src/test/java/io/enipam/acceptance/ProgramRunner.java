package io.enipam.acceptance;

import io.enipam.engine.testing.TestThreads;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Runs the launchers in {@code bin/} as their users do: as processes, with a scratch directory of the test's own. */
final class ProgramRunner {
    /** One of them is a whole Maven. */
    private static final long PATIENCE_SECONDS = 600;

    private final Path scratch;

    /** @param scratch where the programs put temporary files; empty again when all is well */
    ProgramRunner(Path scratch) {
        this.scratch = scratch;
    }

    /** What a program that has ended left: its exit status, and what it said. */
    record Result(int status, String out, String err) {}

    static Path shell() {
        return Project.root().resolve("shell/bin/enipam");
    }

    static Path cloud() {
        return Project.root().resolve("runtime/bin/enipam-cloud");
    }

    static Path daemon() {
        return Project.root().resolve("runtime/bin/enipamd");
    }

    /** What the programs see as their environment. */
    Map<String, String> environment() {
        return Map.of("TMPDIR", scratch.toString(), "HOME", scratch.toString());
    }

    Result enipam(String... arguments) {
        return run(shell(), arguments);
    }

    Result run(Path program, String... arguments) {
        return ended(program, start(program, arguments));
    }

    /** The same, in a directory of the caller's, with more environment. */
    Result runIn(Path directory, Map<String, String> more, Path program, String... arguments) {
        ProcessBuilder builder = builder(program, arguments).directory(directory.toFile());
        builder.environment().putAll(more);
        return ended(program, started(builder));
    }

    /** Waits for a program that was started and gets no more input. */
    static Result ended(Path program, Process process) {
        try {
            process.getOutputStream().close();
            CompletableFuture<String> err = read(process.getErrorStream());
            CompletableFuture<String> out = read(process.getInputStream());
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                // Process.destroyForcibly closes what is read here
                process.toHandle().destroyForcibly();
                throw new AssertionError(program + " does not end; it said: " + out.join() + err.join());
            }
            return new Result(process.exitValue(), out.join(), err.join());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    /** Starts a program and leaves it running; the caller reads what it says. */
    Process start(Path program, String... arguments) {
        return started(builder(program, arguments));
    }

    /** The same, with what it says appended to a file. */
    Process startLogged(Path log, Path program, String... arguments) {
        return started(builder(program, arguments)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile())));
    }

    private ProcessBuilder builder(Path program, String... arguments) {
        List<String> command = new ArrayList<>(List.of(program.toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().putAll(environment());
        return builder;
    }

    private static Process started(ProcessBuilder builder) {
        try {
            return builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Files under the scratch directory that a program should have removed. */
    List<Path> leftFiles() {
        try (Stream<Path> files = Files.list(scratch)) {
            // JLine's library of a shell that was killed goes when the next shell starts
            return files.filter(file ->
                            !file.getFileName().toString().matches("jlinenative.*|\\.enipam_history|root|hsperfdata.*"))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Processes that have the scratch directory on their command line. */
    List<String> leftProcesses() {
        return ProcessHandle.allProcesses()
                .map(process -> process.info().commandLine().orElse(""))
                .filter(line -> line.contains(scratch.toString()))
                .toList();
    }

    private static CompletableFuture<String> read(InputStream stream) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                },
                TestThreads.PER_TASK);
    }
}
