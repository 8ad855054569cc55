package io.enipam.engine.port;

import io.enipam.engine.model.LeaseRecord;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Leases that ended, for as long as the configuration keeps them. Thread-safe; reads files, and therefore blocks. */
public interface LeaseHistory {
    /** Of a daemon that has no leases. */
    LeaseHistory NONE = new LeaseHistory() {
        @Override
        public List<LeaseRecord> find(LeaseQuery query) {
            return List.of();
        }

        @Override
        public State state() {
            return new State(0, 0, Optional.empty(), Optional.empty());
        }
    };

    /**
     * The leases that ended and match, those that ended last first. What cannot be read is passed over, and said by {@link #state}.
     */
    List<LeaseRecord> find(LeaseQuery query);

    State state();

    /** What ended since then is there, but for what {@link State#trouble} says; of what ended before, a part may be forgotten. */
    default Instant completeSince() {
        return Instant.EPOCH;
    }

    /**
     * @param subject see {@link LeaseRecord#concerns}; an address in the form that {@link io.enipam.sdk.Address#host} gives. Found by an
     *     index; empty for any, for which all of the span is read
     * @param from the lease stood at this moment or later
     * @param to the lease stood at this moment or earlier
     * @param limit of those that match the last ones, 1 or more
     */
    record LeaseQuery(Optional<String> subject, Instant from, Instant to, int limit) {
        public boolean matches(LeaseRecord lease) {
            return lease.overlaps(from, to) && subject.map(lease::concerns).orElse(true);
        }
    }

    /**
     * @param leases how many are kept
     * @param bytes on disk
     * @param oldest when the first of them began; empty if there is none
     * @param trouble what is missing, or cannot be written, one line for an operator; empty if all is well
     */
    record State(long leases, long bytes, Optional<Instant> oldest, Optional<String> trouble) {}
}
