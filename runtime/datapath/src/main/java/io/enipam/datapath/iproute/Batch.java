package io.enipam.datapath.iproute;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Commands for one network namespace, in the order in which they are to run; one process start, however many they are. All of
 * them run, whatever becomes of those before: a batch is idempotent, and the caller gets the first failure. Not
 * thread-safe.
 */
public final class Batch {
    /** What rules and routes of ours are marked with, beside those of other programs: a routing protocol number that no other program uses. */
    public static final String PROTOCOL = "69";

    /** The kernel's answer to a command that makes something that is there. */
    public static final String EXISTS = "File exists";

    /** Its answers to a command that deletes or changes something that is not there. */
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

    /** Gives a link an address in CIDR notation; an IPv6 one is not tried for duplicates. */
    public Batch address(String cidr, String link) {
        return ip("addr replace " + cidr + " dev " + link + (cidr.indexOf(':') < 0 ? "" : " nodad"));
    }

    /** Adds our route to a pod's address. */
    public Batch podRoute(String cidr, String link) {
        String scope = cidr.indexOf(':') < 0 ? " scope link" : "";
        return ip("route replace " + cidr + " dev " + link + scope + " protocol " + PROTOCOL);
    }

    /** Adds a rule, if it is not there. */
    public Batch rule(NetnsSnapshot.Rule rule) {
        return add(rule.ipv6() ? Tool.IP6 : Tool.IP, "rule add " + rule.command(), Set.of(EXISTS));
    }

    /** Takes a rule away, if it is there: the first that has all its fields. */
    public Batch noRule(NetnsSnapshot.Rule rule) {
        return add(rule.ipv6() ? Tool.IP6 : Tool.IP, "rule del " + rule.command(), ABSENT);
    }

    /** Empties a table of the routes of both families; an empty one is none. */
    public Batch flush(long table) {
        String text = "route flush table " + table;
        return add(Tool.IP, text, ABSENT).add(Tool.IP6, text, ABSENT);
    }

    public Batch tc(String text) {
        return add(Tool.TC, text, Set.of());
    }

    /** Adds a command of {@code tc} that takes something away, if it is there. */
    public Batch tcIfThere(String text) {
        return add(Tool.TC, text, ABSENT);
    }

    /** Sets a sysctl of another namespace, by its path below {@code /proc/sys}; {@link Sysctls} does so for this process's. */
    public Batch sysctl(String path, String value) {
        return add(Tool.SYSCTL, path + " " + value, Set.of());
    }

    /** Adds any command; {@code fine} are answers beside success that are as good. */
    private Batch add(Tool tool, String text, Set<String> fine) {
        commands.add(new Command(tool, text, fine));
        return this;
    }

    Optional<String> netns() {
        return netns;
    }

    public List<String> texts() {
        return commands.stream().map(Command::text).toList();
    }

    List<Command> commands() {
        return commands;
    }

    /**
     * One command of a batch: one line of plain text, in which nothing needs quotes, and answers beside success that
     * are as good, which are any text that contains one of these.
     */
    record Command(Tool tool, String text, Set<String> fine) {
        /** No quote, no comment, no escape, no line end: the programs split words at blanks and give these a meaning. */
        private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_.,:/@+=~ -]+");

        Command {
            if (!PLAIN.matcher(text).matches()) {
                throw new IllegalArgumentException("not a plain command: " + text);
            }
        }

        boolean accepts(String answer) {
            return fine.stream().anyMatch(answer::contains);
        }
    }

    /** A program that takes a batch of commands on its standard input, a line each. */
    enum Tool {
        /** {@code ip}: links, addresses, neighbours and routes of both families, and rules of IPv4. */
        IP("ip -force -batch -"),
        /** {@code ip -6}: rules of IPv6, which {@code ip} takes for malformed ones of IPv4. */
        IP6("ip -6 -force -batch -"),
        /** {@code tc}: queueing disciplines and filters. */
        TC("tc -force -batch -"),
        /** A sysctl of the namespace: {@code PATH VALUE}, the path below {@code /proc/sys}. */
        SYSCTL("");

        private final String command;

        Tool(String command) {
            this.command = command;
        }

        String command() {
            return command;
        }
    }
}
