package io.enipam.examples.cidr;

import io.enipam.sdk.ranges.Ip;

/** Addresses in the usual notation, strictly: no IPv4 within IPv6. */
final class IpText {
    private IpText() {}

    /** @throws IllegalArgumentException with a message for operators */
    static Ip address(String text) {
        boolean mixed = text.contains(":") && text.contains(".");
        try {
            if (!mixed) {
                return Ip.parse(text);
            }
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("'" + text + "' is not an IP address", e);
        }
        throw new IllegalArgumentException("'" + text + "' is not an IP address");
    }
}
