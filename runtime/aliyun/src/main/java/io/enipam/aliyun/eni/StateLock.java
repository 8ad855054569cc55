package io.enipam.aliyun.eni;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One lock, and the way in and out of it.
 *
 * <p><b>Turns.</b> All of the factory's state (ENIs, tickets, disposals, vSwitch memory) is touched only inside a turn:
 * {@link #update} takes the lock, runs one change, lets the placement {@link #settle}, and releases the lock. A turn
 * never calls the cloud, the scheduler or the event sink, and completes no future. It {@linkplain #defer notes} what is
 * to happen, and the notes are carried out after the lock is released, by the thread that held it, in order. A cloud
 * call's outcome comes back as another turn.
 */
abstract class StateLock {
    private static final Logger LOG = LoggerFactory.getLogger(StateLock.class);

    private final ReentrantLock lock = new ReentrantLock();
    private final List<Runnable> notes = new ArrayList<>(); // by lock

    /** Runs at the end of every turn, under the lock. */
    abstract void settle();

    /** Runs a change under the lock, then what it noted outside of it. */
    final <T> T update(Supplier<T> change) {
        List<Runnable> todo = List.of();
        try {
            lock.lock();
            try {
                T result = change.get();
                settle();
                return result;
            } finally {
                todo = List.copyOf(notes);
                notes.clear();
                lock.unlock();
            }
        } finally {
            // also of a turn that failed: what it had taken off its lists would never be answered
            todo.forEach(StateLock::carryOut);
        }
    }

    final void change(Runnable change) {
        update(() -> {
            change.run();
            return true;
        });
    }

    /** Reads under the lock; nothing settles, nothing is noted. */
    final <T> T read(Supplier<T> look) {
        lock.lock();
        try {
            return look.get();
        } finally {
            lock.unlock();
        }
    }

    /** Inside a turn: what is to be done after it. */
    final void defer(Runnable note) {
        notes.add(note);
    }

    /** A note that fails does not stop the others: an ENI would stay on its way for ever. */
    private static void carryOut(Runnable note) {
        try {
            note.run();
        } catch (RuntimeException e) {
            LOG.error("a note of the registry of ENIs could not be carried out; this is a bug of enipam", e);
        }
    }

    /** Takes the outcome of something that went on outside, in a turn of its own. */
    final void applyOutcome(Runnable change) {
        try {
            change(change);
        } catch (RuntimeException e) {
            LOG.error("the registry of ENIs met a case it does not know; the next reconcile reads the cloud again", e);
        }
    }
}
