package io.enipam.examples.nodeipam.cloud;

import io.enipam.examples.nodeipam.assign.NodeEvents;
import io.enipam.examples.nodeipam.assign.NodeEvents.Reason;
import io.enipam.examples.nodeipam.assign.PodCidrs;
import io.enipam.examples.nodeipam.cloud.CloudProvider.Alias;
import io.enipam.examples.nodeipam.cloud.CloudRow.Step;
import io.enipam.examples.nodeipam.config.Options;
import io.enipam.examples.nodeipam.config.Options.Type;
import io.enipam.sdk.Effect;
import io.enipam.sdk.EffectResult;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Host;
import io.enipam.sdk.Journal;
import io.enipam.sdk.Next;
import io.enipam.sdk.RequestToken;
import io.enipam.sdk.Row;
import io.enipam.sdk.Source;
import io.enipam.sdk.Transaction;
import io.enipam.sdk.cloud.Outcome;
import io.enipam.sdk.cluster.Cluster;
import io.enipam.sdk.cluster.ClusterObject;
import io.enipam.sdk.cluster.Informer;
import io.enipam.sdk.cluster.Patch;
import io.enipam.sdk.ranges.Subnet;
import java.time.Clock;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * What a node with {@code podCIDRs} needs of the cloud: that its blocks are led to its instance, or that they are seen to be, and then
 * its condition {@code NetworkUnavailable=False}. Nodes without get theirs before, by {@link CloudAllocator}. Thread-safe.
 *
 * <table>
 * <caption>A node with podCIDRs</caption>
 * <tr><th>the cloud leads to it</th><th>CloudAllocator</th><th>IPAMFromCluster</th><th>IPAMFromCloud</th></tr>
 * <tr><td>nothing</td><td>CIDRNotAvailable</td><td>is told to</td><td>InvalidMode</td></tr>
 * <tr><td>its blocks</td><td colspan="3">the condition is set</td></tr>
 * <tr><td>others</td><td>CIDRAssignmentFailed</td><td colspan="2">Mismatch</td></tr>
 * </table>
 *
 * <p>With CloudAllocator only nodes that have no network by their condition or a taint are looked at.
 */
public final class CloudSync {
    /** Before the first retry of a key, and before each later one at most. */
    public static final Duration FIRST_PAUSE = Pauses.DEFAULT.first();

    public static final Duration LONGEST_PAUSE = Pauses.DEFAULT.longest();

    private static final String ADD = "cloud-add";
    private static final String REMOVE = "cloud-remove";
    private static final String CONDITION = "cloud-condition";
    private static final String REPORT = "cloud-report";

    /** A node that something is wrong with is looked at again after that; each change of it is reported before. */
    private static final Duration LOOK_AGAIN = Duration.ofMinutes(1);
    /** For as long a node's event is not told again, unless it is another one. */
    private static final Duration TELL_AGAIN = Duration.ofMinutes(10);

    private static final String UNAVAILABLE = "NetworkUnavailable";
    private static final String TAINT = "node.kubernetes.io/network-unavailable";

    private final Type type;
    private final int retries;
    private final Journal journal;
    private final Clock clock;
    private final Cluster cluster;
    private final Informer nodes;
    private final CloudProvider provider;
    private final Aliases aliases;
    private final Led led;
    private final NodeEvents events;

    /**
     * @param options of a type of the cloud's
     * @param nodes closed by the caller
     * @param led the allocator has it as well
     */
    public CloudSync(
            Host host,
            Options options,
            Cluster cluster,
            Informer nodes,
            CloudProvider provider,
            Aliases aliases,
            Led led) {
        this.type = options.type();
        this.retries = options.retries();
        this.journal = host.journal();
        this.clock = host.clock();
        this.cluster = cluster;
        this.nodes = nodes;
        this.provider = provider;
        this.aliases = aliases;
        this.led = led;
        this.events = new NodeEvents(cluster);
        journal.open(CloudRow.TABLE);
    }

    public List<Source> watches() {
        return List.of(aliases, new Rows());
    }

