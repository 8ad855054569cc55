package io.enipam.frontends.cni;

import io.enipam.engine.EngineStatus;
import io.enipam.engine.EngineStatus.Phase;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.model.IpamException;
import io.enipam.frontends.cni.spec.CniException;
import io.enipam.frontends.cni.spec.CniException.CniErrorCode;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The time that a call has. Its methods wait on the call's own thread, which is interrupted when the daemon stops.
 * Immutable.
 */
final class Deadline {
    private static final long LOOK_MILLIS = 20;

    /** The called part has the same deadline, and reports better why it was not enough. */
    private static final long GRACE_MILLIS = 5_000;

    private final long until;
    private final Duration whole;

    Deadline(Duration whole) {
        this.whole = whole;
        this.until = System.nanoTime() + whole.toNanos();
    }

    /** What is left; a moment at least, since an engine wants one. */
    Duration left() {
        return Duration.ofNanos(Math.max(TimeUnit.MILLISECONDS.toNanos(1), until - System.nanoTime()));
    }

    private boolean isOver() {
        return until - System.nanoTime() <= 0;
    }

    /**
     * Waits until the engine is where it can serve.
     *
     * @throws CniException code 11 if it does not come there in time, or stops
     */
    void awaitPhase(IpamEngine engine, Set<Phase> serving) {
        for (EngineStatus status = engine.status(); !serving.contains(status.phase()); status = engine.status()) {
            boolean ends = status.phase() == Phase.STOPPING || status.phase() == Phase.STOPPED;
            if (ends || isOver()) {
                throw new CniException(
                        CniErrorCode.TRY_AGAIN,
                        "the daemon does not serve " + (ends ? "any more" : "yet") + ": it is " + status.phase()
                                + (status.detail().isEmpty() ? "" : ", " + status.detail()),
                        "try again; 'enipam status' says what it waits for"
                                + (ends ? "" : ", and this call has waited " + whole.toMillis() + " ms"));
            }
            pause(LOOK_MILLIS);
        }
    }

    /** @throws CniException code 11 if the daemon stops meanwhile */
    static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            throw stops(e);
        }
    }

    /**
     * @param what it is, for the message
     * @throws CniException with its code if it fails, code 11 if it is late
     */
    <T> T outcome(CompletableFuture<T> coming, String what) {
        try {
            return coming.get(left().toMillis() + GRACE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            Throwable cause = Stages.cause(e);
            if (cause instanceof IpamException refusal) {
                throw CniException.of(refusal);
            }
            throw new IllegalStateException(what + " failed: " + cause, cause);
        } catch (TimeoutException e) {
            throw late(what);
        } catch (InterruptedException e) {
            throw stops(e);
        }
    }

    /**
     * To be called before the next one of many steps, each of which {@link #outcome} gives a grace of its own.
     *
     * @throws CniException code 11 if the time is over, so that the step is not to begin
     */
    void requireTime(String what) {
        if (isOver()) {
            throw late(what);
        }
    }

    private CniException late(String what) {
        return new CniException(
                CniErrorCode.TRY_AGAIN,
                "the " + whole.toMillis() + " ms of this call were over before " + what + " was done",
                "try again; what was begun goes on, and 'enipam trace' tells how it ended");
    }

    /** The interrupt is taken note of: it would cut the answer off. */
    static CniException stops(InterruptedException cause) {
        CniException told = new CniException(CniErrorCode.TRY_AGAIN, "the daemon stops", "try again when it is back");
        told.initCause(cause);
        return told;
    }
}
