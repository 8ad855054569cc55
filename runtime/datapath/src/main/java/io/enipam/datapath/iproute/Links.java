package io.enipam.datapath.iproute;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.enipam.sdk.Address;
import java.io.IOException;
import java.net.InterfaceAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The links of this process's network namespace, without a process as far as that goes: the JDK shows those alone that have an
 * address, which a link that is down has not, nor any veth on a node without IPv6. The kernel's list of names tells whether it
 * leaves out what is asked for, and only then {@code ip} is. {@code /sys/class/net} is not asked: it shows the namespace in which
 * it was mounted. Thread-safe.
 */
public final class Links {
    private static final HexFormat COLONS = HexFormat.ofDelimiter(":");
    private static final Path NAMES = Path.of("/proc/self/net/dev");
    private static final int HEADLINES = 2;
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Runner runner;

    public Links(Runner runner) {
        this.runner = runner;
    }

    /**
     * A link.
     *
     * @param mtu in bytes
     * @param addresses on it, with their prefix lengths
     */
    public record Link(String name, int index, int mtu, List<String> addresses) {}

    private record Known(Link link, String mac) {}

    /**
     * The link with a hardware address. Slaves of a NIC have the NIC's: the oldest with it is the NIC itself, whatever either is
     * called.
     *
     * @param mac with colons, in any case
     * @throws CommandFailedException if the kernel cannot be read
     */
    public Optional<Link> byMac(String mac) {
        String wanted = mac.toLowerCase(Locale.ROOT);
        List<Known> shown = shown();
        Optional<Known> found = oldest(shown, wanted);
        return (found.isEmpty() && shown.size() < names().size() ? oldest(all(), wanted) : found).map(Known::link);
    }

    private static Optional<Known> oldest(List<Known> links, String mac) {
        return links.stream()
                .filter(known -> known.mac().equals(mac))
                .min(Comparator.comparingInt(known -> known.link().index()));
    }

    /** The link of a name. */
    public Optional<Link> byName(String name) {
        return named(name).map(Known::link);
    }

    /** The hardware address of the link of a name, in lower case; empty text if there is none. */
    public String macOf(String name) {
        return named(name).map(Known::mac).orElse("");
    }

    private Optional<Known> named(String name) {
        if (!names().contains(name)) {
            return Optional.empty();
        }
        Predicate<Known> same = known -> known.link().name().equals(name);
        Optional<Known> found = shown(name);
        return found.isPresent() ? found : all().stream().filter(same).findFirst();
    }

    private static Optional<Known> shown(String name) {
        try {
            return Optional.ofNullable(NetworkInterface.getByName(name)).map(Links::known);
        } catch (SocketException e) {
            throw unreadable(e);
        }
    }

    /** The hardware addresses of all links, in lower case with colons. */
    public List<String> macs() {
        List<Known> shown = shown();
        return (shown.size() < names().size() ? all() : shown)
                .stream().map(Known::mac).filter(mac -> !mac.isEmpty()).toList();
    }

    /** The names of all links. */
    public List<String> names() {
        try (Stream<String> lines = Files.lines(NAMES)) {
            return lines.skip(HEADLINES)
                    .map(line -> line.substring(0, line.lastIndexOf(':')).trim())
                    .toList();
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    private static List<Known> shown() {
        try {
            return NetworkInterface.networkInterfaces().map(Links::known).toList();
        } catch (SocketException e) {
            throw unreadable(e);
        }
    }

    private List<Known> all() {
        List<Known> links = new ArrayList<>();
        try {
            for (JsonNode link :
                    JSON.readTree(runner.read("", List.of("ip -j addr show")).get(0))) {
                if (link.has("ifname")) {
                    links.add(known(link));
                }
            }
        } catch (JsonProcessingException e) {
            throw unreadable(e);
        }
        return links;
    }

    private static Known known(JsonNode link) {
        List<String> addresses = new ArrayList<>();
        link.path("addr_info")
                .forEach(on -> addresses.add(
                        on.path("local").asText() + "/" + on.path("prefixlen").asInt()));
        return new Known(
                new Link(
                        link.path("ifname").asText(),
                        link.path("ifindex").asInt(),
                        link.path("mtu").asInt(),
                        addresses),
                link.path("address").asText());
    }

    private static Known known(NetworkInterface link) {
        int mtu;
        try {
            mtu = link.getMTU();
        } catch (SocketException e) {
            // it went away meanwhile: whatever is done with it says so
            mtu = 0;
        }
        return new Known(
                new Link(
                        link.getName(),
                        link.getIndex(),
                        mtu,
                        link.getInterfaceAddresses().stream()
                                .map(Links::address)
                                .toList()),
                macOf(link));
    }

    private static String address(InterfaceAddress on) {
        // without the zone that the JDK gives a link-local one
        String ip = new Address(on.getAddress(), 0).host();
        int zone = ip.indexOf('%');
        return (zone < 0 ? ip : ip.substring(0, zone)) + "/" + on.getNetworkPrefixLength();
    }

    private static String macOf(NetworkInterface link) {
        try {
            byte[] mac = link.getHardwareAddress();
            return mac == null ? "" : COLONS.formatHex(mac);
        } catch (SocketException e) {
            return "";
        }
    }

    private static CommandFailedException unreadable(IOException e) {
        return new CommandFailedException("the node's links cannot be read: " + e.getMessage(), "", e.getMessage());
    }
}
