package io.enipam.acceptance;

import io.enipam.shell.ShellProgram;
import io.enipam.shell.ShellProgram.Terminals;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.stream.Stream;

/** The shell's whole program, in the JVM of the tests: a process for each command would cost more than what it tells. */
final class AttachedShell {
    private final Path socket;
    private final Path home;

    /**
     * @param socket of the daemon
     * @param home the person's
     */
    AttachedShell(Path socket, Path home) {
        this.socket = socket;
        this.home = home;
    }

    ProgramRunner.Result run(String... arguments) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int status = into(new PrintStream(out, true, StandardCharsets.UTF_8), err, arguments);
        return new ProgramRunner.Result(
                status, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    /** The same, where somebody reads what it says. */
    int into(PrintStream out, OutputStream err, String... arguments) {
        String[] all = Stream.concat(Stream.of("--socket", socket.toString()), Stream.of(arguments))
                .toArray(String[]::new);
        return new ShellProgram(
                        Project.root(),
                        home,
                        new Terminals(false, false, false),
                        InstantSource.system(),
                        ZoneOffset.UTC)
                .run(
                        all,
                        InputStream.nullInputStream(),
                        out,
                        new PrintStream(err, true, StandardCharsets.UTF_8),
                        Map.of());
    }
}
