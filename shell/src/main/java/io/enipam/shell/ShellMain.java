package io.enipam.shell;

import io.enipam.shell.ShellProgram.Terminals;
import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.ErrorLine;
import io.enipam.shell.core.Palette;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.time.ZoneId;

/** The process: what {@link ShellProgram} needs from it, and its exit status. */
public final class ShellMain {
    private ShellMain() {}

    public static void main(String[] args) {
        // gRPC and netty log what they think of a closing socket; what matters of it reaches the operator as an error
        // line.
        // Said before the first logger is asked for, it spares java.util.logging the reading of its configuration,
        // which
        // takes as long as building a command
        System.setProperty("java.util.logging.config.class", NoLogging.class.getName());
        // picocli's converters to types of java.time and java.sql, of which no option is one: each is looked for by
        // reflection
        System.setProperty("picocli.converters.excludes", "java\\.(sql|time)\\..*");
        // the JDK has unix sockets itself: netty's library would be unpacked into a file and loaded by each command
        System.setProperty("io.grpc.netty.shaded.io.netty.transport.noNative", "true");
        // of any thread: a stack trace is no answer
        Thread.setDefaultUncaughtExceptionHandler(
                (thread, e) -> System.err.println(ErrorLine.forPerson(Palette.PLAIN, "", ShellException.of(e))));
        ShellProgram program = new ShellProgram(
                Path.of(System.getProperty("enipam.home", ".")),
                Path.of(System.getProperty("java.io.tmpdir")),
                Terminals.fromSystem(),
                InstantSource.system(),
                ZoneId.systemDefault());
        int status = program.run(args, System.in, System.out, System.err, System.getenv());
        System.exit(complete(status));
    }

    /** Answers that did not fit where they go are a failure. A reader that went away is none: it has what it wanted. */
    private static int complete(int status) {
        if (!System.out.checkError() || goesToAReader()) {
            return status;
        }
        ShellException lost = new ShellException(
                ExitStatus.REFUSED,
                "STDOUT",
                "stdout could not be written, so the answer is not complete",
                "See whether there is room where it goes");
        System.err.println(ErrorLine.forPerson(Palette.PLAIN, "", lost));
        return status == ExitStatus.DONE.status() ? lost.exit().status() : status;
    }

    private static boolean goesToAReader() {
        try {
            String name = Files.readSymbolicLink(Path.of("/proc/self/fd/1")).toString();
            return name.startsWith("pipe:") || name.startsWith("socket:") || name.startsWith("/dev/pts/");
        } catch (IOException unknown) {
            return false;
        }
    }

    /** A configuration of java.util.logging without a handler; made by it, by name. */
    public static final class NoLogging {}
}
