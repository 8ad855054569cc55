package io.enipam.diagnostics.doctor;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * What one run found.
 *
 * @param findings one for each check that was made, the worst first, then by id
 */
public record Diagnosis(Instant at, Duration took, List<Finding> findings) {
    public Diagnosis {
        findings = List.copyOf(findings);
    }

    /** The worst of all; what was skipped counts as well. */
    public Severity worst() {
        return findings.stream()
                .map(Finding::severity)
                .filter(severity -> severity != Severity.SKIPPED)
                .reduce(Severity.OK, Severity::worse);
    }
}
