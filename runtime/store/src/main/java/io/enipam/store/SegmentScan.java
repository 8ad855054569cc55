package io.enipam.store;

import java.nio.file.Path;
import java.util.Optional;

/**
 * Reads one journal file from its first frame to its last and tells a clean end, a torn end and damage apart.
 *
 * <p>The rule: frames are intact and their generations go up by one. Where that stops, {@link TornTail} decides whether a
 * crash explains what is there. What a crash cannot explain is damage and is never passed over.
 *
 * @param base the generation before the first frame
 * @param last the generation of the last frame, {@code base} if there is none
 * @param bytes length of the file
 * @param end offset behind the last frame
 * @param torn whether something that was never acknowledged stands behind the end
 */
record SegmentScan(long base, long last, int bytes, int end, boolean torn) {

    /** Takes each frame's payload in order. */
    @FunctionalInterface
    interface Visitor {
        /** @param offset where the frame stands in the file, for error messages */
        void frame(long generation, int offset, byte[] payload);
    }

    /** @throws StoreException if the file is damaged */
    static SegmentScan of(Path file, byte[] image, Visitor visitor) {
        SegmentHeader header = SegmentHeader.read(image)
                .orElseThrow(() -> Damage.at(file, 0, "the header of the journal file is not readable"));
        if (image.length != header.bytes()) {
            throw Damage.at(
                    file,
                    Math.min(image.length, header.bytes()),
                    "the journal file has " + image.length + " bytes, it was made with " + header.bytes());
        }
        long generation = header.base();
        int offset = SegmentHeader.BYTES;
        Optional<FrameHeader> frame = FrameHeader.read(image, offset);
        while (frame.isPresent() && frame.get().payloadIntact(image, offset)) {
            if (frame.get().generation() != generation + 1) {
                throw Damage.at(
                        file,
                        offset,
                        "commit " + frame.get().generation() + " follows on commit " + generation
                                + ", the ones between are missing");
            }
            generation++;
            byte[] payload = new byte[frame.get().length()];
            System.arraycopy(image, offset + FrameHeader.BYTES, payload, 0, payload.length);
            visitor.frame(generation, offset, payload);
            offset += frame.get().size();
            frame = FrameHeader.read(image, offset);
        }
        boolean torn = new TornTail(file, image, offset, generation + 1).check();
        return new SegmentScan(header.base(), generation, header.bytes(), offset, torn);
    }
}
