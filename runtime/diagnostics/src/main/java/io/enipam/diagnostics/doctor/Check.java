package io.enipam.diagnostics.doctor;

/** One check of the catalogue. Stateless and thread-safe. */
public interface Check {
    About about();

    /**
     * Judges. What it throws is a finding of its own, and {@link MissingFact} makes it a skipped one.
     *
     * @param facts gathered once for all checks of a run
     */
    Outcome look(Facts facts);
}