    /** Tells the keys of the rows, and notes first what is about to be removed. */
    private final class Rows implements Source {
        @Override
        public String name() {
            return CloudRow.TABLE.name();
        }

        @Override
        public AutoCloseable open(Sink sink) {
            led.clear();
            journal.read(tx -> tx.scan(CloudRow.TABLE, "").toList()).forEach(row -> {
                if (CloudRow.isLeft(row.key())) {
                    row.value().aliases().forEach(aliases::leaves);
                }
                led.found(row.key(), row.value().subnets());
            });
            return journal.watch(CloudRow.TABLE, sink);
        }
    }

    /** As {@link io.enipam.sdk.Controller#reconcile}, before the node's blocks are looked at. */
    public Next reconcile(String name, Transaction tx) {
        if (CloudRow.isLeft(name)) {
            return Next.done(); // its effect is under way
        }
        Optional<CloudRow> row = tx.get(CloudRow.TABLE, name).map(Row::value);
        Optional<ClusterObject> node = nodes.get(name);
        Optional<String> instance = node.flatMap(aliases::instance);
        Optional<CloudRow> own =
                row.filter(its -> its.uid().equals(uid(node)) && its.instance().equals(instance.orElse("")));
        if (row.isPresent() && own.isEmpty()) {
            leave(name, row.get(), tx);
        }
        own.ifPresentOrElse(its -> led.of(name, its.subnets()), () -> led.none(name));
        return node.isEmpty()
                ? Next.done()
                : synced(
                        node.get(),
                        own.orElseGet(() -> new CloudRow(uid(node), instance.orElse(""), List.of(), Step.IDLE, "", 0)),
                        tx);
    }

    private static String uid(Optional<ClusterObject> node) {
        return node.map(ClusterObject::uid).orElse("");
    }

    /** The node is gone, or is another instance. */
    private void leave(String name, CloudRow row, Transaction tx) {
        if (!row.blocks().isEmpty()) {
            String left = CloudRow.left(name, row);
            row.aliases().forEach(aliases::leaves);
            led.found(left, row.subnets());
            tx.put(CloudRow.TABLE, left, row);
            tx.effect(REMOVE, row.uid(), left);
        }
        tx.delete(CloudRow.TABLE, name);
    }

    private Next synced(ClusterObject node, CloudRow row, Transaction tx) {
        PodCidrs has = PodCidrs.of(node);
        if (has.problem().isPresent()) {
            return told(node, row, Reason.INVALID_POD_CIDR, has.problem().get(), tx);
        }
        boolean waits = unavailable(node) || tainted(node);
        if (has.isEmpty() || row.step() != Step.IDLE || (type == Type.CLOUD && !waits)) {
            return Next.done();
        }
        if (row.instance().isEmpty()) {
            return Next.again(LOOK_AGAIN, CloudAllocator.noInstance(node));
        }
        List<Subnet> there = aliases.of(row.instance());
        // an alias is of one family, and the first of two podCIDRs is the cloud's
        List<Subnet> wanted =
                type == Type.FROM_CLUSTER ? has.blocks() : has.blocks().subList(0, 1);
        if (there.containsAll(wanted)) {
            return led(node, row, wanted, tx);
        }
        if (!there.isEmpty() && Collections.disjoint(there, wanted)) {
            return told(
                    node,
                    row,
                    type == Type.CLOUD ? Reason.CIDR_ASSIGNMENT_FAILED : Reason.MISMATCH,
                    "podCIDRs " + has.blocks() + " are not what the cloud leads to " + row.instance() + ", " + there
                            + "; the podCIDRs of a node cannot be changed",
                    tx);
        }
        return type == Type.FROM_CLUSTER ? added(node, row.adding(wanted), tx) : missing(node, row, has, tx);
    }

    private Next added(ClusterObject node, CloudRow row, Transaction tx) {
        led.of(node.name(), row.subnets());
        tx.put(CloudRow.TABLE, node.name(), row);
        tx.effect(ADD, row.uid(), "");
        return Next.done();
    }

