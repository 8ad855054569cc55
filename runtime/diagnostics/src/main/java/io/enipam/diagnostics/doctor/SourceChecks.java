package io.enipam.diagnostics.doctor;

import io.enipam.diagnostics.doctor.Outcome.Evidence;
import io.enipam.diagnostics.doctor.Outcome.Severity;
import io.enipam.diagnostics.doctor.PoolChecks.EngineState;
import io.enipam.diagnostics.sources.Snapshot.SourceReply;
import io.enipam.diagnostics.sources.Statement;
import io.enipam.diagnostics.sources.compare.Difference;
import io.enipam.diagnostics.sources.compare.Difference.Kind;
import io.enipam.diagnostics.sources.compare.SourceComparison;
import io.enipam.engine.pool.PoolReconciler.ReconcileReport;
import io.enipam.engine.pool.PoolView;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.ResourceState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Differences between the sources: database, pool, ENI registry, cloud, kernel and API server. */
public final class SourceChecks {
    private static final int PODS_NAMED = 3;

    private SourceChecks() {}

    static List<Check> all() {
        return List.of(
                new Check(
                        "address-duplicate",
                        "One address is in two places",
                        Severity.CRITICAL,
                        "What the database, the pool, the cloud and the kernel say of each address, in looks that"
                                + " last five seconds with nothing under way. CRITICAL for an address that one of"
                                + " them has twice.",
                        "Two pods share one address: packets go to either.",
                        "explain the address; delete the younger of the two pods; db verify",
                        facts -> differing(
                                facts,
                                Severity.CRITICAL,
                                Set.of(Kind.ADDRESS_TWICE),
                                Set.of(),
                                "every address is in one place")),
                new Check(
                                "address-leaked",
                                "An ENI has an unknown address",
                                Severity.WARN,
                                "The cloud's addresses of this node's ENIs against the pool, in looks that last five"
                                        + " seconds.",
                                "It costs an address of the vSwitch and a place on the ENI that no pod can have.",
                                "pool sync takes it up or gives it back",
                                facts -> differing(
                                        facts,
                                        Severity.WARN,
                                        Set.of(Kind.ADDRESS_UNKNOWN),
                                        Set.of("cloud"),
                                        "every address of the ENIs is known"))
                        .mendedBy(Repair.SYNC),
                new Check(
                                "eni-lost",
                                "An ENI in use does not serve this node any more",
                                Severity.CRITICAL,
                                "The ENIs that the daemon counts on against the cloud's, in looks that last five"
                                        + " seconds. CRITICAL for one that is detached, elsewhere or gone.",
                                "Every pod with an address of it is without network.",
                                "pool sync, so that nothing of it is lent any more; then delete the pods that have"
                                        + " its addresses",
                                facts -> differing(
                                        facts,
                                        Severity.CRITICAL,
                                        Set.of(Kind.ENI_NOT_IN_CLOUD),
                                        Set.of("cloud"),
                                        "every ENI in use is attached"))
                        .mendedBy(Repair.SYNC),
                new Check(
                        "hold-differs",
                        "A cool-down or reservation is in one place only",
                        Severity.WARN,
                        "Holds in the database against the pool, in looks that last five seconds.",
                        "After a restart an address may be lent before its time, or not to the pod it is kept for.",
                        "db verify",
                        facts -> differing(
                                facts,
                                Severity.WARN,
                                Set.of(Kind.HOLD_DIFFERS),
                                Set.of(),
                                "database and pool keep the same holds")),
                new Check(
                        "lease-contradiction",
                        "Database and pool do not agree who has an address",
                        Severity.CRITICAL,
                        "Leases in the database against what the pool has lent, in looks that last five seconds with"
                                + " no ADD or DEL of the pod under way.",
                        "After a restart the address may be given to a second pod.",
                        "db verify; db backup FILE; restart the daemon, which decides by all sources",
                        facts -> differing(
                                facts,
                                Severity.CRITICAL,
                                Set.of(Kind.LEASE_NOT_IN_POOL, Kind.LENT_WITHOUT_LEASE),
                                Set.of(),
                                "every lease is in the pool and the other way round")),
                new Check(
                        "pod-address-differs",
                        "The cluster tells another address of a pod than its lease",
                        Severity.WARN,
                        "Leases against the addresses in the pods' status, in looks that last five seconds.",
                        "Services send packets to an address that is not the pod's.",
                        "explain the pod; kubectl delete pod",
                        facts -> differing(
                                facts,
                                Severity.WARN,
                                Set.of(Kind.POD_TELLS_ANOTHER),
                                Set.of("API server"),
                                "the cluster tells the same addresses")),
                new Check(
                        "pod-without-lease",
                        "A pod has an address that it did not get here",
                        Severity.WARN,
                        "Pods of this node with an address in their status, those that have finished or are being"
                                + " deleted left out, against the leases, in looks that last five seconds.",
                        "Its address may be lent to another pod, and both would have it; or it was there before this"
                                + " daemon, and its network is another one's.",
                        "explain the pod; kubectl delete pod: its next sandbox gets an address from here",
                        facts -> differing(
                                facts,
                                Severity.WARN,
                                Set.of(Kind.POD_WITHOUT_LEASE),
                                Set.of("API server"),
                                "every pod has its address from here")),
                new Check(
                        "sandbox-disconnected",
                        "A lease whose pod is not connected",
                        Severity.CRITICAL,
                        "Leases against the sandboxes that the kernel is connected to, in looks that last five"
                                + " seconds.",
                        "The pod has an address and no network.",
                        "kubectl delete pod: its next sandbox is connected anew",
                        facts -> differing(
                                facts,
                                Severity.CRITICAL,
                                Set.of(Kind.LEASE_NOT_CONNECTED),
                                Set.of("kernel"),
                                "every lease is connected")),
                new Check(
                        "sandbox-stray",
                        "The kernel is connected to a sandbox without a lease",
                        Severity.WARN,
                        "Sandboxes that the kernel is connected to against the leases, in looks that last five"
                                + " seconds.",
                        "Its address may be lent to another pod, and both would have it.",
                        "cni del --pod NS/NAME --container ID",
                        facts -> differing(
                                facts,
                                Severity.WARN,
                                Set.of(Kind.CONNECTED_WITHOUT_LEASE),
                                Set.of("kernel"),
                                "every connected sandbox has its lease")),
                new Check(
                                "address-lost",
                                "An address is in the pool and the cloud does not have it",
                                Severity.CRITICAL,
                                "Pool against cloud, in looks that last five seconds; and what the last comparison"
                                        + " has found lost (INVALID). CRITICAL if a pod has it, WARN otherwise.",
                                "The pod has no network, and the cloud may give its address to another machine.",
                                "kubectl delete pod, for each that has one: it comes back with another address",
                                SourceChecks::lostAddresses)
                        .mendedBy(Repair.SYNC),
                new Check(
                                "address-file-differs",
                                "An address of the node's CIDR has a file that does not fit",
                                Severity.WARN,
                                "In mode VPC: the files of vpc.address_dir that are older than two minutes, against"
                                        + " the leases and the routes of the node: files that name no owner, or"
                                        + " another than the lease's, those of enipam without a lease, and those of"
                                        + " host-local whose address no route leads to.",
                                "The address is lost for pods as long as the file is there, or a pod may lose it to"
                                        + " another.",
                                "pool sync writes enipam's own again; remove a file of host-local when 'crictl pods'"
                                        + " has no sandbox of its id",
                                SourceChecks::addressFilesDiffer)
                        .mendedBy(Repair.SYNC),
                new Check(
                                "reconcile-late",
                                "The comparison with the cloud is behind",
                                Severity.WARN,
                                "The last comparison of pool and cloud. WARN if none has ended for three intervals of"
                                        + " pool.sync_interval, or the last one could not ask for something.",
                                "What the cloud lost is lent on until a comparison finds it: pods get addresses that"
                                        + " do not work.",
                                "pool sync; ecs calls --failed",
                                SourceChecks::reconcileLate)
                        .mendedBy(Repair.SYNC));
    }

