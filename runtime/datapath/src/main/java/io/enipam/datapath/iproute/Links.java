package io.enipam.datapath.iproute;

import io.enipam.datapath.iproute.Runner.CommandFailedException;
import io.enipam.sdk.Address;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InterfaceAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Enumeration;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The links of this process's network namespace, without a process: by {@code /sys/class/net}. The JDK's own list lacks links that
 * have no address, as an ENI has that was just attached. Thread-safe.
 */
public final class Links {
    private static final Path SYS = Path.of("/sys/class/net");
    private static final Path PROC = Path.of("/proc/self/net/dev");
    private static final int LOOKS = 5;
    private static final long PAUSE_MILLIS = 10;
    private static final int MAC_CHARACTERS = 17;
    private static final Logger LOG = LoggerFactory.getLogger(Links.class);

    private static final long RECENT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Map<String, String> namesByMac = new ConcurrentHashMap<>();
    private final Map<String, AddressesAt> recent = new ConcurrentHashMap<>();

    private record AddressesAt(List<String> addresses, long nanos) {}

    /** A link; {@link #addresses} reads what is on it. */
    public record Link(String name, int index, int mtu) {}

    /**
     * Whether {@code /sys} shows this process's namespace, and not that in which it was mounted: it has the same links, and those
     * that the JDK knows have the same numbers and hardware addresses there. A burst of pods makes and removes links all the time.
     * So a link has to be there only if it was here before and after; and one that is there alone may be on its way out, since the
     * kernel takes it from {@code /sys} last: it counts only if every look finds it. Blocks for 300 ms at most.
     */
    public static boolean visible() {
        Optional<Set<String>> thereAlone = Optional.empty();
        for (int look = 0; look < LOOKS; look++) {
            try {
                Set<String> before = namesByProc();
                Set<String> there = new TreeSet<>(new Links().names());
                Set<String> after = namesByProc();
                before.retainAll(after);
                if (there.containsAll(before) && differing().isEmpty()) {
                    there.removeAll(after);
                    thereAlone.ifPresent(there::retainAll);
                    if (there.isEmpty()) {
                        return true;
                    }
                    thereAlone = Optional.of(there);
                }
                Thread.sleep(PAUSE_MILLIS << look);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            } catch (IOException | RuntimeException e) {
                LOG.debug("the node's links cannot be compared", e);
            }
        }
        return false;
    }

    private static TreeSet<String> namesByProc() throws IOException {
        TreeSet<String> names = new TreeSet<>();
        Files.readAllLines(PROC).stream()
                .skip(2)
                .map(line -> line.substring(0, line.lastIndexOf(':')).trim())
                .forEach(names::add);
        return names;
    }

    /**
     * The links that are another's there: two containers have links of the same names, {@code lo} and {@code eth0}. Of one that
     * leaves, the JDK knows no number and {@code /sys} tells nothing.
     */
    private static Set<String> differing() throws IOException {
        Set<String> differing = new TreeSet<>();
        Enumeration<NetworkInterface> known = NetworkInterface.getNetworkInterfaces();
        while (known.hasMoreElements()) {
            NetworkInterface link = known.nextElement();
            try {
                if (!isSame(link)) {
                    differing.add(link.getName());
                }
            } catch (IOException e) {
                LOG.debug("link {} cannot be looked at", link.getName(), e);
                differing.add(link.getName());
            }
        }
        if (!differing.isEmpty()) {
            differing.retainAll(namesByProc());
        }
        return differing;
    }

    private static boolean isSame(NetworkInterface link) throws IOException {
        byte[] mac = link.getHardwareAddress();
        String shown = read(link.getName(), "address");
        // of a tunnel it is no MAC, and the JDK cuts or fills it to six bytes
        boolean comparable = mac != null && shown.length() == MAC_CHARACTERS;
        return read(link.getName(), "ifindex").equals(Integer.toString(link.getIndex()))
                && (!comparable || shown.equals(HexFormat.ofDelimiter(":").formatHex(mac)));
    }

    /**
     * The link with a hardware address, in any case. Slaves of a NIC have the NIC's: the oldest with it is the NIC
     * itself, whatever either is called. Throws CommandFailedException if the kernel cannot be read.
     */
    public Optional<Link> byMac(String mac) {
        String wanted = mac.toLowerCase(Locale.ROOT);
        String known = namesByMac.getOrDefault(wanted, "");
        if (!known.isEmpty() && macOf(known).equals(wanted)) {
            return byName(known);
        }
        Optional<Link> found = names().stream()
                .filter(name -> macOf(name).equals(wanted))
                .flatMap(name -> byName(name).stream())
                .min(Comparator.comparingInt(Link::index));
        found.ifPresent(link -> namesByMac.put(wanted, link.name()));
        return found;
    }

    public Optional<Link> byName(String name) {
        try {
            int index = Integer.parseInt(read(name, "ifindex"));
            return Optional.of(new Link(name, index, Integer.parseInt(read(name, "mtu"))));
        } catch (IOException | NumberFormatException e) {
            // it is not there, or goes away
            return Optional.empty();
        }
    }

    /** The link that an address is on. */
    public Optional<Link> byAddress(InetAddress address) {
        try {
            return Optional.ofNullable(NetworkInterface.getByInetAddress(address))
                    .flatMap(link -> byName(link.getName()));
        } catch (SocketException e) {
            return Optional.empty();
        }
    }

    /** The hardware address of the link of a name, in lower case; empty text if there is none. */
    public String macOf(String name) {
        try {
            return read(name, "address").toLowerCase(Locale.ROOT);
        } catch (IOException e) {
            return "";
        }
    }

    /** The hardware addresses of all links, in lower case with colons. */
    public List<String> macs() {
        return names().stream().map(this::macOf).filter(mac -> !mac.isEmpty()).toList();
    }

    public List<String> names() {
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> links = Files.newDirectoryStream(SYS, Files::isDirectory)) {
            links.forEach(link -> names.add(link.getFileName().toString()));
        } catch (IOException e) {
            throw new CommandFailedException("the node's links cannot be read: " + e);
        }
        return names;
    }

    private static String read(String link, String file) throws IOException {
        return Files.readString(SYS.resolve(link).resolve(file)).trim();
    }

    /** The addresses on a link, with their prefix lengths; none if it is not there. The JDK looks at all links of the node for that. */
    public List<String> addresses(String name) {
        try {
            NetworkInterface link = NetworkInterface.getByName(name);
            return link == null
                    ? List.of()
                    : link.getInterfaceAddresses().stream().map(Links::address).toList();
        } catch (SocketException e) {
            return List.of();
        }
    }

    /** The same as they are, or were within the last second: what a burst of pods asks for. */
    public List<String> recentAddresses(String name) {
        long now = System.nanoTime();
        return recent.compute(
                        name,
                        (key, known) -> known == null || now - known.nanos() > RECENT_NANOS
                                ? new AddressesAt(addresses(name), now)
                                : known)
                .addresses();
    }

    private static String address(InterfaceAddress on) {
        // without the zone that the JDK gives a link-local one
        String ip = new Address(on.getAddress(), 0).host();
        int zone = ip.indexOf('%');
        return (zone < 0 ? ip : ip.substring(0, zone)) + "/" + on.getNetworkPrefixLength();
    }
}
