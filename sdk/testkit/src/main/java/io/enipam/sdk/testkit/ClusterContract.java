package io.enipam.sdk.testkit;

import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Source;
import io.enipam.sdk.cluster.Cluster;
import io.enipam.sdk.cluster.ClusterEvent;
import io.enipam.sdk.cluster.ClusterObject;
import io.enipam.sdk.cluster.Informer;
import io.enipam.sdk.cluster.LabelSelector;
import io.enipam.sdk.cluster.ObjectKind;
import io.enipam.sdk.cluster.ObjectRef;
import io.enipam.sdk.cluster.Patch;
import io.enipam.sdk.cluster.Reply;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The rules of {@link Cluster} as tests, for what implements it. */
public abstract class ClusterContract {
    private static final ObjectKind BLOCK = ObjectKind.ofCluster("networking.example.com", "v1", "Block", "blocks");
    private static final ObjectRef NODE = ObjectRef.node("node-1");
    private static final ObjectRef RANGE = ObjectRef.of(BLOCK, "range");
    private static final List<String> OURS = List.of("example.com/ours");
    /** A watch that a cut leaves half open, as a client's library may, is found to have stalled after minutes. */
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private static final ContractRule REQUESTS = new ContractRule(
            "a request does what it says, or fails with the kind that says what is known",
            "Map each answer of the server to a kind of the table in Cluster, and send a precondition with the change.");
    private static final ContractRule COPY = new ContractRule(
            "an informer has each object as the server has it, soon after a change, and tells its key after that",
            "Change the copy first and tell the key then; list again after a break; say synced when all were told.");
    private static final ContractRule LEADER = new ContractRule(
            "a replica that does not lead writes nothing", "Ask for the leadership right before a write is sent.");

    private Cluster cluster;

    /** A new cluster without objects, whose replica leads. */
    protected abstract Cluster cluster();

    /** Breaks the watches, has something done by other clients, and lets the watches come back. */
    protected abstract void whileWatchesAreBroken(Runnable meanwhile);

    /** Does something as another client of the same cluster. */
    protected abstract Cluster another();

    /** Lets the next write fail: without an effect, or with its answer lost. */
    protected abstract void failNextWrite(ErrorKind kind, boolean done);

    /** Whether the replica leads. */
    protected abstract void lead(boolean now);

    /** The reasons of the events about an object. */
    protected abstract List<String> reasons(ObjectRef about);

    /** Ends the cluster of the test. */
    protected abstract void end();

    @BeforeEach
    void begin() {
        cluster = cluster();
    }

    @AfterEach
    void finish() {
        end();
    }

    // ---- requests

    @Test
    void anObjectThatWasCreatedIsFoundWithAllThatWasWritten() {
        ClusterObject made = value(cluster.create(ClusterObject.of(
                        RANGE, Map.of("spec", Map.of("ipv4", "10.0.0.0/16", "hostBits", 8, "tags", List.of("a", "b"))))
                .withLabels(Map.of("pool", "a"))
                .withAnnotations(Map.of("note", "of a test"))
                .withFinalizers(OURS)));

        ClusterObject found = value(cluster.get(RANGE));

        REQUESTS.check(found.equals(made), () -> "created " + made + ", and got " + found);
        REQUESTS.check(
                !found.uid().isEmpty() && !found.resourceVersion().isEmpty(), () -> "no uid or version: " + found);
        REQUESTS.check(
                found.text("spec", "ipv4").equals("10.0.0.0/16")
                        && found.at("spec", "hostBits")
                                .filter(Integer.valueOf(8)::equals)
                                .isPresent()
                        && found.texts("spec", "tags").equals(List.of("a", "b")),
                () -> "another body: " + found.body());
        REQUESTS.check(
                found.labels().equals(Map.of("pool", "a"))
                        && "of a test".equals(found.annotations().get("note"))
                        && found.finalizers().equals(OURS),
                () -> "another metadata: " + found);
    }

