package io.enipam.acceptance;

import java.util.List;

/** A promise that was broken, and the names whose stories tell how. */
final class Violation extends AssertionError {
    private static final long serialVersionUID = 1L;

    private final transient List<String> names;

    Violation(String what, String... names) {
        super(what);
        this.names = List.of(names);
    }

    List<String> names() {
        return names;
    }
}
