package io.enipam.emulator.cloud;

import inet.ipaddr.IPAddress;
import inet.ipaddr.IPAddressString;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * A subnet. Of its addresses the first and the last three belong to the cloud (the third from the end is the gateway's),
 * as the API document of CreateVSwitch says.
 *
 * @param id {@code vsw-...}
 * @param cidr IPv4 block, /16 to /29
 * @param zoneId the zone it is in
 */
public record VSwitch(String id, String cidr, String zoneId) {
    private static final int RESERVED_FIRST = 1;
    private static final int RESERVED_LAST = 3;

    /** Addresses that ENIs may have, used or not. */
    public int capacity() {
        return block().getCount().intValueExact() - RESERVED_FIRST - RESERVED_LAST;
    }

    /** Whether an ENI may have the address: inside the block and not reserved. Text that is not the plain form of an address is
     * not. */
    public boolean offers(String address) {
        IPAddress asked = new IPAddressString(address).getAddress();
        // one spelling for each address: they are compared as text
        if (asked == null
                || asked.isPrefixed()
                || !asked.toCanonicalString().equals(address)
                || !block().contains(asked)) {
            return false;
        }
        long offset = block().getLower().withoutPrefixLength().enumerate(asked).longValueExact();
        return offset >= RESERVED_FIRST && offset < RESERVED_FIRST + capacity();
    }

    /** The lowest {@code count} addresses that are free, or as many as there are. */
    public List<String> free(int count, Set<String> used) {
        IPAddress first = block().getLower().withoutPrefixLength();
        int end = RESERVED_FIRST + capacity();
        List<String> found = new ArrayList<>(count);
        for (int offset = RESERVED_FIRST; offset < end && found.size() < count; offset++) {
            String candidate = first.increment(offset).toCanonicalString();
            if (!used.contains(candidate)) {
                found.add(candidate);
            }
        }
        return found;
    }

    /** The address of the gateway: broadcast minus two. */
    public String gateway() {
        return block().getUpper().withoutPrefixLength().increment(-2).toCanonicalString();
    }

    /** Dotted mask. */
    public String netmask() {
        return block().getNetworkMask().withoutPrefixLength().toCanonicalString();
    }

    private IPAddress block() {
        return new IPAddressString(cidr).getAddress().toPrefixBlock();
    }
}
