package io.enipam.store;

import io.enipam.store.Disk.FileImage;
import io.enipam.store.Segment.SegmentHeader;
import io.enipam.store.StoreDirectory.JournalFile;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

/**
 * Reads one journal file from its first frame to its last and distinguishes a clean end, a torn end and damage.
 *
 * <p>The rule: frames are intact and their generations go up by one. Where that stops, {@link TornTail} decides whether
 * a crash explains what is there. What a crash cannot explain is damage and is never passed over.
 *
 * @param last the generation of the last frame that counts, the base if there is none
 * @param end offset behind the last frame that counts
 * @param lastGroup offset of the first frame of the last group: what may not have been forced yet
 * @param torn whether something that was never acknowledged stands behind the end
 */
record SegmentScan(SegmentHeader header, long last, int end, int lastGroup, boolean torn) {
    /** Takes each frame's payload in order. */
    @FunctionalInterface
    interface Visitor {
        /** @param offset where the frame stands in the file, for error messages */
        void frame(long generation, int offset, byte[] payload);
    }

    /**
     * Reads as far as the file counts.
     *
     * @param limit see {@link JournalFile}: behind this generation stands what a failed write left, and the journal
     *     went on elsewhere
     * @throws StoreException if the file is damaged
     */
    static SegmentScan of(Path file, byte[] image, long limit, Visitor visitor) {
        return of(file, new FileImage(image, image.length), limit, visitor);
    }

    /** The same of a file that was read without the zeroes at its end. */
    static SegmentScan of(Path file, FileImage read, long limit, Visitor visitor) {
        byte[] image = read.bytes();
        SegmentHeader header = SegmentHeader.require(file, image);
        if (read.length() != header.bytes()) {
            throw StoreException.damaged(
                    file,
                    Math.min(read.length(), header.bytes()),
                    "the journal file has " + read.length() + " bytes, it was made with " + header.bytes());
        }
        long generation = header.base();
        int offset = SegmentHeader.BYTES;
        int lastGroup = offset;
        long durable = -1;
        Optional<FrameHeader> frame = FrameHeader.read(image, offset);
        while (generation < limit && frame.isPresent() && frame.get().payloadIntact(image, offset)) {
            if (frame.get().generation() != generation + 1) {
                throw StoreException.damaged(
                        file,
                        offset,
                        "commit " + frame.get().generation() + " follows on commit " + generation
                                + ", the ones between are missing");
            }
            generation++;
            visitor.frame(generation, offset, frame.get().payload(image, offset));
            if (frame.get().durable() != durable) {
                durable = frame.get().durable();
                lastGroup = offset;
            }
            offset += frame.get().size();
            frame = FrameHeader.read(image, offset);
        }
        boolean torn = generation < limit && new TornTail(file, image, header.bytes(), offset, generation + 1).check();
        return new SegmentScan(header, generation, offset, lastGroup, torn);
    }

    /**
     * Decides what stands behind the last good frame of a journal file: nothing, the rest of a write that a crash cut
     * off, or damage.
     *
     * <p>The file was all zeroes before, and a disk writes sectors of 512 bytes whole or not at all (a killed process
     * leaves whole pages). So a torn frame has at least one sector's share that is still zero, or ends in zeroes; a
     * frame that is all there and wrong was changed later. Payloads are text and hold no zero byte, and headers lie in
     * one sector, so no intact share looks like an unwritten one.
     *
     * <p>The frames of one group may reach the disk in any order. A good frame behind a bad one is therefore no proof
     * of damage by itself; it is one if the good frame says that the bad one's generation was durable before it was
     * written.
     *
     * @param image see {@link FileImage}: all behind it is zero
     * @param bytes the length of the file
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record TornTail(Path file, byte[] image, int bytes, int offset, long generation) {
        private static final int SECTOR = 512;
        private static final byte[] ZEROS = new byte[16 << 10];

        /**
         * @return whether there is anything to erase
         * @throws StoreException if a crash cannot explain it
         */
        boolean check() {
            if (allZero(offset, image.length)) {
                return false;
            }
            int headerEnd = Math.min(offset + FrameHeader.BYTES, image.length);
            Optional<FrameHeader> header = FrameHeader.read(image, offset);
            if (header.isPresent()) {
                checkPayload(header.get());
            } else if (!allZero(offset, headerEnd) && !allZero(headerEnd - Integer.BYTES, image.length)) {
                throw StoreException.damaged(
                        file, offset, "the header of commit " + generation + " was changed after it was written");
            }
            checkNewerFrames();
            return true;
        }

        private void checkPayload(FrameHeader header) {
            if (header.generation() != generation || !header.fits(bytes, offset)) {
                throw StoreException.damaged(
                        file,
                        offset,
                        "found commit " + header.generation() + " of " + header.length() + " bytes where commit "
                                + generation + " is due");
            }
            int end = offset + FrameHeader.BYTES + header.length();
            boolean torn = end > image.length || image[end - 1] == 0;
            for (int from = offset; from < end && !torn; from = (from / SECTOR + 1) * SECTOR) {
                torn = allZero(from, Math.min(end, (from / SECTOR + 1) * SECTOR));
            }
            if (!torn) {
                throw StoreException.damaged(
                        file, offset, "the content of commit " + generation + " was changed after it was written");
            }
        }

        private void checkNewerFrames() {
            for (int at = offset + FrameHeader.ALIGNMENT; at < image.length; at += FrameHeader.ALIGNMENT) {
                Optional<FrameHeader> newer = FrameHeader.read(image, at);
                if (newer.isPresent() && newer.get().durable() >= generation) {
                    throw StoreException.damaged(
                            file,
                            offset,
                            "commit " + generation + " is missing, but commit "
                                    + newer.get().generation() + " at offset " + at + " was written after it");
                }
            }
        }

        private boolean allZero(int from, int to) {
            for (int at = from; at < to; at += ZEROS.length) {
                int length = Math.min(ZEROS.length, to - at);
                if (!Arrays.equals(image, at, at + length, ZEROS, 0, length)) {
                    return false;
                }
            }
            return true;
        }
    }
}
