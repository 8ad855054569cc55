package io.enipam.examples.hostlocal;

import io.enipam.sdk.ranges.RangeSet;

/** What a caller of the CNI gets instead of a result: code, message and details, in the words of the Go plugin where that has them. */
final class Refused extends Exception {
    static final int INCOMPATIBLE_VERSION = 1;
    static final int UNKNOWN_CONTAINER = 3;
    static final int ENVIRONMENT = 4;
    static final int DECODE = 6;
    static final int CONFIGURATION = 7;
    static final int NOT_AVAILABLE = 50;

    /** Of any error of the Go plugin's own. */
    static final int INTERNAL = 999;

    private static final long serialVersionUID = 1;

    private final int code;
    private final String details;
    private final boolean full;

    Refused(int code, String message, String details) {
        this(code, message, details, false);
    }

    private Refused(int code, String message, String details, boolean full) {
        super(message);
        this.code = code;
        this.details = details;
        this.full = full;
    }

    /** A set has no address left. */
    static Refused full(int code, RangeSet set) {
        return new Refused(code, "no IP addresses available in range set: " + set, "", true);
    }

    /** The same with something before its message. */
    Refused within(String where) {
        return new Refused(code, where + text(), details, full);
    }

    static Refused of(String message) {
        return new Refused(INTERNAL, message, "");
    }

    /** Whether a set has no address left. */
    boolean isFull() {
        return full;
    }

    int code() {
        return code;
    }

    String details() {
        return details;
    }

    /** Never null. */
    String text() {
        return String.valueOf(getMessage());
    }
}
