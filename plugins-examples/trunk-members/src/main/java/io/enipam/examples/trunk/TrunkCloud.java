package io.enipam.examples.trunk;

import io.enipam.sdk.Check;
import io.enipam.sdk.ClaimId;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Finding;
import io.enipam.sdk.Journal;
import io.enipam.sdk.RequestToken;
import io.enipam.sdk.Row;
import io.enipam.sdk.cloud.Cloud;
import io.enipam.sdk.cloud.Eni;
import io.enipam.sdk.cloud.EniRequest;
import io.enipam.sdk.cloud.Outcome;
import io.enipam.sdk.cloud.VSwitch;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Makes and removes member ENIs, and the trunk that they hang on. Thread-safe.
 *
 * <p><b>The trunk</b> is made with the first member, and goes with the last. It takes a slot of the instance from the moment when it
 * is attached, and not before: one that cannot be attached is deleted, and the node has all of its slots for other ENIs. Members are
 * made beside each other; what is done to the trunk itself is done one thing after the other, and it goes only while no member is
 * being made and no claim has one.
 *
 * <p><b>Found again.</b> The label of an ENI has the claim and the stamp of its row: an effect that comes again finds what the first
 * try made, and makes no second one.
 */
final class TrunkCloud {
    private static final String TRUNK = "trunk";
    private static final String MEMBER = "m:";
    private static final int LONGEST_LABEL = 128;
    /** An effect has 60 s for some of these. */
    private static final Duration CALL = Duration.ofSeconds(15);

    private final Cloud cloud;
    private final Journal journal;
    private final Map<String, VSwitch> homes = new ConcurrentHashMap<>();
    private volatile Optional<Failed> trouble = Optional.empty();
    /** What is done to the trunk, to its end. Guarded by this. */
    private CompletionStage<?> trunkTurn = CompletableFuture.completedStage(true);
    /** Members that are being made. Guarded by this. */
    private int making;
    /** Of a trunk whose creation has no outcome yet. Guarded by this. */
    private @Nullable RequestToken trunkToken;

    TrunkCloud(Cloud cloud, Journal journal) {
        this.cloud = cloud.within(CALL);
        this.journal = journal;
    }

    /** Makes the ENI of a row, attached; gives what the grant says of it. */
    CompletionStage<Outcome<Map<String, String>>> make(ClaimId claim, Member wanted) {
        synchronized (this) {
            making++;
        }
        String label = label(claim, wanted.stamp());
        return inTurn(this::trunk)
                .thenCompose(trunk -> bind(
                        trunk,
                        on -> member(label, wanted)
                                .thenCompose(made -> bind(
                                        made,
                                        eni -> cloud.attachMember(eni.id(), on)
                                                .thenCompose(attached -> undone(attached, eni))))))
                .thenCompose(attached -> bind(attached, eni -> told(eni, wanted.groups())))
                .whenComplete((done, failure) -> {
                    synchronized (this) {
                        making--;
                    }
                });
    }

    /** The ENI with this label, made now or by an earlier try. */
    private CompletionStage<Outcome<Eni>> member(String label, Member wanted) {
        return cloud.enis()
                .thenCompose(known -> bind(
                        known,
                        enis -> labelled(enis, label)
                                .map(TrunkCloud::done)
                                .orElseGet(() -> cloud.create(
                                        new EniRequest(Eni.Kind.SECONDARY, "", wanted.groups(), label),
                                        new RequestToken("member-" + wanted.stamp())))));
    }

    /** An ENI that cannot be attached is deleted; the refusal stays what it is. */
    private CompletionStage<Outcome<Eni>> undone(Outcome<Eni> attached, Eni eni) {
        return attached instanceof Outcome.NotDone<Eni> notDone && !notDone.unknown()
                ? cloud.delete(eni.id()).thenApply(gone -> attached)
                : CompletableFuture.completedStage(attached);
    }

