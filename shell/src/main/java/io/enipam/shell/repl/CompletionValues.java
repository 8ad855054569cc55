package io.enipam.shell.repl;

import io.enipam.shell.core.CompletionKind;
import java.util.List;

/** What there is right now, to complete a word from. */
@FunctionalInterface
interface CompletionValues {
    /** A value, and what to say beside it. One that ends with an equals sign or a slash is to be gone on with. */
    record Value(String text, String description) {}

    /**
     * The values. What cannot answer throws.
     *
     * @param before the positionals before the word, which it may depend on
     */
    List<Value> of(CompletionKind kind, List<String> before);
}
