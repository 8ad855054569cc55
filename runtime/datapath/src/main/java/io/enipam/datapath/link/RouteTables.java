package io.enipam.datapath.link;

import io.enipam.datapath.iproute.Links;
import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.datapath.record.AttachmentRecordStore;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.zip.CRC32C;

/**
 * The numbers of the ENIs' routing tables. They follow from the hardware address, which outlives a reboot, a new name
 * and a new index of the link, and lie between 2^28 and 2^29: far from 0, from the kernel's own 253 to 255 and from
 * numbers set by hand. Two ENIs whose addresses lead to one number get two: an ENI that has one keeps it, of the others
 * the smaller address goes first. Thread-safe.
 */
public final class RouteTables {
    public static final long FIRST = 1L << 28;
    public static final long COUNT = 1L << 28;

    private final Links links;
    private final AttachmentRecordStore records;
    private final Map<String, Long> given = new HashMap<>();

    public RouteTables(Links links, AttachmentRecordStore records) {
        this.links = links;
        this.records = records;
    }

    public static boolean ours(long table) {
        return table >= FIRST && table < FIRST + COUNT;
    }

    /** The number of an ENI's table, the same as long as anything refers to it. */
    public synchronized long of(String mac) {
        String wanted = mac.toLowerCase(Locale.ROOT);
        Long known = given.get(wanted);
        if (known != null) {
            return known;
        }
        Map<String, Long> taken = new HashMap<>(given);
        for (AttachmentRecord record : records.all()) {
            if (record.table() != 0) {
                taken.putIfAbsent(record.eniMac(), record.table());
            }
        }
        given.putAll(assign(taken, wanted, links.macs()));
        return given.get(wanted);
    }

    /** The numbers of all: those taken, then the others present in the order of their addresses. */
    static Map<String, Long> assign(Map<String, Long> taken, String wanted, Collection<String> present) {
        Map<String, Long> all = new HashMap<>(taken);
        TreeSet<String> others = new TreeSet<>(present);
        others.add(wanted);
        others.removeAll(taken.keySet());
        for (String mac : others) {
            long table = preferred(mac);
            while (all.containsValue(table)) {
                table = FIRST + (table - FIRST + 1) % COUNT;
            }
            all.put(mac, table);
        }
        Map<String, Long> kept = new HashMap<>(taken);
        kept.put(wanted, all.get(wanted));
        return kept;
    }

    /** Where an address leads. */
    static long preferred(String mac) {
        CRC32C sum = new CRC32C();
        sum.update(mac.getBytes(StandardCharsets.US_ASCII));
        return FIRST + sum.getValue() % COUNT;
    }
}