    /** Removes the ENI of a stamp, and the trunk if that was the last. */
    CompletionStage<Outcome<Boolean>> remove(ClaimId claim, String stamp) {
        String label = label(claim, stamp);
        return cloud.enis()
                .thenCompose(known -> bind(
                        known,
                        enis -> labelled(enis, label)
                                .map(eni -> removed(eni.id()))
                                .orElseGet(() -> done(true))))
                .thenCompose(gone -> bind(gone, yes -> inTurn(this::trunkIfUnused)));
    }

    private CompletionStage<Outcome<Boolean>> removed(String eni) {
        return cloud.detach(eni).thenCompose(free -> bind(free, yes -> cloud.delete(eni)));
    }

    /** The trunk's id; it is in use on this instance. */
    private CompletionStage<Outcome<String>> trunk() {
        return cloud.enis()
                .thenCompose(known -> bind(
                        known,
                        enis -> labelled(enis, TRUNK).map(TrunkCloud::done).orElseGet(this::newTrunk)))
                .thenCompose(made -> bind(
                        made,
                        eni -> eni.status() == Eni.Status.IN_USE
                                ? done(eni)
                                : cloud.attach(eni.id()).thenCompose(attached -> undone(attached, eni))))
                .thenApply(attached -> {
                    trouble = attached instanceof Outcome.NotDone<Eni> notDone
                            ? Optional.of(notDone.failure())
                            : Optional.empty();
                    return attached.fold(eni -> new Outcome.Done<>(eni.id()), notDone -> noTrunk(notDone));
                });
    }

    private static Outcome<String> noTrunk(Outcome.NotDone<Eni> notDone) {
        Failed failure = notDone.failure();
        String why = "the trunk ENI cannot be had: " + failure.message();
        return new Outcome.NotDone<>(new Failed(failure.kind(), why, failure.retryAfter()), notDone.unknown());
    }

    private CompletionStage<Outcome<Eni>> newTrunk() {
        RequestToken token;
        synchronized (this) {
            token = trunkToken == null ? new RequestToken("trunk-" + UUID.randomUUID()) : trunkToken;
            trunkToken = token;
        }
        return cloud.create(EniRequest.of(Eni.Kind.TRUNK, TRUNK), token).thenApply(made -> {
            if (!(made instanceof Outcome.NotDone<Eni> notDone && notDone.unknown())) {
                synchronized (this) {
                    trunkToken = null;
                }
            }
            return made;
        });
    }

    private CompletionStage<Outcome<Boolean>> trunkIfUnused() {
        return cloud.enis()
                .thenCompose(known -> bind(known, enis -> {
                    boolean used;
                    synchronized (this) {
                        used = making > 0;
                    }
                    used |= enis.stream().anyMatch(eni -> eni.label().startsWith(MEMBER));
                    used |= journal.read(tx -> {
                        try (Stream<Row<Member>> rows = tx.scan(TrunkAllocator.MEMBERS, "")) {
                            return rows.anyMatch(row -> row.value().refusal().isEmpty());
                        }
                    });
                    Optional<Eni> trunk = labelled(enis, TRUNK);
                    return used || trunk.isEmpty()
                            ? done(true)
                            : removed(trunk.get().id());
                }));
    }

    /** The members that are attached, by claim, with what the grants say of them. */
    CompletionStage<Outcome<Map<ClaimId, Map<String, String>>>> members() {
        return cloud.enis()
                .thenCompose(known -> bind(known, enis -> {
                    Map<String, ClaimId> byEni = journal.read(tx -> {
                        try (Stream<Row<Member>> rows = tx.scan(TrunkAllocator.MEMBERS, "")) {
                            return rows.filter(row -> row.value().isReady())
                                    .collect(Collectors.toMap(
                                            row -> row.value().attributes().getOrDefault(Member.ENI, ""),
                                            row -> new ClaimId(row.key())));
                        }
                    });
                    CompletionStage<Outcome<Map<ClaimId, Map<String, String>>>> all = done(new LinkedHashMap<>());
                    for (Eni eni : enis) {
                        if (eni.kind() == Eni.Kind.MEMBER && eni.status() == Eni.Status.IN_USE) {
                            ClaimId claim = byEni.getOrDefault(eni.id(), claim(eni));
                            all = all.thenCompose(found -> bind(
                                    found,
                                    map -> told(eni, List.of())
                                            .thenApply(told -> told.fold(
                                                    attributes -> {
                                                        map.put(claim, attributes);
                                                        return found;
                                                    },
                                                    Outcome.NotDone::as))));
                        }
                    }
                    return all;
                }));
    }

