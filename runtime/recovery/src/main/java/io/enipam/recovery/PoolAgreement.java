package io.enipam.recovery;

import io.enipam.diagnostics.sources.compare.Difference;
import io.enipam.diagnostics.sources.compare.Difference.Kind;
import io.enipam.diagnostics.sources.compare.SourceComparison;
import io.enipam.engine.EngineStatus;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.pool.PoolView;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.port.ResourceDb.Intent;
import io.enipam.engine.port.TimeSource;
import io.enipam.sdk.ResourceState;
import io.enipam.store.Verification.Check;
import io.enipam.store.Verification.Problem;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/**
 * Whether database and pool agree, by {@link SourceComparison#databaseAndPool}, and whether nothing pending is old and belongs to
 * nothing.
 *
 * <p>The two are never read at the same instant, and an ADD or DEL under way changes one before the other. So a difference is a
 * suspicion at first, and a problem only if the same one is seen in every look of twenty, over five seconds.
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
    record Agreement(List<Check> checks, List<Problem> problems) {
        private static final Agreement NONE = new Agreement(List.of(), List.of());
    }

    Agreement look() {
        if (!serves()) {
            return Agreement.NONE;
        }
        ResourceDb.Contents first = db.contents();
        Set<Problem> suspicions = problems(first);
        for (int look = 1; look < LOOKS && !suspicions.isEmpty(); look++) {
            LockSupport.parkNanos(PAUSE.toNanos());
            suspicions.retainAll(problems(db.contents()));
        }
        if (!serves()) {
            return Agreement.NONE; // it stopped meanwhile: what was seen means nothing
        }
        int pending = first.intents().size() + first.operations().size();
        return new Agreement(
                List.of(
                        new Check("leases", first.leases().size(), "leases"),
                        new Check("holds", first.holds().size(), "holds"),
                        new Check("operations", pending, "pending")),
                List.copyOf(suspicions));
    }

    private boolean serves() {
        return engine.status().phase() == EngineStatus.Phase.READY;
    }

    private Set<Problem> problems(ResourceDb.Contents contents) {
        PoolView pool = engine.pool();
        Instant now = time.now();
        Instant old = now.minus(OLD);
        Set<Problem> problems = new LinkedHashSet<>();
        SourceComparison.databaseAndPool(contents, pool, now).forEach(found -> problems.add(problem(found)));
        contents.intents().stream()
                .filter(intent -> intent.since().isBefore(old) && !underWay(intent, pool))
                .forEach(intent -> problems.add(forgotten("intents/" + intent.token(), intent.since())));
        if (pool.summary().count(ResourceState.CREATING) == 0 && pool.summary().count(ResourceState.DISPOSING) == 0) {
            contents.operations().stream()
                    .filter(operation -> operation.since().isBefore(old))
                    .forEach(operation -> problems.add(forgotten("operations/" + operation.id(), operation.since())));
        }
        return problems;
    }

    private static Problem problem(Difference found) {
        String says = found.says().entrySet().stream()
                .map(said -> said.getKey() + ": " + said.getValue())
                .collect(Collectors.joining("; "));
        return new Problem(
                found.kind() == Kind.HOLD_DIFFERS ? "holds" : "leases",
                (found.kind() == Kind.LEASE_NOT_IN_POOL ? "leases/" : "") + found.subject(),
                OptionalLong.empty(),
                found.what() + " (" + says + ")");
    }

    private static boolean underWay(Intent intent, PoolView pool) {
        return intent.action() == Intent.Action.CREATE
                ? pool.summary().count(ResourceState.CREATING) > 0
                : pool.entries().stream()
                        .anyMatch(entry -> entry.state() == ResourceState.DISPOSING
                                && entry.resource().id().value().equals(intent.token()));
    }

    private static Problem forgotten(String where, Instant since) {
        return new Problem(
                "operations",
                where,
                OptionalLong.empty(),
                "it was begun " + since + " and nothing in the pool waits for it");
    }
}
