package io.enipam.engine.startup;

import static io.enipam.engine.model.Event.Severity.ERROR;
import static io.enipam.engine.model.Event.Severity.WARNING;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toSet;

import io.enipam.engine.lease.UnmanagedSandboxRegistry.UnmanagedSandbox;
import io.enipam.engine.model.AddressFormat;
import io.enipam.engine.model.Event;
import io.enipam.engine.model.Hold;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.PlaceholderPod;
import io.enipam.engine.model.Pod;
import io.enipam.engine.model.ResourceKey;
import io.enipam.engine.port.Datapath.Attachment;
import io.enipam.engine.startup.ObservedState.EndedLease;
import io.enipam.engine.startup.RecoveryPlan.StartupEvent;
import io.enipam.sdk.Address;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import java.net.InetAddress;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Decides who has which address, from what database, kernel, API server and cloud say. Pure: it sees the
 * {@link ObservedState}, and changes nothing.
 *
 * <p>The rule behind all of it: the pod that may be using an address keeps it, and where two would have it, the running
 * pod does. Line by line ("runs" is by the API server; "listed" by the factory; a row is a lease of the database):
 *
 * <table>
 *   <caption>The cases</caption>
 *   <tr><th>database</th><th>kernel</th><th>API server and cloud</th><th>outcome</th></tr>
 *   <tr><td>1. row of address a</td><td>same sandbox, a</td><td>any</td><td>stays</td></tr>
 *   <tr><td>2. row</td><td>sandbox not there</td><td>any</td><td>stays: its ADD comes again, or DEL or the collector
 *       ends it</td></tr>
 *   <tr><td>3. no row; a is idle, cooling down, reserved or about to go back</td><td>sandbox with a</td><td>a
 *       listed</td><td> lease for the sandbox: {@code LeaseRebuilt}</td></tr>
 *   <tr><td>4. no row</td><td>sandbox with a</td><td>a listed, and the pod is unknown</td><td>lease in the name of a
 *       placeholder pod; an ADD of the sandbox names the real one, else the collector ends it:
 *       {@code LeaseRebuilt}</td></tr>
 *   <tr><td>5. no row</td><td>sandbox with a</td><td>a not listed</td><td>no lease; a is kept out of the pool until the
 *       sandbox is disconnected: {@code AttachmentUnlisted}</td></tr>
 *   <tr><td>6. row of a</td><td>same sandbox, b</td><td>b listed</td><td>the row says b from now on, a cools down:
 *       {@code LeaseConflict}</td></tr>
 *   <tr><td>7. row of a</td><td>same sandbox, b</td><td>b not listed</td><td>row stays; b is kept out of the pool:
 *       {@code AttachmentUnlisted}</td></tr>
 *   <tr><td>8. row of a for p</td><td>p not there; sandbox o with a</td><td>not (p runs and o does not)</td><td>o's,
 *       p's row ends: {@code LeaseConflict}</td></tr>
 *   <tr><td>9. row of a for p</td><td>p not there; sandbox o with a</td><td>p runs, o does not</td><td>stays p's; o has
 *       no lease: {@code LeaseConflict}</td></tr>
 *   <tr><td>10. row of a for p</td><td>p and o, both with a</td><td>o alone runs</td><td>o's, p's row ends: {@code
 *       LeaseConflict}</td></tr>
 *   <tr><td>11. row of a for p</td><td>p and o, both with a</td><td>any other</td><td>stays p's; o has no lease: {@code
 *       LeaseConflict}</td></tr>
 *   <tr><td>12. no row</td><td>o and q, both with a</td><td>one runs, or has a by the API server</td><td>that one's,
 *       else the first by name: {@code LeaseConflict}</td></tr>
 *   <tr><td>13. rows of a for p and q</td><td>any</td><td>any</td><td>the one's whose pod runs, else which is
 *       connected, else the newer: {@code LeaseConflict}</td></tr>
 *   <tr><td>14. no row of a, nor for pod p</td><td>nothing of p, no sandbox with a</td><td>p runs and has a; a
 *       listed</td><td>lease for p under a placeholder's name; p's next ADD gets it, the collector ends it when p is
 *       gone or has another address: {@code AddressKept}. Not if the database holds a for p: then p gave it
 *       back</td></tr>
 *   <tr><td>15. row of a for q</td><td>nothing of p, q not there</td><td>p runs and has a, q does not run</td><td>as
 *       14, and q's row ends: {@code LeaseConflict}</td></tr>
 *   <tr><td>16. any</td><td>sandbox without an address</td><td>any</td><td>nothing: it is half made or half
 *   gone</td></tr>
 *   <tr><td>17. row of a</td><td>same sandbox, b</td><td>b is another's by these rules</td><td>row stays, unless a is
 *       another's, too: {@code LeaseConflict}</td></tr>
 * </table>
 *
 * <p>An address is one, whatever the ids of the resources that have it: it may have moved from one interface to
 * another. A connected sandbox without a lease keeps the address out of the pool, also once its holder gives it back.
 */
