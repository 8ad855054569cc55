package io.enipam.pluginhost.extension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.port.GrantDirectory.ServedClaim;
import io.enipam.engine.port.Leadership;
import io.enipam.engine.port.Span;
import io.enipam.engine.port.Trace;
import io.enipam.engine.port.TraceSink;
import io.enipam.engine.simulation.RecordedEvents;
import io.enipam.engine.simulation.RecordedTraces;
import io.enipam.platform.ExecutorScheduler;
import io.enipam.platform.SystemTime;
import io.enipam.pluginhost.extension.Extensions.Candidate;
import io.enipam.pluginhost.guard.GuardLimits;
import io.enipam.pluginhost.guard.PluginGuard;
import io.enipam.pluginhost.testing.FakeLease;
import io.enipam.sdk.Allocator;
import io.enipam.sdk.Claim;
import io.enipam.sdk.ClaimId;
import io.enipam.sdk.CniService;
import io.enipam.sdk.Codec;
import io.enipam.sdk.Decision;
import io.enipam.sdk.Effect;
import io.enipam.sdk.EffectResult;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Extension;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Family;
import io.enipam.sdk.Grant;
import io.enipam.sdk.Host;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Prefix;
import io.enipam.sdk.Role;
import io.enipam.sdk.Settings;
import io.enipam.sdk.Subject;
import io.enipam.sdk.Table;
import io.enipam.sdk.Transaction;
import io.enipam.sdk.Wishes;
import io.enipam.sdk.ledger.HeldGrant;
import io.enipam.sdk.ledger.Ledger;
import io.enipam.sdk.testkit.InMemoryJournal;
import java.net.InetAddress;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ClaimsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final ExecutorScheduler engine = new ExecutorScheduler();
    private final SystemTime time = new SystemTime();
    private final RecordedEvents events = new RecordedEvents(time);
    private final PluginGuard guard = new PluginGuard(
            "net", getClass().getClassLoader(), GuardLimits.DEFAULT, time, engine, engine, health -> {});
    private final Map<String, String> outside = new ConcurrentHashMap<>();
    private final ConcurrentLinkedQueue<String> performed = new ConcurrentLinkedQueue<>();
    private volatile EffectResult answer = EffectResult.performed();
    private final AtomicInteger looks = new AtomicInteger();
    private volatile boolean opensLater;
    private InMemoryJournal store = new InMemoryJournal();
    private Effects effects = new Effects(time, engine, new SplittableRandom(1));
    private Leadership leadership = Leadership.alone("one");
    private Extensions extensions = extensions();
    private Claims claims = claims();

    /** Two addresses; one that is made by an effect first is granted when that is performed. */
    private final class Pair implements Allocator, CniService {
        private static final Table<String> TAKEN = new Table<>("taken", 1, Codec.text());
        private final Host host;

        Pair(Host host) {
            this.host = host;
            host.journal().open(TAKEN);
        }

        @Override
        public CniAnswer serve(CniCall call) {
            return new CniAnswer(call.environment().size(), call.configuration(), "");
        }

        @Override
        public Decision allocate(Claim claim, Transaction tx) {
            if (opensLater && tx.get(TAKEN, "made").isEmpty()) {
                tx.effect("make", "made", "");
                return Decision.later(Duration.ofMinutes(10), "it is being made");
            }
            for (String address : List.of("10.0.0.2/24", "10.0.0.3/24")) {
                if (tx.get(TAKEN, address).isEmpty()) {
                    tx.put(TAKEN, address, claim.id().text());
                    tx.effect("note", address, claim.id().text());
                    return Grant.of(claim.id(), Prefix.of(address));
                }
            }
            return Decision.refuse(ErrorKind.ADDRESSES_EXHAUSTED, "both addresses are taken");
        }

        @Override
        public void release(Grant grant, Transaction tx) {
            String address = grant.prefixes().get(0).address().toString();
            tx.delete(TAKEN, address);
            tx.effect("erase", address, grant.claim().text());
        }

        @Override
        public void abandon(ClaimId claim, Transaction tx) {
            tx.effect("abandon", "abandoned", claim.text());
        }

        @Override
        public CompletionStage<EffectResult> perform(Effect effect) {
            performed.add(effect.handler() + " " + effect.token());
            if (!(answer instanceof EffectResult.Performed)) {
                return CompletableFuture.completedStage(answer);
            }
            switch (effect.handler()) {
                case "note" -> outside.put(effect.token(), effect.arguments());
                case "erase" -> outside.remove(effect.token());
                case "make" -> {
                    return host.journal()
                            .update(tx -> tx.put(TAKEN, "made", ""))
                            .thenApply(done -> EffectResult.performed());
                }
                default -> {}
            }
            return CompletableFuture.completedStage(EffectResult.performed());
        }

        @Override
        public CompletionStage<List<Grant>> observe() {
            looks.incrementAndGet();
            return CompletableFuture.completedStage(outside.entrySet().stream()
                    .map(entry -> Grant.of(new ClaimId(entry.getValue()), Prefix.of(entry.getKey())))
                    .toList());
        }

        @Override
        public boolean repair(Grant grant, boolean missing, Transaction tx) {
            tx.effect(
                    missing ? "note" : "erase",
                    grant.prefixes().get(0).address().toString(),
                    grant.claim().text());
            return true;
        }
    }

    private Extensions extensions() {
        Extension pair = Extension.of("pair", Set.of(Role.NODE), Pair::new);
        Extension service = Extension.of("service", Set.of(Role.NODE), Service::new);
        Extensions made = new Extensions(time, engine, events, new SplittableRandom(1));
        made.add(List.of(candidate(pair), candidate(service)));
        return made;
    }

    private Candidate candidate(Extension extension) {
        String name = extension.name();
        return new Candidate(
                "net",
                extension,
                guard.extension(name),
                () -> new LedgerHost(Settings.usual(List.of()), new Ledger(store, name, Clock.systemUTC())));
    }

    /** Answers calls by itself, and has the host list that container c has 10.5.0.2. */
    private record Service(Host host) implements CniService {
        private static final Grant GRANT = Grant.of(new ClaimId("net/c/eth0"), Prefix.of("10.5.0.2/24"));

        @Override
        public CniAnswer serve(CniCall call) {
            host.journal()
                    .update(tx -> tx.granted(GRANT, claim("c").subject()))
                    .toCompletableFuture()
                    .join();
            return new CniAnswer(0, "", "");
        }

        @Override
        public boolean release(Grant grant) {
            host.journal()
                    .update(tx -> tx.released(grant.claim()))
                    .toCompletableFuture()
                    .join();
            return grant.equals(GRANT);
        }
    }

    @Test
    void whatAServiceListsIsShownAndEndedAsTheGrantsOfAnAllocator() throws Exception {
        record Call(Map<String, String> environment, String configuration) implements CniService.CniCall {}
        extensions.configure(Set.of("service"), plugin -> Settings.usual(List.of()));
        await().atMost(PATIENCE).until(() -> extensions.running("service").isPresent());
        assertThat(claims.all()).isEmpty();
        get(claims.serve("service", new Call(Map.of(), "")));
        ServedClaim listed = claims.of("service").get(0);
        assertThat(claims.all()).containsExactly(listed);
        assertThat(listed.pod()).hasValue(PodRef.parse("default/c"));
        assertThat(listed.held().uid()).isEqualTo("uid-c");

        get(claims.serve("service", new Call(Map.of(), "")));
        assertThat(claims.all()).as("the same claim, since the same time").containsExactly(listed);
        assertThat(get(claims.end(listed, Span.NONE))).isTrue();
        assertThat(claims.all()).isEmpty();
        assertThat(get(claims.end(listed, Span.NONE))).as("it is gone").isFalse();
        assertThat(events.types()).containsExactly("ClaimReleased");
    }

    @Test
    void aReplicaThatDoesNotLeadRefusesClaimsAndNamesTheLeader() {
        startUnder(new FakeLease("two").of("one"));
        assertThat(claims.trouble("pair"))
                .hasValue("this replica does not lead, and claims are served by the one that does: two");
        assertThatThrownBy(() -> claims.held("pair", new ClaimId("a")))
                .isInstanceOfSatisfying(
                        IpamException.class,
                        refused -> assertThat(refused.code()).isEqualTo(ErrorCode.TRY_AGAIN));
    }

    private Claims claims() {
        Claims made = new Claims(extensions, effects, leadership, time, engine, events);
        extensions.follow(effects);
        extensions.follow(made);
        return made;
    }

    private void start() {
        extensions.configure(Set.of("pair"), plugin -> Settings.usual(List.of()));
        await().atMost(PATIENCE).until(() -> extensions.running("pair").isPresent());
    }

    private void startUnder(Leadership another) {
        leadership = another;
        extensions = extensions();
        claims = claims();
        start();
    }

    /** The daemon dies, and comes back with what is durable. */
    private void crash() {
        extensions.close();
        store = store.reopened();
        effects = new Effects(time, engine, new SplittableRandom(1));
        extensions = extensions();
        claims = claims();
        start();
    }

    @AfterEach
    void end() {
        extensions.close();
        guard.close();
        engine.close();
    }

    @Test
    void aClaimThatComesAgainGetsTheSameGrantAfterItsEffects() throws Exception {
        start();
        Grant first = get(claims.allocate("pair", claim("a")));
        assertThat(outside).containsExactly(Map.entry("10.0.0.2/24", "net/a/eth0"));
        assertThat(get(claims.allocate("pair", claim("a")))).isEqualTo(first);
        crash();
        assertThat(get(claims.allocate("pair", claim("a")))).isEqualTo(first);
        assertThat(performed).containsExactly("note 10.0.0.2/24");
        assertThat(claims.all()).hasSize(1);
    }

    @Test
    void aRefusalIsToldInTheAllocatorsWordsAndARelaseMakesRoom() throws Exception {
        start();
        get(claims.allocate("pair", claim("a")));
        get(claims.allocate("pair", claim("b")));
        assertRefused(claims.allocate("pair", claim("c")), ErrorCode.POOL_EXHAUSTED, "both addresses are taken");
        assertThat(get(claims.release("pair", claim("a").id()))).isTrue();
        assertThat(get(claims.release("pair", claim("a").id()))).isFalse();
        assertThat(get(claims.allocate("pair", claim("c"))).prefixes()).containsExactly(Prefix.of("10.0.0.2/24"));
        assertThat(outside).containsEntry("10.0.0.2/24", "net/c/eth0");
    }

    @Test
    void anEffectThatFailsIsPerformedAfterACrash() throws Exception {
        answer = Failed.of(ErrorKind.UNAVAILABLE, "the switch is down");
        start();
        CompletableFuture<Grant> waits = claims.allocate("pair", claim("a"));
        await().atMost(PATIENCE).until(() -> !performed.isEmpty());
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(effects.all()).singleElement().satisfies(view -> {
                    assertThat(view.failure()).isEqualTo("the switch is down");
                    assertThat(view.id()).isEqualTo("pair/10.0.0.2/24/1");
                }));
        assertThat(waits).isNotDone();
        answer = EffectResult.performed();
        crash();
        await().atMost(PATIENCE).until(() -> outside.containsKey("10.0.0.2/24"));
        await().atMost(PATIENCE).until(() -> effects.all().isEmpty());
    }

    @Test
    void aFailureThatOnlyAChangeCanEndFailsTheCallAtOnce() {
        answer = Failed.of(ErrorKind.UNAUTHORIZED, "the token was refused");
        start();
        assertRefused(claims.allocate("pair", claim("a")), ErrorCode.PERMISSION_DENIED, "the token was refused");
        assertThat(claims.held("pair", claim("a").id()).flatMap(HeldGrant::grant))
                .as("until it is released")
                .isPresent();
    }

    @Test
    void theEffectsOfOneAddressKeepTheirOrderOverClaims() throws Exception {
        start();
        answer = Failed.of(ErrorKind.UNAVAILABLE, "down");
        claims.allocate("pair", claim("a"));
        await().atMost(PATIENCE).until(() -> !performed.isEmpty());
        CompletableFuture<Boolean> released = claims.release("pair", claim("a").id());
        await().atMost(PATIENCE).until(() -> effects.all().size() == 2);
        claims.allocate("pair", claim("b"));
        await().atMost(PATIENCE).until(() -> effects.all().size() == 3);
        answer = EffectResult.performed();
        effects.retry("net", Optional.empty());
        await().atMost(PATIENCE).until(() -> effects.all().isEmpty());
        assertThat(withoutRepeats(performed))
                .containsExactly("note 10.0.0.2/24", "erase 10.0.0.2/24", "note 10.0.0.2/24");
        assertThat(outside).containsExactly(Map.entry("10.0.0.2/24", "net/b/eth0"));
        assertThat(get(released)).isTrue();
    }

    /** What failed is tried again, however often while it fails. */
    private static List<String> withoutRepeats(Collection<String> tries) {
        List<String> all = new ArrayList<>();
        for (String each : tries) {
            if (all.isEmpty() || !all.get(all.size() - 1).equals(each)) {
                all.add(each);
            }
        }
        return all;
    }

    @Test
    void aDroppedEffectIsNotPerformedAndLetsTheNextOneGo() throws Exception {
        start();
        answer = Failed.of(ErrorKind.UNAVAILABLE, "down");
        claims.allocate("pair", claim("a"));
        await().atMost(PATIENCE)
                .until(() ->
                        effects.all().stream().anyMatch(view -> view.nextTry().isPresent()));
        claims.release("pair", claim("a").id());
        await().atMost(PATIENCE).until(() -> effects.all().size() == 2);
        get(effects.drop("net", "pair/10.0.0.2/24/1"));
        performed.clear();
        answer = EffectResult.performed();
        await().atMost(PATIENCE).until(() -> effects.all().isEmpty());
        assertThat(performed).doesNotContain("note 10.0.0.2/24").contains("erase 10.0.0.2/24");
        assertThatThrownBy(() -> effects.drop("net", "pair/10.0.0.2/24/1")).hasMessageContaining("no effect");
    }

    @Test
    void aClaimThatHasToWaitIsServedWhenItsEffectIsPerformed() throws Exception {
        opensLater = true;
        start();
        assertThat(get(claims.allocate("pair", claim("a"))).prefixes()).containsExactly(Prefix.of("10.0.0.2/24"));
        assertThat(performed).containsExactly("make made", "note 10.0.0.2/24");
    }

    @Test
    void aReleaseThatComesWhileThePodIsLookedUpLeavesNothingGranted() throws Exception {
        start();
        CompletableFuture<Claim> looked = new CompletableFuture<>();
        CompletableFuture<Grant> wanted = claims.allocate("pair", claim("a"), () -> looked, Span.NONE);
        assertThat(get(claims.release("pair", claim("a").id()))).isFalse();
        looked.complete(claim("a"));
        assertRefused(wanted, ErrorCode.TRY_AGAIN, "claim net/a/eth0 was released while it was served");
        assertThat(get(claims.release("pair", claim("a").id())))
                .as("nothing came behind it")
                .isFalse();
    }

    @Test
    void aClaimThatWaitsIsAbandonedByItsRelease() throws Exception {
        opensLater = true;
        answer = Failed.of(ErrorKind.UNAVAILABLE, "down");
        start();
        CompletableFuture<Grant> waits = claims.allocate("pair", claim("a"));
        await().atMost(PATIENCE)
                .until(() ->
                        effects.all().stream().anyMatch(view -> view.nextTry().isPresent()));
        CompletableFuture<Boolean> released = claims.release("pair", claim("a").id());
        assertRefused(waits, ErrorCode.TRY_AGAIN, "claim net/a/eth0 was released while it was served");
        answer = EffectResult.performed();
        assertThat(get(released)).isTrue();
        assertThat(claims.all()).isEmpty();
        await().atMost(PATIENCE).until(() -> performed.contains("abandon abandoned"));
    }

    @Test
    void whatDiffersOutsideIsRepaired() throws Exception {
        start();
        get(claims.allocate("pair", claim("a")));
        outside.clear();
        outside.put("10.0.0.3/24", "net/gone/eth0");
        crash();
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(outside).containsExactly(Map.entry("10.0.0.2/24", "net/a/eth0")));
    }

    @Test
    void onlyTheReplicaThatLeadsComparesTheOutsideWithTheGrants() {
        FakeLease lease = new FakeLease("two");
        startUnder(lease.of("one"));
        await().during(Duration.ofMillis(200)).atMost(PATIENCE).until(() -> looks.get() == 0);
        lease.passTo("one");
        await().atMost(PATIENCE).until(() -> looks.get() == 1);
    }

    @Test
    void anExtensionThatDoesNotRunAsksToTryAgain() {
        assertRefused(claims.allocate("pair", claim("a")), ErrorCode.TRY_AGAIN, "extension pair is CLOSED");
        assertRefused(claims.allocate("other", claim("a")), ErrorCode.NOT_FOUND, "no plugin has an extension 'other'");
    }

    @Test
    void aStoryHasTheStepsAndEventsTellWhatCameOfIt() throws Exception {
        opensLater = true;
        RecordedTraces traces = new RecordedTraces(time);
        start();
        Trace add = traces.begin(Trace.Operation.ADD, TraceSink.Subject.named("a"));
        get(claims.allocate("pair", claim("a"), () -> CompletableFuture.completedFuture(claim("a")), add));
        get(claims.allocate("pair", claim("b")));
        Trace refused = traces.begin(Trace.Operation.ADD, TraceSink.Subject.named("c"));
        assertRefused(
                claims.allocate("pair", claim("c"), () -> CompletableFuture.completedFuture(claim("c")), refused),
                ErrorCode.POOL_EXHAUSTED,
                "both addresses are taken");
        Trace del = traces.begin(Trace.Operation.DEL, TraceSink.Subject.named("a"));
        get(claims.release("pair", claim("a").id(), del));

        assertThat(steps(traces, 0)).startsWith("ALLOCATE OK", "COMMIT OK", "WAIT OK", "ALLOCATE OK", "COMMIT OK");
        assertThat(steps(traces, 1)).containsExactly("ALLOCATE ADDRESSES_EXHAUSTED");
        assertThat(steps(traces, 2)).startsWith("RELEASE OK");
        assertThat(events.types()).containsExactly("ClaimGranted", "ClaimGranted", "ClaimRefused", "ClaimReleased");
        assertThat(events.all().get(3)).satisfies(event -> {
            assertThat(event.subject()).isEqualTo("default/a");
            assertThat(event.message()).isEqualTo("gave 10.0.0.2/24 back");
            assertThat(event.attributes()).containsEntry("owner", "net/a/eth0");
        });
    }

    private static List<String> steps(RecordedTraces traces, int story) {
        return traces.all().get(story).steps().stream()
                .map(step -> step.name() + " " + step.outcome())
                .toList();
    }

    @Test
    void exactlyTheClaimThatWasLookedAtEnds() throws Exception {
        start();
        get(claims.allocate("pair", claim("a")));
        ServedClaim looked = claims.all().get(0);
        assertThat(looked.held().uid()).isEqualTo("uid-a");
        assertThat(looked.pod().map(Object::toString)).contains("default/a");
        get(claims.release("pair", claim("a").id()));
        get(claims.allocate("pair", claim("a")));

        assertThat(get(claims.end(looked, Span.NONE))).as("another one by now").isFalse();
        assertThat(claims.of("pair")).hasSize(1);
        assertThat(get(claims.end(claims.all().get(0), Span.NONE))).isTrue();
        assertThat(claims.all()).isEmpty();
    }

    @Test
    void anExtensionAnswersCallsOfTheCniByItself() throws Exception {
        record Call(Map<String, String> environment, String configuration) implements CniService.CniCall {}
        Call call = new Call(Map.of("CNI_COMMAND", "ADD"), "{}");
        assertThat(claims.answersCalls("pair")).isFalse();
        assertRefused(claims.serve("pair", call), ErrorCode.TRY_AGAIN, "extension pair is CLOSED");
        assertRefused(claims.serve("other", call), ErrorCode.NOT_FOUND, "no plugin has an extension 'other'");
        start();
        assertThat(claims.answersCalls("pair")).isTrue();
        assertThat(get(claims.serve("pair", call))).isEqualTo(new CniService.CniAnswer(1, "{}", ""));
    }

    private static void assertRefused(CompletableFuture<?> call, ErrorCode code, String message) {
        assertThatThrownBy(() -> get(call))
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOfSatisfying(
                        IpamException.class,
                        refusal -> assertThat(refusal.code()).isEqualTo(code))
                .hasMessage(message);
    }

    private static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    private static Claim claim(String container) {
        record Pod(Kind kind, String name, String uid, Map<String, String> labels, Map<String, String> annotations)
                implements Subject {}
        record Asked(Set<Family> families, List<InetAddress> addresses, Map<String, String> parameters)
                implements Wishes {}
        record Made(ClaimId id, Subject subject, Wishes wishes, Instant deadline) implements Claim {}
        return new Made(
                new ClaimId("net/" + container + "/eth0"),
                new Pod(Subject.Kind.POD, "default/" + container, "uid-" + container, Map.of(), Map.of()),
                new Asked(Set.of(), List.of(), Map.of()),
                Instant.now().plus(PATIENCE.multipliedBy(4)));
    }
}
