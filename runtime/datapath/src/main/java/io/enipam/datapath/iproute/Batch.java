package io.enipam.datapath.iproute;

import io.enipam.datapath.netlink.KernelChange;
import io.enipam.datapath.netlink.KernelChange.Outcome;
import io.enipam.datapath.netlink.KernelChange.SysctlWrite;
import io.enipam.datapath.netlink.KernelChange.TableFlush;
import io.enipam.datapath.netlink.Rtnetlink;
import io.enipam.datapath.netlink.Rtnetlink.Route;
import io.enipam.datapath.netlink.Rtnetlink.VethEnd;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Commands for one network namespace, in the order in which they are to run; one request or one process start, however many they are.
 * All of them run, whatever becomes of those before: a batch is idempotent, and the caller gets the first failure. Not thread-safe.
 *
 * <p>Each is the text of a command of iproute2, and most are a change as rtnetlink takes it, too: both are built at one place here, so
 * that they say the same. A batch goes to the kernel as a whole by one way: by iproute2 if any of it has no other form.
 */
public final class Batch {
    /** What rules and routes of ours are marked with, beside those of other programs: a routing protocol number that no other program uses. */
    public static final String PROTOCOL = "69";

    private static final int MARK = Integer.parseInt(PROTOCOL);

    /** How the kernel answers a command that makes something that is there. */
    public static final String EXISTS = "File exists";

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

    /** Adds a command of {@code ip}, without the program's name, that has no other form; every failure of it is one of the batch. */
    public Batch ip(String text) {
        return add(Tool.IP, text, Accepted.NONE, Optional.empty());
    }

    /** Adds one that may find its work done. */
    public Batch ipUnlessThere(String text) {
        return add(Tool.IP, text, Accepted.PRESENT, Optional.empty());
    }

    /** Adds a command of {@code tc} that has no other form. */
    public Batch tc(String text) {
        return add(Tool.TC, text, Accepted.NONE, Optional.empty());
    }

    /** Adds one that takes something away, if it is there. */
    public Batch tcIfThere(String text) {
        return add(Tool.TC, text, Accepted.ABSENT, Optional.empty());
    }

    /** Makes a veth pair, whose other end is in another namespace from the begin. */
    public Batch veth(VethEnd here, VethEnd peer, int mtu, String netns) {
        String text = "link add name " + here.link() + " address " + here.mac() + " mtu " + mtu
                + " type veth peer name " + peer.link() + " address " + peer.mac() + " mtu " + mtu + " netns " + netns;
        return ip(text, Accepted.NONE, () -> Rtnetlink.addVeth(here, peer, mtu, netns));
    }

    public Batch up(String link) {
        return link(link, "up", () -> Rtnetlink.up(link));
    }

    public Batch down(String link) {
        return link(link, "down", () -> Rtnetlink.down(link));
    }

    public Batch mtu(String link, int mtu) {
        return link(link, "mtu " + mtu, () -> Rtnetlink.mtu(link, mtu));
    }

    public Batch alias(String link, String alias) {
        return link(link, "alias " + alias, () -> Rtnetlink.alias(link, alias));
    }

    /** Renames a link, which has to be down. */
    public Batch rename(String link, String name) {
        return link(link, "name " + name, () -> Rtnetlink.rename(link, name));
    }

    /** Moves a link to another namespace and gives it a name there. */
    public Batch move(String link, String netns, String name) {
        return link(link, "netns " + netns + " name " + name, () -> Rtnetlink.move(link, netns, name));
    }

    /** Keeps the kernel from giving a link IPv6 addresses of its own. */
    public Batch withoutOwnAddresses(String link) {
        return link(link, "addrgenmode none", () -> Rtnetlink.withoutOwnAddresses(link));
    }

    private Batch link(String link, String setting, Supplier<KernelChange> change) {
        return ip("link set dev " + link + " " + setting, Accepted.NONE, change);
    }

    /** Deletes a link, if it is there. */
    public Batch noLink(String link) {
        return ip("link del dev " + link, Accepted.ABSENT, () -> Rtnetlink.removeLink(link));
    }

