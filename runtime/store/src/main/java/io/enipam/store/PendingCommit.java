package io.enipam.store;

import io.enipam.engine.port.Span;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A commit on its way to the disk.
 *
 * @param mutations what it changes
 * @param payload the same as the journal's bytes
 * @param done completed on the acknowledging thread
 * @param span the step of a story that it is
 * @param queued the part of it that ends when the disk's turn has come
 */
@SuppressWarnings("ArrayRecordComponent") // never compared; the bytes are written once, here
record PendingCommit(List<Mutation> mutations, byte[] payload, CompletableFuture<Void> done, Span span, Span queued) {
    static PendingCommit of(List<Mutation> mutations) {
        return of(mutations, Span.NONE);
    }

    static PendingCommit of(List<Mutation> mutations, Span span) {
        return new PendingCommit(
                mutations, MutationCodec.encode(mutations), new CompletableFuture<>(), span, span.step("QUEUE"));
    }

    /**
     * Its turn has come.
     *
     * @param together how many commits one force makes durable
     * @return the part of the story that ends when it is durable
     */
    Span forcing(int together) {
        queued.done();
        if (!span.isRecording()) {
            return Span.NONE;
        }
        return span.step("FSYNC").with("together", Integer.toString(together));
    }

    int frameBytes() {
        return FrameHeader.size(payload.length);
    }
}
