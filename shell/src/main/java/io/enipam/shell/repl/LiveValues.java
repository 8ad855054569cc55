package io.enipam.shell.repl;

import io.enipam.shell.command.LiveKind;
import java.util.List;

/** What there is right now, to complete a word from. */
@FunctionalInterface
interface LiveValues {
    /** A value, and what to say beside it. */
    record Value(String text, String description) {}

    /** The values; none if they cannot be had at once. */
    List<Value> of(LiveKind kind);
}