    /** Gives a link an address in CIDR notation; an IPv6 one is not tried for duplicates. */
    public Batch address(String cidr, String link) {
        String text = "addr replace " + cidr + " dev " + link + (isIpv6(cidr) ? " nodad" : "");
        return ip(text, Accepted.NONE, () -> Rtnetlink.replaceAddress(cidr, link));
    }

    /** Takes an address off a link, if it is there. */
    public Batch noAddress(String cidr, String link) {
        return ip("addr del " + cidr + " dev " + link, Accepted.ABSENT, () -> Rtnetlink.removeAddress(cidr, link));
    }

    /** Makes a permanent neighbour. */
    public Batch neighbour(String ip, String mac, String link) {
        return ip(
                "neigh replace " + ip + " lladdr " + mac + " dev " + link + " nud permanent",
                Accepted.NONE,
                () -> Rtnetlink.replaceNeighbour(ip, mac, link));
    }

    /** Adds our route to a pod's address. */
    public Batch podRoute(String cidr, String link) {
        return route(new Route(cidr, "", link, "", Rtnetlink.MAIN, MARK));
    }

    /** Takes it away, if it is there. */
    public Batch noPodRoute(String cidr, String link) {
        return ip("route del " + cidr + " dev " + link, Accepted.ABSENT, () -> Rtnetlink.removeRoute(cidr, link));
    }

    /** Leads everything of a gateway's family to the gateway. */
    public Batch defaultRoute(String gateway, String link) {
        return route(new Route("default", gateway, link, "", Rtnetlink.MAIN, Rtnetlink.UNMARKED));
    }

    /** The same in another table, marked as ours. */
    public Batch defaultRoute(String gateway, String link, long table) {
        return route(new Route("default", gateway, link, "", table, MARK));
    }

    /** Leads a CIDR to a gateway; what this namespace itself sends there comes from an address. */
    public Batch route(String cidr, String gateway, String link, String source) {
        return route(new Route(cidr, gateway, link, source, Rtnetlink.MAIN, Rtnetlink.UNMARKED));
    }

    /** Sends what is for a CIDR out of one of our tables to the next rule. */
    public Batch throwRoute(String cidr, long table) {
        return route(new Route(cidr, "", "", "", table, MARK));
    }

    private Batch route(Route route) {
        boolean onLink = route.gateway().isEmpty() && !route.link().isEmpty();
        String text = "route replace " + (route.link().isEmpty() ? "throw " : "") + route.destination()
                + (route.gateway().isEmpty() ? "" : " via " + route.gateway())
                + (route.link().isEmpty() ? "" : " dev " + route.link())
                + (onLink && !isIpv6(route.destination()) ? " scope link" : "")
                + (route.gateway().isEmpty() ? "" : " onlink")
                + (route.source().isEmpty() ? "" : " src " + route.source())
                + (route.table() == Rtnetlink.MAIN ? "" : " table " + route.table())
                + (route.protocol() == Rtnetlink.UNMARKED ? "" : " protocol " + route.protocol());
        return ip(text, Accepted.NONE, () -> Rtnetlink.replaceRoute(route));
    }

    /** Adds a rule, if it is not there. */
    public Batch rule(NetnsSnapshot.Rule rule) {
        return rule("add", rule, Accepted.PRESENT, rule.netlink().map(Rtnetlink::addRule));
    }

    /** Takes a rule away, if it is there: the first that has all its fields. */
    public Batch noRule(NetnsSnapshot.Rule rule) {
        return rule("del", rule, Accepted.ABSENT, rule.netlink().map(Rtnetlink::removeRule));
    }

    private Batch rule(
            String verb, NetnsSnapshot.Rule rule, Accepted accepted, Optional<? extends KernelChange> change) {
        Tool tool = rule.ipv6() ? Tool.IP6 : Tool.IP;
        return add(tool, "rule " + verb + " " + rule.command(), accepted, change.map(KernelChange.class::cast));
    }