    @Test
    void anObjectOfANamespaceIsFoundThereAlone() {
        ObjectKind kind = ObjectKind.ofNamespaces("networking.example.com", "v1", "Claim", "claims");
        ObjectRef here = new ObjectRef(kind, "default", "one");
        value(cluster.create(ClusterObject.of(here, Map.of("spec", Map.of("size", "small")))));

        REQUESTS.check(value(cluster.get(here)).ref().equals(here), () -> "it is elsewhere");
        fails(cluster.get(new ObjectRef(kind, "other", "one")), ErrorKind.NOT_FOUND);
    }

    @Test
    void whatIsNotThereIsNotFound() {
        fails(cluster.get(NODE), ErrorKind.NOT_FOUND);
        fails(cluster.patch(NODE, Patch.merge(Map.of("spec", Map.of("podCIDR", "10.0.0.0/24")))), ErrorKind.NOT_FOUND);
        REQUESTS.check(!value(cluster.delete(ClusterObject.of(NODE, Map.of()))), () -> "it was deleted");
    }

    @Test
    void anObjectIsNotCreatedTwice() {
        node(Map.of("spec", Map.of("podCIDR", "10.0.0.0/24")));

        fails(cluster.create(ClusterObject.of(NODE, Map.of())), ErrorKind.CONFLICT);

        REQUESTS.check(value(cluster.get(NODE)).text("spec", "podCIDR").equals("10.0.0.0/24"), () -> "it was replaced");
    }

    @Test
    void aPatchChangesWhatItNamesAndRemovesWhatIsNull() {
        ClusterObject before = node(Map.of("spec", Map.of("providerID", "p-1", "unschedulable", true)));
        Map<String, Object> spec = new HashMap<>();
        spec.put("podCIDRs", List.of("10.0.1.0/24"));
        spec.put("unschedulable", null);

        ClusterObject after = value(cluster.patch(
                NODE, Patch.merge(Map.of("spec", spec, "metadata", Map.of("labels", Map.of("zone", "x"))))));

        REQUESTS.check(after.equals(value(cluster.get(NODE))), () -> "the answer is not what is there: " + after);
        REQUESTS.check(
                after.text("spec", "providerID").equals("p-1")
                        && after.at("spec", "unschedulable").isEmpty()
                        && after.texts("spec", "podCIDRs").equals(List.of("10.0.1.0/24"))
                        && after.labels().equals(Map.of("zone", "x")),
                () -> "it became " + after);
        REQUESTS.check(
                after.uid().equals(before.uid()) && !after.resourceVersion().equals(before.resourceVersion()),
                () -> before + " became " + after);
    }

    @Test
    void aPatchOfAnObjectThatHasChangedSinceIsAConflict() {
        ClusterObject known = node(Map.of("spec", Map.of("providerID", "p-1")));
        Patch cidr = Patch.merge(Map.of("spec", Map.of("podCIDR", "10.0.0.0/24")));
        value(cluster.patch(NODE, Patch.merge(Map.of("metadata", Map.of("labels", Map.of("zone", "x"))))));

        fails(cluster.patch(NODE, cidr.ifUnchanged(known)), ErrorKind.CONFLICT);
        REQUESTS.check(value(cluster.get(NODE)).at("spec", "podCIDR").isEmpty(), () -> "it was changed nevertheless");
        value(cluster.patch(NODE, cidr.ifSame(known)));
        value(cluster.patch(NODE, cidr.ifUnchanged(value(cluster.get(NODE)))));
    }

    @Test
    void aPatchForAnEarlierObjectOfTheNameIsAConflict() {
        ClusterObject known = node(Map.of("spec", Map.of("providerID", "p-1")));
        value(cluster.delete(known));
        node(Map.of("spec", Map.of("providerID", "p-2")));

        fails(
                cluster.patch(
                        NODE,
                        Patch.merge(Map.of("spec", Map.of("podCIDR", "10.0.0.0/24")))
                                .ifSame(known)),
                ErrorKind.CONFLICT);

        REQUESTS.check(value(cluster.get(NODE)).at("spec", "podCIDR").isEmpty(), () -> "it was changed nevertheless");
    }

