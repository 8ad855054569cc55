package io.enipam.recovery;

import io.enipam.engine.model.AddressFormat;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.NodeIdentity.NodeRecord;
import io.enipam.engine.model.PlaceholderPod;
import io.enipam.engine.model.Pod;
import io.enipam.engine.model.ResourceKey;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.Datapath.Attachment;
import io.enipam.engine.startup.AddressIndex;
import io.enipam.engine.startup.LeaseClaim;
import io.enipam.recovery.RebuildPlan.Decision;
import io.enipam.recovery.RebuildPlan.Decision.Action;
import io.enipam.recovery.RebuildPlan.Draft;
import io.enipam.recovery.RebuildPlan.Loss;
import io.enipam.recovery.SourceIndex.KernelState;
import io.enipam.recovery.SourceIndex.PodState;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import io.enipam.store.SalvageResult;
import io.enipam.store.SalvageResult.SalvagedRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Decides what a rebuilt database holds. Pure: it sees what is left and what the sources say, and changes nothing.
 *
 * <ol>
 *   <li>{@link LeaseRule} decides each lease that was found.
 *   <li>Each sandbox that is connected and has no lease claims what it is connected with, if that is known.
 *   <li>Of several claims to one address, on whatever resource, the best wins ({@link LeaseClaim.Resolver}). A lease in
 *       doubt is no claim if another sandbox is connected with the resource, or a newer commit held it or lent it to
 *       another one.
 *   <li>A pod that runs and has an address by the API server, and of which no other source knows, gets a lease of it
 *       under a placeholder's name, as a start would give it.
 *   <li>What was freed by that is quarantined. So is every other resource that the cloud lists, if a pod has its
 *       address by the API server, or commits are missing: one of them may have lent it, or begun its cool-down. If the
 *       kernel did not answer, or knows no sandbox at all, that lasts an hour, and {@link Loss} names it.
 *   <li>Holds stay, those in doubt for a whole cool-down at least, unless the resource is lent.
 *   <li>{@link PendingRule} decides what was pending.
 *   <li>The new database counts as unsettled: the next start compares all of it with the sources once more, before
 *       anything is handed out.
 * </ol>
 */
public final class DatabaseRebuilder {

    private final SalvageResult salvaged;
    private final SourceIndex view;
    private final Instant now;
    private final Quarantine quarantine;
    private final AddressIndex<Resource> byAddress = new AddressIndex<>();
    /** The claims by place: two resources with one address are one. */
    private final AddressIndex<List<Claim>> places = new AddressIndex<>();

    private final List<List<Claim>> claims = new ArrayList<>();
    private final LeaseClaim.Resolver<Claim> resolver = new LeaseClaim.Resolver<>(Claim.EVIDENCE);
    /** What no pod has any more, with the pod that had it. */
    private final Map<ResourceKey, Lease> freed = new LinkedHashMap<>();

    /** Leases that end although the kernel does not show who has what. */
    private final List<String> ended = new ArrayList<>();

    private final Draft draft = new Draft();
    private boolean unresolved;

    private DatabaseRebuilder(SalvageResult salvaged, SourceAnswers sources, Instant now, Duration coolDown) {
        this.salvaged = salvaged;
        this.view = new SourceIndex(
                sources,
                salvaged.records().pods().stream().map(SalvagedRecord::value).toList());
        this.now = now;
        this.quarantine = new Quarantine(view, resolver, salvaged.whole(), now, coolDown, draft);
    }

    /** @param coolDown how long an address that was given back is not lent */
    public static RebuildPlan decide(SalvageResult salvaged, SourceAnswers sources, Instant now, Duration coolDown) {
        return new DatabaseRebuilder(salvaged, sources, now, coolDown).decide();
    }

    private RebuildPlan decide() {
        salvaged.records().holds().forEach(hold -> know(hold.value().resource()));
        salvaged.records().leases().forEach(lease -> know(lease.value().resource()));
        view.listed().forEach(this::know);
        salvaged.records().leases().forEach(this::claimOfLease);
        view.sandboxes().stream()
                .filter(sandbox -> salvaged.records().leases().stream()
                        .noneMatch(lease -> lease.value().owner().equals(sandbox.owner())))
                .forEach(this::claimOfSandbox);
        claims.forEach(this::settle);
        view.pods().running().forEach(this::standIn);
        resolver.winners().forEach(this::write);
        salvaged.records().holds().forEach(quarantine::hold);
        freed.values().forEach(quarantine::freed);
        PendingRule pending = new PendingRule(view, resolver.winners(), view.kernelTells() && !unresolved, draft);
        salvaged.records().intents().forEach(pending::intent);
        salvaged.records().operations().forEach(pending::operation);
        view.listed().stream().filter(resource -> !pending.disposing(resource)).forEach(quarantine::doubtful);
        salvaged.records().pods().forEach(copy -> draft.changes().add(new Change.PutPod(copy.value())));
        salvaged.records().rows().forEach(row -> draft.changes().add(new Change.PutRow(row.value())));
        draft.changes()
                .add(new Change.PutNode(
                        new NodeRecord(salvaged.records().node().flatMap(NodeRecord::identity), false)));
        Loss loss = new Loss(
                ended,
                quarantine.doubtful(),
                !salvaged.whole() && !view.kernelTells() && !view.cloudKnown(),
                view.kernelSilence(),
                quarantine.until());
        return new RebuildPlan(draft.decisions(), draft.changes(), loss);
    }