    /** Empties a table of the routes of both families; an empty one is none. */
    public Batch flush(long table) {
        String text = "route flush table " + table;
        return add(Tool.IP, text, Accepted.ABSENT, Optional.of(new TableFlush(false, table)))
                .add(Tool.IP6, text, Accepted.ABSENT, Optional.of(new TableFlush(true, table)));
    }

    /**
     * Puts a token bucket filter on what leaves by a link.
     *
     * @param rate bytes a second
     * @param burst what may pass at once, in bytes
     * @param limit what may wait, in bytes
     */
    public Batch tokenBucket(String link, long rate, long burst, long limit) {
        return add(
                Tool.TC,
                // bps are bytes a second to tc
                "qdisc replace dev " + link + " root tbf rate " + rate + "bps burst " + burst + " limit " + limit,
                Accepted.NONE,
                Optional.of(Rtnetlink.replaceTokenBucket(link, rate, burst, limit)));
    }

    /** Sets a sysctl of another namespace, by its path below {@code /proc/sys}; {@link Sysctls} does so for this process's. */
    public Batch sysctl(String path, String value) {
        return add(Tool.SYSCTL, path + " " + value, Accepted.NONE, Optional.of(new SysctlWrite(path, value)));
    }

    private static boolean isIpv6(String cidr) {
        return cidr.indexOf(':') >= 0;
    }

    /** Throws CommandFailedException if a part of it is no address: nothing of the batch is run then. */
    private Batch ip(String text, Accepted accepted, Supplier<KernelChange> change) {
        try {
            return add(Tool.IP, text, accepted, Optional.of(change.get()));
        } catch (IllegalArgumentException e) {
            throw new Runner.CommandFailedException("'" + text + "': " + e.getMessage(), text, e.getMessage());
        }
    }

    private Batch add(Tool tool, String text, Accepted accepted, Optional<KernelChange> change) {
        commands.add(new Command(tool, text, accepted, change));
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

    /** All of it as netlink takes it; empty if a command has no such form. */
    Optional<List<KernelChange>> changes() {
        List<KernelChange> changes =
                commands.stream().flatMap(command -> command.change().stream()).toList();
        return changes.size() == commands.size() ? Optional.of(changes) : Optional.empty();
    }

    /** Answers beside success that are as good: any text of iproute2 that contains one of these, and errnos of netlink. */
    enum Accepted {
        NONE(Set.of(), Set.of()),
        /** What is to be made is there. */
        PRESENT(Set.of(EXISTS), Set.of(17)),
        /** What is to be deleted or changed is not there: ENOENT, ESRCH, ENODEV, EADDRNOTAVAIL. */
        ABSENT(
                Set.of(
                        "No such file or directory",
                        "No such process",
                        "No such device",
                        "Cannot find",
                        "not found",
                        "does not exist",
                        "Cannot assign requested address",
                        "Cannot delete qdisc with handle of zero",
                        "Invalid handle",
                        "FIB table does not exist"),
                Set.of(2, 3, 19, 99));

        private final Set<String> texts;
        private final Set<Integer> errnos;

        Accepted(Set<String> texts, Set<Integer> errnos) {
            this.texts = texts;
            this.errnos = errnos;
        }

        boolean includes(String answer) {
            return texts.stream().anyMatch(answer::contains);
        }

        boolean includes(Outcome outcome) {
            return outcome.errno() == 0 || errnos.contains(outcome.errno());
        }
    }

    /** One command of a batch: one line of plain text, in which nothing needs quotes, and its form for netlink, if it has one. */
    record Command(Tool tool, String text, Accepted accepted, Optional<KernelChange> change) {
        /** No quote, no comment, no escape, no line end: the programs split words at blanks and give these a meaning. */
        private static final String PLAIN = "_.,:/@+=~ -";

        Command {
            if (text.isEmpty() || !text.chars().allMatch(Command::isPlain)) {
                throw new IllegalArgumentException("not a plain command: " + text);
            }
        }

        private static boolean isPlain(int one) {
            return one >= 'a' && one <= 'z'
                    || one >= 'A' && one <= 'Z'
                    || one >= '0' && one <= '9'
                    || PLAIN.indexOf(one) >= 0;
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
