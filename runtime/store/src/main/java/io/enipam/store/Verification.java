package io.enipam.store;

import java.util.List;
import java.util.OptionalLong;

/**
 * What a look at every file and every record found.
 *
 * @param generation the last commit that was looked at
 * @param checks what was looked at, in the order it was done
 * @param problems what is wrong; empty if all is well
 */
public record Verification(long generation, List<Check> checks, List<Problem> problems) {
    public boolean sound() {
        return problems.isEmpty();
    }

    /** @param unit what these things are, in the plural */
    public record Check(String name, long examined, String unit) {}

    /**
     * @param where the file, or BUCKET/KEY of a record
     * @param offset where in the file, in bytes; empty if the file as a whole, or no file, is meant
     * @param message one line
     */
    public record Problem(String check, String where, OptionalLong offset, String message) {}
}
