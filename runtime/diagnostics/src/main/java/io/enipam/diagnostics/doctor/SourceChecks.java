package io.enipam.diagnostics.doctor;

import static io.enipam.diagnostics.doctor.Figures.count;
import static io.enipam.diagnostics.doctor.Figures.span;
import static io.enipam.diagnostics.doctor.Outcome.Severity.CRITICAL;
import static io.enipam.diagnostics.doctor.Outcome.Severity.WARN;
import static io.enipam.diagnostics.doctor.Outcome.each;
import static io.enipam.diagnostics.doctor.Outcome.found;
import static io.enipam.diagnostics.doctor.Outcome.notApplicable;
import static io.enipam.diagnostics.doctor.Outcome.ok;
import static io.enipam.diagnostics.doctor.Outcome.skipped;
import static io.enipam.diagnostics.doctor.Outcome.unless;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;
import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toSet;

import io.enipam.diagnostics.doctor.Outcome.Evidence;
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
import java.util.function.BiFunction;
import java.util.stream.Stream;

/** Differences between the sources: database, pool, ENI registry, cloud, kernel and API server. */
public final class SourceChecks {
    private static final int PODS_NAMED = 3;

    static final List<Check> ALL = List.of(
            Check.of("address-duplicate", CRITICAL, "One address is in two places")
                    .reads("What the database, the pool, the cloud and the kernel say of each address, in looks that"
                            + " last a second with nothing under way. CRITICAL for an address that one of them has"
                            + " twice.")
                    .because("Two pods share one address: packets go to either.")
                    .advice("explain the address; delete the younger of the two pods; db verify")
                    .by(differing("", "every address is in one place", Kind.ADDRESS_TWICE)),
            Check.of("address-leaked", WARN, "An ENI has an unknown address")
                    .reads("The cloud's addresses of this node's ENIs against the pool, in looks that last five"
                            + " seconds.")
                    .because("It costs an address of the vSwitch and a place on the ENI that no pod can have.")
                    .advice("pool sync takes it up or gives it back")
                    .repairedBy(Repair.SYNC)
                    .by(differing("cloud", "every address of the ENIs is known", Kind.ADDRESS_UNKNOWN)),
            Check.of("eni-lost", CRITICAL, "An ENI in use does not serve this node any more")
                    .reads("The ENIs that the daemon counts on against the cloud's, in looks that last a second."
                            + " CRITICAL for one that is detached, elsewhere or gone.")
                    .because("Every pod with an address of it is without network.")
                    .advice("pool sync, so that nothing of it is lent any more; then delete the pods that have its"
                            + " addresses")
                    .repairedBy(Repair.SYNC)
                    .by(differing("cloud", "every ENI in use is attached", Kind.ENI_NOT_IN_CLOUD)),
            Check.of("hold-differs", WARN, "A cool-down or reservation is in one place only")
                    .reads("Holds in the database against the pool, in looks that last a second.")
                    .because("After a restart an address may be lent before its time, or not to the pod it is kept"
                            + " for.")
                    .advice("db verify")
                    .by(differing("", "database and pool keep the same holds", Kind.HOLD_DIFFERS)),
            Check.of("lease-contradiction", CRITICAL, "Database and pool do not agree who has an address")
                    .reads("Leases in the database against what the pool has lent, in looks that last a second with"
                            + " no ADD or DEL of the pod under way.")
                    .because("After a restart the address may be given to a second pod.")
                    .advice("db verify; db backup FILE; restart the daemon, which decides by all sources")
                    .by(differing(
                            "",
                            "every lease is in the pool and the other way round",
                            Kind.LEASE_NOT_IN_POOL,
                            Kind.LENT_WITHOUT_LEASE)),
            Check.of("pod-address-differs", WARN, "The cluster tells another address of a pod than its lease")
                    .reads("Leases against the addresses in the pods' status, in looks that last a second.")
                    .because("Services send packets to an address that is not the pod's.")
                    .advice("explain the pod; kubectl delete pod")
                    .by(differing("API server", "the cluster tells the same addresses", Kind.POD_TELLS_ANOTHER)),
            Check.of("pod-without-lease", WARN, "A pod has an address that it did not get here")
                    .reads("Pods of this node with an address in their status, those that have finished or are being"
                            + " deleted left out, against the leases and what plugins granted, in looks that last five"
                            + " seconds.")
                    .because("Its address may be lent to another pod, and both would have it; or it was there before"
                            + " this daemon, and its network is another one's.")
                    .advice("explain the pod; kubectl delete pod: its next sandbox gets an address from here")
                    .by(differing("API server", "every pod has its address from here", Kind.POD_WITHOUT_LEASE)),
            Check.of("sandbox-disconnected", CRITICAL, "A lease whose pod is not connected")
                    .reads("Leases against the sandboxes that the kernel is connected to, in looks that last five"
                            + " seconds.")
                    .because("The pod has an address and no network.")
                    .advice("kubectl delete pod: its next sandbox is connected anew")
                    .by(differing("kernel", "every lease is connected", Kind.LEASE_NOT_CONNECTED)),
            Check.of("sandbox-stray", WARN, "The kernel is connected to a sandbox without a lease")
                    .reads("Sandboxes that the kernel is connected to against the leases, in looks that last five"
                            + " seconds.")
                    .because("Its address may be lent to another pod, and both would have it.")
                    .advice("cni del --pod NS/NAME --container ID")
                    .by(differing("kernel", "every connected sandbox has its lease", Kind.CONNECTED_WITHOUT_LEASE)),
            Check.of("address-lost", CRITICAL, "An address is in the pool and the cloud does not have it")
                    .reads("Pool against cloud, in looks that last a second; and what the last comparison has found"
                            + " lost (INVALID). CRITICAL if a pod has it, WARN otherwise.")
                    .because("The pod has no network, and the cloud may give its address to another machine.")
                    .advice("kubectl delete pod, for each that has one: it comes back with another address")
                    .repairedBy(Repair.SYNC)
                    .by(SourceChecks::lostAddresses),
            Check.of("address-file-differs", WARN, "An address of the node's CIDR has a file that does not fit")
                    .reads("In mode VPC: the files of vpc.address_dir that are older than two minutes, against the"
                            + " leases and the routes of the node: files that name no owner, or another than the"
                            + " lease's, those of enipam without a lease, and those of host-local whose address no"
                            + " route leads to.")
                    .because("The address is lost for pods as long as the file is there, or a pod may lose it to"
                            + " another.")
                    .advice("pool sync writes enipam's own again; remove a file of host-local when 'crictl pods' has no"
                            + " sandbox of its id")
                    .repairedBy(Repair.SYNC)
                    .by(SourceChecks::addressFilesDiffer),
            Check.of("reconcile-late", WARN, "The comparison with the cloud is behind")
                    .reads("The last comparison of pool and cloud. WARN if none has ended for three intervals of"
                            + " pool.sync_interval, or the last one could not ask for something.")
                    .because("What the cloud lost is lent on until a comparison finds it: pods get addresses that do"
                            + " not work.")
                    .advice("pool sync; ecs calls --failed")
                    .repairedBy(Repair.SYNC)
                    .by(SourceChecks::reconcileLate));