final class LeaseConflictResolver {
    private final ObservedState observed;
    private final AddressIndex<Resource> byAddress = new AddressIndex<>();
    /** By owner, and in that order. */
    private final Map<OwnerKey, Attachment> sandboxes;

    private final SortedMap<OwnerKey, Lease> rows = new TreeMap<>();
    private final Set<ResourceKey> listed = new HashSet<>();
    private final List<AddressClaim> claims = new ArrayList<>();
    private final LeaseClaim.Resolver<AddressClaim> resolver = new LeaseClaim.Resolver<>(AddressClaim.EVIDENCE);
    private final Map<OwnerKey, Lease> granted = new LinkedHashMap<>();
    private final Set<Lease> dropped = new LinkedHashSet<>();
    private final List<UnmanagedSandbox> strays = new ArrayList<>();
    private final List<StartupEvent> findings = new ArrayList<>();

    private LeaseConflictResolver(ObservedState observed) {
        this.observed = observed;
        this.sandboxes = new LinkedHashMap<>(Attachment.byOwner(observed.sandboxes()));
    }

    static RecoveryPlan resolve(ObservedState observed) {
        return new LeaseConflictResolver(observed).resolve();
    }

    private RecoveryPlan resolve() {
        // the last statement counts
        observed.holds().forEach(hold -> byAddress.put(hold.resource(), hold.resource()));
        observed.rows().forEach(row -> byAddress.put(row.resource(), row.resource()));
        observed.listed().forEach(resource -> byAddress.put(resource, resource));
        observed.listed().forEach(resource -> listed.add(ResourceKey.of(resource)));
        observed.rows().forEach(row -> rows.put(row.owner(), row));
        rows.values().forEach(this::claimOfRow);
        sandboxes.values().stream()
                .filter(sandbox -> !rows.containsKey(sandbox.owner()))
                .forEach(sandbox -> claimOfSandbox(sandbox, resourceOf(sandbox)));
        resolver.settle(claims, this::lose);
        resolver.winners().stream().filter(claim -> claim.row().isEmpty()).forEach(this::grant);
        Set<Lease> won = rowsOfWinners().collect(toSet());
        // the owner did not get the other address that it is connected with: its row stays, unless its own is taken
        List<AddressClaim> left = rows.values().stream()
                .filter(row -> !dropped.contains(row) && !granted.containsKey(row.owner()) && !won.contains(row))
                .map(row -> claim(row, false))
                .toList();
        resolver.settle(left, (claim, holder) -> claim.row().ifPresent(dropped::add));
        keepWhatPodsRunWith();
        AddressIndex<Lease> free = new AddressIndex<>();
        // the owner has another address now: its own is free, unless another owner has it
        List<Lease> freed = rows.values().stream()
                .filter(row -> granted.containsKey(row.owner()))
                .filter(row -> resolver.holder(row.resource()).isEmpty() && free.take(row.resource(), row))
                .toList();
        List<Lease> upheld =
                rowsOfWinners().filter(row -> !dropped.contains(row)).toList();
        return new RecoveryPlan(
                upheld,
                List.copyOf(granted.values()),
                List.copyOf(dropped),
                freed,
                List.copyOf(strays),
                List.copyOf(findings));
    }

    private Stream<Lease> rowsOfWinners() {
        return resolver.winners().stream().flatMap(claim -> claim.row().stream());
    }

    private void claimOfRow(Lease row) {
        Attachment sandbox = sandboxes.get(row.owner());
        boolean attached = sandbox != null && !Collections.disjoint(row.addresses(), sandbox.addresses());
        if (sandbox != null && !attached) {
            Resource other = resourceOf(sandbox);
            claimOfSandbox(sandbox, other);
            if (other != null) {
                return;
            }
        }
        claims.add(claim(row, attached));
    }

