package io.enipam.shell;

import java.nio.file.Path;
import java.time.InstantSource;
import java.time.ZoneId;

/** The process: what {@link ShellProgram} needs from it, and its exit status. */
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        // gRPC and netty log what they think of a closing socket; what matters of it reaches the person as an error
        // line. Saying so before the first logger is asked for keeps java.util.logging from reading its configuration,
        // which takes as long as building a command
        System.setProperty("java.util.logging.config.class", NoLogging.class.getName());
        ShellProgram program = new ShellProgram(
                Path.of(System.getProperty("enipam.home", ".")),
                Path.of(System.getProperty("java.io.tmpdir")),
                Terminals.fromSystem(),
                InstantSource.system(),
                ZoneId.systemDefault());
        int status = program.run(args, System.in, System.out, System.err, System.getenv());
        System.exit(status);
    }

    /** A configuration of java.util.logging without a handler; made by it, by name. */
    public static final class NoLogging {}
}