    private SourceChecks() {}

    private static Outcome lostAddresses(Facts facts) {
        SourceDifferences differences = facts.the(SourceDifferences.class);
        // an ENI that is lost is a finding of its own, and one is enough
        Set<String> lostEnis =
                differences.of(Kind.ENI_NOT_IN_CLOUD).map(Difference::eni).collect(toSet());
        Set<String> back =
                differences.of(Kind.ADDRESS_BACK).map(Difference::subject).collect(toSet());
        List<Difference> missing = differences
                .of(Kind.ADDRESS_NOT_IN_CLOUD)
                .filter(found -> !lostEnis.contains(found.eni()))
                .toList();
        List<PoolView.Entry> invalid = facts.the(EngineState.class).pool().entries().stream()
                .filter(entry -> entry.state() == ResourceState.INVALID)
                .toList();
        List<Evidence> evidence = new ArrayList<>();
        missing.forEach(found -> evidence.addAll(evidence(found)));
        invalid.stream()
                .collect(groupingBy(entry -> Statement.eniOf(entry.resource()), TreeMap::new, toList()))
                .forEach((eni, entries) -> evidence.add(
                        entries.size() == 1 ? lostAddress(entries.get(0), back) : lostWith(eni, entries, back)));
        if (evidence.isEmpty() && differences.silent().containsKey("cloud")) {
            return skipped("the cloud does not say: " + differences.silent().get("cloud"));
        }
        boolean lent = missing.stream().anyMatch(found -> found.owner().isPresent())
                || invalid.stream().anyMatch(entry -> entry.owner().isPresent());
        return unless(
                evidence,
                lent ? CRITICAL : WARN,
                lent
                        ? "a pod has an address that the cloud does not have"
                        : "the cloud has lost an address that no pod has",
                "the cloud has every address of the pool");
    }

