package io.enipam.store;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A commit on its way to the disk.
 *
 * @param mutations what it changes
 * @param payload the same as the journal's bytes
 * @param done completed on the acknowledging thread
 */
@SuppressWarnings("ArrayRecordComponent") // never compared; the bytes are written once, here
record PendingCommit(List<Mutation> mutations, byte[] payload, CompletableFuture<Void> done) {
    static PendingCommit of(List<Mutation> mutations) {
        return new PendingCommit(mutations, MutationCodec.encode(mutations), new CompletableFuture<>());
    }

    int frameBytes() {
        return FrameHeader.size(payload.length);
    }
}