    @Test
    void aConditionStandsBesideTheOthersAndKeepsTheTimeOfItsTransition() {
        ClusterObject bare = node(Map.of("spec", Map.of("providerID", "p-1")));
        Instant first = Instant.parse("2026-01-01T00:00:00Z");
        Patch ready = Patch.condition(bare, "Ready", true, "KubeletReady", "it is", first);
        ClusterObject known = value(cluster.patch(NODE, ready));
        known = value(cluster.patch(
                NODE, Patch.condition(known, "NetworkUnavailable", false, "RouteCreated", "there is a route", first)));

        ClusterObject later = value(cluster.patch(
                NODE,
                Patch.condition(
                        known, "NetworkUnavailable", false, "RouteCreated", "there still is", first.plusSeconds(60))));

        REQUESTS.check(
                conditions(later)
                        .equals(Map.of("Ready", "True since " + first, "NetworkUnavailable", "False since " + first)),
                () -> "there is " + conditions(later));
        REQUESTS.check(later.text("spec", "providerID").equals("p-1"), () -> "its spec became " + later.body());
    }

    @Test
    void aDeletedObjectStaysUntilItsLastFinalizerIsRemoved() {
        ClusterObject made = value(
                cluster.create(ClusterObject.of(RANGE, Map.of("spec", Map.of())).withFinalizers(OURS)));
        REQUESTS.check(value(cluster.delete(made)), () -> "there was none to delete");
        ClusterObject waits = value(cluster.get(RANGE));
        REQUESTS.check(waits.deletion().isPresent() && waits.finalizers().equals(OURS), () -> "it is " + waits);

        value(cluster.patch(RANGE, Patch.finalizers(waits, List.of())));

        fails(cluster.get(RANGE), ErrorKind.NOT_FOUND);
    }

    @Test
    void anObjectThatHasChangedSinceIsNotDeleted() {
        ClusterObject known = node(Map.of("spec", Map.of("providerID", "p-1")));
        value(cluster.patch(NODE, Patch.merge(Map.of("metadata", Map.of("labels", Map.of("zone", "x"))))));

        fails(cluster.delete(known), ErrorKind.CONFLICT);

        REQUESTS.check(value(cluster.delete(value(cluster.get(NODE)))), () -> "the one of now was not deleted");
        fails(cluster.get(NODE), ErrorKind.NOT_FOUND);
    }

    @Test
    void ofAWriteWithoutAnAnswerItIsUnknownWhetherItWasDone() {
        ClusterObject known = node(Map.of("spec", Map.of("providerID", "p-1")));
        failNextWrite(ErrorKind.DEADLINE_EXCEEDED, true);
        fails(cluster.patch(NODE, cidr("10.0.0.0/24").ifSame(known)), ErrorKind.DEADLINE_EXCEEDED);
        REQUESTS.check(
                value(cluster.get(NODE)).text("spec", "podCIDR").equals("10.0.0.0/24"),
                () -> "it was done, and is not there");

        failNextWrite(ErrorKind.DEADLINE_EXCEEDED, false);
        fails(cluster.patch(NODE, cidr("10.0.1.0/24").ifSame(known)), ErrorKind.DEADLINE_EXCEEDED);
        REQUESTS.check(
                value(cluster.get(NODE)).text("spec", "podCIDR").equals("10.0.0.0/24"),
                () -> "it was not done, and is there");
    }

    @Test
    void aWriteThatIsRefusedFailsWithItsKind() {
        ClusterObject known = node(Map.of("spec", Map.of("providerID", "p-1")));
        for (ErrorKind kind : List.of(
                ErrorKind.THROTTLED,
                ErrorKind.UNAUTHORIZED,
                ErrorKind.UNAVAILABLE,
                ErrorKind.MISCONFIGURED,
                ErrorKind.CONFLICT)) {
            failNextWrite(kind, false);
            fails(cluster.patch(NODE, cidr("10.0.0.0/24").ifSame(known)), kind);
        }
        REQUESTS.check(value(cluster.get(NODE)).equals(known), () -> "it was changed by a write that was refused");
    }

