package io.enipam.emulator.action;

import io.enipam.emulator.cloud.CloudState;
import io.enipam.emulator.cloud.Instance;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Moments as the API writes them: {@code 2026-03-01T12:00:00Z}. */
final class ApiTimestamps {
    private ApiTimestamps() {}

    /** To the second. */
    static String of(Instant moment) {
        return moment.truncatedTo(ChronoUnit.SECONDS).toString();
    }

    /** When the VPC and all that came with it was made. */
    static String ofCloud(CloudState state) {
        return of(state.instances().stream()
                .map(Instance::created)
                .min(Instant::compareTo)
                .orElse(Instant.EPOCH));
    }
}
