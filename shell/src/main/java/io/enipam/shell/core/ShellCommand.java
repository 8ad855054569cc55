package io.enipam.shell.core;

import static io.enipam.shell.attach.ShellException.usage;

import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.ListOptions.ListRequest;
import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** A command: the command tree gives it its session, picocli its other fields, and it runs once, in {@link #call}. */
public abstract class ShellCommand implements Callable<Integer> {
    /** The commands that {@linkplain #knowsThePast know it}, as they are typed. */
    public static final String OF_THE_PAST =
            "pool show, pool idle, pool inuse, pool map, pool history, pod list, pod show, eni list,"
                    + " eni show, explain, who, lease history, trace, events, diff";

    protected Session session;

    @Spec
    CommandSpec spec;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Say what this command does.")
    boolean help;

    /** Says where it runs; called once, before anything else is asked of it. */
    public final void runIn(Session where) {
        session = where;
    }

    /** Does what the command is for; throws {@link io.enipam.shell.attach.ShellException} if that fails. */
    protected abstract void run();

    /** Finds what is wrong with it that takes no daemon to see; throws a usage error. */
    public void prepare() {}

    /** Throws a usage error for a format that it does not have. */
    void requireFormat() {}

    /** Whether it changes the daemon, given what was typed. */
    public boolean changes() {
        return false;
    }

    /** What it lists; empty for a command that lists nothing in any of its forms. Asked before the daemon is. */
    public Optional<ListRequest> lists() {
        return Optional.empty();
    }

    /** Whether what stands behind its options is a command of its own, with options of its own. */
    public boolean takesCommand() {
        return false;
    }

    /** The id of the plugin that brings it; empty for one of the shell's own. */
    public Optional<String> plugin() {
        return Optional.empty();
    }

    /** Whether what it prints is of the moment of {@link Session#past}, or of no time at all. */
    public boolean knowsThePast() {
        return true;
    }

    /** Whether it goes on until it is interrupted, given what was typed. */
    public boolean endless() {
        return lists().filter(listed -> listed.view().endless()).isPresent();
    }

    public boolean needsConfirmation() {
        return false;
    }

    /** Whether it writes a file on the shell's machine, given what was typed: many daemons need many files. */
    public boolean writesLocalFile() {
        return false;
    }

    /** Why it is for an operator at the keyboard and not for a runbook; empty if it is for both. */
    public Optional<String> interactiveOnlyReason() {
        return lists().flatMap(listed -> listed.view().interactiveOnlyReason());
    }

    /** Throws a usage error for what was typed wrong, or for a change in a read-only session. Asks no daemon. */
    public final void validate() {
        if (session.past().isPresent() && !knowsThePast()) {
            throw usage(
                    "'" + name() + "' knows the present alone, and this shell is in the past",
                    "Of the past are known: " + OF_THE_PAST + ". Back to the present: at now, or without --at");
        }
        prepare();
        requireFormat();
        requireWritable();
    }

    /** Throws a usage error if it would change something in a session where nothing may be. */
    final void requireWritable() {
        if (changes() && session.readOnly()) {
            throw ShellException.readOnly("nothing was sent");
        }
    }

    @Override
    public final Integer call() {
        validate();
        completePodNames();
        run();
        return ExitStatus.DONE.status();
    }

    private void completePodNames() {
        for (ArgSpec argument : spec.args()) {
            boolean pod = Stream.of(argument.converters()).anyMatch(PodNameConverter.class::isInstance);
            if (pod && argument.getValue() instanceof String name && !name.isEmpty() && name.indexOf('/') < 0) {
                argument.setValue(session.podNamed(name));
            }
        }
    }

    /** The lines of it that a support bundle runs, asked before anything is parsed; none if it asks no daemon. */
    public List<String> inBundle() {
        return List.of();
    }

    /** Whether an option has a value other than nothing, 0, an empty text or false. */
    protected final boolean isGiven(String option) {
        Object value = spec.findOption(option).getValue();
        return value != null && !Set.of("", 0, 0.0, false).contains(value);
    }

    protected PrintStream out() {
        return session.screen().out();
    }

    protected void print(List<String> lines) {
        lines.forEach(out()::println);
        out().flush();
    }

    /** {@code NAME=VALUE} by name, in order. Throws a usage error for a word that is none, or a name given twice. */
    protected static Map<String, String> byName(List<String> words, String example) {
        Map<String, String> values = new LinkedHashMap<>();
        for (String word : words) {
            int equals = word.indexOf('=');
            if (equals < 1) {
                throw usage("'" + word + "' is not NAME=VALUE", "As in: " + example);
            }
            String name = word.substring(0, equals);
            if (values.put(name, word.substring(equals + 1)) != null) {
                throw usage("'" + name + "' is given twice", "Leave one of them out");
            }
        }
        return values;
    }

    /** The command as it is typed: {@code cni add}. */
    public String name() {
        return Grammar.nameOf(spec);
    }
}