    private void know(Resource resource) {
        byAddress.put(resource, resource);
    }

    // ---- claims

    private void claimOfLease(SalvagedRecord<Lease> found) {
        Lease lease = found.value();
        KernelState kernel = view.kernel(lease.owner(), lease.resource());
        LeaseRule rule = LeaseRule.of(found.certain(), kernel, view.pod(lease.pod(), lease.podUid()));
        Claim claim = claim(lease, Optional.of(found), kernel, rule.why);
        if (rule.fate == LeaseRule.Fate.KEPT) {
            claim(claim);
            return;
        }
        if (rule.fate == LeaseRule.Fate.MOVED) {
            Attachment sandbox = view.sandbox(lease.owner()).orElseThrow();
            Optional<Resource> other = byAddress.at(sandbox);
            if (other.isEmpty()) {
                claim(claim); // better the lease there is than none
                leave(sandbox);
                return;
            }
            claimOf(sandbox, other.get(), lease.pod(), lease.podUid(), lease.stick());
        }
        if (rule.fate == LeaseRule.Fate.RELEASED && !view.kernelTells()) {
            ended.add(lease.pod() + " " + claim.address());
        }
        free(claim, rule.why);
    }

    private void claimOfSandbox(Attachment sandbox) {
        Optional<Resource> resource = byAddress.at(sandbox);
        if (resource.isEmpty()) {
            leave(sandbox);
            return;
        }
        Pod pod = view.pods().of(sandbox);
        claimOf(sandbox, resource.get(), pod.ref(), pod.uid(), pod.stick());
    }

    private void claimOf(Attachment sandbox, Resource resource, PodRef pod, String uid, Duration stick) {
        Lease lease = new Lease(sandbox.owner(), pod, uid, resource, stick, now);
        claim(claim(lease, Optional.empty(), KernelState.ATTACHED, "the sandbox is connected with it"));
    }

    /** @param found the lease in the database, if it is of there */
    private Claim claim(Lease lease, Optional<SalvagedRecord<Lease>> found, KernelState kernel, String why) {
        return new Claim(
                lease,
                found.isPresent(),
                found.filter(SalvagedRecord::certain).isPresent(),
                found.map(SalvagedRecord::generation).orElse(0L),
                kernel,
                view.pod(lease.pod(), lease.podUid()),
                view.told(lease.pod(), lease.podUid(), lease.resource()),
                why);
    }

    private void claim(Claim claim) {
        List<Claim> place = places.at(claim.resource()).orElseGet(() -> {
            List<Claim> first = new ArrayList<>();
            claims.add(first);
            return first;
        });
        place.add(claim);
        places.put(claim.resource(), place);
    }

    /** A pod that runs and has an address by the API server alone keeps it under a placeholder's name. */
    private void standIn(Pod pod) {
        boolean housed = resolver.winners().stream()
                        .flatMap(claim -> view
                                .pods()
                                .running(claim.lease().pod(), claim.lease().podUid())
                                .stream())
                        .anyMatch(pod::equals)
                || view.sandboxes().stream()
                        .anyMatch(sandbox -> view.pods().of(sandbox).ref().equals(pod.ref()));
        if (housed) {
            return;
        }
        view.listed().stream()
                .filter(resource -> view.told(pod.ref(), pod.uid(), resource))
                .filter(resource -> resolver.holder(resource).isEmpty())
                .filter(resource -> salvaged.records().holds().stream()
                        .noneMatch(hold -> hold.certain() // and then the pod gave it back
                                && AddressIndex.same(hold.value().resource(), resource)
                                && hold.value().pod().equals(pod.ref())))
                .findFirst()
                .map(resource -> new Lease(PlaceholderPod.of(pod), pod.ref(), pod.uid(), resource, pod.stick(), now))
                .ifPresent(lease -> resolver.win(claim(
                        lease,
                        Optional.empty(),
                        view.kernelKnown() ? KernelState.ABSENT : KernelState.UNKNOWN,
                        "the pod runs with it by the API server; its next ADD gets it")));
    }

    private void leave(Attachment sandbox) {
        unresolved = true;
        String pod = sandbox.pod().map(ref -> ref + " ").orElse("");
        draft.decisions()
                .add(new Decision(
                        Action.LEAVE,
                        sandbox.addresses().stream()
                                .map(AddressFormat::text)
                                .sorted()
                                .collect(Collectors.joining(", ")),
                        pod + "(" + sandbox.owner().containerId() + ")",
                        "nothing",
                        KernelState.ATTACHED.words,
                        "-",
                        "-",
                        "neither the cloud nor the database knows the address; the next start sees to it before anything is handed"
                                + " out"));
    }

    // ---- who wins

