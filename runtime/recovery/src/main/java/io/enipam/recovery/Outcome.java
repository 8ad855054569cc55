package io.enipam.recovery;

import io.enipam.engine.port.Change;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * What was decided.
 *
 * @param decisions one by one, ordered by what is done and to what
 * @param changes all that the new database holds, in the order in which it is to be written
 * @param loss what pods may lose by it
 */
public record Outcome(List<Decision> decisions, List<Change> changes, Loss loss) {
    public Outcome {
        decisions = decisions.stream()
                .sorted(Comparator.comparing(Decision::action).thenComparing(Decision::subject))
                .toList();
        changes = List.copyOf(changes);
    }

    /** How often each action was decided on; an action that was not is left out. */
    public Map<Decision.Action, Integer> counts() {
        Map<Decision.Action, Integer> counts = new EnumMap<>(Decision.Action.class);
        decisions.forEach(decision -> counts.merge(decision.action(), 1, Integer::sum));
        return counts;
    }
}
