package io.enipam.sdk;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * How a {@link Command} is typed, and what it does to the node: a constant. Immutable and thread-safe.
 *
 * <pre>{@code
 * CommandSpec.read("How full each range is.", "hostlocal", "ranges").option(ABOVE)     // hostlocal ranges --above 10
 * CommandSpec.destroy("Give back an address.", "hostlocal", "release").operand(IP)     // hostlocal release 10.0.0.5
 * }</pre>
 *
 * @param path the words that it is typed as, 2 to 4, each {@code [a-z][a-z0-9-]{0,31}}. The first one is the plugin's noun: no
 *     command of the shell and no other plugin has it, and no command's path begins another one's. A part that breaks this
 *     runs without any of its commands and checks; {@code events} and {@code doctor} say why
 * @param summary what it does, one sentence with a full stop
 * @param operands values that must be typed, in this order, behind the path; the last may be a list, one word a value
 * @param options values that may be typed in any order: {@code --above 10} for a setting {@code above}, {@code --only-free} for a
 *     {@linkplain Setting#flag flag} {@code only_free} that is false by default. The names {@code columns}, {@code dry_run}, {@code help}, {@code output},
 *     {@code sort_by}, {@code watch} and {@code yes} are those of the shell
 */
public record CommandSpec(
        List<String> path, String summary, Impact impact, List<Setting<?>> operands, List<Setting<?>> options) {
    private static final int MOST_PARAMETERS = 32;
    private static final Pattern WORD = Pattern.compile("[a-z][a-z0-9-]{0,31}");
    private static final Pattern SUMMARY = Pattern.compile("[^\\p{Cntrl}]{1,200}");
    private static final Set<String> OPTIONS_OF_THE_SHELL =
            Set.of("columns", "dry_run", "help", "output", "sort_by", "watch", "yes");

    /** What a command does to what it is about; the host decides by it whom it serves. */
    public enum Impact {
        /** Nothing: members of the group that may inspect may run it. */
        READ,
        /** It changes something that can be changed back. It is audited. */
        CHANGE,
        /** It changes what cannot be changed back: the shell asks first, with what a dry run answers. It is audited. */
        DESTROY
    }

    public CommandSpec {
        path = List.copyOf(path);
        operands = List.copyOf(operands);
        options = List.copyOf(options);
        if (path.size() < 2 || path.size() > 4) {
            throw new IllegalArgumentException("a command has 2 to 4 words, the plugin's noun first, got " + path);
        }
        path.forEach(word -> Text.require("word of a command", word, WORD));
        Text.require("summary", summary, SUMMARY);
        List<Setting<?>> all = new ArrayList<>(operands);
        all.addAll(options);
        if (all.size() > MOST_PARAMETERS) {
            throw new IllegalArgumentException("a command has " + MOST_PARAMETERS + " parameters at most");
        }
        Set<String> names = new HashSet<>();
        for (Setting<?> parameter : all) {
            check(parameter, names);
        }
        for (int i = 0; i < operands.size() - 1; i++) {
            if (operands.get(i).list()) {
                throw new IllegalArgumentException(operands.get(i) + " is a list, and not the last operand");
            }
        }
    }

    private static void check(Setting<?> parameter, Set<String> names) {
        if (!names.add(parameter.name()) || OPTIONS_OF_THE_SHELL.contains(parameter.name())) {
            throw new IllegalArgumentException("the name " + parameter + " is taken");
        }
        if (parameter.isSecret()) {
            throw new IllegalArgumentException(
                    parameter + " is secret, and what is typed is in the shell's history and in the audit log");
        }
    }

    /** A command that changes nothing. */
    public static CommandSpec read(String summary, String... path) {
        return new CommandSpec(List.of(path), summary, Impact.READ, List.of(), List.of());
    }

    /** A command that changes something. */
    public static CommandSpec change(String summary, String... path) {
        return new CommandSpec(List.of(path), summary, Impact.CHANGE, List.of(), List.of());
    }

    /** A command that changes what cannot be changed back. */
    public static CommandSpec destroy(String summary, String... path) {
        return new CommandSpec(List.of(path), summary, Impact.DESTROY, List.of(), List.of());
    }

    /** The same with one operand more. */
    public CommandSpec operand(Setting<?> parameter) {
        return new CommandSpec(path, summary, impact, plus(operands, parameter), options);
    }

    /** The same with one option more. */
    public CommandSpec option(Setting<?> parameter) {
        return new CommandSpec(path, summary, impact, operands, plus(options, parameter));
    }

    /** Operands and options. */
    public List<Setting<?>> parameters() {
        List<Setting<?>> all = new ArrayList<>(operands);
        all.addAll(options);
        return List.copyOf(all);
    }

    private static List<Setting<?>> plus(List<Setting<?>> some, Setting<?> one) {
        List<Setting<?>> more = new ArrayList<>(some);
        more.add(one);
        return more;
    }
}
