package io.enipam.engine.port;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * Deletes what this node left behind in the cloud: ENIs with its tags that no record knows, that are attached to
 * nothing, and that are too old to be still on their way. It never touches what another node made. Thread-safe.
 */
public interface EniSweeper {
    /**
     * Looks, and unless it is a dry run, begins to delete.
     *
     * @return completes when the cloud has been read and the deletions have begun, with what was found; completes
     *     exceptionally with {@link io.enipam.sdk.FactoryException} if the cloud could not be read, and then nothing
     *     was done
     */
    CompletionStage<Report> sweep(boolean dryRun);

    /**
     * @param examined ENIs with this node's tags
     * @param candidates those of them that no record here knows, taken or not, ordered by id
     */
    record Report(Instant startedAt, Duration took, boolean dryRun, int examined, List<Candidate> candidates) {
        public Report {
            candidates = List.copyOf(candidates);
        }
    }

    /**
     * An ENI that no record knows.
     *
     * @param state the cloud's state of it: Available, InUse, and so on
     * @param addresses all its addresses, the primary one included
     * @param age by the cloud's clock where that is known; empty if the cloud does not say when it was made
     * @param taken whether it is deleted; in a dry run, whether it would be
     * @param reason why it is taken or not, for operators
     */
    record Candidate(
            String id,
            String state,
            String vswitch,
            List<String> addresses,
            Optional<Instant> createdAt,
            Optional<Duration> age,
            boolean taken,
            String reason) {
        public Candidate {
            addresses = List.copyOf(addresses);
        }
    }
}
