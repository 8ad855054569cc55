package io.enipam.diagnostics.sources.compare;

import io.enipam.diagnostics.sources.NodeSources.PoolState;
import io.enipam.diagnostics.sources.Snapshot;
import io.enipam.diagnostics.sources.Snapshot.SourceReply;
import io.enipam.diagnostics.sources.Source;
import io.enipam.diagnostics.sources.Sources;
import io.enipam.diagnostics.sources.Statement;
import io.enipam.diagnostics.sources.Statement.Topic;
import io.enipam.engine.pool.PoolView;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.port.Scheduler;
import io.enipam.sdk.PodRef;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Compares the sources until what differs has lasted. Thread-safe; nothing blocks, and the work
 * is done on the sources' threads.
 *
 * <p>The sources are never read at one instant. So a difference is a suspicion at first, and stays one only if it is seen in
 * every look, and if no look saw an ADD, a DEL or a garbage collection of its pod under way. A difference with the cloud is
 * looked at once more with a new answer of the cloud. A node where nothing is suspected is looked at once.
 */
public record SourceComparison(Sources sources, Scheduler scheduler) {
    /** All rules, in the order in which their findings are shown. A rule whose sources did not answer finds nothing. */
    private static final List<Function<Snapshot, List<Difference>>> RULES = List.of(
            SourceComparison::addressTwice,
            LeaseRules::pool,
            LeaseRules::kernel,
            LeaseRules::pods,
            CloudRules::missing,
            CloudRules::unknown);

    private static final Set<Topic> ONE_PLACE =
            EnumSet.of(Topic.LEASE, Topic.RESOURCE, Topic.ENI, Topic.SANDBOX, Topic.POD);

    /**
     * @param age how old the cloud's answer may be in the first look
     * @param looks how often at most, at least 1
     */
    public record Patience(Duration age, int looks, Duration pause) {
        /** For a user in front of a terminal: a second at most, and what the sources take. */
        public static final Patience IN_PASSING = new Patience(Sources.IN_PASSING, 3, Duration.ofMillis(500));

        /** The same with the cloud asked anew; what differs from it is asked of it once more at the end. */
        public static final Patience ANEW = new Patience(Sources.ANEW, IN_PASSING.looks, IN_PASSING.pause);
    }

    /**
     * @param snapshot the last look
     * @param differences those that lasted
     */
    public record Outcome(Snapshot snapshot, List<Difference> differences) {}

    /**
     * @param matters which differences are worth a second look; others are dropped
     * @return never fails: a source that could not be asked says so in the snapshot
     */
    public CompletableFuture<Outcome> look(Patience patience, Predicate<Difference> matters) {
        return lookFor(patience, first -> matters);
    }

    /** The same, where what matters shows only in the first look. */
    public CompletableFuture<Outcome> lookFor(Patience patience, Function<Snapshot, Predicate<Difference>> matters) {
        return sources.ask(patience.age()).thenCompose(first -> {
            List<Difference> suspicions =
                    differences(first).filter(matters.apply(first)).toList();
            return again(first, suspicions, patience, patience.looks() - 1);
        });
    }

    private CompletableFuture<Outcome> again(Snapshot last, List<Difference> suspicions, Patience patience, int left) {
        if (suspicions.isEmpty() || left <= 0) {
            return CompletableFuture.completedFuture(new Outcome(last, suspicions));
        }
        boolean cloud = suspicions.stream().anyMatch(found -> found.involves(Source.CLOUD));
        Set<String> suspected = suspicions.stream().map(Difference::key).collect(Collectors.toSet());
        Duration age = cloud && left == 1 ? Duration.ZERO : Sources.IN_PASSING;
        return after(patience.pause())
                .thenComposeAsync(passed -> sources.ask(age), sources.onward())
                .thenCompose(next -> {
                    Stream<Difference> lasting = differences(next).filter(found -> suspected.contains(found.key()));
                    return again(next, lasting.toList(), patience, left - 1);
                });
    }

    /**
     * Where database and pool differ at one moment: what is lent has a lease on disk, and a lease's resource is lent to its owner
     * (DESIGN's second invariant); what cools down or is reserved has its row, so that it is not lent after a restart either. A
     * row may outlive its hold. What an ADD or DEL under way is changing is among the differences.
     */
    public static List<Difference> databaseAndPool(ResourceDb.Contents database, PoolView pool, Instant now) {
        return LeaseRules.pool(database, pool, now);
    }

    /** Where to work on what was seen: see {@link Sources#onward}. */
    public Executor onward() {
        return sources.onward();
    }

    /** What differs in one look and is not under way. */
    private static Stream<Difference> differences(Snapshot snapshot) {
        Set<PodRef> busy = snapshot.answer(PoolState.class)
                .map(state -> state.agenda().busy())
                .orElse(Set.of());
        Set<String> keys = new HashSet<>();
        return RULES.stream()
                .flatMap(rule -> rule.apply(snapshot).stream())
                .filter(found -> found.pod().filter(busy::contains).isEmpty() && keys.add(found.key()));
    }

    /**
     * An address is in one place: within one source no two leases, resources, ENIs or sandboxes have it. DESIGN's first
     * invariant, for every source that there is.
     */
    private static List<Difference> addressTwice(Snapshot snapshot) {
        List<Difference> found = new ArrayList<>();
        for (SourceReply<?> reply : snapshot.replies()) {
            Map<String, Statement> first = new HashMap<>();
            for (Statement statement : reply.statements()) {
                if (!ONE_PLACE.contains(statement.topic()) || statement.state().equals("FINISHED")) {
                    continue;
                }
                for (String address : statement.addresses()) {
                    Statement other = first.putIfAbsent(statement.topic() + " " + address, statement);
                    if (other != null && !samePlace(other, statement)) {
                        found.add(new Difference(
                                Difference.Kind.ADDRESS_TWICE,
                                reply.source() + " " + address,
                                Set.of(address),
                                statement.eni(),
                                statement.owner(),
                                statement.pod().or(other::pod),
                                "address " + address + " is in two places at once",
                                Map.of(reply.source(), other.words() + ", and also " + statement.words())));
                    }
                }
            }
        }
        return found;
    }

    /** The kernel may report one sandbox twice. */
    private static boolean samePlace(Statement one, Statement other) {
        return one.topic() == Topic.SANDBOX
                && one.owner().equals(other.owner())
                && one.owner().isPresent();
    }

    private CompletableFuture<Void> after(Duration pause) {
        CompletableFuture<Void> passed = new CompletableFuture<>();
        scheduler.after(pause, () -> passed.complete(null));
        return passed;
    }
}
