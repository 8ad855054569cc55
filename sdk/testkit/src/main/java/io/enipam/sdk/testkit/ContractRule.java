package io.enipam.sdk.testkit;

import java.util.function.Supplier;
import org.junit.jupiter.api.Assertions;

/**
 * One promise of the SDK, named to the author of the code that broke it.
 *
 * @param promise what is promised, a sentence
 * @param mend what usually breaks it and what to do, a sentence
 */
record ContractRule(String promise, String mend) {
    void check(boolean kept, Supplier<String> found) {
        if (!kept) {
            throw broken(found.get());
        }
    }

    AssertionError broken(String found) {
        return Assertions.<AssertionError>fail(text(found));
    }

    AssertionError broken(String found, Throwable cause) {
        return Assertions.<AssertionError>fail(text(found), cause);
    }

    private String text(String found) {
        return "\n  the rule:  " + promise + "\n  found:     " + found + "\n  to mend:   " + mend;
    }
}