    @Test
    void anEventIsReportedAboutAnObject() {
        ClusterObject node = node(Map.of("spec", Map.of()));

        value(cluster.report(node, new ClusterEvent("cidrAllocator", false, "CIDRNotAvailable", "none is left")));

        REQUESTS.check(reasons(NODE).equals(List.of("CIDRNotAvailable")), () -> "there is " + reasons(NODE));
    }

    // ---- informers

    @Test
    void anInformerHasWhatThereIsAndWhatChanges() {
        node(Map.of("spec", Map.of("podCIDR", "10.0.0.0/24")));
        try (Informer nodes = cluster.informer(ObjectKind.NODE)) {
            Told told = open(nodes);
            told.await("changed node-1", "synced");
            COPY.check(nodes.isCurrent() && nodes.problem().isEmpty(), () -> "it is synced, and " + nodes.problem());

            value(another()
                    .create(ClusterObject.of(ObjectRef.node("node-2"), Map.of()).withLabels(Map.of("pool", "a"))));
            told.await("changed node-2");
            COPY.check(
                    nodes.list(LabelSelector.parse("pool in (a,b)")).stream()
                            .map(ClusterObject::name)
                            .toList()
                            .equals(List.of("node-2")),
                    () -> "by label there is " + nodes.list());

            told.clear();
            ClusterObject changed =
                    value(another().patch(NODE, Patch.merge(Map.of("spec", Map.of("unschedulable", true)))));
            told.await("changed node-1");
            COPY.check(nodes.get("node-1").equals(Optional.of(changed)), () -> "it has " + nodes.get("node-1"));

            told.clear();
            value(another().delete(changed));
            told.await("changed node-1");
            COPY.check(nodes.get("node-1").isEmpty() && nodes.list().size() == 1, () -> "it has " + nodes.list());
        }
    }

    @Test
    void anInformerShowsThatAnObjectWaitsForItsFinalizers() {
        value(cluster.create(ClusterObject.of(RANGE, Map.of()).withFinalizers(OURS)));
        try (Informer ranges = cluster.informer(BLOCK)) {
            Told told = open(ranges);
            told.await("changed range", "synced");

            told.clear();
            value(cluster.delete(value(cluster.get(RANGE))));
            told.await("changed range");
            ClusterObject waits = ranges.get("range").orElseThrow();
            COPY.check(waits.deletion().isPresent() && waits.finalizers().equals(OURS), () -> "it has " + waits);

            told.clear();
            value(cluster.patch(RANGE, Patch.finalizers(waits, List.of())));
            told.await("changed range");
            COPY.check(ranges.list().isEmpty(), () -> "it has " + ranges.list());
        }
    }

    @Test
    void whatChangesWhileTheWatchIsBrokenIsToldAfterThat() {
        ClusterObject gone = node(Map.of("spec", Map.of()));
        value(cluster.create(ClusterObject.of(ObjectRef.node("node-2"), Map.of())));
        try (Informer nodes = cluster.informer(ObjectKind.NODE)) {
            open(nodes).await("changed node-1", "changed node-2", "synced");

            whileWatchesAreBroken(() -> {
                value(another().delete(gone));
                value(another().patch(ObjectRef.node("node-2"), cidr("10.0.2.0/24")));
                value(another().create(ClusterObject.of(ObjectRef.node("node-3"), Map.of())));
            });

            until(
                    () -> nodes.get("node-1").isEmpty() && nodes.get("node-3").isPresent(),
                    () -> "it has " + nodes.list());
            until(
                    () -> nodes.get("node-2")
                            .orElseThrow()
                            .text("spec", "podCIDR")
                            .equals("10.0.2.0/24"),
                    () -> "it has " + nodes.list());
            open(nodes).await("changed node-2", "changed node-3", "synced");
        }
    }

    @Test
    void oneInformerThatIsClosedLeavesTheOthers() {
        Informer first = cluster.informer(ObjectKind.NODE);
        try (Informer second = cluster.informer(ObjectKind.NODE)) {
            open(first).await("synced");
            Told told = open(second);
            told.await("synced");
            first.close();
            first.close();

            node(Map.of("spec", Map.of()));

            told.await("changed node-1");
        }
    }

