package io.enipam.engine.startup;

import io.enipam.engine.model.Event;
import io.enipam.engine.model.Hold;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.PlaceholderPod;
import io.enipam.engine.model.Pod;
import io.enipam.engine.port.Datapath.Attachment;
import io.enipam.engine.startup.ObservedState.EndedLease;
import io.enipam.engine.startup.RecoveryPlan.RecoveryPlanBuilder;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import java.net.InetAddress;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Pods that run with an address of which only the API server knows: each keeps it under a placeholder's name. These are
 * lines 14 and 15 of the {@link LeaseConflictResolver}'s cases. What is known of pods is looked up by their names: a
 * node may have hundreds.
 */
final class PlaceholderLeaseRule {
    private final ObservedState evidence;
    private final RecoveryPlanBuilder rulings;
    private final Map<PodRef, List<Lease>> rows;
    private final Map<PodRef, List<Pod>> connected;
    private final Map<PodRef, List<Hold>> holds;
    private final Map<PodRef, List<EndedLease>> ended;
    private final Map<InetAddress, Resource> listed = new HashMap<>();

    /**
     * @param rows the leases of the database, one for each owner
     * @param sandboxes which are connected with an address
     * @param rulings the decisions so far; receives those made here
     */
    PlaceholderLeaseRule(
            ObservedState evidence,
            Collection<Lease> rows,
            Collection<Attachment> sandboxes,
            RecoveryPlanBuilder rulings) {
        this.evidence = evidence;
        this.rulings = rulings;
        this.rows = rows.stream().collect(Collectors.groupingBy(Lease::pod));
        this.connected = sandboxes.stream().map(evidence.residents()::of).collect(Collectors.groupingBy(Pod::ref));
        this.holds = evidence.holds().stream().collect(Collectors.groupingBy(Hold::pod));
        this.ended = evidence.ended().stream().collect(Collectors.groupingBy(EndedLease::pod));
        evidence.listed()
                .forEach(resource ->
                        resource.addresses().forEach(address -> listed.putIfAbsent(address.ip(), resource)));
    }

    /** Decides for every pod that runs and has nothing. */
    void decide() {
        evidence.residents().running().stream()
                .sorted(Comparator.comparing(pod -> pod.ref().toString()))
                .filter(pod -> !isHoused(pod))
                .forEach(pod -> told(pod).ifPresent(resource -> keep(pod, resource)));
    }

    private boolean isHoused(Pod pod) {
        Stream<String> uids = Stream.of(
                        rulings.winnersOf(pod.ref()).stream().map(Pod::uid),
                        rows.getOrDefault(pod.ref(), List.of()).stream()
                                .filter(row -> !rulings.isDropped(row))
                                .map(Lease::podUid),
                        connected.getOrDefault(pod.ref(), List.of()).stream().map(Pod::uid))
                .flatMap(all -> all);
        return uids.anyMatch(uid -> uid.isEmpty() || pod.uid().isEmpty() || uid.equals(pod.uid()));
    }

    /** What the pod has by the API server, unless it gave that back. */
    private Optional<Resource> told(Pod pod) {
        return pod.addresses().stream()
                .filter(address ->
                        ended.getOrDefault(pod.ref(), List.of()).stream().noneMatch(one -> one.is(pod, address)))
                .flatMap(address -> Optional.ofNullable(listed.get(address)).stream())
                .findFirst()
                .filter(resource -> holds.getOrDefault(pod.ref(), List.of()).stream()
                        .noneMatch(hold -> AddressIndex.same(hold.resource(), resource)));
    }

    private void keep(Pod pod, Resource resource) {
        AddressClaim kept =
                new AddressClaim(PlaceholderPod.of(pod), pod, resource, Optional.empty(), false, true, true);
        Optional<AddressClaim> holder = rulings.holder(resource);
        if (holder.filter(claim -> claim.attached() || claim.runs()).isPresent()) {
            return;
        }
        holder.ifPresent(claim -> rulings.replaceHolder(claim, kept));
        rulings.setHolder(kept);
        rulings.grant(kept);
        rulings.report(
                Event.Severity.WARNING,
                "AddressKept",
                pod.ref().toString(),
                "pod " + pod.ref() + " runs with " + kept.address()
                        + " by the API server, and neither database nor kernel know of it: the address is kept for the pod"
                        + " until it is gone");
    }
}
