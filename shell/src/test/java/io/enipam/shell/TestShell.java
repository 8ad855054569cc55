package io.enipam.shell;

import io.enipam.shell.ShellProgram.Terminals;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Runs the program in this JVM at a fixed time and tells what came of it. */
final class TestShell {
    /** What a run left: its exit status and what it wrote. */
    record Result(int status, String out, String err) {
        /** Of a process, which gets no input and has a minute. */
        static Result of(Process process) throws IOException, InterruptedException {
            process.getOutputStream().close();
            String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            String err = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!process.waitFor(60, TimeUnit.SECONDS)) {
                throw new AssertionError("it does not end; it said " + out + err);
            }
            return new Result(process.exitValue(), out, err);
        }
    }

    private final Path home;
    private final Path scratch;
    private Terminals terminals = new Terminals(false, false, false);
    private InputStream in = InputStream.nullInputStream();
    private Map<String, String> env = Map.of();

    TestShell(Path home, Path scratch) {
        this.home = home;
        this.scratch = scratch;
    }

    TestShell typing(String text) {
        in = new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
        return this;
    }

    TestShell reading(InputStream stream) {
        in = stream;
        return this;
    }

    TestShell on(Terminals streams, Map<String, String> environment) {
        terminals = streams;
        env = environment;
        return this;
    }

    Result run(String... args) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int status = new ShellProgram(home, scratch, terminals, InstantSource.fixed(CannedReplies.NOW), ZoneOffset.UTC)
                .run(
                        args,
                        in,
                        new PrintStream(out, true, StandardCharsets.UTF_8),
                        new PrintStream(err, true, StandardCharsets.UTF_8),
                        env);
        return new Result(status, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    Result at(Path socket, String... args) {
        return run(Stream.concat(Stream.of("--socket", socket.toString()), Stream.of(args))
                .toArray(String[]::new));
    }
}
