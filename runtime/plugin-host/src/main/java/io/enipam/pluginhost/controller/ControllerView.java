package io.enipam.pluginhost.controller;

import io.enipam.sdk.ErrorKind;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A controller at one moment, for operators.
 *
 * @param extension its name
 * @param cause why it reconciles nothing, if it is {@code LOST}; else empty
 * @param failing the keys that failed at last, those that fail longest first; at most {@value KeyQueue#MOST_SHOWN}
 */
public record ControllerView(
        String plugin,
        String extension,
        State state,
        String cause,
        Load load,
        Counts counts,
        List<FailingKey> failing) {
    public enum State {
        /** Another replica leads. */
        FOLLOWING,
        /** Its sources are being opened, or not synced yet. */
        SYNCING,
        /** It reconciles. */
        ACTIVE,
        /** A source is lost, or it does not say what it watches: it is opened again. */
        LOST
    }

    /**
     * @param queued keys that wait for a worker
     * @param underWay keys that are reconciled
     * @param paused keys that wait for a time
     * @param failing keys that failed at last
     * @param workers how many keys are reconciled at once at most
     * @param bound how many queued keys are too many
     */
    public record Load(int queued, int underWay, int paused, int failing, int workers, int bound) {
        static final Load NONE = new Load(0, 0, 0, 0, 0, 0);
    }

    /**
     * Since the daemon started.
     *
     * @param done answers that nothing is left to do
     * @param again answers that there is something to do later
     * @param retries reconciles that failed, by themselves or by the controller's answer
     * @param took all reconciles together, their commits included
     */
    public record Counts(long done, long again, long retries, Duration took) {}

    /**
     * @param failures in a row
     * @param since when the first of them was
     * @param nextTry empty if it is not retried until it changes, or is under way
     */
    public record FailingKey(
            String key, int failures, ErrorKind kind, String why, Instant since, Optional<Instant> nextTry) {}
}
