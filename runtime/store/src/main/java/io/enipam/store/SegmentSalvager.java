package io.enipam.store;

import io.enipam.store.Segment.SegmentHeader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What is left of one journal file. A file that {@link SegmentScan} accepts is taken as it says; in any other one every
 * place where a frame may start is tried, and a frame counts if both of its checksums hold.
 *
 * @param made when its database was made, see {@link StoreIncarnation}; 0 if that is not known
 * @param base the generation before the first frame, by the header or, if that is lost, by the file's name
 * @param frames those that prove themselves, in the order of the file
 * @param holes what stands between and behind them and is no frame; none in a sound file
 * @param trouble what is wrong with the file; empty for a sound one
 */
record SegmentSalvager(
        Path file, long made, long base, List<Frame> frames, List<Hole> holes, Optional<String> trouble) {
    /** @param offset where the frame's header stands in the file */
    record Frame(long generation, long durable, int offset, List<Mutation> mutations) {}

    /** Bytes from one offset up to another, that one excluded. */
    record Hole(int from, int to) {}

    /**
     * @param named the base in the file's name
     * @param limit the last commit that counts in it, see {@link JournalFile}
     * @throws StoreException if a frame proves itself and a newer program wrote it
     */
    static SegmentSalvager of(Path file, long named, long limit, byte[] image) {
        List<Frame> sound = new ArrayList<>();
        long made = SegmentHeader.read(image).map(SegmentHeader::made).orElse(0L);
        try {
            SegmentScan scan = SegmentScan.of(
                    file,
                    image,
                    limit,
                    (generation, offset, payload) -> sound.add(frame(file, image, offset, payload)));
            return new SegmentSalvager(file, made, scan.base(), sound, List.of(), Optional.empty());
        } catch (StoreException e) {
            if (e.reason() == StoreException.Reason.NEWER) {
                throw e;
            }
            long base = SegmentHeader.read(image).map(SegmentHeader::base).orElse(named);
            return sift(file, made, base, image, String.valueOf(e.getMessage()));
        }
    }

    /** A file of which the disk gives nothing. */
    static SegmentSalvager unreadable(Path file, long named) {
        return new SegmentSalvager(file, 0, named, List.of(), List.of(), Optional.of("the disk does not give it"));
    }

    boolean sound() {
        return trouble.isEmpty();
    }

    private static SegmentSalvager sift(Path file, long made, long base, byte[] image, String trouble) {
        List<Frame> frames = new ArrayList<>();
        List<Hole> holes = new ArrayList<>();
        int holeFrom = SegmentHeader.BYTES;
        int offset = SegmentHeader.BYTES;
        while (offset < image.length) {
            Optional<FrameHeader> header = FrameHeader.read(image, offset);
            if (header.isPresent() && header.get().payloadIntact(image, offset)) {
                if (holeFrom < offset) {
                    holes.add(new Hole(holeFrom, offset));
                }
                byte[] payload = new byte[header.get().length()];
                System.arraycopy(image, offset + FrameHeader.BYTES, payload, 0, payload.length);
                frames.add(frame(file, image, offset, payload));
                offset += header.get().size();
                holeFrom = offset;
            } else {
                offset += FrameHeader.ALIGNMENT;
            }
        }
        int end = image.length;
        while (end > holeFrom && image[end - 1] == 0) {
            end--;
        }
        if (holeFrom < end) {
            holes.add(new Hole(holeFrom, end));
        }
        return new SegmentSalvager(file, made, base, frames, holes, Optional.of(trouble));
    }

    private static Frame frame(Path file, byte[] image, int offset, byte[] payload) {
        FrameHeader header = FrameHeader.read(image, offset).orElseThrow();
        try {
            return new Frame(header.generation(), header.durable(), offset, Mutation.decode(payload));
        } catch (IllegalArgumentException e) {
            throw StoreException.newer(
                    file + " has a commit at offset " + offset + " that this program does not know: " + e.getMessage(),
                    e);
        }
    }
}
