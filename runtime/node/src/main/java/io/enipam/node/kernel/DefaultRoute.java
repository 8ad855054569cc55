package io.enipam.node.kernel;

import io.enipam.sdk.Family;
import java.io.IOException;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The default route of this process's network namespace, by {@code /proc/net/route} and {@code /proc/net/ipv6_route}. */
final class DefaultRoute {
    private static final String IPV6_NOWHERE = "0".repeat(32);

    private DefaultRoute() {}

    /** The link it leads to; empty if there is none. */
    static Optional<NetworkInterface> link(Family family) throws SocketException {
        Optional<String> name = family == Family.IPV4
                ? device(Path.of("/proc/self/net/route"), DefaultRoute::isIpv4Default, 0)
                : device(Path.of("/proc/self/net/ipv6_route"), DefaultRoute::isIpv6Default, 9);
        return name.isPresent() ? Optional.ofNullable(NetworkInterface.getByName(name.get())) : Optional.empty();
    }

    private interface Row {
        boolean matches(String[] columns);
    }

    private static boolean isIpv4Default(String[] columns) {
        return columns.length > 7 && columns[1].equals("00000000") && columns[7].equals("00000000");
    }

    private static boolean isIpv6Default(String[] columns) {
        return columns.length > 9
                && columns[0].equals(IPV6_NOWHERE)
                && columns[1].equals("00")
                && !columns[4].equals(IPV6_NOWHERE)
                && !columns[9].equals("lo");
    }

    private static Optional<String> device(Path table, Row row, int column) {
        List<String> lines;
        try {
            lines = Files.readAllLines(table);
        } catch (IOException e) {
            // a kernel without the family
            return Optional.empty();
        }
        return lines.stream()
                .map(line -> line.trim().split("\\s+"))
                .filter(row::matches)
                .map(columns -> columns[column])
                .findFirst();
    }
}
