package io.enipam.examples.nodeipam.clustercidr;

import io.enipam.examples.nodeipam.assign.RangeObjects;
import io.enipam.examples.nodeipam.clustercidr.ClusterCidrs.Known;
import io.enipam.sdk.Effect;
import io.enipam.sdk.EffectResult;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Next;
import io.enipam.sdk.Row;
import io.enipam.sdk.Source;
import io.enipam.sdk.Transaction;
import io.enipam.sdk.cluster.Cluster;
import io.enipam.sdk.cluster.ClusterEvent;
import io.enipam.sdk.cluster.ClusterObject;
import io.enipam.sdk.cluster.Informer;
import io.enipam.sdk.cluster.Patch;
import io.enipam.sdk.cluster.Reply;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * What the controller does for the {@code ClusterCIDR} objects themselves: creates the one of the setting, adds the finalizer and
 * removes it when no node has a block of a deleted one, reports in an annotation, and warns by events. Pure but for what
 * {@link ClusterCidrs} knows. Thread-safe.
 */
final class ClusterCidrReconciler implements RangeObjects {
    private static final String HANDLERS = ClusterCidrs.PREFIX + "-";
    private static final String CREATE = HANDLERS + "create";
    private static final String GUARD = HANDLERS + "finalizer";
    private static final String REPORT = HANDLERS + "report";
    private static final String WARN = HANDLERS + "warn";

    private final ClusterCidrs all;
    private final Cluster cluster;
    private final Informer objects;
    private final Clock clock;

    /**
     * The arguments of an effect.
     *
     * @param content what is reported or told; empty text for another effect
     */
    private record Order(String name, String uid, String content) {}

    /** @param objects of {@link ClusterCidr#KIND} */
    ClusterCidrReconciler(ClusterCidrs all, Cluster cluster, Informer objects, Clock clock) {
        this.all = all;
        this.cluster = cluster;
        this.objects = objects;
        this.clock = clock;
    }

    @Override
    public String prefix() {
        return ClusterCidrs.PREFIX;
    }

    @Override
    public Source source() {
        return all.source();
    }

    @Override
    public Next reconcile(String name, Transaction tx) {
        Optional<Kept> row = tx.get(Kept.TABLE, name).map(Row::value);
        Optional<Known> found = all.find(name);
        String uid = found.map(its -> its.object().uid()).orElse("");
        Optional<Kept> kept = row.filter(its -> its.uid().equals(uid));
        if (row.isPresent() && kept.isEmpty()) {
            tx.delete(Kept.TABLE, name);
        }
        if (found.isPresent() && uid.isEmpty()) {
            tx.effect(CREATE, CREATE, Kept.json(new Order(name, "", "")));
        } else {
            found.ifPresent(known -> reconcile(known, kept, tx));
        }
        return Next.done();
    }

    private void reconcile(Known known, Optional<Kept> kept, Transaction tx) {
        ClusterObject object = known.object();
        boolean guarded = isGuarded(object);
        List<String> nodes = known.isDeleted() ? all.nodesOf(object.name()) : List.of();
        boolean mayGo = known.isDeleted() && nodes.isEmpty();
        if (guarded ? mayGo : !known.isDeleted() && known.inForce().isPresent()) {
            effect(tx, GUARD, object, "");
        }
        if (mayGo) {
            return;
        }
        Report report = Report.of(known, nodes, all.ranges(object.name()));
        Optional<ClusterEvent> warning = Report.warning(known, report);
        Kept now = new Kept(
                object.uid(),
                known.inForce()
                        .map(its -> Kept.json(its.object().at("spec").orElseThrow()))
                        .orElse(""),
                report.material(),
                warning.map(Kept::json).orElse(""));
        if (kept.isPresent() && kept.get().equals(now)) {
            return;
        }
        if (!kept.map(Kept::report).equals(Optional.of(now.report()))) {
            effect(tx, REPORT, object, Kept.json(report));
        }
        if (warning.isPresent() && !kept.map(Kept::event).equals(Optional.of(now.event()))) {
            effect(tx, WARN, object, now.event());
        }
        tx.put(Kept.TABLE, object.name(), now);
    }

    private static boolean isGuarded(ClusterObject object) {
        return object.finalizers().contains(ClusterCidr.FINALIZER);
    }

    private static void effect(Transaction tx, String handler, ClusterObject object, String content) {
        String arguments = Kept.json(new Order(object.name(), object.uid(), content));
        tx.effect(
                handler, handler + "." + UUID.nameUUIDFromBytes(arguments.getBytes(StandardCharsets.UTF_8)), arguments);
    }

    @Override
    public CompletionStage<EffectResult> perform(Effect effect) {
        Order order = Kept.read(effect.arguments(), Order.class);
        if (effect.handler().equals(CREATE)) {
            return create(order.name());
        }
        Optional<ClusterObject> object =
                objects.get(order.name()).filter(its -> its.uid().equals(order.uid()));
        if (object.isEmpty()) {
            return done();
        }
        return switch (effect.handler()) {
            case GUARD -> guard(object.get());
            case REPORT -> report(object.get(), Kept.read(order.content(), Report.class));
            case WARN ->
                cluster.report(object.get(), Kept.read(order.content(), ClusterEvent.class))
                        .thenApply(Reply::asEffectResult);
            default ->
                CompletableFuture.completedStage(
                        Failed.of(ErrorKind.INTERNAL, "there is no effect " + effect.handler()));
        };
    }

    private CompletionStage<EffectResult> create(String name) {
        Optional<ClusterObject> object =
                all.find(name).map(Known::object).filter(its -> its.uid().isEmpty());
        return object.isEmpty()
                ? done()
                : cluster.create(object.get())
                        .thenApply(reply ->
                                reply.is(ErrorKind.CONFLICT) ? EffectResult.performed() : reply.asEffectResult());
    }

    /** Adds the finalizer, or removes it from an object that is deleted: no node gets a block of that any more. */
    private CompletionStage<EffectResult> guard(ClusterObject object) {
        boolean deleted = object.deletion().isPresent();
        if (isGuarded(object) != deleted) {
            return done();
        }
        List<String> finalizers = new ArrayList<>(object.finalizers());
        if (deleted) {
            finalizers.remove(ClusterCidr.FINALIZER);
        } else {
            finalizers.add(ClusterCidr.FINALIZER);
        }
        return patch(object, Patch.finalizers(object, finalizers));
    }

    private CompletionStage<EffectResult> report(ClusterObject object, Report report) {
        String before = object.annotations().getOrDefault(Report.ANNOTATION, "");
        String after = report.text(before, clock.instant());
        Map<String, ?> change = Map.of("metadata", Map.of("annotations", Map.of(Report.ANNOTATION, after)));
        return after.equals(before) ? done() : patch(object, Patch.merge(change).ifSame(object));
    }

    private CompletionStage<EffectResult> patch(ClusterObject object, Patch patch) {
        return cluster.patch(object.ref(), patch)
                .thenApply(reply -> reply.is(ErrorKind.NOT_FOUND) ? EffectResult.performed() : reply.asEffectResult());
    }

    private static CompletionStage<EffectResult> done() {
        return CompletableFuture.completedStage(EffectResult.performed());
    }
}