    private static Outcome lostAddresses(Facts facts) {
        SourceDifferences differences = facts.the(SourceDifferences.class);
        Set<String> lostEnis = differences.of(Kind.ENI_NOT_IN_CLOUD).stream()
                .map(Difference::eni)
                .collect(Collectors.toSet());
        Set<String> back = differences.of(Kind.ADDRESS_BACK).stream()
                .map(Difference::subject)
                .collect(Collectors.toSet());
        List<Evidence> evidence = new ArrayList<>();
        boolean lent = false;
        for (Difference found : differences.of(Kind.ADDRESS_NOT_IN_CLOUD)) {
            // an ENI that is lost is a finding of its own, and one is enough
            if (!lostEnis.contains(found.eni())) {
                lent |= found.owner().isPresent();
                evidence.addAll(evidence(found));
            }
        }
        Map<String, List<PoolView.Entry>> byEni = facts.the(EngineState.class).pool().entries().stream()
                .filter(entry -> entry.state() == ResourceState.INVALID)
                .collect(Collectors.groupingBy(
                        entry -> Statement.eniOf(entry.resource()), TreeMap::new, Collectors.toList()));
        for (Map.Entry<String, List<PoolView.Entry>> eni : byEni.entrySet()) {
            lent |= eni.getValue().stream().anyMatch(entry -> entry.owner().isPresent());
            evidence.add(
                    eni.getValue().size() == 1
                            ? lostAddress(eni.getValue().get(0), back)
                            : addressesLostWith(eni.getKey(), eni.getValue(), back));
        }
        if (evidence.isEmpty() && differences.silent().containsKey("cloud")) {
            return Outcome.skipped(
                    "the cloud does not say: " + differences.silent().get("cloud"));
        }
        return Outcome.unless(
                evidence,
                lent ? Severity.CRITICAL : Severity.WARN,
                lent
                        ? "a pod has an address that the cloud does not have"
                        : "the cloud has lost an address that no pod has",
                "the cloud has every address of the pool");
    }

