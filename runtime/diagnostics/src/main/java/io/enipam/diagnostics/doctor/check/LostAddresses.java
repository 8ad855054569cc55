package io.enipam.diagnostics.doctor.check;

import io.enipam.diagnostics.doctor.About;
import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Evidence;
import io.enipam.diagnostics.doctor.Facts;
import io.enipam.diagnostics.doctor.Outcome;
import io.enipam.diagnostics.doctor.Repair;
import io.enipam.diagnostics.doctor.Severity;
import io.enipam.diagnostics.doctor.fact.DifferenceFacts;
import io.enipam.diagnostics.doctor.fact.EngineFacts;
import io.enipam.diagnostics.sources.Saying;
import io.enipam.diagnostics.sources.compare.Difference;
import io.enipam.engine.pool.PoolView;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.ResourceState;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Addresses that the cloud has taken. */
final class LostAddresses implements Check {
    private static final int NAMED = 3;

    private static final About ABOUT = new About(
                    "address-lost",
                    "An address is in the pool and the cloud does not have it",
                    Severity.CRITICAL,
                    "Pool against cloud, in looks that last five seconds; and what the last comparison has"
                            + " found lost (INVALID). CRITICAL if a pod has it, WARN otherwise.",
                    "The pod has no network, and the cloud may give its address to somebody else.",
                    "kubectl delete pod, for each that has one: it comes back with another address")
            .mendedBy(Repair.SYNC);

    @Override
    public About about() {
        return ABOUT;
    }

    @Override
    public Outcome look(Facts facts) {
        DifferenceFacts differences = facts.the(DifferenceFacts.class);
        Set<String> lostEnis = differences.of(Difference.Kind.ENI_NOT_IN_CLOUD).stream()
                .map(Difference::eni)
                .collect(Collectors.toSet());
        Set<String> back = differences.of(Difference.Kind.ADDRESS_BACK).stream()
                .map(Difference::subject)
                .collect(Collectors.toSet());
        List<Evidence> evidence = new ArrayList<>();
        boolean lent = false;
        for (Difference found : differences.of(Difference.Kind.ADDRESS_NOT_IN_CLOUD)) {
            // an ENI that is lost is a finding of its own, and one is enough
            if (!lostEnis.contains(found.eni())) {
                lent |= found.owner().isPresent();
                evidence.addAll(Differing.evidence(found));
            }
        }
        Map<String, List<PoolView.Entry>> byEni = facts.the(EngineFacts.class).pool().entries().stream()
                .filter(entry -> entry.state() == ResourceState.INVALID)
                .collect(Collectors.groupingBy(
                        entry -> Saying.eniOf(entry.resource()), TreeMap::new, Collectors.toList()));
        for (Map.Entry<String, List<PoolView.Entry>> eni : byEni.entrySet()) {
            lent |= eni.getValue().stream().anyMatch(entry -> entry.owner().isPresent());
            evidence.add(
                    eni.getValue().size() == 1
                            ? one(eni.getValue().get(0), back)
                            : together(eni.getKey(), eni.getValue(), back));
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
                        : "the cloud has lost an address that nobody has",
                "the cloud has every address of the pool");
    }

    private static Evidence one(PoolView.Entry entry, Set<String> back) {
        String id = entry.resource().id().value();
        return new Evidence(
                id,
                (back.contains(id) ? "the cloud has given it back" : "the cloud has taken it away")
                        + entry.pod().map(pod -> ", pod " + pod + " has it").orElse(""),
                "pool",
                entry.since());
    }

    /** What was lost with one ENI is one thing. */
    private static Evidence together(String eni, List<PoolView.Entry> entries, Set<String> back) {
        List<String> pods = entries.stream()
                .filter(entry -> entry.owner().isPresent())
                .flatMap(entry -> entry.pod().stream())
                .map(PodRef::toString)
                .sorted()
                .toList();
        long again = entries.stream()
                .filter(entry -> back.contains(entry.resource().id().value()))
                .count();
        String named = pods.stream().limit(NAMED).collect(Collectors.joining(", "));
        return new Evidence(
                eni,
                "the cloud has taken " + Say.count(entries.size(), "address") + " of it away"
                        + (again > 0 ? " and given " + again + " back" : "")
                        + (pods.isEmpty()
                                ? ""
                                : ", " + Say.count(pods.size(), "pod")
                                        + (pods.size() == 1 ? " has one: " : " have some: ")
                                        + named
                                        + (pods.size() > NAMED ? " and " + (pods.size() - NAMED) + " more" : "")),
                "pool",
                entries.stream().map(PoolView.Entry::since).min(Comparator.naturalOrder()));
    }
}
