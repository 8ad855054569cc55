package io.enipam.node.kernel;

import com.google.common.base.Suppliers;
import io.enipam.config.DaemonConfig;
import io.enipam.config.Schema;
import io.enipam.datapath.iproute.Links;
import io.enipam.sdk.Family;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * The node by kernel and configuration; its address is the first global one on the default route's link. To find it, all routes and links
 * of the node are read, so that a burst of pods asks once a second. Thread-safe.
 */
public final class HostNodeView implements NodeView {
    private static final Path OWN_ROUTES = Path.of("/proc/self/net/route");
    private static final Path OWN_IPV6_ROUTES = Path.of("/proc/self/net/ipv6_route");
    private static final String IPV6_NOWHERE = "0".repeat(32);
    private static final String WHOLE_ADDRESS = "FFFFFFFF";
    private static final int DESTINATION = 1;
    private static final int MASK = 7;
    private static final int HEXADECIMAL = 16;

    private final Supplier<DaemonConfig> config;
    private final LinksByMac links;
    private final Path net;
    private final Map<Family, Supplier<Optional<InetAddress>>> addresses = new EnumMap<>(Family.class);

    public HostNodeView(Supplier<DaemonConfig> config) {
        this(config, Path.of("/proc/self/net"));
    }

    /** @param net {@code /proc/PID/net} of a process in the node's network namespace */
    public HostNodeView(Supplier<DaemonConfig> config, Path net) {
        this.config = config;
        this.net = net;
        this.links = new LinksByMac(net.resolve("dev"), Path.of("/sys/class/net"));
        for (Family family : Family.values()) {
            addresses.put(family, Suppliers.memoizeWithExpiration(() -> ownAddress(family), 1, TimeUnit.SECONDS));
        }
    }

    @Override
    public Optional<InetAddress> address(Family family) {
        return addresses.get(family).get();
    }

    private static Optional<InetAddress> ownAddress(Family family) {
        try {
            String device = defaultDevice(family);
            Optional<NetworkInterface> link =
                    device.isEmpty() ? Optional.empty() : Optional.ofNullable(NetworkInterface.getByName(device));
            return link.flatMap(found -> Collections.list(found.getInetAddresses()).stream()
                    .filter(address -> address.getAddress().length * 8 == family.bits())
                    .filter(address -> !address.isLinkLocalAddress() && !address.isLoopbackAddress())
                    .findFirst());
        } catch (SocketException e) {
            return Optional.empty();
        }
    }

    /** The link of this process's default route; empty text if there is none. */
    private static String defaultDevice(Family family) {
        try {
            return family == Family.IPV4
                    ? rows(OWN_ROUTES).stream()
                            .filter(row -> row.length > MASK && row[DESTINATION].equals("00000000"))
                            .filter(row -> row[MASK].equals("00000000"))
                            .map(row -> row[0])
                            .findFirst()
                            .orElse("")
                    : rows(OWN_IPV6_ROUTES).stream()
                            .filter(row -> row.length > 9 && row[0].equals(IPV6_NOWHERE) && row[1].equals("00"))
                            .filter(row -> !row[4].equals(IPV6_NOWHERE) && !row[9].equals("lo"))
                            .map(row -> row[9])
                            .findFirst()
                            .orElse("");
        } catch (IOException e) {
            return ""; // a kernel without this address family
        }
    }

    @Override
    public OptionalInt linkOf(String mac) throws IOException {
        return links.index(mac);
    }

    @Override
    public boolean showsLinks() {
        return Links.visible();
    }

    @Override
    public boolean hasLink(String name) throws IOException {
        return links.has(name);
    }

    @Override
    public Map<String, String> hostRoutes() throws IOException {
        return routes(net.resolve("route"));
    }

    /** The link of each single IPv4 address in this process's main table; empty if the kernel has no IPv4. */
    public static Map<String, String> ownRoutes() throws IOException {
        return Files.exists(OWN_ROUTES) ? routes(OWN_ROUTES) : Map.of();
    }

    /** @param table {@code /proc/PID/net/route}, whose numbers are in the byte order of the machine */
    private static Map<String, String> routes(Path table) throws IOException {
        Map<String, String> routes = new HashMap<>();
        for (String[] columns : rows(table)) {
            if (columns.length > MASK && columns[MASK].equals(WHOLE_ADDRESS)) {
                int number = Integer.parseUnsignedInt(columns[DESTINATION], HEXADECIMAL);
                ByteBuffer bytes = ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.nativeOrder());
                routes.put(
                        InetAddress.getByAddress(bytes.putInt(number).array()).getHostAddress(), columns[0]);
            }
        }
        return routes;
    }

    private static List<String[]> rows(Path table) throws IOException {
        return Files.readAllLines(table).stream()
                .map(line -> line.strip().split("\\s+"))
                .toList();
    }

    @Override
    public List<String> serviceCidrs() {
        return config.get().get(Schema.SERVICE_CIDR);
    }

    /**
     * Finds links by their hardware address, the only key that cloud and kernel share: names change with a reboot.
     *
     * <p>The names come from proc(5), which always shows this process's network namespace; the rest comes from
     * sysfs(5), which shows the namespace in which it was mounted. The JDK's own list omits links without an address,
     * and a newly attached ENI has none.
     *
     * @param names the table of this namespace's links: {@code /proc/self/net/dev}
     * @param links the directory of the links' attributes: {@code /sys/class/net}
     */
    record LinksByMac(Path names, Path links) {
        /** The slaves of ENIs that terway and this daemon make: they share the ENI's hardware address. */
        private static final String SLAVE = "ipvl_";

        /** @return the lowest index of those with the address, since slaves are younger than their parent */
        OptionalInt index(String mac) throws IOException {
            OptionalInt lowest = OptionalInt.empty();
            for (String line : Files.readAllLines(names, StandardCharsets.UTF_8)) {
                int colon = line.indexOf(':');
                String name = colon < 0 ? "" : line.substring(0, colon).trim();
                if (!name.isEmpty() && !name.startsWith(SLAVE) && mac.equalsIgnoreCase(attribute(name, "address"))) {
                    int index = Integer.parseInt(attribute(name, "ifindex"));
                    lowest = OptionalInt.of(Math.min(index, lowest.orElse(index)));
                }
            }
            return lowest;
        }

        boolean has(String link) throws IOException {
            return Files.readAllLines(names, StandardCharsets.UTF_8).stream()
                    .anyMatch(line -> line.strip().startsWith(link + ":"));
        }

        /** A link's attribute in sysfs; {@code -1} for a link that has just gone. */
        private String attribute(String link, String what) throws IOException {
            try {
                List<String> lines = Files.readAllLines(links.resolve(link).resolve(what), StandardCharsets.UTF_8);
                return lines.isEmpty() ? "-1" : lines.get(0).trim().toLowerCase(Locale.ROOT);
            } catch (NoSuchFileException e) {
                return "-1";
            }
        }
    }
}
