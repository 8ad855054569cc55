package io.enipam.diagnostics.explain;

import io.enipam.sdk.Address;

/** Whether an address lies in a range. */
final class Ranges {
    private Ranges() {}

    /** @param cidr {@code 10.0.1.0/24}; one that is not so contains nothing */
    static boolean contains(String cidr, String address) {
        Address range;
        try {
            range = Address.parse(cidr);
        } catch (IllegalArgumentException nonsense) {
            return false;
        }
        byte[] one = range.ip().getAddress();
        byte[] other = Address.literal(address).getAddress();
        if (one.length != other.length) {
            return false;
        }
        for (int bit = 0; bit < range.prefixLength(); bit++) {
            int mask = 0x80 >> (bit % 8);
            if ((one[bit / 8] & mask) != (other[bit / 8] & mask)) {
                return false;
            }
        }
        return true;
    }
}
