package io.enipam.emulator.cloud;

import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * The one place where the state changes. One change at a time, under one lock: the change is computed on the settled
 * state, saved, and only then seen by others, so no client learns of a change that a restart would lose. Readers take
 * the current state without waiting. Thread-safe.
 *
 * <p>No timer runs: states that pass by themselves carry the moment of their end, and a reader sees them ended.
 * Therefore a state read twice may differ although nothing was saved in between, and a saved state is right however long
 * the emulator was down.
 */
public final class CloudStateStore {
    public interface Transition {
        /** The state to go to; an equal one means that nothing changes. */
        CloudState state();
    }

    /** Follows the state, which may take a moment. Thread-safe. */
    public interface CloudStateListener {
        /** Follows nothing. */
        CloudStateListener NONE = new CloudStateListener() {
            @Override
            public void changed() {}

            @Override
            public void await() {}
        };

        /** The state has changed. Does not wait. */
        void changed();

        /** Waits until everything is done for the state of now, or until a deadline of seconds has passed. */
        void await();
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final InstantSource clock;
    private final Consumer<CloudState> store;
    private final SharedVSwitches.Part part;
    private volatile CloudState state;

    /**
     * Takes over a state.
     *
     * @param store saves each state before it becomes visible, or throws
     * @param part what the state has of the vSwitches
     */
    public CloudStateStore(
            CloudState initial, InstantSource clock, Consumer<CloudState> store, SharedVSwitches.Part part) {
        this.part = part;
        this.state = initial;
        this.clock = clock;
        this.store = store;
    }

    /** The state of this moment. */
    public CloudState now() {
        return state.at(clock.instant());
    }

    /** What this state has of the vSwitches. */
    public SharedVSwitches.Part part() {
        return part;
    }

    /** Does a step from the settled state of this moment. If the step or the saving throws, nothing has changed. */
    public <S extends Transition> S change(Change<S> step) {
        lock.lock();
        try {
            Instant now = clock.instant();
            CloudState before = state.at(now);
            // the same state, which the next reader need not settle again
            state = before;
            S done = step.from(before, now);
            if (!done.state().equals(before)) {
                store.accept(done.state());
                state = done.state();
                part.changed(state, now);
            }
            return done;
        } finally {
            lock.unlock();
        }
    }

    @FunctionalInterface
    public interface Change<S extends Transition> {
        /** Computes the step; must not touch anything else. */
        S from(CloudState before, Instant now);
    }
}
