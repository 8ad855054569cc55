package io.enipam.examples.nodeipam;

import io.enipam.examples.nodeipam.assign.UnderWay;
import io.enipam.sdk.EffectResult;
import io.enipam.sdk.Next;
import io.enipam.sdk.Part;
import io.enipam.sdk.Row;
import io.enipam.sdk.cluster.Cluster;
import io.enipam.sdk.ledger.Ledger;
import io.enipam.sdk.ledger.PendingEffect;
import io.enipam.sdk.ledger.PendingEffect.Cause;
import io.enipam.sdk.testkit.ControllerSteps;
import io.enipam.sdk.testkit.InMemoryJournal;
import io.enipam.sdk.testkit.TestClock;
import io.enipam.sdk.testkit.TestContext;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** A host that runs the plugin and does one step when a test says so; several may share a store. For one thread. */
final class Replica implements AutoCloseable {
    private static final int WORKERS = 30;
    private static final int MOST_ROUNDS = 200;

    private final InMemoryJournal store;
    private final Cluster cluster;
    private final Map<String, List<String>> settings;
    private final TestClock clock;
    private final UnaryOperator<TestContext.Builder> lent;
    /** Keys that are to be reconciled, and those that are so after a time. */
    private final ControllerSteps steps = new ControllerSteps();

    final Set<String> queue = steps.queue();
    final Set<String> later = new LinkedHashSet<>();
    private final List<PendingEffect> effects = new ArrayList<>();
    private final Set<PendingEffect> underWay = new HashSet<>();
    private final Map<PendingEffect, Integer> attempts = new HashMap<>();
    private final Consumer<List<PendingEffect>> follower = effects::addAll;
    private Ledger ledger;
    NodeIpamPart part;
    boolean leads;

    Replica(InMemoryJournal store, Cluster cluster, Map<String, List<String>> settings, TestClock clock) {
        this(store, cluster, settings, clock, host -> host);
    }

    /** @param lent adds what the host lends beside the cluster */
    Replica(
            InMemoryJournal store,
            Cluster cluster,
            Map<String, List<String>> settings,
            TestClock clock,
            UnaryOperator<TestContext.Builder> lent) {
        this.lent = lent;
        this.store = store;
        this.cluster = cluster;
        this.settings = settings;
        this.clock = clock;
        start();
    }

    private void start() {
        ledger = new Ledger(store, "node-ipam", clock);
        NodeIpamPlugin plugin = new NodeIpamPlugin();
        Part opened = plugin.extensions()
                .get(0)
                .open(lent.apply(TestContext.builder())
                        .settings(plugin.settings())
                        .values(settings)
                        .journal(ledger.journal())
                        .clock(clock)
                        .service(Cluster.class, cluster)
                        .build());
        part = (NodeIpamPart) opened;
    }

    /** It leads from now on: effects that wait are its own, and its sources are opened. */
    void lead() {
        leads = true;
        effects.addAll(ledger.effects());
        ledger.follow(follower);
        watch();
    }

    /** It leads no more. */
    void follow() {
        leads = false;
        unwatch();
        ledger.unfollow(follower);
        effects.clear();
        underWay.clear();
        attempts.clear();
    }

    /** The process ends and comes back; what was on its way is not waited for. */
    void crash() {
        follow();
        part.close();
        start();
    }

    void watch() {
        steps.open(part.watches());
    }

    void unwatch() {
        steps.close();
        later.clear();
    }

    /** Why a source was lost. */
    Optional<String> lost() {
        return steps.lost();
    }

    boolean ready() {
        return leads && steps.synced();
    }

    void reconcile(String key) {
        later.remove(key);
        if (!(steps.reconcile(ledger, part, key, () -> leads) instanceof Next.Done)) {
            later.add(key);
        }
    }

    /** The effects that may be performed now: no other of the token or the key comes before. */
    List<PendingEffect> due() {
        Set<Object> before = new HashSet<>();
        List<PendingEffect> due = new ArrayList<>();
        for (PendingEffect effect : effects) {
            boolean first = before.add(effect.token());
            if ((effect.cause().equals(Cause.NONE) || before.add(effect.cause()))
                    && first
                    && !underWay.contains(effect)) {
                due.add(effect);
            }
        }
        return due;
    }

    boolean idle() {
        return effects.isEmpty();
    }

    void perform(PendingEffect effect) {
        underWay.add(effect);
        NodeIpamPart asked = part;
        CompletionStage<EffectResult> stage = part.perform(effect.attempt(attempts.merge(effect, 1, Integer::sum)));
        stage.thenAccept(result -> {
            if (asked == part && underWay.remove(effect) && result instanceof EffectResult.Performed) {
                ledger.forget(effect, () -> leads).thenAccept(gone -> effects.remove(effect));
            }
        });
    }

    /** Does what is to be done, until there is nothing but keys that wait for their time. */
    void drain() {
        for (int stuck = 0; stuck < MOST_ROUNDS; stuck++) {
            while (!queue.isEmpty()) {
                queue.stream().limit(WORKERS).toList().forEach(this::reconcile);
                due().forEach(this::perform);
            }
            due().forEach(this::perform);
            if (queue.isEmpty() && effects.isEmpty()) {
                return;
            }
        }
        throw new AssertionError("there is still to do: " + queue + ", " + effects);
    }

    /** The time is over for which keys wait. */
    void drainLater() {
        queue.addAll(later);
        drain();
    }

    /** What is under way, by node. */
    Map<String, UnderWay> rows() {
        return store.read(tx -> tx.scan(UnderWay.TABLE, "").collect(Collectors.toMap(Row::key, Row::value)));
    }

    @Override
    public void close() {
        follow();
        part.close();
    }
}