    private void settle(List<Claim> all) {
        List<Claim> standing = new ArrayList<>();
        for (Claim claim : all) {
            Optional<String> contradiction = contradiction(claim, all);
            if (contradiction.isPresent()) {
                free(claim, contradiction.get());
            } else {
                standing.add(claim);
            }
        }
        resolver.settle(standing, (loser, winner) -> {
            String connected = loser.attached() ? "; this sandbox is connected with it, too: delete that pod" : "";
            String why = "the address is " + winner.of() + "'s, whose claim is the better one" + connected;
            draft.decisions().add(decision(Action.DROP_LEASE, loser, why));
        });
    }

    /** Why a lease that may be stale must have ended: its address is or was another's later on. */
    private Optional<String> contradiction(Claim claim, List<Claim> all) {
        if (claim.attached() || claim.certain() || !claim.salvaged()) {
            return Optional.empty();
        }
        Optional<Claim> connected = all.stream().filter(Claim::attached).findFirst();
        if (connected.isPresent()) { // whether its pod runs or not: no other pod may get it as long as that is so
            return Optional.of("the sandbox of " + connected.get().of() + " is connected with it");
        }
        Optional<String> lent = all.stream()
                .filter(other -> other.salvaged() && other.generation() > claim.generation())
                .filter(other -> !other.lease().owner().equals(claim.lease().owner()))
                .findFirst()
                .map(other -> "commit " + other.generation() + " lent the address to " + other.of());
        return lent.or(() -> salvaged.records().holds().stream()
                .filter(hold -> AddressIndex.same(hold.value().resource(), claim.resource())
                        && hold.generation() > claim.generation())
                .findFirst()
                .map(hold -> "commit " + hold.generation() + " shows that the address was given back"));
    }

    private void free(Claim claim, String why) {
        freed.putIfAbsent(ResourceKey.of(claim.resource()), claim.lease());
        draft.decisions().add(decision(Action.DROP_LEASE, claim, why));
    }

    private void write(Claim winner) {
        Action action = winner.salvaged() ? Action.KEEP_LEASE : Action.REBUILD_LEASE;
        draft.add(decision(action, winner, winner.why()), new Change.PutLease(winner.lease()));
    }

    private Decision decision(Action action, Claim claim, String why) {
        return new Decision(
                action,
                claim.address(),
                claim.of(),
                claim.database(),
                claim.kernel().words,
                claim.pod().words,
                view.cloud(claim.resource()),
                why);
    }

    /**
     * What becomes of a lease that was found in a damaged database, as far as it alone is concerned. The rule behind all lines:
     * a pod that may be using an address keeps it; an address that is freed is not lent for a while.
     *
     * <table>
     *   <caption>The lines</caption>
     *   <tr><th>database</th><th>kernel</th><th>pod</th><th>outcome</th></tr>
     *   <tr><td>any</td><td>attached with it</td><td>any</td><td>kept</td></tr>
     *   <tr><td>any</td><td>attached with another</td><td>any</td><td>moved: the sandbox has what it is connected with</td></tr>
     *   <tr><td>certain</td><td>not attached, or unknown</td><td>any</td><td>kept: its ADD comes again, or DEL or the collector
     *       ends it, as after any start</td></tr>
     *   <tr><td>may be stale</td><td>unknown</td><td>any</td><td>kept: the pod may be connected</td></tr>
     *   <tr><td>may be stale</td><td>not attached</td><td>runs</td><td>kept: its ADD may not have ended</td></tr>
     *   <tr><td>may be stale</td><td>not attached</td><td>unknown</td><td>kept</td></tr>
     *   <tr><td>may be stale</td><td>not attached</td><td>gone</td><td>released: three sources against none</td></tr>
     * </table>
     */
    enum LeaseRule {
        CONNECTED(Fate.KEPT, "the sandbox is connected with it"),
        CONNECTED_ELSEWHERE(Fate.MOVED, "the sandbox is connected with another address"),
        PROVEN(Fate.KEPT, "the database is certain of it"),
        KERNEL_SILENT(Fate.KEPT, "in doubt: the kernel did not answer, the pod may be connected"),
        POD_RUNS(Fate.KEPT, "in doubt: the pod runs, its ADD may not have ended"),
        POD_UNKNOWN(Fate.KEPT, "in doubt: the pod may run"),
        NO_TRACE(Fate.RELEASED, "the lease may be stale, the sandbox is not connected, and the pod is gone");

        enum Fate {
            KEPT,
            MOVED,
            RELEASED
        }

        final Fate fate;
        final String why;

        LeaseRule(Fate fate, String why) {
            this.fate = fate;
            this.why = why;
        }

        static LeaseRule of(boolean certain, KernelState kernel, PodState pod) {
            if (kernel == KernelState.ATTACHED) {
                return CONNECTED;
            }
            if (kernel == KernelState.ELSEWHERE) {
                return CONNECTED_ELSEWHERE;
            }
            if (certain) {
                return PROVEN;
            }
            if (kernel == KernelState.UNKNOWN) {
                return KERNEL_SILENT;
            }
            return switch (pod) {
                case RUNS -> POD_RUNS;
                case UNKNOWN -> POD_UNKNOWN;
                case GONE -> NO_TRACE;
            };
        }
    }
}
