package io.enipam.frontends.cni.spec;

/** Codes of a CNI error result (specification 1.1.0, "Error"), beside those that the engine's own errors carry. */
public final class CniErrorCode {
    /** No error. */
    public static final int NONE = 0;

    /** The configuration is of a version that is not spoken here, or that has no such command. */
    public static final int INCOMPATIBLE_VERSION = 1;

    /** Nobody knows the container. */
    public static final int UNKNOWN_CONTAINER = 3;

    /** A variable is missing or malformed. */
    public static final int INVALID_ENVIRONMENT = 4;

    /** Reading or writing failed. */
    public static final int IO_FAILURE = 5;

    /** Standard input is not what it should be: no JSON, or no version. */
    public static final int DECODE_FAILURE = 6;

    /** A key of the configuration is missing or malformed. */
    public static final int INVALID_CONFIG = 7;

    /** The network namespace cannot be a pod's. Of the reference library: the specification has no such code. */
    public static final int INVALID_NETNS = 8;

    /** Not now; the same call may succeed later. */
    public static final int TRY_AGAIN = 11;

    /** STATUS: no ADD can be served. */
    public static final int NOT_AVAILABLE = 50;

    /** STATUS: no ADD can be served, and what is connected may have less than it should. */
    public static final int LIMITED = 51;

    /** The kernel is not as ADD left it; the engine's code for a kernel that could not be set up. */
    public static final int KERNEL = 104;

    /** GC: some of what was to go is still there. */
    public static final int GC_INCOMPLETE = 108;

    /** A bug. */
    public static final int INTERNAL = 999;

    private CniErrorCode() {}
}
