package io.enipam.sdk;

import java.math.BigInteger;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.regex.Pattern;

/**
 * One IP address with the prefix length of the subnet it lives in: {@code 10.0.1.7/24}.
 *
 * <p>The value is a JDK {@link InetAddress} so that a plugin needs no address library to read it; a plugin that
 * computes with ranges brings a library of its own choice.
 *
 * @param ip the address, never unresolved
 * @param prefixLength 0 to 32 for IPv4, 0 to 128 for IPv6
 */
public record Address(InetAddress ip, int prefixLength) {
    private static final Pattern IPV4 = Pattern.compile("\\d{1,3}(?:\\.\\d{1,3}){3}");
    private static final Pattern IPV6 = Pattern.compile("[0-9a-fA-F:.]*:[0-9a-fA-F:.]*");

    public Address {
        int bits = familyOf(ip).bits();
        if (prefixLength < 0 || prefixLength > bits) {
            throw new IllegalArgumentException("prefix length " + prefixLength + " is outside 0.." + bits);
        }
    }

    /**
     * Reads {@code ADDRESS/LENGTH}, or {@code ADDRESS} alone for a host (/32 or /128). Never asks DNS.
     *
     * @throws IllegalArgumentException if the text is not an address literal
     */
    public static Address parse(String text) {
        int slash = text.indexOf('/');
        InetAddress ip = literal(slash < 0 ? text : text.substring(0, slash));
        if (slash < 0) {
            return new Address(ip, familyOf(ip).bits());
        }
        try {
            return new Address(ip, Integer.parseInt(text.substring(slash + 1)));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("'" + text + "' has no number after the slash", e);
        }
    }

    /**
     * Reads an address literal without a prefix length. Never asks DNS.
     *
     * @throws IllegalArgumentException if the text is not an address literal
     */
    public static InetAddress literal(String text) {
        boolean four = text.length() <= 15 && IPV4.matcher(text).matches();
        if (!four && (text.length() > 45 || !IPV6.matcher(text).matches())) {
            throw new IllegalArgumentException("not an IP address: '" + text + "'");
        }
        try {
            // An IPv4 literal is prefixed as a mapped address, and an IPv6 one is bracketed: neither form can fall
            // through to a name look-up.
            return InetAddress.getByName(four ? "::ffff:" + text : "[" + text + "]");
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("not an IP address: '" + text + "'", e);
        }
    }

    public Family family() {
        return familyOf(ip);
    }

    /**
     * Whether a pod can have it. It can have none of these: the unspecified address, those of {@code 0.0.0.0/8}, loopback and
     * multicast addresses, {@code 255.255.255.255}, the address of the subnet itself, and the broadcast address of an IPv4
     * subnet. In IPv6 the subnet's own address is that of its routers (RFC 4291, section 2.6.1). Subnets of one or two
     * addresses have neither (RFC 3021, RFC 6164).
     */
    public boolean isAssignable() {
        byte[] bytes = ip.getAddress();
        boolean four = ip instanceof Inet4Address;
        if (ip.isAnyLocalAddress() || ip.isLoopbackAddress() || ip.isMulticastAddress() || (four && bytes[0] == 0)) {
            return false;
        }
        BigInteger value = new BigInteger(1, bytes);
        int zerosAtEnd = value.getLowestSetBit();
        int onesAtEnd = value.not().getLowestSetBit();
        int hostBits = family().bits() - prefixLength;
        if (hostBits < 2) {
            return !(four && onesAtEnd == Family.IPV4.bits());
        }
        return zerosAtEnd < hostBits && !(four && onesAtEnd >= hostBits);
    }

    /** The address alone, in canonical text: {@code 10.0.1.7}, and {@code 2001:db8::1} as RFC 5952 has it. */
    public String host() {
        return ip instanceof Inet6Address six ? Ipv6Text.of(six) : ip.getHostAddress();
    }

    /** The address and its prefix length: {@code 10.0.1.7/24}. */
    @Override
    public String toString() {
        return host() + "/" + prefixLength;
    }

    private static Family familyOf(InetAddress ip) {
        return ip instanceof Inet4Address ? Family.IPV4 : Family.IPV6;
    }
}
