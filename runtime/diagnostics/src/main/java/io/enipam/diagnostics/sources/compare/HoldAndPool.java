package io.enipam.diagnostics.sources.compare;

import io.enipam.diagnostics.sources.PoolWord;
import io.enipam.diagnostics.sources.Saying;
import io.enipam.diagnostics.sources.Snapshot;
import io.enipam.diagnostics.sources.compare.Difference.Kind;
import io.enipam.engine.model.Hold;
import io.enipam.engine.pool.PoolView;
import io.enipam.engine.port.ResourceDb;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What cools down or is reserved has its row, so that a restart keeps it from others, too. A row may outlive its hold: it is
 * taken away when there is time.
 */
final class HoldAndPool implements Comparison {
    /** The database has dates and the pool a clock that does not jump; they end one hold at slightly different moments. */
    private static final Duration CLOCKS = Duration.ofSeconds(5);

    @Override
    public List<Difference> differences(Snapshot snapshot) {
        Optional<ResourceDb.Contents> db = snapshot.told(ResourceDb.Contents.class);
        Optional<PoolWord> pool = snapshot.told(PoolWord.class);
        if (db.isEmpty() || pool.isEmpty()) {
            return List.of();
        }
        Map<ResourceId, Hold> holds = new HashMap<>();
        db.get().holds().forEach(hold -> holds.put(hold.resource().id(), hold));
        List<Difference> found = new ArrayList<>();
        for (PoolView.Entry entry : pool.get().pool().entries()) {
            Optional<Hold> hold = Optional.ofNullable(holds.get(entry.resource().id()));
            boolean kept = entry.state() == ResourceState.COOLING || entry.state() == ResourceState.RESERVED;
            if (kept && hold.isEmpty()) {
                found.add(difference(entry, "it would be lent at once after a restart", "no hold"));
            } else if (entry.state() == ResourceState.IDLE
                    && hold.filter(h -> h.until().isAfter(snapshot.at().plus(CLOCKS)))
                            .isPresent()) {
                found.add(difference(
                        entry,
                        "the pool lends it too early",
                        "held until " + hold.get().until()));
            }
        }
        return found;
    }

    private static Difference difference(PoolView.Entry entry, String what, String database) {
        return new Difference(
                Kind.HOLD_DIFFERS,
                entry.resource().id().value(),
                Facts.hosts(entry.resource()),
                Saying.eniOf(entry.resource()),
                Optional.empty(),
                entry.pod(),
                "the hold of address " + Facts.host(entry.resource()) + " is not the same on disk: " + what,
                Facts.says(Facts.POOL, entry.state().name(), Facts.DATABASE, database));
    }
}