    private static Evidence lostAddress(PoolView.Entry entry, Set<String> back) {
        String id = entry.resource().id().value();
        return new Evidence(
                id,
                (back.contains(id) ? "the cloud has given it back" : "the cloud has taken it away")
                        + entry.pod().map(pod -> ", pod " + pod + " has it").orElse(""),
                "pool",
                entry.since());
    }

    /** What was lost with one ENI is one thing. */
    private static Evidence addressesLostWith(String eni, List<PoolView.Entry> entries, Set<String> back) {
        List<String> pods = entries.stream()
                .filter(entry -> entry.owner().isPresent())
                .flatMap(entry -> entry.pod().stream())
                .map(PodRef::toString)
                .sorted()
                .toList();
        long again = entries.stream()
                .filter(entry -> back.contains(entry.resource().id().value()))
                .count();
        String named = pods.stream().limit(PODS_NAMED).collect(Collectors.joining(", "));
        return new Evidence(
                eni,
                "the cloud has taken " + Figures.count(entries.size(), "address") + " of it away"
                        + (again > 0 ? " and given " + again + " back" : "")
                        + (pods.isEmpty()
                                ? ""
                                : ", " + Figures.count(pods.size(), "pod")
                                        + (pods.size() == 1 ? " has one: " : " have some: ")
                                        + named
                                        + (pods.size() > PODS_NAMED
                                                ? " and " + (pods.size() - PODS_NAMED) + " more"
                                                : "")),
                "pool",
                entries.stream().map(PoolView.Entry::since).min(Comparator.naturalOrder()));
    }

    private static Outcome addressFilesDiffer(Facts facts) {
        AddressFileState files = facts.the(AddressFileState.class);
        if (files.place().isEmpty()) {
            return Outcome.notApplicable("pods get no addresses of the node's CIDR");
        }
        return Outcome.each(
                files.odd().stream().map(odd -> new Evidence(odd.address(), odd.seen(), "host", odd.written())),
                Severity.WARN,
                n -> Figures.count(n, "address") + " of " + files.place() + " whose file does not fit",
                files.ours() + " addresses of " + files.place() + " are enipam's, " + files.others()
                        + " are of others, and all files fit");
    }

    private static Outcome reconcileLate(Facts facts) {
        Duration interval = facts.the(EngineState.class).config().reconcileInterval();
        Optional<ReconcileReport> last = facts.the(EngineState.class).status().lastReconcile();
        return LeaseChecks.late(
                        facts,
                        interval,
                        last.map(ReconcileReport::finishedAt),
                        "comparison",
                        (ago, due) -> "pool and cloud were not compared for " + ago + ", that is due every " + due)
                .orElseGet(() -> Outcome.each(
                        last.stream()
                                .flatMap(report -> report.problems().stream()
                                        .map(problem ->
                                                new Evidence("comparison", problem, "cloud", report.finishedAt()))),
                        Severity.WARN,
                        n -> "the last comparison of pool and cloud was not complete",
                        "they are compared every " + Figures.span(interval)));
    }

    /**
     * A finding for each difference of these kinds.
     *
     * @param sources without whose answer the check is skipped
     */
    private static Outcome differing(
            Facts facts, Severity severity, Set<Kind> kinds, Set<String> sources, String well) {
        SourceDifferences differences = facts.the(SourceDifferences.class);
        List<Difference> found = differences.differences().stream()
                .filter(difference -> kinds.contains(difference.kind()))
                .toList();
        Optional<String> silent =
                sources.stream().filter(differences.silent()::containsKey).findFirst();
        if (found.isEmpty() && silent.isPresent()) {
            return Outcome.skipped("the " + silent.get() + " does not say: "
                    + differences.silent().get(silent.get()));
        }
        if (found.isEmpty()) {
            return Outcome.ok(well);
        }
        return Outcome.of(
                severity,
                found.get(0).what() + (found.size() == 1 ? "" : ", and " + (found.size() - 1) + " more"),
                found.stream().flatMap(one -> evidence(one).stream()).toList());
    }

    private static List<Evidence> evidence(Difference difference) {
        return difference.says().entrySet().stream()
                .map(said -> new Evidence(difference.subject(), said.getValue(), said.getKey()))
                .toList();
    }

    /**
     * Where the sources differ, after looks that lasted.
     *
     * @param silent sources that did not answer or are not there, and why
     */
    public record SourceDifferences(List<Difference> differences, Map<String, String> silent) {
        public SourceDifferences {
            differences = List.copyOf(differences);
            silent = Map.copyOf(silent);
        }

        public static SourceDifferences of(SourceComparison.Outcome outcome) {
            return new SourceDifferences(
                    outcome.differences(),
                    outcome.snapshot().replies().stream()
                            .filter(account -> !account.known())
                            .collect(Collectors.toMap(SourceReply::source, SourceReply::why)));
        }

        /** Those of a kind. */
        public List<Difference> of(Difference.Kind kind) {
            return differences.stream().filter(found -> found.kind() == kind).toList();
        }
    }
}
