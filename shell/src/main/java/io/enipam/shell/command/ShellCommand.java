package io.enipam.shell.command;

import io.enipam.shell.attach.Exit;
import io.enipam.shell.attach.ShellException;
import java.io.PrintStream;
import java.util.List;
import java.util.Optional;
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

    /** Finds what is wrong with it that takes no daemon to see; throws a usage error. */
    void prepare() {}

    /** Whether it changes the daemon, given what was typed. */
    boolean changes() {
        return false;
    }

    /** What it lists; empty for a command that lists nothing in any of its forms. Asked before the daemon is. */
    Optional<Listed> lists() {
        return Optional.empty();
    }

    /** Whether it goes on until somebody ends it, given what was typed. */
    boolean endless() {
        return lists().filter(listed -> listed.view().endless()).isPresent();
    }

    /** Whether it would ask somebody, given what was typed. */
    boolean asks() {
        return false;
    }

    /** Whether it writes a file on the shell's own machine, given what was typed: for many daemons there have to be many. */
    boolean savesHere() {
        return false;
    }

    /** Why it is for somebody at the keyboard and not for a runbook; empty if it is for both. */
    Optional<String> onlyByHand() {
        return lists().flatMap(listed -> listed.view().onlyByHand());
    }

    /**
     * Finds what keeps it from being run, without a daemon.
     *
     * @throws ShellException (usage) if what was typed is wrong, or it would change something and the session is for looking
     */
    final void ready() {
        prepare();
        if (changes()) {
            requireWritable();
        }
    }

    final void requireWritable() {
        if (session.readOnly()) {
            throw new ShellException(
                    Exit.USAGE,
                    "READ_ONLY",
                    "this shell is read-only, and nothing was sent",
                    "Start it without --read-only and without ENIPAM_READ_ONLY to change something"
                            + (changes()
                                    ? ""
                                    : "; a dry run that the daemon would have to compute for a change is refused, too"));
        }
    }

    @Override
    public final Integer call() {
        ready();
        run();
        return Exit.DONE.status();
    }

    /**
     * The lines of this command that a support bundle runs, as they are typed; none if it is not for looking at the daemon.
     * Called without any arguments in place.
     */
    List<String> inBundle() {
        return List.of();
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
