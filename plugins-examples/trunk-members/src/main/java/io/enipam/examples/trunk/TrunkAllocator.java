package io.enipam.examples.trunk;

import io.enipam.sdk.Allocator;
import io.enipam.sdk.Check;
import io.enipam.sdk.Claim;
import io.enipam.sdk.ClaimId;
import io.enipam.sdk.Codec;
import io.enipam.sdk.Decision;
import io.enipam.sdk.Effect;
import io.enipam.sdk.EffectResult;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Grant;
import io.enipam.sdk.Host;
import io.enipam.sdk.Journal;
import io.enipam.sdk.Prefix;
import io.enipam.sdk.Row;
import io.enipam.sdk.Table;
import io.enipam.sdk.Transaction;
import io.enipam.sdk.cloud.Cloud;
import io.enipam.sdk.cloud.CloudInstance;
import io.enipam.sdk.cloud.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/**
 * Gives a pod that asks for it a member ENI of the node's trunk, with security groups of its own.
 *
 * <p><b>States of a claim</b>, by its row: none, wanted, ready, refused. The first {@link #allocate} writes a wanted row and the
 * effect {@code create}, and has the caller wait. The effect makes and attaches the ENI, and notes what came of it: ready, with what
 * the grant says, or refused, where trying again would not help. What may pass is a failed effect, which the host tries again.
 * {@link #release} and {@link #abandon} delete the row and write the effect {@code delete}, which comes after {@code create} in any
 * case. So a crash at any step leaves a row, an effect, or nothing.
 *
 * <p><b>Stamps.</b> Each wanted row has a stamp, which the ENI's label and the token of its creation contain. An effect looks for
 * the ENI with its own stamp, never for one that the same claim had before or after.
 */
final class TrunkAllocator implements Allocator {
    /** The annotation of a pod, and the member of {@code ipam} or of {@code args.cni}, by which it asks. */
    static final String ANNOTATION = "enipam.io/security-groups";

    static final String PARAMETER = "securityGroups";

    static final Table<Member> MEMBERS = new Table<>("members", 1, Member.CODEC);
    private static final Table<String> STAMPS = new Table<>("stamps", 1, Codec.text());
    private static final String LAST = "last";
    private static final Duration OPENING = Duration.ofSeconds(8);
    private static final Duration NEXT_LOOK = Duration.ofSeconds(5);
    private static final int MOST_GROUPS = 10;

    private final Journal journal;
    private final TrunkCloud cloud;
    private final int limit;

    private TrunkAllocator(Journal journal, TrunkCloud cloud, int limit) {
        this.journal = journal;
        this.cloud = cloud;
        this.limit = limit;
    }

    static TrunkAllocator open(Host host, Cloud cloud) {
        Journal journal = host.journal();
        journal.open(MEMBERS);
        journal.open(STAMPS);
        int type = limits(cloud).members();
        if (type == 0) {
            throw new FactoryException(ErrorKind.MISCONFIGURED, "this instance type takes no trunk ENI");
        }
        int configured = host.settings().get(TrunkPlugin.MAX_MEMBERS);
        return new TrunkAllocator(
                journal, new TrunkCloud(cloud, journal), configured == 0 ? type : Math.min(configured, type));
    }

