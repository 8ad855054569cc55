package io.enipam.examples.hostlocal;

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

    Refused(int code, String message, String details) {
        super(message);
        this.code = code;
        this.details = details;
    }

    static Refused of(String message) {
        return new Refused(INTERNAL, message, "");
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