    private AddressClaim claim(Lease row, boolean attached) {
        Pod pod = podOf(row);
        boolean runs = observed.pods().runs(row.pod(), row.podUid());
        boolean isListed = listed.contains(ResourceKey.of(row.resource()));
        return new AddressClaim(row.owner(), pod, row.resource(), Optional.of(row), attached, runs, isListed);
    }

    private Pod podOf(Lease row) {
        return observed.pods()
                .of(row.pod())
                .filter(pod -> pod.uid().equals(row.podUid()))
                .orElseGet(() -> new Pod(row.pod(), row.podUid(), false, row.stick()));
    }

    private void claimOfSandbox(Attachment sandbox, @Nullable Resource resource) {
        Pod pod = observed.pods().of(sandbox);
        if (resource == null) {
            unlisted(sandbox, pod);
            return;
        }
        boolean runs = observed.pods().runs(pod.ref(), pod.uid());
        boolean isListed = listed.contains(ResourceKey.of(resource));
        claims.add(new AddressClaim(sandbox.owner(), pod, resource, Optional.empty(), true, runs, isListed));
    }

    private @Nullable Resource resourceOf(Attachment sandbox) {
        return byAddress.at(sandbox).orElse(null);
    }

    private void unlisted(Attachment sandbox, Pod pod) {
        Set<InetAddress> unknown = sandbox.addresses().stream()
                .filter(address -> byAddress.at(address).isEmpty())
                .collect(toSet());
        String addresses = unknown.stream().map(AddressFormat::text).sorted().collect(Collectors.joining(", "));
        stray(sandbox.owner(), pod, sandbox.addresses(), unknown);
        String what = "container " + sandbox.owner().containerId() + " of pod " + pod.ref() + " is connected with "
                + addresses + ", which the cloud does not list for this node: the address is lent to no pod; delete"
                + " the pod, so that it comes back with another one";
        report(ERROR, "AttachmentUnlisted", sandbox.owner(), what);
    }

    private void grant(AddressClaim winner) {
        granted.put(winner.owner(), winner.lease(observed.now()));
        Lease before = rows.get(winner.owner());
        String connected = winner.who() + " is connected with " + winner.address();
        if (before == null) {
            String what = connected + ", and the database had no lease: it has one now";
            report(WARNING, "LeaseRebuilt", winner.pod().ref(), what);
        } else {
            String what = connected + ", and its lease was of " + AddressFormat.of(before.resource())
                    + ": the lease is of the former now";
            report(ERROR, "LeaseConflict", winner.pod().ref(), what);
        }
    }

    /** A claim that finds the place taken gets no lease. */
    private void lose(AddressClaim loser, AddressClaim winner) {
        loser.row().ifPresent(dropped::add);
        if (loser.attached()) {
            // once the winner gives the address back, the loser has it still
            Attachment sandbox = sandboxes.get(loser.owner());
            Set<InetAddress> used = sandbox == null ? loser.addresses() : sandbox.addresses();
            stray(loser.owner(), loser.pod(), used, used);
        }
        String reason = winner.attached() ? "which is connected with it" : "whose lease is the newer one";
        String what = "address " + loser.address() + " is lent to " + winner.who() + ", "
                + (winner.runs() ? "which runs" : reason) + ": " + loser.who() + " has no lease of it"
                + (loser.attached() ? ", and is connected with it all the same: delete that pod" : "");
        report(ERROR, "LeaseConflict", loser.pod().ref(), what);
    }