    private static CloudInstance.Limits limits(Cloud cloud) {
        try {
            Outcome<CloudInstance> outcome = cloud.within(OPENING)
                    .instance()
                    .toCompletableFuture()
                    .get(OPENING.toMillis() + 500, TimeUnit.MILLISECONDS);
            return outcome.fold(CloudInstance::limits, notDone -> {
                throw new FactoryException(
                        notDone.failure().kind(), notDone.failure().message());
            });
        } catch (TimeoutException | ExecutionException e) {
            throw new FactoryException(ErrorKind.DEADLINE_EXCEEDED, "the cloud does not answer", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FactoryException(ErrorKind.UNAVAILABLE, "interrupted while the cloud was asked", e);
        }
    }

    @Override
    public Decision allocate(Claim claim, Transaction tx) {
        Optional<Member> known = tx.get(MEMBERS, claim.id().text()).map(Row::value);
        if (known.isPresent() && known.get().isReady()) {
            return grant(claim.id(), known.get());
        }
        Optional<Member.Refusal> refusal = known.flatMap(Member::refusal);
        // the call that was refused gets the refusal again; a later one may find what this one lacked
        if (refusal.isPresent() && known.get().stamp().endsWith(calledBy(claim))) {
            return Decision.refuse(refusal.get().kind(), refusal.get().why());
        }
        if (known.isPresent() && refusal.isEmpty()) {
            return Decision.later(NEXT_LOOK, "its ENI is being made");
        }
        List<String> groups = groups(claim);
        if (groups.isEmpty() || groups.size() > MOST_GROUPS) {
            return Decision.refuse(
                    ErrorKind.MISCONFIGURED,
                    "name 1 to 10 security groups in " + PARAMETER + " of ipam or args.cni, or in the annotation "
                            + ANNOTATION);
        }
        long taken;
        try (Stream<Row<Member>> rows = tx.scan(MEMBERS, "")) {
            taken = rows.filter(row -> row.value().refusal().isEmpty()).count();
        }
        if (taken >= limit) {
            return Decision.refuse(ErrorKind.QUOTA_EXHAUSTED, "all " + limit + " member ENIs of this node are taken");
        }
        long number = tx.get(STAMPS, LAST).map(Row::value).map(Long::parseLong).orElse(0L) + 1;
        String stamp = number + "-" + calledBy(claim);
        tx.put(STAMPS, LAST, Long.toString(number));
        tx.put(MEMBERS, claim.id().text(), Member.wanted(stamp, groups));
        tx.effect("create", stamp, claim.id().text());
        return Decision.later(NEXT_LOOK, "its ENI is being made");
    }

    /** Which call a claim is: the table alone may be younger than the tokens that the cloud remembers. */
    private static String calledBy(Claim claim) {
        return Long.toString(claim.deadline().toEpochMilli(), Character.MAX_RADIX);
    }

    /** What a pod asks for, as a list with commas or as JSON. */
    private static List<String> groups(Claim claim) {
        Map<String, String> parameters = claim.wishes().parameters();
        String asked = Stream.of(
                        parameters.get("args." + PARAMETER),
                        parameters.get(PARAMETER),
                        claim.subject().annotations().get(ANNOTATION))
                .filter(text -> text != null && !text.isBlank())
                .findFirst()
                .orElse("");
        return Arrays.stream(asked.split("[\\[\\]\",\\s]+"))
                .filter(group -> group.matches("[A-Za-z0-9-]{1,64}"))
                .distinct()
                .toList();
    }

    private static Grant grant(ClaimId claim, Member member) {
        Map<String, String> known = member.attributes();
        Prefix address =
                Prefix.of(known.getOrDefault(Member.ADDRESS, "")).withGateway(known.getOrDefault(Member.GATEWAY, ""));
        return Grant.of(claim, address).withAttributes(known);
    }

    @Override
    public void release(Grant grant, Transaction tx) {
        abandon(grant.claim(), tx);
    }

    @Override
    public void abandon(ClaimId claim, Transaction tx) {
        tx.get(MEMBERS, claim.text()).ifPresent(row -> {
            tx.delete(MEMBERS, claim.text());
            tx.effect("delete", row.value().stamp(), claim.text());
        });
    }

    @Override
    public CompletionStage<EffectResult> perform(Effect effect) {
        ClaimId claim = new ClaimId(effect.arguments());
        if (effect.handler().equals("delete")) {
            return cloud.remove(claim, effect.token())
                    .thenApply(outcome -> outcome.fold(done -> EffectResult.performed(), Outcome.NotDone::failure));
        }
        Optional<Member> wanted = wanted(claim, effect.token());
        if (wanted.isEmpty()) {
            return CompletableFuture.completedStage(EffectResult.performed());
        }
        return cloud.make(claim, wanted.get())
                .thenCompose(outcome -> outcome.fold(
                        known -> note(claim, wanted.get(), wanted.get().ready(known)), notDone -> {
                            Failed failure = notDone.failure();
                            return notDone.unknown() || passes(failure.kind())
                                    ? CompletableFuture.<EffectResult>completedStage(failure)
                                    : note(
                                            claim,
                                            wanted.get(),
                                            wanted.get().refused(failure.kind(), failure.message()));
                        }));
    }

    /** Whether the effect is tried again, while the pod's caller waits: a limit is reported at once. */
    private static boolean passes(ErrorKind kind) {
        return kind.transientFailure() && kind != ErrorKind.QUOTA_EXHAUSTED && kind != ErrorKind.ADDRESSES_EXHAUSTED;
    }

    private Optional<Member> wanted(ClaimId claim, String stamp) {
        return journal.read(tx -> tx.get(MEMBERS, claim.text()))
                .map(Row::value)
                .filter(member -> member.stamp().equals(stamp)
                        && !member.isReady()
                        && member.refusal().isEmpty());
    }

    private CompletionStage<EffectResult> note(ClaimId claim, Member wanted, Member now) {
        return journal.commit(tx -> {
            // it was released meanwhile: the effect that deletes the ENI waits already
            if (tx.get(MEMBERS, claim.text()).map(Row::value).equals(Optional.of(wanted))) {
                tx.put(MEMBERS, claim.text(), now);
            }
            return EffectResult.performed();
        });
    }

    @Override
    public CompletionStage<List<Grant>> observe() {
        return cloud.members()
                .thenApply(outcome -> outcome.fold(
                        members -> {
                            List<Grant> grants = new ArrayList<>();
                            members.forEach((claim, attributes) -> grants.add(
                                    grant(claim, Member.wanted("", List.of()).ready(attributes))));
                            return grants;
                        },
                        notDone -> {
                            throw new FactoryException(
                                    notDone.failure().kind(), notDone.failure().message());
                        }));
    }

    @Override
    public List<Check> checks() {
        return cloud.checks();
    }
}
