package io.enipam.frontends.cni.spec;

import io.enipam.engine.model.IpamException;

/** A call that is answered with an error result. */
public final class CniException extends RuntimeException {
    private static final int LONGEST = 64;

    private static final long serialVersionUID = 1L;
    private static final int LONGEST_MESSAGE = 1_000;
    private static final int LONGEST_DETAILS = 2_000;

    private final int code;
    private final String details;

    /**
     * @param code one of {@link CniErrorCode}, or an engine's
     * @param message what failed, with the name of the variable or key; longer than a runtime should have to log, it is cut
     * @param details what else there is to know, or what to do; empty text for nothing; cut, too
     */
    public CniException(int code, String message, String details) {
        super(line(message, LONGEST_MESSAGE));
        this.code = code;
        this.details = line(details, LONGEST_DETAILS);
    }

    public static CniException of(IpamException refusal) {
        CniException told =
                new CniException(refusal.code().cniCode(), String.valueOf(refusal.getMessage()), refusal.hint());
        told.initCause(refusal);
        return told;
    }

    static CniException config(String message) {
        return new CniException(
                CniErrorCode.INVALID_CONFIG,
                message,
                "correct the network's file in the runtime's configuration directory, usually /etc/cni/net.d");
    }

    static CniException environment(String message) {
        return new CniException(
                CniErrorCode.INVALID_ENVIRONMENT,
                message,
                "the variables of a call are the runtime's: its log tells of it");
    }

    public int code() {
        return code;
    }

    /** What else there is to know; may be empty text. */
    public String details() {
        return details;
    }

    /** Codes of a CNI error result (specification 1.1.0, "Error"), beside those that the engine's own errors carry. */
    public static final class CniErrorCode {
        /** No error. */
        public static final int NONE = 0;
        /** The configuration is of a version that is not spoken here, or that has no such command. */
        public static final int INCOMPATIBLE_VERSION = 1;
        /** The container is unknown. */
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
        /** The kernel is not as ADD left it; the engine's code for a kernel that could not be set up. */
        public static final int KERNEL = 104;
        /** GC: some of what was to go is still there. */
        public static final int GC_INCOMPLETE = 108;
        /** A bug. */
        public static final int INTERNAL = 999;

        private CniErrorCode() {}
    }

    /** Several words of ours: on one line, cut where they are too long. */
    static String line(String text, int longest) {
        String line = text.replaceAll("\\R", " ");
        return line.length() <= longest ? line : line.substring(0, longest) + "…";
    }

    static String quoted(String value) {
        String clean = value.codePoints()
                .limit(LONGEST)
                .map(c -> Character.isISOControl(c) || Character.getType(c) == Character.SURROGATE ? '?' : c)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
        return "\"" + clean + (value.length() > clean.length() ? "…" : "") + "\"";
    }
}
