package io.enipam.diagnostics.doctor;

import java.time.Instant;
import java.util.Optional;

/**
 * One thing that was seen.
 *
 * @param subject what it is about: an address, an ENI, a pod, a file
 * @param seen what was seen of it, a few words
 * @param source who says so: {@code database}, {@code pool}, {@code cloud}, {@code kernel}, {@code host} and the like
 * @param since since when, where that is known
 */
public record Evidence(String subject, String seen, String source, Optional<Instant> since) {
    /** One that does not say since when. */
    public Evidence(String subject, String seen, String source) {
        this(subject, seen, source, Optional.empty());
    }

    /** One that says it. */
    public Evidence(String subject, String seen, String source, Instant since) {
        this(subject, seen, source, Optional.of(since));
    }
}
