package io.enipam.datapath.iproute;

import io.enipam.datapath.iproute.Runner.CommandFailedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The sysctls of this process's network namespace, below the directory that has {@code net/ipv4}, without a process:
 * the kernel shows each process its own, whichever way leads there. Thread-safe.
 */
public record Sysctls(Path root) {
    /** Where they are on a node. In a container that is not privileged that is read-only, and another mount of it is not. */
    public static final Path USUAL = Path.of("/proc/sys");

    /** Whether the node forwards IPv4. The kernel sets each link when it changes, and ignores a write of the value that it has. */
    public static final String IPV4_FORWARDING = "net/ipv4/ip_forward";

    /**
     * The forwarding that new links inherit, as {@link #IPV4_FORWARDING} has it. If it differs, so do all links: {@link #set} changes
     * IPV4_FORWARDING to the other value and back, by which the kernel sets each link.
     */
    public static final String IPV4_NEW_LINKS_FORWARDING = "net/ipv4/conf/default/forwarding";

    /**
     * Held while a sysctl is set. Two writes of {@code ip_forward} at once can leave it 1 with every link at 0, for good: where the kernel
     * cannot lock the links it restores the old value and starts again, and the other write finds nothing to change
     * (devinet_sysctl_forward in net/ipv4/devinet.c).
     */
    private static final Object SETTING = new Object();

    private static final String IPV6_LINKS = "net/ipv6/conf";
    private static final String IPV6_FORWARDING = IPV6_LINKS + "/all/forwarding";

    /**
     * What a sysctl, named by its path below {@code /proc/sys}, is now. Throws CommandFailedException if there is none.
     */
    public String get(String path) {
        try {
            // by lines: the kernel tells what the first read takes, and readString begins with one byte
            return String.join("\n", Files.readAllLines(root.resolve(path))).trim();
        } catch (IOException e) {
            throw new CommandFailedException(root.resolve(path) + " cannot be read: " + e.getMessage());
        }
    }

    public boolean has(String path) {
        return Files.exists(root.resolve(path));
    }

    /**
     * Sets it, unless it is so: then nothing is written, and a read-only directory does no harm. Throws
     * CommandFailedException if it cannot be set; the text has the remedy.
     */
    public void set(String path, String value) {
        synchronized (SETTING) {
            if (get(path).equals(value)) {
                return;
            }
            if (path.equals(IPV6_FORWARDING)) {
                keepAdvertisedRoutes();
            }
            write(path, value);
        }
    }

    /**
     * A node that forwards IPv6 does not listen to router advertisements any more, and would lose a default route that it has by
     * them: links that listen are set to go on (accept_ra 2; kernel's networking/ip-sysctl).
     */
    private void keepAdvertisedRoutes() {
        try (Stream<Path> links = Files.list(root.resolve(IPV6_LINKS))) {
            for (Path link : links.toList()) {
                String setting = IPV6_LINKS + "/" + link.getFileName() + "/accept_ra";
                if (has(setting) && get(setting).equals("1")) {
                    write(setting, "2");
                }
            }
        } catch (IOException e) {
            throw new CommandFailedException(root.resolve(IPV6_LINKS) + " cannot be read: " + e.getMessage());
        }
    }

    private void write(String path, String value) {
        boolean eachLink = path.equals(IPV4_NEW_LINKS_FORWARDING);
        String written = eachLink ? IPV4_FORWARDING : path;
        List<String> values = eachLink ? List.of(value.equals("1") ? "0" : "1", value) : List.of(value);
        try {
            for (String each : values) {
                Files.writeString(root.resolve(written), each + "\n");
            }
        } catch (IOException e) {
            String remedy = values.stream()
                    .map(each -> " " + name(written) + "=" + each)
                    .collect(Collectors.joining());
            throw new CommandFailedException(
                    name(path) + " is " + get(path) + " and has to be " + value + ", but " + root
                            + " cannot be written (" + e.getMessage() + "): run 'sysctl -w" + remedy
                            + "' on the node, or give the container the node's /proc/sys/net as a volume and set"
                            + " ENIPAM_SYSCTLS");
        }
    }

    private static String name(String path) {
        return path.replace('/', '.');
    }
}