    private CompletionStage<Outcome<Map<String, String>>> told(Eni eni, List<String> groups) {
        VSwitch known = homes.get(eni.vSwitch());
        CompletionStage<Outcome<VSwitch>> home = known == null ? cloud.vSwitch(eni.vSwitch()) : done(known);
        return home.thenApply(outcome -> outcome.fold(
                there -> {
                    homes.put(there.id(), there);
                    Map<String, String> told = new HashMap<>();
                    told.put(Member.ENI, eni.id());
                    told.put(Member.TRUNK, eni.attachment().trunk().orElse(""));
                    told.put(Member.VLAN, Integer.toString(eni.attachment().deviceIndex()));
                    told.put(Member.MAC, eni.mac());
                    told.put(Member.ADDRESS, eni.addresses().primary() + "/" + there.prefixLength());
                    told.put(Member.GATEWAY, there.gateway().getHostAddress());
                    if (!groups.isEmpty()) {
                        told.put(Member.GROUPS, String.join(",", groups));
                    }
                    return new Outcome.Done<>(told);
                },
                Outcome.NotDone::as));
    }

    List<Check> checks() {
        return List.of(Check.of("trunk", "the trunk ENI cannot be had", request -> {
            List<Finding> findings = new ArrayList<>();
            trouble.ifPresent(
                    failure -> findings.add(
                            new Finding(
                                    Finding.Severity.WARN,
                                    TRUNK,
                                    failure.message() + "; pods that ask for an ENI of their own get none",
                                    "free a slot of the instance (max_eni), or correct what the message says; the next pod tries again")));
            return findings;
        }));
    }

    /** Runs what is done to the trunk after what was done to it before. */
    private synchronized <T> CompletionStage<T> inTurn(Supplier<CompletionStage<T>> work) {
        CompletionStage<T> mine = trunkTurn.handle((done, failure) -> true).thenCompose(before -> work.get());
        trunkTurn = mine;
        return mine;
    }

    private static Optional<Eni> labelled(List<Eni> enis, String label) {
        return enis.stream()
                .filter(eni -> eni.label().equals(label) && eni.status() != Eni.Status.DELETING)
                .findFirst();
    }

    /** A claim's id may be longer than a label: then a number that follows from it stands for it. */
    private static String label(ClaimId claim, String stamp) {
        String whole = MEMBER + claim.text() + "#" + stamp;
        String shorter = MEMBER + UUID.nameUUIDFromBytes(claim.text().getBytes(StandardCharsets.UTF_8)) + "#" + stamp;
        return whole.length() <= LONGEST_LABEL && !whole.contains("://") ? whole : shorter;
    }

    private static ClaimId claim(Eni eni) {
        String label = eni.label();
        return new ClaimId(
                label.contains("#") ? label.substring(MEMBER.length(), label.lastIndexOf('#')) : "unknown/" + eni.id());
    }

    private static <T> CompletionStage<Outcome<T>> done(T value) {
        return CompletableFuture.completedStage(new Outcome.Done<>(value));
    }

    private static <T, R> CompletionStage<Outcome<R>> bind(
            Outcome<T> outcome, Function<T, CompletionStage<Outcome<R>>> next) {
        return outcome.fold(next, notDone -> CompletableFuture.completedStage(notDone.as()));
    }
}
