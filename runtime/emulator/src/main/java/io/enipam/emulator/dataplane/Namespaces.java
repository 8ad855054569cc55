package io.enipam.emulator.dataplane;

import io.enipam.emulator.cloud.EmulatorException;
import io.enipam.emulator.cloud.VSwitch;
import io.enipam.emulator.dataplane.IpTool.IpException;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The namespaces of one emulator. The launcher makes that of the VPC and starts the emulator in it; the others are made
 * here. What was made is written down before it is there, in a file that the launcher holds locked, so that the next
 * emulator of the same prefix can remove what a killed one left, and nothing else. Not thread-safe.
 */
final class Namespaces {
    private static final Path MOUNTED = Path.of("/run/netns");
    private static final Path RECORDS = Path.of("/run/enipam-cloud");

    private static final Path SYSCTLS = Path.of("/proc/sys/net");
    /** Preference of the rule for what the emulator itself sends; rules after it let sources pass. */
    private static final int OWN = 900;

    /** Preference of the rule that drops what no rule has let pass. */
    private static final int DROP = 2000;

    private final String prefix;
    private final IpTool ip;
    private final List<String> made = new ArrayList<>();

    Namespaces(String prefix, IpTool ip) {
        this.prefix = prefix;
        this.ip = ip;
        made.add(vpc());
    }

    String vpc() {
        return prefix + "-vpc";
    }

    String node(String host) {
        return prefix + "-" + host;
    }

    static Path path(String namespace) {
        return MOUNTED.resolve(namespace);
    }

    /**
     * Makes sure that this process is in the VPC's namespace. Throws EmulatorException if it is in another, whose
     * network would be changed.
     */
    void requireInside() {
        String remedy = "; start it as root by runtime/bin/enipam-cloud --dataplane, which makes the namespace " + vpc()
                + " and enters it";
        try {
            String own = Files.readSymbolicLink(Path.of("/proc/self/ns/net")).toString();
            Object inode = Files.getAttribute(path(vpc()), "unix:ino");
            if (!own.equals("net:[" + inode + "]")) {
                throw new EmulatorException(
                        "the data plane changes the network namespace that it is in" + remedy, null);
            }
        } catch (IOException | UnsupportedOperationException e) {
            throw new EmulatorException("there is no network namespace " + vpc() + " (" + e + ")" + remedy, e);
        }
    }

    /**
     * Makes that of a node, with its loopback up. Throws EmulatorException if it cannot be made, or there is one of
     * that name that is not this emulator's.
     */
    void make(String host) {
        String name = node(host);
        try {
            Files.writeString(
                    Files.createDirectories(RECORDS).resolve(prefix),
                    name + "\n",
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
            ip.run("netns", "add", name);
            made.add(name);
            ip.run("-n", name, "link", "set", "lo", "up");
        } catch (IOException | IpException e) {
            throw new EmulatorException(
                    "cannot make the network namespace " + name + ": " + e.getMessage()
                            + "; choose other names by --namespaces PREFIX",
                    e);
        }
    }

    /**
     * Removes all that are written down, also those of another process; what cannot be removed is reported and stays
     * written down.
     */
    List<String> removeRecorded() {
        made.clear();
        try {
            made.addAll(Files.readAllLines(RECORDS.resolve(prefix)));
        } catch (IOException e) {
            return List.of("cannot read " + RECORDS.resolve(prefix) + ": " + e);
        }
        return made.isEmpty() ? List.of() : removeAll();
    }

    /** Removes all of them; what cannot be removed is reported and stays written down. */
    List<String> removeAll() {
        List<String> left = new ArrayList<>();
        List<String> problems = new ArrayList<>();
        for (String name : made) {
            try {
                ip.run("netns", "del", name);
            } catch (IpException e) {
                if (Files.exists(path(name))) {
                    left.add(name + "\n");
                    problems.add(String.valueOf(e.getMessage()));
                }
            }
        }
        made.clear();
        try {
            Files.writeString(RECORDS.resolve(prefix), String.join("", left));
        } catch (IOException e) {
            problems.add("cannot write " + RECORDS.resolve(prefix) + ": " + e);
        }
        return problems;
    }

    /**
     * Makes the namespace of this process a VPC: it answers for the gateways of the vSwitches and for the services of
     * the emulator, passes nothing on that no rule names the source of, and has no way out.
     */
    void setUpVpc(List<VSwitch> vswitches, List<InetAddress> services) {
        try {
            sysctls();
            List<String> lines = new ArrayList<>(List.of("link set lo up"));
            vswitches.forEach(vswitch -> lines.add("addr add " + vswitch.ipv4().gateway() + "/32 dev lo"));
            services.stream()
                    .filter(address -> !address.isLoopbackAddress() && !address.isAnyLocalAddress())
                    .forEach(address -> lines.add("addr replace " + address.getHostAddress() + "/"
                            + address.getAddress().length * 8 + " dev lo"));
            List<String> closed =
                    List.of("rule add pref " + OWN + " iif lo lookup main", "rule add pref " + DROP + " blackhole");
            lines.addAll(closed);
            lines.add("route add blackhole default");
            ip.batch(lines);
            if (Files.exists(SYSCTLS.resolve("ipv6"))) {
                List<String> six = new ArrayList<>(closed);
                six.add("route add blackhole default");
                ip.batch(six, "-6");
            }
        } catch (IpException e) {
            throw Dataplane.cannot("make the namespace a VPC", e);
        }
    }

    private static void sysctls() {
        Map<String, String> values = new LinkedHashMap<>();
        values.put("ipv4/ip_forward", "1");
        for (String links : List.of("all", "default")) {
            // sources are held against the rules, which know more than the reverse path does
            values.put("ipv4/conf/" + links + "/rp_filter", "0");
            values.put("ipv4/conf/" + links + "/send_redirects", "0");
        }
        values.put("ipv4/conf/default/proxy_arp", "1");
        if (Files.exists(SYSCTLS.resolve("ipv6"))) {
            values.put("ipv6/conf/all/forwarding", "1");
            values.put("ipv6/conf/default/accept_dad", "0");
        }
        values.forEach(Namespaces::sysctl);
    }

    /** Answers are not held back, so that many concurrent callers do not get them together. */
    static void answerAtOnce(String link) {
        sysctl("ipv4/neigh/" + link + "/proxy_delay", "0");
    }

    private static void sysctl(String name, String value) {
        try {
            Files.writeString(SYSCTLS.resolve(name), value);
        } catch (IOException e) {
            throw new EmulatorException(
                    "cannot set net/" + name + " to " + value + " in the VPC's namespace: " + e
                            + "; is /proc/sys mounted read-only?",
                    e);
        }
    }
}
