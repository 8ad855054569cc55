package io.enipam.emulator.fault;

import io.enipam.emulator.fault.Effect.Ending;
import io.enipam.emulator.fault.Effect.Stick;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What the plan has for one call.
 *
 * @param delay how much longer it takes; zero for nothing
 * @param ending how it ends instead; empty: as it would
 * @param stick whether its ENI sticks
 * @param draw a random number for whatever the ending has to choose
 * @param rules the ids of the rules that act, in order; empty if none does
 */
public record FaultDecision(Duration delay, Optional<Ending> ending, Optional<Stick> stick, long draw, List<Long> rules) {
    /** Nothing goes wrong. */
    public static final FaultDecision NONE = new FaultDecision(Duration.ZERO, Optional.empty(), Optional.empty(), 0, List.of());

    public FaultDecision {
        rules = List.copyOf(rules);
    }

    /** Whether any rule acts. */
    public boolean hasEffect() {
        return !rules.isEmpty();
    }
}