    @Test
    void aSourceThatIsClosedTellsNothing() throws Exception {
        try (Informer nodes = cluster.informer(ObjectKind.NODE)) {
            Told closed = new Told();
            AutoCloseable source = nodes.source().open(closed);
            closed.await("synced");
            Told told = open(nodes);
            told.await("synced");
            source.close();

            node(Map.of("spec", Map.of()));

            told.await("changed node-1");
            COPY.check(closed.all.equals(List.of("synced")), () -> "it told " + closed.all);
        }
    }

    // ---- leadership

    @Test
    void aReplicaThatDoesNotLeadReadsAndDoesNotWrite() {
        ClusterObject known = node(Map.of("spec", Map.of()));
        LEADER.check(cluster.leads() && cluster.leader().isPresent(), () -> "it does not lead at first");
        lead(false);

        LEADER.check(!cluster.leads(), () -> "it leads");
        fails(cluster.patch(NODE, cidr("10.0.0.0/24")), ErrorKind.UNAVAILABLE);
        fails(cluster.create(ClusterObject.of(RANGE, Map.of())), ErrorKind.UNAVAILABLE);
        fails(cluster.delete(known), ErrorKind.UNAVAILABLE);
        fails(cluster.report(known, new ClusterEvent("test", true, "Some", "thing")), ErrorKind.UNAVAILABLE);
        LEADER.check(value(cluster.get(NODE)).equals(known), () -> "it was written");

        lead(true);
        value(cluster.patch(NODE, cidr("10.0.0.0/24")));
    }

    private ClusterObject node(Map<String, ?> body) {
        return value(cluster.create(ClusterObject.of(NODE, body)));
    }

    private static Patch cidr(String cidr) {
        return Patch.strategic(Map.of("spec", Map.of("podCIDR", cidr, "podCIDRs", List.of(cidr))));
    }

    private static Map<String, String> conditions(ClusterObject node) {
        return ((List<?>) node.at("status", "conditions").orElse(List.of()))
                .stream()
                        .map(each -> (Map<?, ?>) each)
                        .collect(Collectors.toMap(
                                each -> String.valueOf(each.get("type")),
                                each -> each.get("status") + " since " + each.get("lastTransitionTime")));
    }

    private static <T> T value(CompletionStage<Reply<T>> stage) {
        Reply<T> reply = reply(stage);
        REQUESTS.check(reply.failure().isEmpty(), () -> "it failed: " + reply.failure());
        return reply.value().orElseThrow();
    }

    private static void fails(CompletionStage<? extends Reply<?>> stage, ErrorKind kind) {
        Reply<?> reply = reply(stage);
        REQUESTS.check(reply.is(kind), () -> kind + " was expected, got " + reply);
    }

    private static <T> T reply(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new AssertionError("a stage did not complete with a reply", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    private static Told open(Informer informer) {
        Told told = new Told();
        informer.source().open(told);
        return told;
    }

    private static void until(BooleanSupplier so, Supplier<String> is) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!so.getAsBoolean()) {
            COPY.check(System.nanoTime() - end < 0, is);
            try {
                TimeUnit.MILLISECONDS.sleep(10);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AssertionError(e);
            }
        }
    }

    /** What a source told. */
    private static final class Told implements Source.Sink {
        private final List<String> all = new CopyOnWriteArrayList<>();

        @Override
        public void changed(String key) {
            all.add("changed " + key);
        }

        @Override
        public void synced() {
            all.add("synced");
        }

        @Override
        public void lost(String why) {
            all.add("lost");
        }

        private void clear() {
            all.clear();
        }

        /** Waits for these; {@code synced} comes after all others of them. */
        private void await(String... expected) {
            until(() -> all.containsAll(Arrays.asList(expected)), () -> "it told " + all);
            int synced = all.indexOf("synced");
            if (expected[expected.length - 1].equals("synced")) {
                for (String each : expected) {
                    COPY.check(all.indexOf(each) <= synced, () -> "it told " + all);
                }
            }
        }
    }
}
