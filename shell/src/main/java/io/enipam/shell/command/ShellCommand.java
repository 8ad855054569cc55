package io.enipam.shell.command;

import io.enipam.shell.attach.Exit;
import java.io.PrintStream;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** A command: picocli fills its fields, and {@link #call} runs it. One object runs once. */
abstract class ShellCommand implements Callable<Integer> {
    final Session session;

    @Spec
    CommandSpec spec;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Say what this command does.")
    boolean help;

    ShellCommand(Session session) {
        this.session = session;
    }

    /** Does what the command is for; throws {@link io.enipam.shell.attach.ShellException} if that fails. */
    abstract void run();

    @Override
    public final Integer call() {
        run();
        return Exit.DONE.status();
    }

    PrintStream out() {
        return session.screen().out();
    }

    void print(List<String> lines) {
        lines.forEach(out()::println);
        out().flush();
    }

    /** The command as it is typed: {@code cni add}. */
    String name() {
        return CommandRunner.nameOf(spec);
    }
}
