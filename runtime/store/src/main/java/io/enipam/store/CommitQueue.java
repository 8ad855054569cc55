package io.enipam.store;

import io.enipam.engine.port.Span;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Commits in the order of the calls, between any number of callers and one writer. It takes as many as its bounds allow
 * and refuses the rest at once: no caller ever waits here. One lock guards it all: a queue of the JDK has no close that
 * both sides agree on, and a commit that slips in behind the writer's last look would never end.
 */
final class CommitQueue {
    private final int capacity;
    private final long byteCapacity;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition notEmpty = lock.newCondition();
    private final ArrayDeque<PendingCommit> waiting = new ArrayDeque<>(); // by lock
    private long bytes; // by lock
    private boolean closed; // by lock

    /** @param byteCapacity what waiting frames may add up to; a single larger commit may wait alone */
    CommitQueue(int capacity, long byteCapacity) {
        this.capacity = capacity;
        this.byteCapacity = byteCapacity;
    }

    /** What became of a commit. */
    enum Entry {
        TAKEN,
        FULL,
        CLOSED
    }

    Entry offer(PendingCommit commit) {
        lock.lock();
        try {
            if (closed) {
                return Entry.CLOSED;
            }
            boolean fits = waiting.size() < capacity && bytes + commit.frameBytes() <= byteCapacity;
            if (!fits && !waiting.isEmpty()) {
                return Entry.FULL;
            }
            waiting.add(commit);
            bytes += commit.frameBytes();
            notEmpty.signal();
            return Entry.TAKEN;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits for commits and takes as many as fit.
     *
     * @param limit what the group's frames may add up to; a single larger commit is a group of its own
     * @param nanos how long to wait; {@link Long#MAX_VALUE} for ever
     * @return an empty group if none came in time; nothing when the queue is closed and everything was taken
     */
    Optional<List<PendingCommit>> take(int limit, long nanos) {
        lock.lock();
        try {
            long left = nanos;
            while (waiting.isEmpty() && !closed && left > 0) {
                left = await(left);
            }
            if (waiting.isEmpty() && closed) {
                return Optional.empty();
            }
            return Optional.of(group(limit));
        } finally {
            lock.unlock();
        }
    }

    private long await(long nanos) {
        if (nanos == Long.MAX_VALUE) {
            notEmpty.awaitUninterruptibly();
            return nanos;
        }
        try {
            return notEmpty.awaitNanos(nanos);
        } catch (InterruptedException e) { // the writer is never interrupted
            return 0;
        }
    }

    private List<PendingCommit> group(int limit) {
        List<PendingCommit> group = new ArrayList<>();
        long room = limit;
        PendingCommit next = waiting.peek();
        while (next != null && (group.isEmpty() || next.frameBytes() <= room)) {
            group.add(waiting.remove());
            bytes -= next.frameBytes();
            room -= next.frameBytes();
            next = waiting.peek();
        }
        return group;
    }

    /** Lets no more commits in; those that wait are still taken. */
    void close() {
        lock.lock();
        try {
            closed = true;
            notEmpty.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * @param payload the same as the journal's bytes
     * @param done completed on the acknowledging thread
     * @param queued the part of it that ends when the disk's turn has come
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared; the bytes are written once, here
    record PendingCommit(
            List<Mutation> mutations, byte[] payload, CompletableFuture<Void> done, Span span, Span queued) {
        static PendingCommit of(List<Mutation> mutations, Span span) {
            return new PendingCommit(
                    mutations, Mutation.encode(mutations), new CompletableFuture<>(), span, span.step("QUEUE"));
        }

        /** Its turn has come; the result is the step of the trace that ends when all commits of one force are durable. */
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
}