    private static Evidence lostAddress(PoolView.Entry entry, Set<String> back) {
        String id = entry.resource().id().value();
        String seen = (back.contains(id) ? "the cloud has given it back" : "the cloud has taken it away")
                + entry.pod().map(pod -> ", pod " + pod + " has it").orElse("");
        return new Evidence(id, seen, "pool", entry.since());
    }

    /** What was lost with one ENI is one thing. */
    private static Evidence lostWith(String eni, List<PoolView.Entry> entries, Set<String> back) {
        List<String> pods = entries.stream()
                .filter(entry -> entry.owner().isPresent())
                .flatMap(entry -> entry.pod().map(PodRef::toString).stream())
                .sorted()
                .toList();
        long again = entries.stream()
                .filter(entry -> back.contains(entry.resource().id().value()))
                .count();
        String seen = "the cloud has taken " + count(entries.size(), "address") + " of it away";
        seen += again > 0 ? " and given " + again + " back" : "";
        if (!pods.isEmpty()) {
            seen += ", " + count(pods.size(), "pod") + (pods.size() == 1 ? " has one: " : " have some: ")
                    + String.join(", ", pods.subList(0, Math.min(PODS_NAMED, pods.size())))
                    + (pods.size() > PODS_NAMED ? " and " + (pods.size() - PODS_NAMED) + " more" : "");
        }
        return new Evidence(
                eni, seen, "pool", entries.stream().map(PoolView.Entry::since).min(Comparator.naturalOrder()));
    }

    private static Outcome addressFilesDiffer(Facts facts) {
        AddressFileState files = facts.the(AddressFileState.class);
        if (files.place().isEmpty()) {
            return notApplicable("pods get no addresses of the node's CIDR");
        }
        return each(
                files.odd().stream().map(odd -> new Evidence(odd.address(), odd.seen(), "host", odd.written())),
                WARN,
                n -> count(n, "address") + " of " + files.place() + " whose file does not fit",
                files.ours() + " addresses of " + files.place() + " are enipam's, " + files.others()
                        + " are of others, and all files fit");
    }

    private static Outcome reconcileLate(Facts facts) {
        EngineState engine = facts.the(EngineState.class);
        Duration interval = engine.config().intervals().reconcile();
        Optional<ReconcileReport> last = engine.status().lastReconcile();
        return PoolChecks.late(
                        facts,
                        interval,
                        last.map(ReconcileReport::finishedAt),
                        "comparison",
                        (ago, due) -> "pool and cloud were not compared for " + ago + ", that is due every " + due)
                .orElseGet(() -> each(
                        last.stream()
                                .flatMap(report -> report.problems().stream()
                                        .map(why -> new Evidence("comparison", why, "cloud", report.finishedAt()))),
                        WARN,
                        n -> "the last comparison of pool and cloud was not complete",
                        "they are compared every " + span(interval)));
    }

    /**
     * A finding for each difference of these kinds.
     *
     * @param source without whose answer the check is skipped; empty text if there is none
     */
    private static BiFunction<Check, Facts, Outcome> differing(String source, String well, Kind... kinds) {
        return (check, facts) -> {
            SourceDifferences differences = facts.the(SourceDifferences.class);
            List<Difference> found = differences.differences().stream()
                    .filter(difference -> List.of(kinds).contains(difference.kind()))
                    .toList();
            if (found.isEmpty()) {
                String silence = differences.silent().get(source);
                return silence == null ? ok(well) : skipped("the " + source + " does not say: " + silence);
            }
            return found(
                    check.worst(),
                    found.get(0).what() + (found.size() == 1 ? "" : ", and " + (found.size() - 1) + " more"),
                    found.stream().flatMap(one -> evidence(one).stream()).toList());
        };
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
        public static SourceDifferences of(SourceComparison.Outcome outcome) {
            return new SourceDifferences(
                    outcome.differences(),
                    outcome.snapshot().replies().stream()
                            .filter(reply -> !reply.known())
                            .collect(toMap(SourceReply::source, SourceReply::why)));
        }

        private Stream<Difference> of(Kind kind) {
            return differences.stream().filter(found -> found.kind() == kind);
        }
    }
}
