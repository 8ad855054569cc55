package io.enipam.diagnostics.readiness;

import io.enipam.engine.PendingWork;
import io.enipam.engine.pool.PoolView;
import io.enipam.engine.pool.PoolView.PendingCreate;
import io.enipam.engine.pool.PoolView.RetryState;
import io.enipam.sdk.ResourceState;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Optional;

/** Whether what the pool lacks can be made: the one source of what {@code status} and CNI STATUS tell of that. */
public final class SupplyShortage {
    /** Whoever comes while creates have been unanswered for so long, waits in vain. */
    private static final Duration LONG = Duration.ofSeconds(30);

    private static final DateTimeFormatter CLOCK =
            DateTimeFormatter.ofPattern("HH:mm:ss 'UTC'", Locale.ROOT).withZone(ZoneOffset.UTC);

    private SupplyShortage() {}

    /** Since when and why nothing is made although less than wanted is idle; empty if that is not so. */
    public static Optional<String> of(PendingWork agenda, PoolView pool) {
        int idle = pool.count(ResourceState.IDLE);
        if (idle > 0 && idle >= pool.minIdle()) {
            return Optional.empty();
        }
        String lack = idle == 0 ? "no address is idle" : idle + " idle, and " + pool.minIdle() + " are wanted";
        return failing(agenda).or(() -> unanswered(agenda, idle)).map(why -> lack + ", and " + why);
    }

    /** A failure that nobody tries to get over says nothing: the next caller may be served. */
    private static Optional<String> failing(PendingWork agenda) {
        return agenda.createTrouble()
                .filter(last ->
                        agenda.at().isBefore(last.next()) || !agenda.creates().isEmpty())
                .map(SupplyShortage::words);
    }

    private static String words(RetryState last) {
        return "none can be made since " + CLOCK.format(last.since()) + ": " + last.message();
    }

    private static Optional<String> unanswered(PendingWork agenda, int idle) {
        return agenda.creates().stream()
                .map(PendingCreate::since)
                .min(Instant::compareTo)
                .filter(since -> idle == 0 && !since.plus(LONG).isAfter(agenda.at()))
                .map(since -> "creates have been waiting for the cloud since " + CLOCK.format(since)
                        + "; 'ecs calls' shows whether it answers");
    }
}
