package io.enipam.diagnostics.doctor.check;

import io.enipam.diagnostics.doctor.About;
import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Evidence;
import io.enipam.diagnostics.doctor.Facts;
import io.enipam.diagnostics.doctor.Outcome;
import io.enipam.diagnostics.doctor.fact.DifferenceFacts;
import io.enipam.diagnostics.sources.compare.Difference;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Sources that do not say the same, after looks that lasted: a finding for each difference of these kinds.
 *
 * @param sources without whose word nothing can be said
 * @param well what is said when nothing differs
 */
record Differing(About about, Set<Difference.Kind> kinds, Set<String> sources, String well) implements Check {
    @Override
    public Outcome look(Facts facts) {
        DifferenceFacts differences = facts.the(DifferenceFacts.class);
        List<Difference> found = differences.differences().stream()
                .filter(difference -> kinds.contains(difference.kind()))
                .toList();
        Optional<String> silent =
                sources.stream().filter(differences.silent()::containsKey).findFirst();
        if (found.isEmpty() && silent.isPresent()) {
            return Outcome.skipped("the " + silent.get() + " does not say: "
                    + differences.silent().get(silent.get()));
        }
        if (found.isEmpty()) {
            return Outcome.ok(well);
        }
        return Outcome.of(
                about.worst(),
                found.size() == 1 ? found.get(0).what() : found.get(0).what() + ", and " + (found.size() - 1) + " more",
                found.stream().flatMap(one -> evidence(one).stream()).toList());
    }

    /** What each source says of it. */
    static List<Evidence> evidence(Difference difference) {
        return difference.says().entrySet().stream()
                .map(said -> new Evidence(difference.subject(), said.getValue(), said.getKey()))
                .toList();
    }
}
