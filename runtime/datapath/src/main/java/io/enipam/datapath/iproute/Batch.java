package io.enipam.datapath.iproute;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Commands for one network namespace, in the order in which they are to run; one process start, however many they are. All of
 * them run, whatever becomes of those before: a batch is idempotent, and whoever runs it is told of the first failure. Not
 * thread-safe.
 */
public final class Batch {
    /** What rules and routes of ours are marked with, beside those of other programs: a routing protocol that nobody has. */
    public static final String PROTOCOL = "69";

    /** What the kernel says to a command that makes something that is there. */
    public static final String EXISTS = "File exists";

    /** What it says to one that deletes or changes something that is not there, in the words of all kinds of things. */
    public static final Set<String> ABSENT = Set.of(
            "No such file or directory",
            "No such process",
            "No such device",
            "Cannot find",
            "not found",
            "does not exist",
            "Cannot assign requested address",
            "Cannot delete qdisc with handle of zero",
            "Invalid handle",
            "FIB table does not exist");

    private final Optional<String> netns;
    private final List<Command> commands = new ArrayList<>();

    private Batch(Optional<String> netns) {
        this.netns = netns;
    }

    /** For the namespace of this process. */
    public static Batch here() {
        return new Batch(Optional.empty());
    }

    /** @param netns path of the namespace; checked by {@link Netns} */
    public static Batch in(String netns) {
        return new Batch(Optional.of(netns));
    }

    /** Adds a command of {@code ip}, without the program's name; every failure of it is one of the batch. */
    public Batch ip(String text) {
        return add(Tool.IP, text, Set.of());
    }

    /** Adds a command of {@code ip} that may find its work done. */
    public Batch ipUnlessThere(String text) {
        return add(Tool.IP, text, Set.of(EXISTS));
    }

    /** Adds a command of {@code ip} that takes something away, if it is there. */
    public Batch ipIfThere(String text) {
        return add(Tool.IP, text, ABSENT);
    }

    /** Adds a rule, if it is not there. */
    public Batch rule(boolean ipv6, String text) {
        return add(ipv6 ? Tool.IP6 : Tool.IP, "rule add " + text, Set.of(EXISTS));
    }

    /** Takes a rule away, if it is there: the first that has all that the text says. */
    public Batch noRule(boolean ipv6, String text) {
        return add(ipv6 ? Tool.IP6 : Tool.IP, "rule del " + text, ABSENT);
    }

    /** Empties a table of routes; an empty one is none. */
    public Batch flush(boolean ipv6, long table) {
        return add(ipv6 ? Tool.IP6 : Tool.IP, "route flush table " + table, ABSENT);
    }

    /** Adds a command of {@code tc}. */
    public Batch tc(String text) {
        return add(Tool.TC, text, Set.of());
    }

    /** Adds a command of {@code tc} that takes something away, if it is there. */
    public Batch tcIfThere(String text) {
        return add(Tool.TC, text, ABSENT);
    }

    /**
     * Sets a sysctl of a namespace other than this process's; {@link Sysctls} does the same here without a process.
     *
     * @param path below {@code /proc/sys}, with slashes
     */
    public Batch sysctl(String path, String value) {
        return add(Tool.SYSCTL, path + " " + value, Set.of());
    }

    /** Adds any command; {@code fine} are answers beside success that are as good. */
    private Batch add(Tool tool, String text, Set<String> fine) {
        commands.add(new Command(tool, text, fine));
        return this;
    }

    /** Whether there is nothing to do. */
    public boolean isEmpty() {
        return commands.isEmpty();
    }

    Optional<String> netns() {
        return netns;
    }

    /** What it has, without what kernels may answer: for whoever looks at it. */
    public List<String> texts() {
        return commands.stream().map(Command::text).toList();
    }

    List<Command> commands() {
        return commands;
    }
}
