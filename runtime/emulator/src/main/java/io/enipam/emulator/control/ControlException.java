package io.enipam.emulator.control;

/** Something that was asked of the control cannot be; the message says why. */
public final class ControlException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** In what way it cannot be. */
    public enum Kind {
        /** What was asked makes no sense. */
        INVALID,
        /** What it names is not there. */
        NOT_FOUND,
        /** What it names is not in a state for it. */
        CONFLICT
    }

    private final Kind kind;

    ControlException(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    /** In what way. */
    public Kind kind() {
        return kind;
    }
}
