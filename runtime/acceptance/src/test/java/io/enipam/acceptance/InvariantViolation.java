package io.enipam.acceptance;

import java.util.List;

/** A promise that was broken, and the names whose stories tell how. */
final class InvariantViolation extends AssertionError {
    private static final long serialVersionUID = 1L;

    private final transient List<String> names;

    InvariantViolation(String what, String... names) {
        super(what);
        this.names = List.of(names);
    }

    List<String> names() {
        return names;
    }
}
