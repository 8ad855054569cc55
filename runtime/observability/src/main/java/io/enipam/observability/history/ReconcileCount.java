package io.enipam.observability.history;

import io.enipam.engine.pool.PoolReconciler.ReconcileReport;
import io.enipam.engine.pool.PoolReconciler.ReconcileReport.Kind;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/**
 * Comparisons of the pool with the cloud, as far as looks at the last one tell.
 *
 * @param runs how many
 * @param findings what they found, by kind; one without any is 0
 * @param last the one that was counted last
 */
public record ReconcileCount(long runs, Map<Kind, Long> findings, Optional<ReconcileReport> last) {
    static final ReconcileCount NONE = new ReconcileCount(0, Map.of(), Optional.empty());

    public ReconcileCount {
        Map<Kind, Long> all = new EnumMap<>(Kind.class);
        for (Kind kind : Kind.values()) {
            all.put(kind, findings.getOrDefault(kind, 0L));
        }
        findings = Map.copyOf(all);
    }

    /** With the last one, if it is another than the one counted last. */
    ReconcileCount with(Optional<ReconcileReport> latest) {
        if (latest.isEmpty() || latest.map(ReconcileReport::startedAt).equals(last.map(ReconcileReport::startedAt))) {
            return this;
        }
        Map<Kind, Long> more = new EnumMap<>(Kind.class);
        findings.forEach((kind, count) -> more.put(kind, count + latest.get().count(kind)));
        return new ReconcileCount(runs + 1, more, latest);
    }
}
