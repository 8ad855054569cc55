package io.enipam.engine.port;

import io.enipam.sdk.Resource;

/** The trace of one operation, recorded while it runs. It is the step that all others are part of. */
public interface Trace extends Span {
    Trace NONE = new Trace() {};

    enum Operation {
        ADD,
        DEL,
        /** The end of a lease, or of a stray sandbox, that the garbage collector brought about. */
        GC,
        /** A create of a resource, from its intent to its arrival in the pool. */
        CREATE,
        /** A resource on its way back to its maker. */
        DISPOSE,
        /** A cool-down or a reservation that ended by itself. */
        HOLD,
        /** A key of a controller, from its first reconcile until it is as wanted and its effects are performed. */
        RECONCILE,
        /** One call of the cloud, with its retries and waits. */
        CLOUD
    }

    /** Which resource it is about, once that is known. */
    default void about(Resource resource) {}

    /**
     * Ends it: it did not work.
     *
     * @param hint what to do about it; empty text if there is nothing to say
     */
    default void failed(String code, String why, String hint) {}
}
