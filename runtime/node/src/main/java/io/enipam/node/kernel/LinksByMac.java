package io.enipam.node.kernel;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;

/**
 * Finds links by their hardware address, which is all that the cloud and the kernel agree on: names change with a reboot.
 *
 * <p>The names come from proc(5), which is always of this process's network namespace; the rest from sysfs(5), which is of the one it
 * was mounted in. The JDK's own list has no links without an address, and an ENI that was attached a moment ago has none.
 */
final class LinksByMac {
    /** How the kernel's slaves of ENIs begin that terway and this daemon make: they share the ENI's hardware address. */
    private static final String SLAVE = "ipvl_";

    private final Path names;
    private final Path links;

    /**
     * @param names the table of this namespace's links: {@code /proc/self/net/dev}
     * @param links the directory with what each of them is: {@code /sys/class/net}
     */
    LinksByMac(Path names, Path links) {
        this.names = names;
        this.links = links;
    }

    /**
     * @return the lowest index of those with the address, since slaves are younger than what they hang on
     * @throws IOException if the tables cannot be read
     */
    OptionalInt index(String mac) throws IOException {
        OptionalInt lowest = OptionalInt.empty();
        for (String line : Files.readAllLines(names, StandardCharsets.UTF_8)) {
            int colon = line.indexOf(':');
            String name = colon < 0 ? "" : line.substring(0, colon).trim();
            if (!name.isEmpty() && !name.startsWith(SLAVE) && mac.equalsIgnoreCase(word(name, "address"))) {
                int index = Integer.parseInt(word(name, "ifindex"));
                lowest = OptionalInt.of(Math.min(index, lowest.orElse(index)));
            }
        }
        return lowest;
    }

    /** @throws IOException if the table cannot be read */
    boolean has(String link) throws IOException {
        return Files.readAllLines(names, StandardCharsets.UTF_8).stream()
                .anyMatch(line -> line.strip().startsWith(link + ":"));
    }

    /** What sysfs says of a link; one that has just gone has the word {@code -1}. */
    private String word(String link, String what) throws IOException {
        try {
            List<String> lines = Files.readAllLines(links.resolve(link).resolve(what), StandardCharsets.UTF_8);
            return lines.isEmpty() ? "-1" : lines.get(0).trim().toLowerCase(Locale.ROOT);
        } catch (NoSuchFileException e) {
            return "-1";
        }
    }
}
