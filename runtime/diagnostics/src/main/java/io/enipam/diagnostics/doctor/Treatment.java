package io.enipam.diagnostics.doctor;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What came of a repair.
 *
 * @param steps what was done, or would be, one line each; empty if there was nothing to repair
 * @param after the check made again; empty in a dry run, and if there was nothing to repair
 */
public record Treatment(boolean dryRun, List<String> steps, Finding before, Optional<Finding> after, Duration took) {
    public Treatment {
        steps = List.copyOf(steps);
    }
}
