package io.enipam.emulator.dataplane;

import io.enipam.emulator.EmulatorException;
import io.enipam.emulator.dataplane.IpTool.IpException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * The namespaces of one emulator. The launcher makes that of the VPC and starts the emulator in it; the others are made here.
 * What was made is written down before it is there, in a file that the launcher holds locked, so that the next emulator of the
 * same prefix can remove what a killed one left, and nothing else. Not thread-safe.
 */
final class Namespaces {
    private static final Path MOUNTED = Path.of("/run/netns");
    private static final Path RECORDS = Path.of("/run/enipam-cloud");

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

    /** Where a namespace can be entered. */
    static Path path(String namespace) {
        return MOUNTED.resolve(namespace);
    }

    /**
     * Makes sure that this process is in the VPC's namespace.
     *
     * @throws EmulatorException if it is in another, whose network would be changed
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
     * Makes that of a node, with its loopback up.
     *
     * @throws EmulatorException if it cannot be made, or there is one of that name that is not this emulator's
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

    /** Removes all that are written down, also those of another process; what cannot be removed is reported and stays written down. */
    List<String> removeRecorded() {
        made.clear();
        try {
            made.addAll(Files.readAllLines(RECORDS.resolve(prefix)));
        } catch (IOException e) {
            return List.of("cannot read " + RECORDS.resolve(prefix) + ": " + e);
        }
        return made.isEmpty() ? List.of() : removeAll();
    }

    /** Removes all of them; what cannot be removed is told and stays written down. */
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
}
