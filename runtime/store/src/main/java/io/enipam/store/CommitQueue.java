package io.enipam.store;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Commits in the order of the calls, between any number of callers and one writer. One lock guards it all: a queue of the
 * JDK has no close that both sides agree on, and a commit that slips in behind the writer's last look would never end.
 */
final class CommitQueue {
    private final int capacity;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition notEmpty = lock.newCondition();
    private final Condition notFull = lock.newCondition();
    private final ArrayDeque<PendingCommit> waiting = new ArrayDeque<>(); // by lock
    private boolean closed; // by lock

    CommitQueue(int capacity) {
        this.capacity = capacity;
    }

    /**
     * Adds a commit, and waits for room while the queue is full.
     *
     * @return false if the queue is closed: the commit was not added
     */
    boolean put(PendingCommit commit) {
        lock.lock();
        try {
            while (waiting.size() >= capacity && !closed) {
                notFull.awaitUninterruptibly();
            }
            if (!closed) {
                waiting.add(commit);
                notEmpty.signal();
            }
            return !closed;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits for commits and takes as many as fit.
     *
     * @param bytes what the group's frames may add up to; a single larger commit is a group of its own
     * @return empty when the queue is closed and everything was taken
     */
    List<PendingCommit> take(int bytes) {
        lock.lock();
        try {
            while (waiting.isEmpty() && !closed) {
                notEmpty.awaitUninterruptibly();
            }
            List<PendingCommit> group = new ArrayList<>();
            long room = bytes;
            PendingCommit next = waiting.peek();
            while (next != null && (group.isEmpty() || next.frameBytes() <= room)) {
                group.add(waiting.remove());
                room -= next.frameBytes();
                next = waiting.peek();
            }
            notFull.signalAll();
            return group;
        } finally {
            lock.unlock();
        }
    }

    /** Lets no more commits in; those that wait are still taken. */
    void close() {
        lock.lock();
        try {
            closed = true;
            notEmpty.signalAll();
            notFull.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
