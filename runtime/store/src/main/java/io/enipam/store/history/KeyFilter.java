package io.enipam.store.history;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.List;
import java.util.Set;

/**
 * Which texts may stand in which blocks of a file: a Bloom filter of each block, all equally long. They lie side by side, the first bit of
 * each, then the second one of each: the bits of a text in all blocks are a few rows, whose intersection is the blocks that may have it.
 * Of blocks that do not have it, one in {@code 14,000} is among them.
 */
final class KeyFilter {
    /** Of the block that has most keys; with {@link #PROBES} the share of false answers is (1 - e^(-12/20))^12 at most. */
    private static final int BITS_A_KEY = 20;

    private static final int PROBES = 12;

    private KeyFilter() {}

    /** @param blocks the keys of each, one block or more */
    static byte[] of(List<Set<String>> blocks) {
        int most = blocks.stream().mapToInt(Set::size).max().orElseThrow();
        int rows = Math.max(1, most) * BITS_A_KEY;
        int row = rowBytes(blocks.size());
        byte[] filter = new byte[Math.multiplyExact(rows, row)];
        for (int block = 0; block < blocks.size(); block++) {
            for (String key : blocks.get(block)) {
                long hash = hash(key);
                for (int i = 0; i < PROBES; i++) {
                    filter[row(hash, i, rows) * row + block / Byte.SIZE] |= (byte) (1 << block % Byte.SIZE);
                }
            }
        }
        return filter;
    }

    /**
     * The blocks, counted from 0, that may have one of the keys.
     *
     * @param blocks how many there are
     * @throws IOException if the bytes are no filter of so many
     */
    static BitSet matching(byte[] filter, int blocks, List<String> keys) throws IOException {
        int bytes = rowBytes(blocks);
        int rows = filter.length / bytes;
        if (rows == 0 || filter.length % bytes != 0) {
            throw new IOException("a filter of " + filter.length + " bytes for " + blocks + " blocks");
        }
        BitSet found = new BitSet(blocks);
        for (String key : keys) {
            long hash = hash(key);
            BitSet having = new BitSet(blocks);
            having.set(0, blocks);
            for (int i = 0; i < PROBES && !having.isEmpty(); i++) {
                having.and(BitSet.valueOf(ByteBuffer.wrap(filter, row(hash, i, rows) * bytes, bytes)));
            }
            found.or(having);
        }
        return found;
    }

    private static int rowBytes(int blocks) {
        return (blocks + Byte.SIZE - 1) / Byte.SIZE;
    }

    private static int row(long hash, int probe, int rows) {
        int combined = (int) (hash >>> 32) + probe * ((int) hash | 1);
        return Integer.remainderUnsigned(combined, rows);
    }

    /** FNV-1a of the characters, and the finalizer of MurmurHash3: files depend on it. */
    private static long hash(String key) {
        long hash = 0xcbf29ce484222325L;
        for (int i = 0; i < key.length(); i++) {
            hash = (hash ^ key.charAt(i)) * 0x100000001b3L;
        }
        hash = (hash ^ hash >>> 33) * 0xff51afd7ed558ccdL;
        hash = (hash ^ hash >>> 33) * 0xc4ceb9fe1a85ec53L;
        return hash ^ hash >>> 33;
    }
}
