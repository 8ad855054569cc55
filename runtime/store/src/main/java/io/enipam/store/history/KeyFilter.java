package io.enipam.store.history;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Which texts may stand in a block of leases: Bloom filters, one behind the other, each with its length. Of a text that does not stand
 * there one filter in three hundred says that it may.
 */
final class KeyFilter {
    private static final int BITS_A_KEY = 12;
    private static final int PROBES = 8;

    private KeyFilter() {}

    /** The filter of one block. */
    static byte[] of(Stream<String> keys) {
        Set<String> all = keys.collect(Collectors.toSet());
        int bytes = (Math.max(1, all.size()) * BITS_A_KEY + Byte.SIZE - 1) / Byte.SIZE;
        BitSet bits = new BitSet(bytes * Byte.SIZE);
        for (String key : all) {
            long hash = hash(key);
            for (int i = 0; i < PROBES; i++) {
                bits.set(bit(hash, i, bytes));
            }
        }
        return ByteBuffer.allocate(Integer.BYTES + bytes)
                .putInt(bytes)
                .put(bits.toByteArray())
                .array();
    }

    /**
     * The filters, counted from 0, that may have one of the keys.
     *
     * @throws IOException if the bytes are no filters
     */
    static List<Integer> matching(byte[] filters, List<String> keys) throws IOException {
        long[] hashes = keys.stream().mapToLong(KeyFilter::hash).toArray();
        ByteBuffer in = ByteBuffer.wrap(filters);
        List<Integer> found = new ArrayList<>();
        try {
            for (int number = 0; in.hasRemaining(); number++) {
                int bytes = in.getInt();
                if (bytes <= 0 || bytes > in.remaining()) {
                    throw new IOException("a filter of " + bytes + " bytes");
                }
                for (long hash : hashes) {
                    if (mayHave(filters, in.position(), bytes, hash)) {
                        found.add(number);
                        break;
                    }
                }
                in.position(in.position() + bytes);
            }
        } catch (BufferUnderflowException e) {
            throw new IOException("a filter is cut", e);
        }
        return found;
    }

    private static boolean mayHave(byte[] filters, int offset, int bytes, long hash) {
        for (int i = 0; i < PROBES; i++) {
            int bit = bit(hash, i, bytes);
            if ((filters[offset + bit / Byte.SIZE] >> bit % Byte.SIZE & 1) == 0) {
                return false;
            }
        }
        return true;
    }

    private static int bit(long hash, int probe, int bytes) {
        int combined = (int) (hash >>> 32) + probe * ((int) hash | 1);
        return Integer.remainderUnsigned(combined, bytes * Byte.SIZE);
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
