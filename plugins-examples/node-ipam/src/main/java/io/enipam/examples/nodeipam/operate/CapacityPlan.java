package io.enipam.examples.nodeipam.operate;

import io.enipam.examples.nodeipam.blocks.BlockRange;
import io.enipam.sdk.DiagnosticTable;
import io.enipam.sdk.ranges.Subnet;
import java.math.BigInteger;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What a cluster CIDR holds that is cut into blocks of one size. Immutable.
 *
 * @param blocks how many nodes it is for
 * @param services how many of the blocks are lost to the addresses of services
 */
record CapacityPlan(Subnet range, int blockLength, int blocks, int services) {
    private static final int EXACT_BITS = 32;

    /**
     * Computes it.
     *
     * @param services CIDRs that no node may have
     * @throws IllegalArgumentException if the range cannot be cut so
     */
    static CapacityPlan of(Subnet range, int blockLength, List<Subnet> services) {
        BlockRange cut = new BlockRange(range, blockLength);
        services.stream()
                .filter(cidr -> cidr.address().family() == cut.family() && cut.overlaps(cidr))
                .forEach(cut::occupy);
        return new CapacityPlan(cut.cidr(), blockLength, cut.size(), cut.taken());
    }

    int nodes() {
        return blocks - services;
    }

    private int podBits() {
        return range.address().family().bits() - blockLength;
    }

    /**
     * All families of a cluster, a row each.
     *
     * @param now how many nodes there are
     * @param wanted how many nodes there are to be; 0 for no such question
     */
    static DiagnosticTable table(List<CapacityPlan> plans, int now, int wanted, Growth growth, Instant at) {
        List<String> columns = new ArrayList<>(List.of(
                "RANGE", "BLOCK", "NODES", "PODS/NODE", "PODS", "FOR SERVICES", "NODES NOW", "NEW/DAY", "FULL"));
        if (wanted > 0) {
            columns.addAll(List.of("FITS", "RANGE NEEDED"));
        }
        List<List<String>> rows = new ArrayList<>();
        for (CapacityPlan plan : plans) {
            List<String> row = new ArrayList<>(List.of(
                    plan.range().toString(),
                    "/" + plan.blockLength(),
                    Integer.toString(plan.nodes()),
                    power(BigInteger.ONE, plan.podBits()),
                    power(BigInteger.valueOf(plan.nodes()), plan.podBits()),
                    Integer.toString(plan.services()),
                    Integer.toString(now),
                    String.format(Locale.ROOT, "%.1f", growth.perDay()),
                    plan.nodes() < now ? "too small" : growth.shown(plan.nodes() - now, at)));
            if (wanted > 0) {
                row.addAll(List.of(wanted <= plan.nodes() ? "yes" : "no", plan.needed(wanted)));
            }
            rows.add(row);
        }
        return new DiagnosticTable(columns, rows);
    }

    /** The longest prefix of a range that holds so many nodes, the blocks of services aside. */
    private String needed(int wanted) {
        int bits = Integer.SIZE - Integer.numberOfLeadingZeros(Math.max(0, wanted + services - 1));
        try {
            BlockRange.check(new Subnet(range.address(), blockLength - bits), blockLength);
            return "/" + (blockLength - bits);
        } catch (IllegalArgumentException e) {
            return "none"; // longer than an address, or more blocks than a range can have
        }
    }

    /** A number times a power of two; as {@code 256*2^64} where all of its digits would say nothing. */
    private static String power(BigInteger number, int bits) {
        return bits <= EXACT_BITS
                ? number.shiftLeft(bits).toString()
                : (number.equals(BigInteger.ONE) ? "" : number + "*") + "2^" + bits;
    }
}
