package io.enipam.store.testing;

import io.enipam.store.testing.SimulatedDisk.PowerLoss;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The bytes of one file: what a reader sees, what has been forced, and the writes between the two. A disk writes sectors whole
 * or not at all, in any order: after a power loss each sector is as it was after the last force or after any of the writes to
 * it since. Not thread-safe.
 */
final class SimulatedFile {
    private static final int SECTOR = 512;

    private byte[] bytes;
    private byte[] forced;
    private final List<Write> unforced = new ArrayList<>();

    private record Write(int offset, byte[] bytes) {
        int end() {
            return offset + bytes.length;
        }
    }

    /** A file that holds these bytes for good. */
    SimulatedFile(byte[] bytes) {
        this.bytes = bytes;
        this.forced = bytes;
    }

    /** A file of its own that is as this one is now. */
    SimulatedFile copy() {
        SimulatedFile copy = new SimulatedFile(forced);
        copy.bytes = bytes == forced ? forced : bytes.clone();
        copy.unforced.addAll(unforced);
        return copy;
    }

    byte[] bytes() {
        return bytes.clone();
    }

    void write(ByteBuffer source, int offset) {
        byte[] written = new byte[source.remaining()];
        source.get(written);
        Write write = new Write(offset, written);
        unforced.add(write);
        bytes = apply(write, bytes == forced ? bytes.clone() : bytes, 0, Integer.MAX_VALUE);
    }

    private static byte[] apply(Write write, byte[] target, int from, int to) {
        int begin = Math.max(from, write.offset());
        int end = Math.min(to, write.end());
        byte[] grown = end > target.length ? Arrays.copyOf(target, end) : target;
        System.arraycopy(write.bytes(), begin - write.offset(), grown, begin, end - begin);
        return grown;
    }

    void force() {
        unforced.clear();
        forced = bytes;
    }

    /** The file as it is found after a power loss. */
    byte[] after(PowerLoss loss) {
        int end = unforced.stream().mapToInt(Write::end).max().orElse(0);
        byte[] found = Arrays.copyOf(forced, Math.max(forced.length, end));
        for (int sector = 0; sector < end; sector += SECTOR) {
            int from = sector;
            int to = sector + SECTOR;
            List<Write> touching = unforced.stream()
                    .filter(write -> write.offset() < to && write.end() > from)
                    .toList();
            for (Write write : touching.subList(0, loss.kept(touching.size()))) {
                apply(write, found, from, to);
            }
        }
        return Arrays.copyOf(found, loss.length(forced.length, bytes.length));
    }
}
