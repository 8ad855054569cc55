package io.enipam.datapath.iproute;

import io.enipam.sdk.Address;
import java.net.InterfaceAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The links of this process's network namespace, without a process. {@code /sys/class/net} is not asked: it shows the namespace
 * in which it was mounted. Thread-safe.
 */
public final class Links {
    private static final HexFormat COLONS = HexFormat.ofDelimiter(":");

    /**
     * A link.
     *
     * @param mtu in bytes
     * @param addresses on it, with their prefix lengths
     */
    public record Link(String name, int index, int mtu, List<String> addresses) {}

    /**
     * The link with a hardware address. Slaves of a NIC have the NIC's: the oldest with it is the NIC itself, whatever either is
     * called.
     *
     * @param mac with colons, in any case
     * @throws CommandFailedException if the kernel cannot be read
     */
    public Optional<Link> byMac(String mac) {
        String wanted = mac.toLowerCase(Locale.ROOT);
        try {
            return NetworkInterface.networkInterfaces()
                    .filter(link -> macOf(link).equals(wanted))
                    .min(Comparator.comparingInt(NetworkInterface::getIndex))
                    .map(Links::of);
        } catch (SocketException e) {
            throw unreadable(e);
        }
    }

    /** The link of a name. */
    public Optional<Link> byName(String name) {
        try {
            return Optional.ofNullable(NetworkInterface.getByName(name)).map(Links::of);
        } catch (SocketException e) {
            throw unreadable(e);
        }
    }

    /** The hardware address of the link of a name, in lower case; empty text if there is none. */
    public String macOf(String name) {
        try {
            return Optional.ofNullable(NetworkInterface.getByName(name))
                    .map(Links::macOf)
                    .orElse("");
        } catch (SocketException e) {
            throw unreadable(e);
        }
    }

    /** The hardware addresses of all links, in lower case with colons. */
    public List<String> macs() {
        try {
            return NetworkInterface.networkInterfaces()
                    .map(Links::macOf)
                    .filter(mac -> !mac.isEmpty())
                    .toList();
        } catch (SocketException e) {
            throw unreadable(e);
        }
    }

    /** The names of all links. */
    public List<String> names() {
        try {
            return NetworkInterface.networkInterfaces()
                    .map(NetworkInterface::getName)
                    .toList();
        } catch (SocketException e) {
            throw unreadable(e);
        }
    }

    private static Link of(NetworkInterface link) {
        int mtu;
        try {
            mtu = link.getMTU();
        } catch (SocketException e) {
            // it went away meanwhile: whatever is done with it says so
            mtu = 0;
        }
        return new Link(
                link.getName(),
                link.getIndex(),
                mtu,
                link.getInterfaceAddresses().stream().map(Links::address).toList());
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

    private static CommandFailedException unreadable(SocketException e) {
        return new CommandFailedException("the node's links cannot be read: " + e.getMessage(), "", e.getMessage());
    }
}
