package io.enipam.diagnostics.doctor.check;

import io.enipam.diagnostics.doctor.Evidence;
import io.enipam.kubernetes.api.RequestStats.Count;
import io.enipam.node.cluster.ClusterInspector.ClusterState;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;

/** Readings of how the API server answered, that several checks need. */
final class ApiAnswers {
    /** As findings name who says so. */
    static final String SOURCE = "API server";

    private ApiAnswers() {}

    /** When a request that fits was over last. */
    static Optional<Instant> last(ClusterState state, Predicate<Count> fits) {
        return state.requests().stream().filter(fits).map(Count::last).max(Comparator.naturalOrder());
    }

    /** Requests that fit, unless one that heals them came later. */
    static List<Count> since(ClusterState state, Predicate<Count> fits, Predicate<Count> heals) {
        Optional<Instant> healed = last(state, heals);
        return state.requests().stream()
                .filter(count -> fits.test(count)
                        && healed.filter(later -> !later.isBefore(count.last())).isEmpty())
                .toList();
    }

    /** {@code PATCH nodes/status} as a permission is written: {@code patch nodes/status}. */
    static String permission(String request) {
        int blank = request.indexOf(' ');
        return blank < 0 ? request : request.substring(0, blank).toLowerCase(Locale.ROOT) + request.substring(blank);
    }

    static Evidence evidence(Count count, String seen) {
        return new Evidence(
                count.request(),
                seen + (count.times() == 1 ? "" : ", " + count.times() + " times since the start"),
                SOURCE,
                count.last());
    }
}
