package io.enipam.recovery.db;

import io.enipam.engine.EngineStatus;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.model.Hold;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.pool.PoolView;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.port.ResourceDb.Intent;
import io.enipam.engine.port.TimeSource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceState;
import io.enipam.store.Verification.Check;
import io.enipam.store.Verification.Problem;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/**
 * Whether database and pool say the same: each lease is IN_USE and each resource IN_USE has its lease, what cools down or is
 * reserved has its row and the other way round, and nothing pending is old and belongs to nothing.
 *
 * <p>The two are never read at the same instant, and an ADD or DEL under way changes one before the other. So a difference
 * is a suspicion at first, and a problem only if the same one is seen in every look of twenty, over five seconds.
 */
final class PoolAgreement {
    private static final int LOOKS = 20;
    private static final Duration PAUSE = Duration.ofMillis(250);
    /** No operation of the cloud takes as long, retries included. */
    private static final Duration OLD = Duration.ofHours(1);

    private final IpamEngine engine;
    private final ResourceDb db;
    private final TimeSource time;

    PoolAgreement(IpamEngine engine, ResourceDb db, TimeSource time) {
        this.engine = engine;
        this.db = db;
        this.time = time;
    }

    /** What was looked at and what is wrong; nothing of both while the engine does not serve. */
    record Outcome(List<Check> checks, List<Problem> problems) {}

    Outcome look() {
        if (!serves()) {
            return new Outcome(List.of(), List.of());
        }
        Look first = new Look();
        Set<Problem> suspicions = new LinkedHashSet<>(first.problems);
        for (int look = 1; look < LOOKS && !suspicions.isEmpty(); look++) {
            LockSupport.parkNanos(PAUSE.toNanos());
            suspicions.retainAll(new Look().problems);
        }
        return serves()
                ? new Outcome(first.checks(), List.copyOf(suspicions))
                : new Outcome(List.of(), List.of()); // it stopped meanwhile: what was seen means nothing
    }

    private boolean serves() {
        return engine.status().phase() == EngineStatus.Phase.READY;
    }

    /** Both, once. */
    private final class Look {
        private final PoolView pool = engine.pool();
        private final ResourceDb.Contents contents = db.contents();
        private final Instant now = time.now();
        private final Map<ResourceId, PoolView.Entry> entries = new LinkedHashMap<>();
        private final Map<OwnerKey, Lease> leases = new LinkedHashMap<>();
        private final Map<ResourceId, Hold> holds = new LinkedHashMap<>();
        private final List<Problem> problems = new ArrayList<>();

        Look() {
            pool.entries().forEach(entry -> entries.put(entry.resource().id(), entry));
            contents.leases().forEach(lease -> leases.put(lease.owner(), lease));
            contents.holds().forEach(hold -> holds.put(hold.resource().id(), hold));
            contents.leases().forEach(this::lent);
            pool.entries().forEach(this::backed);
            contents.holds().forEach(this::held);
            contents.intents().forEach(this::awaited);
            contents.operations().stream()
                    .filter(operation -> old(operation.since()) && nothingUnderWay())
                    .forEach(operation -> problem(
                            "operations",
                            "operations/" + operation.id(),
                            "it was begun " + operation.since() + " and nothing in the pool waits for it"));
        }

        List<Check> checks() {
            return List.of(
                    new Check("leases", contents.leases().size(), "leases"),
                    new Check("holds", contents.holds().size(), "holds"),
                    new Check(
                            "operations",
                            contents.intents().size() + contents.operations().size(),
                            "pending"));
        }

        private void lent(Lease lease) {
            String where = "leases/" + lease.owner();
            Optional<PoolView.Entry> entry =
                    Optional.ofNullable(entries.get(lease.resource().id()));
            if (entry.isEmpty()) {
                problem("leases", where, "its resource " + lease.resource().id() + " is not in the pool");
            } else if (entry.get().owner().isEmpty()) {
                problem(
                        "leases",
                        where,
                        "its resource " + lease.resource().id() + " is "
                                + entry.get().state() + " in the pool");
            } else if (!entry.get().owner().get().equals(lease.owner())) {
                problem(
                        "leases",
                        where,
                        "its resource " + lease.resource().id() + " is lent to "
                                + entry.get().owner().get() + " in the pool");
            }
        }

        private void backed(PoolView.Entry entry) {
            ResourceId id = entry.resource().id();
            entry.owner()
                    .filter(owner -> Optional.ofNullable(leases.get(owner))
                            .filter(lease -> lease.resource().id().equals(id))
                            .isEmpty())
                    .ifPresent(owner -> problem(
                            "leases",
                            id.value(),
                            "it is " + entry.state() + " by " + owner + ", and the database has no lease of that"));
            boolean kept = entry.state() == ResourceState.COOLING || entry.state() == ResourceState.RESERVED;
            if (kept && !holds.containsKey(id)) {
                problem("holds", id.value(), "it is " + entry.state() + ", and the database has no hold of it");
            }
        }

        /** A row whose hold has ended may stay until there is time, and one of a resource that went, too. */
        private void held(Hold hold) {
            Optional<ResourceState> state =
                    Optional.ofNullable(entries.get(hold.resource().id())).map(PoolView.Entry::state);
            if (hold.until().isAfter(now) && state.equals(Optional.of(ResourceState.IDLE))) {
                problem(
                        "holds",
                        hold.resource().id().value(),
                        "the database holds it until " + hold.until() + ", and it is IDLE in the pool");
            }
        }

        private void awaited(Intent intent) {
            boolean belongs = intent.action() == Intent.Action.CREATE
                    ? pool.creating() > 0
                    : pool.entries().stream()
                            .anyMatch(entry -> entry.state() == ResourceState.DISPOSING
                                    && entry.resource().id().value().equals(intent.token()));
            if (old(intent.since()) && !belongs) {
                problem(
                        "operations",
                        "intents/" + intent.token(),
                        "it was begun " + intent.since() + " and nothing in the pool waits for it");
            }
        }

        private boolean nothingUnderWay() {
            return pool.creating() == 0 && pool.count(ResourceState.DISPOSING) == 0;
        }

        private boolean old(Instant since) {
            return since.plus(OLD).isBefore(now);
        }

        private void problem(String check, String where, String message) {
            problems.add(new Problem(check, where, OptionalLong.empty(), message));
        }
    }
}