    /**
     * Pods that run with an address of which only the API server knows: each keeps it under a placeholder's name. These
     * are lines 14 and 15. What is known of pods is looked up by their names: a node may have hundreds.
     */
    private void keepWhatPodsRunWith() {
        List<Pod> running = observed.pods().running();
        if (running.isEmpty()) {
            return;
        }
        Map<PodRef, Set<String>> uidsWithAddress = Stream.of(
                        resolver.winners().stream().map(AddressClaim::pod),
                        rows.values().stream()
                                .filter(row -> !dropped.contains(row))
                                .map(this::podOf),
                        sandboxes.values().stream().map(observed.pods()::of))
                .flatMap(pods -> pods)
                .collect(groupingBy(Pod::ref, mapping(Pod::uid, toSet())));
        Map<PodRef, List<Hold>> holds = observed.holds().stream().collect(groupingBy(Hold::pod));
        Map<PodRef, List<EndedLease>> ended = observed.ended().stream().collect(groupingBy(EndedLease::pod));
        Map<InetAddress, Resource> listedAt = new HashMap<>();
        observed.listed().forEach(it -> it.addresses().forEach(address -> listedAt.putIfAbsent(address.ip(), it)));
        running.stream()
                .filter(pod -> uidsWithAddress.getOrDefault(pod.ref(), Set.of()).stream()
                        .noneMatch(uid -> uid.isEmpty() || pod.uid().isEmpty() || uid.equals(pod.uid())))
                // unless the pod gave it back
                .forEach(pod -> pod.addresses().stream()
                        .filter(address -> ended.getOrDefault(pod.ref(), List.of()).stream()
                                .noneMatch(one -> one.addresses().contains(address)))
                        .flatMap(address -> Optional.ofNullable(listedAt.get(address)).stream())
                        .findFirst()
                        .filter(resource -> holds.getOrDefault(pod.ref(), List.of()).stream()
                                .noneMatch(hold -> AddressIndex.same(hold.resource(), resource)))
                        .ifPresent(resource -> keep(pod, resource)));
    }

    private void keep(Pod pod, Resource resource) {
        AddressClaim kept =
                new AddressClaim(PlaceholderPod.of(pod), pod, resource, Optional.empty(), false, true, true);
        Optional<AddressClaim> holder = resolver.holder(resource);
        if (holder.filter(claim -> claim.attached() || claim.runs()).isPresent()) {
            return;
        }
        holder.ifPresent(former -> lose(former, kept));
        resolver.win(kept);
        granted.put(kept.owner(), kept.lease(observed.now()));
        String what = "pod " + pod.ref() + " runs with " + kept.address()
                + " by the API server, and neither database nor kernel know of it: the address is kept for the pod"
                + " until it is gone";
        report(WARNING, "AddressKept", pod.ref(), what);
    }

    private void stray(OwnerKey owner, Pod pod, Set<InetAddress> addresses, Set<InetAddress> barred) {
        strays.add(new UnmanagedSandbox(owner, pod.ref(), pod.uid(), addresses, barred, observed.now()));
    }

    private void report(Event.Severity severity, String type, Object subject, String message) {
        findings.add(new StartupEvent(severity, type, subject.toString(), message));
    }

    /**
     * A claim of one owner on an address.
     *
     * @param row the lease, if the database has it
     * @param attached whether the kernel connects the sandbox with this very address
     * @param runs whether the API server says that the pod runs
     * @param listed whether the factory lists this very resource
     * @param told whether the API server says that the pod has the address: once, since claims are compared often
     */
    private record AddressClaim(
            OwnerKey owner,
            Pod pod,
            Resource resource,
            Optional<Lease> row,
            boolean attached,
            boolean runs,
            boolean listed,
            boolean told)
            implements LeaseClaim {
        /** Between claims that neither API server nor kernel decides: what is listed, then the newest row. */
        static final Comparator<AddressClaim> EVIDENCE = Comparator.comparing(AddressClaim::listed)
                .thenComparing(claim -> claim.row.map(Lease::since).orElse(Instant.MIN));

        AddressClaim(
                OwnerKey owner,
                Pod pod,
                Resource resource,
                Optional<Lease> row,
                boolean attached,
                boolean runs,
                boolean listed) {
            this(owner, pod, resource, row, attached, runs, listed, hasAddressOf(resource, pod));
        }

        private static boolean hasAddressOf(Resource resource, Pod pod) {
            return resource.addresses().stream()
                    .anyMatch(address -> pod.addresses().contains(address.ip()));
        }

        /** The lease that this claim comes to, if it wins. */
        Lease lease(Instant now) {
            return row.orElseGet(() -> new Lease(owner, pod.ref(), pod.uid(), resource, pod.stick(), now));
        }

        Set<InetAddress> addresses() {
            return resource.addresses().stream().map(Address::ip).collect(toSet());
        }

        String address() {
            return AddressFormat.of(resource);
        }

        String who() {
            return "container " + owner.containerId() + " of pod " + pod.ref();
        }
    }
}