    /** All is in the cloud as it is wanted. */
    private Next led(ClusterObject node, CloudRow row, List<Subnet> blocks, Transaction tx) {
        CloudRow kept = type == Type.FROM_CLUSTER ? row.keeping(blocks) : row;
        CloudRow next = unavailable(node) ? kept.in(Step.MARKING) : kept;
        led.of(node.name(), next.subnets());
        if (!next.equals(row)) {
            tx.put(CloudRow.TABLE, node.name(), next);
        }
        if (next.step() == Step.MARKING) {
            tx.effect(CONDITION, row.uid(), "");
        }
        return Next.done();
    }

    private Next missing(ClusterObject node, CloudRow row, PodCidrs has, Transaction tx) {
        aliases.ask();
        String why = "the cloud leads nothing to " + row.instance() + ", and the node has podCIDRs " + has.blocks();
        return type == Type.CLOUD
                ? told(node, row, Reason.CIDR_NOT_AVAILABLE, why, tx)
                : told(node, row, Reason.INVALID_MODE, why + ", which " + type + " does not change", tx);
    }

    private Next told(ClusterObject node, CloudRow row, Reason reason, String why, Transaction tx) {
        String event = NodeEvents.text(reason, why);
        long now = clock.millis();
        if (!event.equals(row.told()) || now - row.toldAt() >= TELL_AGAIN.toMillis()) {
            tx.put(CloudRow.TABLE, node.name(), row.told(event, now));
            tx.effect(REPORT, row.uid(), event);
        }
        return Next.again(LOOK_AGAIN, why);
    }

    /** Whether the condition is missing, or is not {@code False}. */
    private static boolean unavailable(ClusterObject node) {
        return node.at("status", "conditions").filter(List.class::isInstance).stream()
                .flatMap(conditions -> ((List<?>) conditions).stream())
                .noneMatch(each -> each instanceof Map<?, ?> condition
                        && UNAVAILABLE.equals(condition.get("type"))
                        && "False".equals(condition.get("status")));
    }

    private static boolean tainted(ClusterObject node) {
        return node.at("spec", "taints").filter(List.class::isInstance).stream()
                .flatMap(taints -> ((List<?>) taints).stream())
                .anyMatch(each -> each instanceof Map<?, ?> taint
                        && TAINT.equals(taint.get("key"))
                        && "NoSchedule".equals(taint.get("effect")));
    }

    /** The answer for a key that two have looked at. */
    public static Next sooner(Next one, Next other) {
        if (one instanceof Next.Retry || other instanceof Next.Done) {
            return one;
        }
        return other instanceof Next.Again later
                        && one instanceof Next.Again now
                        && now.after().compareTo(later.after()) < 0
                ? one
                : other;
    }

    /** Whether an effect was written here. */
    public static boolean wrote(Effect effect) {
        return List.of(ADD, REMOVE, CONDITION, REPORT).contains(effect.handler());
    }

    /** As {@link io.enipam.sdk.Controller#perform}, of the effects that were written here. */
    public CompletionStage<EffectResult> perform(Effect effect) {
        String name = effect.key().orElseThrow();
        Optional<ClusterObject> node = nodes.get(name).filter(now -> now.uid().equals(effect.token()));
        if (node.isEmpty() && !nodes.isCurrent()) {
            return CompletableFuture.completedStage(Failed.of(ErrorKind.UNAVAILABLE, "not all nodes are known yet"));
        }
        if (effect.handler().equals(REPORT)) {
            return events.perform(node, effect.arguments());
        }
        if (effect.handler().equals(REMOVE)) {
            return remove(effect.arguments());
        }
        Step step = effect.handler().equals(ADD) ? Step.ADDING : Step.MARKING;
        Optional<Row<CloudRow>> row = journal.read(tx -> tx.get(CloudRow.TABLE, name))
                .filter(its ->
                        its.value().uid().equals(effect.token()) && its.value().step() == step);
        if (row.isEmpty()) {
            return CompletableFuture.completedStage(EffectResult.performed()); // by an earlier try, or the node is gone
        }
        CompletionStage<EffectResult> tried =
                step == Step.ADDING ? add(row.get(), row.get().value().aliases(), 0) : mark(node);
        return tried.thenCompose(
                result -> result instanceof Failed failed ? failed(node, effect, failed) : finished(row.get()));
    }

