package io.enipam.engine.port;

/**
 * One step of a {@link Trace} under way: it began when it was made, and ends once. Passed through the stages as a
 * parameter; nothing depends on threads. Thread-safe; nothing blocks, nothing throws. Details added after the end still
 * count; a second end does not.
 */
public interface Span {
    Span NONE = new Span() {};

    /**
     * Begins a step that is part of this one.
     *
     * @param name in capitals, of a small fixed set: {@code COMMIT}, {@code ATTEMPT}
     */
    default Span step(String name) {
        return NONE;
    }

    /**
     * @param key as in {@code requestId}
     * @param value no secret; shortened if it is long
     */
    default Span with(String key, String value) {
        return this;
    }

    /** Ends it: it worked. */
    default void done() {}

    /**
     * Ends it: it did not work.
     *
     * @param code for a program: an error code of the engine, or of the party that refused
     * @param why one line for an operator
     */
    default void failed(String code, String why) {}

    /** Whether it is recorded: costly details need not be made else. */
    default boolean isRecording() {
        return false;
    }
}
