package io.enipam.datapath.exclusive;

import io.enipam.datapath.iproute.Links;
import io.enipam.datapath.record.AttachmentRecord;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * What an ENI's link was called in the node's namespace and how large its packets could be. The record has it, and so has the
 * link itself, as its alias, which goes with it from namespace to namespace.
 *
 * @param name in the node's namespace
 * @param mtu in bytes
 */
record Nic(String name, int mtu) {
    private static final String NAME = "nic";
    private static final String MTU = "nicMtu";
    private static final String MARK = "enipam-nic";
    private static final int MAC_TAIL = 8;

    static Nic of(Links.Link link) {
        return new Nic(link.name(), link.mtu());
    }

    static Nic of(AttachmentRecord record) {
        return new Nic(
                record.more().getOrDefault(NAME, ""),
                Integer.parseInt(record.more().getOrDefault(MTU, "1500")));
    }

    Map<String, String> more() {
        return Map.of(NAME, name, MTU, String.valueOf(mtu));
    }

    /** What the link carries. */
    String alias() {
        return MARK + "," + name + "," + mtu;
    }

    /** Reads that. */
    static Optional<Nic> parse(String alias) {
        String[] parts = alias.split(",", -1);
        try {
            return parts.length == 3 && parts[0].equals(MARK)
                    ? Optional.of(new Nic(parts[1], Integer.parseInt(parts[2])))
                    : Optional.empty();
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    /** What it can be called again: as before, or, if that is another's now, by the end of its hardware address. */
    String nameAmong(Collection<String> taken, String mac) {
        String byMac = "eni" + mac.toLowerCase(Locale.ROOT).replace(":", "").substring(12 - MAC_TAIL);
        if (!name.isEmpty() && !taken.contains(name)) {
            return name;
        }
        String free = byMac;
        for (char more = 'a'; taken.contains(free) && more <= 'z'; more++) {
            free = byMac + more;
        }
        return free;
    }
}
