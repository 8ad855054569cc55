package io.enipam.node.kernel;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The routes of the main table that lead to one IPv4 address, which is how a node reaches its pods. */
public final class HostRoutes {
    private static final Path OF_THIS_NODE = Path.of("/proc/self/net/route");
    private static final String WHOLE_ADDRESS = "FFFFFFFF";
    private static final int DESTINATION = 1;
    private static final int MASK = 7;
    private static final int HEXADECIMAL = 16;

    private HostRoutes() {}

    /** @return the names of links by address; no route at all if the kernel has no IPv4 */
    public static Map<String, String> ofThisNode() throws IOException {
        return Files.exists(OF_THIS_NODE) ? read(OF_THIS_NODE) : Map.of();
    }

    /**
     * Reads the kernel's table.
     *
     * @param table {@code /proc/PID/net/route}, which has numbers in the byte order of the machine
     */
    static Map<String, String> read(Path table) throws IOException {
        Map<String, String> routes = new HashMap<>();
        List<String> lines = Files.readAllLines(table, StandardCharsets.UTF_8);
        for (String line : lines.subList(Math.min(1, lines.size()), lines.size())) {
            String[] columns = line.strip().split("\\s+");
            if (columns.length > MASK && columns[MASK].equals(WHOLE_ADDRESS)) {
                int number = Integer.parseUnsignedInt(columns[DESTINATION], HEXADECIMAL);
                byte[] bytes = ByteBuffer.allocate(Integer.BYTES)
                        .order(ByteOrder.nativeOrder())
                        .putInt(number)
                        .array();
                routes.put(InetAddress.getByAddress(bytes).getHostAddress(), columns[0]);
            }
        }
        return routes;
    }
}
