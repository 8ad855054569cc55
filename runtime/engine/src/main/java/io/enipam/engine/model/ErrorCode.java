package io.enipam.engine.model;

/**
 * Why the engine said no, as a program reads it. The names are part of the wire contract; so are the CNI codes
 * (specification 1.1.0, section "Error"; 100 and above are enipam's own).
 */
public enum ErrorCode {
    /** A parameter is missing or malformed. */
    INVALID_ARGUMENT(4),
    /** There is no such thing. */
    NOT_FOUND(3),
    /** Nothing to lend: capacity is reached, or nothing came before the deadline. */
    POOL_EXHAUSTED(101),
    /** The pod does not exist, or has finished. */
    POD_GONE(102),
    /** The cloud could not make an address. */
    CLOUD_FAILED(103),
    /** The kernel could not be set up or torn down. */
    DATAPATH_FAILED(104),
    /** The database could not be written. */
    STORE_FAILED(5),
    /** Not now: starting, stopping, or a dependency is away. The same call may succeed later. */
    TRY_AGAIN(11),
    /** The operation did not end in time. */
    DEADLINE_EXCEEDED(11),
    /** A plugin could not do what it was asked. */
    PLUGIN_FAILED(106),
    /** It would give up what is in force, and the caller did not agree to that. */
    NOT_AGREED(107),
    /** The policy in force refused the pod; the hint begins with the kind that it gave, the message is the policy's. */
    REFUSED(109),
    /** The peer may not do this. */
    PERMISSION_DENIED(105),
    /** A bug. */
    INTERNAL(999);

    private final int cniCode;

    ErrorCode(int cniCode) {
        this.cniCode = cniCode;
    }

    /** The code in a CNI error result. */
    public int cniCode() {
        return cniCode;
    }
}
