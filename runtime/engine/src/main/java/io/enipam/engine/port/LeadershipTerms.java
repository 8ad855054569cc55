package io.enipam.engine.port;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * The terms in which a replica leads, for each {@link Leadership} by a lease: whether one runs, and who hears of it. Thread-safe.
 *
 * <p>A term runs until a moment of the monotonic clock that each renewal of the lease puts off, whether or not anything is heard after
 * that: a store that hangs, a paused process and a clock that is set make it no longer. One that has run out is not prolonged: the
 * next renewal begins another one, since another replica may have led between the two.
 */
public final class LeadershipTerms {
    private static final Term NONE = new Term(0, 0);

    private final TimeSource time;
    private final Scheduler engine;
    private final List<Follower> followers = new CopyOnWriteArrayList<>();
    private volatile Term term = NONE;
    private long last; // by this: the number of the last term
    private boolean closed; // by this
    private Scheduler.Cancellable expiry = () -> {}; // by this

    /** @param number from 1; 0 if there is none */
    private record Term(long number, long untilNanos) {}

    /** @param engine where followers are told, and what tells them when a term runs out */
    public LeadershipTerms(TimeSource time, Scheduler engine) {
        this.time = time;
        this.engine = engine;
    }

    /** As {@link Leadership#leads()}. */
    public boolean running() {
        return current() > 0;
    }

    /** The number of the term that runs; 0 if none does. */
    private long current() {
        Term now = term;
        return now.number() > 0 && time.nanoTime() - now.untilNanos() < 0 ? now.number() : 0;
    }

    /**
     * The lease was renewed: the term runs until then, or another one begins. After the close nothing begins.
     *
     * @param untilNanos by the monotonic clock
     * @return whether another one began
     */
    public synchronized boolean renewed(long untilNanos) {
        if (closed) {
            return false;
        }
        boolean begins = !running();
        term = new Term(begins ? ++last : last, untilNanos);
        expiry.cancel();
        expiry = engine.after(Duration.ofNanos(Math.max(0, untilNanos - time.nanoTime())), this::tell);
        if (begins) {
            tell();
        }
        return begins;
    }

    /** The lease was lost or given up. Returns whether a term ends with that, which may have run out before. */
    public synchronized boolean end() {
        boolean ends = term.number() > 0;
        if (ends) {
            term = NONE;
            expiry.cancel();
            tell();
        }
        return ends;
    }

    /** The same for good: no other one begins. */
    public synchronized void close() {
        closed = true;
        end();
    }

    /** As {@link Leadership#follow}. A term that ended unnoticed before the next one began is reported as ended. */
    public void follow(Consumer<Boolean> listener) {
        Follower follower = new Follower(listener);
        followers.add(follower);
        engine.execute(follower::tell);
    }

    private void tell() {
        followers.forEach(follower -> engine.execute(follower::tell));
    }

    private final class Follower {
        private final Consumer<Boolean> listener;
        private long told = -1; // by this: the number of the term, 0 for none, -1 before the first call

        private Follower(Consumer<Boolean> listener) {
            this.listener = listener;
        }

        private synchronized void tell() {
            long now = current();
            if (now == told) {
                return;
            }
            boolean ended = told != 0 && (told > 0 || now == 0);
            told = now;
            try {
                if (ended) {
                    listener.accept(false);
                }
            } finally {
                // also where the listener has failed, which the engine's threads record
                if (now > 0) {
                    listener.accept(true);
                }
            }
        }
    }
}
