package io.enipam.engine.startup;

import io.enipam.engine.lease.UnmanagedSandboxRegistry.UnmanagedSandbox;
import io.enipam.engine.model.Event;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.Pod;
import io.enipam.engine.port.Datapath.Attachment;
import io.enipam.engine.startup.RecoveryPlan.StartupEvent;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import java.net.InetAddress;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Who has which address: what has to change in the database so that it says so.
 *
 * @param upheld leases of the database that stay, each the only one of its address
 * @param granted new leases; each takes the place of the one that its owner had
 * @param dropped leases that end, since another owner has their address
 * @param freed leases as they were whose address has no owner any more
 * @param strays sandboxes that are connected with addresses they have no lease for
 * @param findings what the start reports to operators
 */
record RecoveryPlan(
        List<Lease> upheld,
        List<Lease> granted,
        List<Lease> dropped,
        List<Lease> freed,
        List<UnmanagedSandbox> strays,
        List<StartupEvent> findings) {
    RecoveryPlan {
        upheld = List.copyOf(upheld);
        granted = List.copyOf(granted);
        dropped = List.copyOf(dropped);
        freed = List.copyOf(freed);
        strays = List.copyOf(strays);
        findings = List.copyOf(findings);
    }

    /** Whether all agree. */
    boolean changesNothing() {
        return granted.isEmpty() && dropped.isEmpty() && strays.isEmpty();
    }

    /** A finding of the start-up that it reports; an event, but for its time. */
    record StartupEvent(Event.Severity severity, String type, String subject, String message) {}

    /** What the {@link LeaseConflictResolver} has decided so far, and its findings for operators. Not thread-safe. */
    static final class RecoveryPlanBuilder {
        private final Map<OwnerKey, Attachment> sandboxes;
        private final Instant now;
        private final AddressIndex<AddressClaim> taken = new AddressIndex<>();
        private final Set<AddressClaim> winners = new LinkedHashSet<>();
        private final Map<PodRef, Set<AddressClaim>> winnersByPod = new HashMap<>();
        private final List<Lease> granted = new ArrayList<>();
        private final Set<OwnerKey> grantees = new HashSet<>();
        private final Set<Lease> dropped = new LinkedHashSet<>();
        private final AddressIndex<Lease> freedPlaces = new AddressIndex<>();
        private final List<Lease> freed = new ArrayList<>();
        private final List<UnmanagedSandbox> strays = new ArrayList<>();
        private final List<StartupEvent> findings = new ArrayList<>();

        /**
         * @param sandboxes which are connected with an address
         * @param now the date of what is decided
         */
        RecoveryPlanBuilder(Map<OwnerKey, Attachment> sandboxes, Instant now) {
            this.sandboxes = sandboxes;
            this.now = now;
        }

        /** Which claim has a resource. */
        Optional<AddressClaim> holder(Resource resource) {
            return taken.at(resource);
        }

        void setHolder(AddressClaim claim) {
            taken.put(claim.resource(), claim);
            winners.add(claim);
            winnersByPod
                    .computeIfAbsent(claim.pod().ref(), pod -> new LinkedHashSet<>())
                    .add(claim);
        }

        /** Removes the winning claim of a resource. */
        void replaceHolder(AddressClaim former, AddressClaim winner) {
            winners.remove(former);
            winnersByPod.getOrDefault(former.pod().ref(), new HashSet<>()).remove(former);
            lose(former, winner);
        }

        /** The pods of the winning claims, of one name. */
        List<Pod> winnersOf(PodRef pod) {
            return winnersByPod.getOrDefault(pod, Set.of()).stream()
                    .map(AddressClaim::pod)
                    .toList();
        }

        /** The leases of the database that have won. */
        Set<Lease> rowsThatWon() {
            return winners.stream().flatMap(claim -> claim.row().stream()).collect(Collectors.toSet());
        }

        void grant(AddressClaim winner) {
            granted.add(winner.lease(now));
            grantees.add(winner.owner());
        }

        boolean isGranted(OwnerKey owner) {
            return grantees.contains(owner);
        }

        void drop(Lease row) {
            dropped.add(row);
        }

        boolean isDropped(Lease row) {
            return dropped.contains(row);
        }

        /** A claim that finds the place taken gets no lease. */
        void lose(AddressClaim loser, AddressClaim winner) {
            loser.row().ifPresent(this::drop);
            if (loser.attached()) {
                // once the winner gives the address back, the loser has it still
                Set<InetAddress> used = Optional.ofNullable(sandboxes.get(loser.owner()))
                        .map(Attachment::addresses)
                        .orElse(loser.addresses());
                stray(loser.owner(), loser.pod(), used, used);
            }
            report(
                    Event.Severity.ERROR,
                    "LeaseConflict",
                    loser.pod().ref().toString(),
                    "address " + loser.address() + " is lent to " + winner.who() + ", "
                            + reason(winner) + ": " + loser.who() + " has no lease of it"
                            + (loser.attached() ? ", and is connected with it all the same: delete that pod" : ""));
        }

        private static String reason(AddressClaim winner) {
            if (winner.runs()) {
                return "which runs";
            }
            if (winner.attached()) {
                return "which is connected with it";
            }
            return "whose lease is the newer one";
        }

        void stray(OwnerKey owner, Pod pod, Set<InetAddress> addresses, Set<InetAddress> barred) {
            strays.add(new UnmanagedSandbox(owner, pod.ref(), pod.uid(), addresses, barred, now));
        }

        /** Of a row whose owner has another address now: its own is free, unless another owner has it. */
        void free(Lease row) {
            if (taken.at(row.resource()).isEmpty() && freedPlaces.take(row.resource(), row)) {
                freed.add(row);
            }
        }

        void report(Event.Severity severity, String type, String subject, String message) {
            findings.add(new StartupEvent(severity, type, subject, message));
        }

        RecoveryPlan build() {
            List<Lease> upheld = winners.stream()
                    .flatMap(claim -> claim.row().stream())
                    .filter(row -> !isDropped(row))
                    .toList();
            return new RecoveryPlan(upheld, granted, List.copyOf(dropped), freed, strays, findings);
        }
    }
}