    private CompletionStage<EffectResult> remove(String left) {
        Optional<Row<CloudRow>> row = journal.read(tx -> tx.get(CloudRow.TABLE, left));
        List<Alias> all = row.map(its -> its.value().aliases()).orElse(List.of());
        return remove(all, 0).thenCompose(result -> {
            if (result instanceof Failed) {
                return CompletableFuture.completedStage(result);
            }
            led.none(left); // before the row's key is told, at which nodes that wait are tried again
            return committed(tx -> tx.delete(CloudRow.TABLE, left));
        });
    }

    private CompletionStage<EffectResult> remove(List<Alias> all, int index) {
        if (index == all.size()) {
            return CompletableFuture.completedStage(EffectResult.performed());
        }
        return provider.remove(all.get(index)).thenCompose(outcome -> {
            if (outcome instanceof Outcome.NotDone<?> notDone) {
                return CompletableFuture.completedStage(notDone.failure());
            }
            aliases.removed(all.get(index));
            return remove(all, index + 1);
        });
    }

    private CompletionStage<EffectResult> add(Row<CloudRow> row, List<Alias> all, int index) {
        if (index == all.size()) {
            return CompletableFuture.completedStage(EffectResult.performed());
        }
        // the same for each try of this row: an entry that was lost since an earlier row has another one
        RequestToken token = new RequestToken(row.value().uid() + "-" + row.revision() + "-" + index);
        return provider.add(all.get(index), token).thenCompose(outcome -> {
            if (outcome instanceof Outcome.NotDone<?> notDone) {
                return CompletableFuture.completedStage(notDone.failure());
            }
            aliases.added(all.get(index));
            return add(row, all, index + 1);
        });
    }

    private CompletionStage<EffectResult> mark(Optional<ClusterObject> node) {
        if (node.isEmpty()) {
            // not known yet, or gone: its reconcile then deletes the row
            return CompletableFuture.completedStage(Failed.of(ErrorKind.UNAVAILABLE, "the node is not known"));
        }
        if (!unavailable(node.get())) {
            return CompletableFuture.completedStage(EffectResult.performed());
        }
        Patch patch = Patch.condition(
                node.get(),
                UNAVAILABLE,
                false,
                "RouteCreated",
                "NodeController create implicit route",
                clock.instant());
        return cluster.patch(node.get().ref(), patch).thenApply(reply -> reply.asEffectResult());
    }

    private CompletionStage<EffectResult> finished(Row<CloudRow> row) {
        return committed(tx -> tx.get(CloudRow.TABLE, row.key())
                .map(Row::value)
                .filter(now -> now.uid().equals(row.value().uid())
                        && now.step() == row.value().step())
                .ifPresent(now -> tx.put(CloudRow.TABLE, row.key(), now.in(Step.IDLE))));
    }

    private CompletionStage<EffectResult> committed(Consumer<Transaction> change) {
        return journal.update(change)
                .handle((done, failure) -> failure == null
                        ? EffectResult.performed()
                        : Failed.of(
                                ErrorKind.UNAVAILABLE,
                                "it is done, and that cannot be written: " + failure.getMessage()));
    }

    private CompletionStage<EffectResult> failed(Optional<ClusterObject> node, Effect effect, Failed why) {
        if (node.isEmpty() || effect.attempt() % retries != 0 || !cluster.leads()) {
            return CompletableFuture.completedStage(why);
        }
        return events.report(
                        node.get(),
                        Reason.CIDR_ASSIGNMENT_FAILED,
                        "its blocks stay its own, and it is tried again: " + why.message())
                .thenApply(told -> why);
    }
}
