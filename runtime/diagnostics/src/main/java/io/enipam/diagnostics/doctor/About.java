package io.enipam.diagnostics.doctor;

import java.util.Optional;

/**
 * A check, whatever it finds. All texts are for people; this is what the reference is made of.
 *
 * @param id stable, {@code [a-z][a-z0-9-]*}
 * @param title what it finds, in a few words
 * @param worst the most severe it finds
 * @param looksAt what it looks at, and when it finds something, with the figures
 * @param why why that matters
 * @param fix what to do, beginning with a command where there is one
 * @param repair what mends it safely, if anything does
 */
public record About(
        String id, String title, Severity worst, String looksAt, String why, String fix, Optional<Repair> repair) {
    /** One that no operation of the daemon mends. */
    public About(String id, String title, Severity worst, String looksAt, String why, String fix) {
        this(id, title, worst, looksAt, why, fix, Optional.empty());
    }

    /** The same, mended by this. */
    public About mendedBy(Repair operation) {
        return new About(id, title, worst, looksAt, why, fix, Optional.of(operation));
    }
}
