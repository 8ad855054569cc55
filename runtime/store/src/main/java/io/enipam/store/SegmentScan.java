package io.enipam.store;

import java.nio.file.Path;
import java.util.Optional;

/**
 * Reads one journal file from its first frame to its last and tells a clean end, a torn end and damage apart.
 *
 * <p>The rule: frames are intact and their generations go up by one. Where that stops, {@link TornTail} decides whether a
 * crash explains what is there. What a crash cannot explain is damage and is never passed over.
 *
 * @param header what the file says of itself
 * @param last the generation of the last frame that counts, the base if there is none
 * @param end offset behind the last frame that counts
 * @param lastGroup offset of the first frame of the last group: what may not have been forced yet
 * @param torn whether something that was never acknowledged stands behind the end
 */
record SegmentScan(SegmentHeader header, long last, int end, int lastGroup, boolean torn) {
    long base() {
        return header.base();
    }

    int bytes() {
        return header.bytes();
    }

    /** Takes each frame's payload in order. */
    @FunctionalInterface
    interface Visitor {
        /** @param offset where the frame stands in the file, for error messages */
        void frame(long generation, int offset, byte[] payload);
    }

    /** @throws StoreException if the file is damaged */
    static SegmentScan of(Path file, byte[] image, Visitor visitor) {
        return of(file, image, JournalFile.NONE, visitor);
    }

    /**
     * Reads as far as the file counts.
     *
     * @param limit see {@link JournalFile}: behind this generation stands what a failed write left, and the journal went on
     *     elsewhere
     * @throws StoreException if the file is damaged
     */
    static SegmentScan of(Path file, byte[] image, long limit, Visitor visitor) {
        SegmentHeader header = SegmentHeader.require(file, image);
        if (image.length != header.bytes()) {
            throw DamageErrors.at(
                    file,
                    Math.min(image.length, header.bytes()),
                    "the journal file has " + image.length + " bytes, it was made with " + header.bytes());
        }
        long generation = header.base();
        int offset = SegmentHeader.BYTES;
        int lastGroup = offset;
        long durable = -1;
        Optional<FrameHeader> frame = FrameHeader.read(image, offset);
        while (generation < limit && frame.isPresent() && frame.get().payloadIntact(image, offset)) {
            if (frame.get().generation() != generation + 1) {
                throw DamageErrors.at(
                        file,
                        offset,
                        "commit " + frame.get().generation() + " follows on commit " + generation
                                + ", the ones between are missing");
            }
            generation++;
            byte[] payload = new byte[frame.get().length()];
            System.arraycopy(image, offset + FrameHeader.BYTES, payload, 0, payload.length);
            visitor.frame(generation, offset, payload);
            if (frame.get().durable() != durable) {
                durable = frame.get().durable();
                lastGroup = offset;
            }
            offset += frame.get().size();
            frame = FrameHeader.read(image, offset);
        }
        boolean torn = generation < limit && new TornTail(file, image, offset, generation + 1).check();
        return new SegmentScan(header, generation, offset, lastGroup, torn);
    }
}
