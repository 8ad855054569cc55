package io.enipam.examples.cidr;

import inet.ipaddr.AddressStringException;
import inet.ipaddr.AddressStringParameters.RangeParameters;
import inet.ipaddr.IPAddress;
import inet.ipaddr.IPAddressString;
import inet.ipaddr.IPAddressStringParameters;
import inet.ipaddr.IncompatibleAddressException;
import io.enipam.sdk.Family;

/** Addresses in the usual notation, strictly: no wildcards, masks, zones, octal, or numbers with fewer parts. */
final class IpText {
    private static final IPAddressStringParameters PLAIN = new IPAddressStringParameters.Builder()
            .allowEmpty(false)
            .allowAll(false)
            .allowMask(false)
            .allowPrefix(false)
            .allowSingleSegment(false)
            .allowWildcardedSeparator(false)
            .setRangeOptions(RangeParameters.NO_RANGE)
            .getIPv4AddressParametersBuilder()
            .allow_inet_aton(false)
            .allowLeadingZeros(false)
            .allowBinary(false)
            .getParentBuilder()
            .getIPv6AddressParametersBuilder()
            .allowZone(false)
            .allowMixed(false)
            .allowBase85(false)
            .allowBinary(false)
            .getParentBuilder()
            .toParams();

    private IpText() {}

    /** @throws IllegalArgumentException with a message for operators */
    static IPAddress address(String text) {
        try {
            return new IPAddressString(text, PLAIN).toAddress();
        } catch (AddressStringException | IncompatibleAddressException e) {
            throw new IllegalArgumentException("'" + text + "' is not an IP address", e);
        }
    }

    /** The one way this plugin writes an address: RFC 5952 for IPv6. */
    static String show(IPAddress address) {
        return address.withoutPrefixLength().toCanonicalString();
    }

    static Family family(IPAddress address) {
        return address.isIPv4() ? Family.IPV4 : Family.IPV6;
    }
}
