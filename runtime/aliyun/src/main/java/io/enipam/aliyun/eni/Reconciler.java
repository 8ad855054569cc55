package io.enipam.aliyun.eni;

import io.enipam.aliyun.api.EcsApi;
import io.enipam.aliyun.api.EcsApi.CloudEniStatus;
import io.enipam.aliyun.api.EcsApi.NetworkInterface;
import io.enipam.aliyun.api.EcsApi.VSwitch;
import io.enipam.aliyun.api.EcsException;
import io.enipam.aliyun.eni.CloudFactory.KnownAddressPairs;
import io.enipam.aliyun.eni.EniAddress.Holder;
import io.enipam.aliyun.eni.EniOperation.Goal;
import io.enipam.aliyun.eni.EniSlots.AttachedEniCounter;
import io.enipam.engine.model.Event.Severity;
import io.enipam.sdk.Resource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Reads all of this node's ENIs from the cloud and brings the registry in line with them. All methods run inside a turn
 * of the fleet.
 *
 * <p>A list is old when it arrives. It counts for an ENI only if nothing was begun or ended on that ENI meanwhile;
 * about the others the registry knows better. An ENI the registry does not have is taken over: attached ones serve,
 * those on their way are followed, and those that hang on nothing are what a crash has left behind, and go. While a
 * create is out, an unattached one may be its, and is left to the next list.
 *
 * <p>Two lists are asked for, by tag and by instance: one knows the ENIs on their way, the other those whose tags
 * another actor took off, and which of the instance's ENIs are not this factory's ({@link AttachedEniCounter}). A list
 * alone declares nothing lost: an ENI that is missing, elsewhere or short of addresses is looked up by its id first,
 * and the owner of its addresses now is searched for. Nor does one reading: what is missing has to be missing in a
 * later reading, too, after the time by which the cloud's descriptions lag ({@link DescriptionLag}). If any of these
 * calls fails, the whole reading does, and changes nothing. The metadata service is never asked.
 *
 * <p>What changed a moment before the cloud was asked, and is not in its answer, may be late there or gone: such a
 * reading is no answer yet, and the cloud is read again once it has to know, at most {@value #READINGS} times in all,
 * if it answers quickly. If it cannot be read again, the answer is what was read before.
 */
final class Reconciler {
    private static final Duration COUNT_DELAY = Duration.ofSeconds(5);
    private static final int READINGS = 3;
    /** A reading that took longer is not repeated. */
    private static final Duration QUICK = Duration.ofSeconds(10);
    /** The last reading for a caller begins within this time: else the caller gets the list as it is. */
    private static final Duration PATIENCE = Duration.ofSeconds(40);

    /**
     * @param enis those that are this node's
     * @param others the attached ENIs that no factory has in its registry
     * @param vswitches the ENIs' vSwitches that the registry did not know
     * @param pairs who has which addresses together, by what the node knows; empty if it does not matter
     */
    private record Seen(
            List<NetworkInterface> enis,
            AttachedEniCounter.Count others,
            List<VSwitch> vswitches,
            List<KnownAddressPairs.Pair> pairs) {}

    /** An ENI that has to be looked at twice, with the addresses that the registry has on it. */
    private record Suspect(String eni, String vswitch, List<String> addresses) {}

    /**
     * @param enis the suspects as they are; absent ones are left out
     * @param holders who has what the suspects are short of, by address
     */
    private record Confirmed(Map<String, NetworkInterface> enis, Map<String, NetworkInterface> holders) {}

    /** What the registry was when the lists were asked for. */
    private record RegistryVersion(long asked, Map<Eni, Long> versions, boolean createOut, long creates) {}

    private final EniRegistry fleet;
    private final EniRefresher reading;
    private final ResourceMapper resources;
    private final AttachedEniCounter attached;
    private final EniLifecycle lifecycle;
    private boolean readBefore;
    private boolean readingDue;

    Reconciler(
            EniRegistry fleet,
            AttachedEniCounter attached,
            EniRefresher reading,
            ResourceMapper resources,
            EniLifecycle lifecycle) {
        this.fleet = fleet;
        this.attached = attached;
        this.reading = reading;
        this.resources = resources;
        this.lifecycle = lifecycle;
    }

    /** Counts the instance's ENIs soon: another program may have attached one. */
    void scheduleCount() {
        // If this reading fails too, the engine's next list counts them.
        readAfter(COUNT_DELAY);
    }

    private void readAfter(Duration pause) {
        if (!readingDue) {
            readingDue = fleet.schedule(pause, () -> {
                readingDue = false;
                read(new Request(false, READINGS, fleet.nanos(), new CompletableFuture<>()));
            });
        }
    }

    /**
     * Reads the cloud, and then hands the engine all it may use.
     *
     * @param result completes with every address on attached ENIs that is not on its way
     */
    void list(CompletableFuture<List<Resource>> result) {
        read(new Request(true, 1, fleet.nanos(), result));
    }

    /**
     * @param handOver whether the engine gets all it may use
     * @param readings how many there have been for this result, with this one
     * @param began when the first of them was begun
     */
    private record Request(boolean handOver, int readings, long began, CompletableFuture<List<Resource>> result) {}

    private void read(Request request) {
        Map<Eni, Long> versions = new HashMap<>();
        fleet.enis().forEach(eni -> versions.put(eni, eni.version));
        boolean createOut = fleet.enis().stream().anyMatch(eni -> eni.is(EniState.CREATING));
        RegistryVersion before = new RegistryVersion(fleet.nanos(), versions, createOut, fleet.creates);
        Consumer<EcsException> failed = failure -> {
            if (request.readings() > 1) {
                // the reading before this one was complete: only what was in doubt stays so
                deliver(request);
            } else {
                fleet.defer(() -> request.result().completeExceptionally(failure.asFactoryException()));
            }
        };
        fleet.cloud.call(
                this::ask,
                seen -> {
                    List<Suspect> suspects = suspects(seen, before);
                    if (suspects.isEmpty()) {
                        conclude(seen, before, Map.of(), request);
                    } else {
                        fleet.cloud.call(
                                api -> lookTwice(api, suspects),
                                found -> conclude(corrected(seen, suspects, found), before, found.holders(), request),
                                failed);
                    }
                },
                failed);
    }

    private void conclude(Seen seen, RegistryVersion before, Map<String, NetworkInterface> holders, Request request) {
        seen.vswitches().forEach(fleet.vswitches::learn);
        if (fleet.settings.dual()) {
            fleet.pairing.learn(seen.pairs());
        }
        attached.record(seen.others());
        boolean quiet = !before.createOut() && before.creates() == fleet.creates;
        merge(seen.enis(), before, quiet, EniRefresher.lent(seen.pairs()), holders);
        readBefore = true;
        fleet.minimum.begin();
        boolean doubt = isInDoubt(seen, before);
        Duration pause = fleet.lag.settled();
        Request next = new Request(request.handOver(), request.readings() + 1, request.began(), request.result());
        if (doubt
                && next.readings() <= READINGS
                && pause.compareTo(PATIENCE.minusNanos(fleet.nanos() - next.began())) <= 0
                && fleet.nanos() - before.asked() <= QUICK.toNanos()
                && fleet.schedule(pause, () -> read(next))) {
            return;
        }
        if (doubt) {
            readAfter(pause);
        }
        deliver(request);
    }

    private void deliver(Request request) {
        List<Resource> usable = request.handOver() ? handOver() : List.of();
        fleet.defer(() -> request.result().complete(usable));
    }

    /** Whether the registry still has what it had when the cloud was asked, and the cloud does not show. */
    private boolean isInDoubt(Seen seen, RegistryVersion before) {
        Map<String, NetworkInterface> byId = byId(seen.enis());
        return fleet.enis().stream()
                .filter(eni -> eni.is(EniState.IN_USE) && before.versions().containsKey(eni))
                .anyMatch(eni -> {
                    NetworkInterface cloud = byId.get(eni.id());
                    return cloud == null || !serves(cloud) || reading.isIncomplete(eni, cloud, before.asked());
                });
    }

    private Seen ask(EcsApi api) {
        Map<String, NetworkInterface> own = new LinkedHashMap<>();
        api.describeNetworkInterfaces(fleet.settings.spec().ownTags()).stream()
                .filter(NetworkInterface::secondary)
                .forEach(eni -> own.put(eni.id(), eni));
        List<NetworkInterface> others = new ArrayList<>();
        for (NetworkInterface eni : api.describeAttached(fleet.settings.spec().instanceId())) {
            // the later answer is the better one
            if (own.containsKey(eni.id())
                    || fleet.read(() -> fleet.eni(eni.id()).isPresent())) {
                own.put(eni.id(), eni);
            } else if (eni.secondary() && !fleet.slots.isRegistered(eni.id())) {
                others.add(eni);
            }
        }
        Set<String> ids = new HashSet<>();
        List<VSwitch> unknown = new ArrayList<>();
        for (NetworkInterface eni : own.values()) {
            if (ids.add(eni.vswitchId()) && !fleet.read(() -> fleet.vswitches.knows(eni.vswitchId()))) {
                unknown.add(api.describeVSwitch(eni.vswitchId()));
            }
        }
        // after the cloud was read: who was given addresses before has them in the registry
        boolean news = own.values().stream()
                .anyMatch(seen -> fleet.read(() -> fleet.eni(seen.id())
                        .filter(eni -> eni.addresses().keySet().containsAll(seen.ips()))
                        .isEmpty()));
        List<KnownAddressPairs.Pair> pairs = fleet.settings.dual() || news ? fleet.known.read() : List.of();
        return new Seen(List.copyOf(own.values()), attached.count(api, others), unknown, pairs);
    }

    private List<Suspect> suspects(Seen seen, RegistryVersion before) {
        Map<String, NetworkInterface> byId = byId(seen.enis());
        List<Suspect> suspects = new ArrayList<>();
        for (Eni eni : fleet.enis()) {
            NetworkInterface cloud = byId.get(eni.id());
            if (!unchanged(eni, before.versions())) {
                continue;
            }
            if (isLeftAlone(eni) && cloud == null) {
                suspects.add(new Suspect(eni.id(), eni.vswitch(), List.of()));
            } else if (eni.is(EniState.IN_USE)
                    && (cloud == null
                            || !serves(cloud)
                            || !reading.missing(eni, cloud, before.asked()).isEmpty())) {
                suspects.add(new Suspect(
                        eni.id(), eni.vswitch(), List.copyOf(eni.addresses().keySet())));
            }
        }
        return suspects;
    }

    /** Whether an ENI is kept off the instance, and not looked after. */
    private static boolean isLeftAlone(Eni eni) {
        return eni.is(EniState.LOST) && !eni.operation.underWay;
    }

    private Confirmed lookTwice(EcsApi api, List<Suspect> suspects) {
        Map<String, NetworkInterface> there = new HashMap<>();
        Map<String, NetworkInterface> holders = new HashMap<>();
        for (Suspect suspect : suspects) {
            Optional<NetworkInterface> eni =
                    api.describeNetworkInterface(suspect.eni()).stream().findFirst();
            eni.ifPresent(found -> there.put(found.id(), found));
            List<String> missing = new ArrayList<>(suspect.addresses());
            eni.filter(this::serves).ifPresent(found -> missing.removeAll(found.ips()));
            if (!missing.isEmpty()) {
                for (NetworkInterface holder : api.describeNetworkInterfacesByIp(suspect.vswitch(), missing)) {
                    if (!holder.id().equals(suspect.eni())) {
                        holder.ips().forEach(ip -> holders.put(ip, holder));
                    }
                }
            }
        }
        return new Confirmed(there, holders);
    }

    private static Seen corrected(Seen seen, List<Suspect> suspects, Confirmed found) {
        Map<String, NetworkInterface> byId = byId(seen.enis());
        suspects.forEach(suspect -> byId.remove(suspect.eni()));
        byId.putAll(found.enis());
        return new Seen(List.copyOf(byId.values()), seen.others(), seen.vswitches(), seen.pairs());
    }

    private static Map<String, NetworkInterface> byId(List<NetworkInterface> enis) {
        Map<String, NetworkInterface> byId = new LinkedHashMap<>();
        enis.forEach(eni -> byId.put(eni.id(), eni));
        return byId;
    }

    private void merge(
            List<NetworkInterface> seen,
            RegistryVersion before,
            boolean quiet,
            Set<String> lent,
            Map<String, NetworkInterface> holders) {
        Set<String> ids = new HashSet<>();
        for (NetworkInterface cloud : seen) {
            ids.add(cloud.id());
            Optional<Eni> known = fleet.eni(cloud.id());
            if (known.isPresent()) {
                known.get().markShown(serves(cloud), cloud);
                if (!unchanged(known.get(), before.versions())) {
                    continue;
                }
                if (known.get().is(EniState.IN_USE)) {
                    compare(known.get(), cloud, before.asked(), lent, holders);
                } else if (isLeftAlone(known.get()) && serves(cloud)) {
                    lifecycle.onArrived(known.get(), Optional.of(cloud));
                }
            } else if (!wasGone(cloud, before)) {
                adopt(cloud, quiet, lent, readBefore);
            }
        }
        for (Eni eni : List.copyOf(fleet.enis())) {
            if (!ids.contains(eni.id())
                    && (eni.is(EniState.IN_USE) || isLeftAlone(eni))
                    && unchanged(eni, before.versions())
                    && isConfirmedGone(eni, before.asked())) {
                tellMoved(eni, List.copyOf(eni.addresses().keySet()), holders);
                fleet.removeLost(eni, "the cloud does not list it any more: another actor has deleted it");
            }
        }
    }

    /** Whether an ENI that this reading does not show on the instance was not there in an earlier one either. */
    private boolean isConfirmedGone(Eni eni, long asked) {
        return eni.confirmMissing(Set.of(""), asked, fleet.lag).contains("");
    }

    /** Whether the ENI left the registry since the list was asked for, or a moment before: the list is out of date. */
    private boolean wasGone(NetworkInterface cloud, RegistryVersion before) {
        return fleet.wasRemovedRecently(cloud.id(), before.asked())
                || before.versions().keySet().stream().anyMatch(eni -> eni.id().equals(cloud.id()));
    }

    private static boolean unchanged(Eni eni, Map<Eni, Long> versions) {
        Long version = versions.get(eni);
        return version != null && version == eni.version && !eni.busy;
    }

    /** Whether the cloud says of an ENI that it serves this instance, or nothing to the contrary. */
    private boolean serves(NetworkInterface cloud) {
        boolean attached = cloud.status() == CloudEniStatus.IN_USE || cloud.status() == CloudEniStatus.OTHER;
        return attached
                && (cloud.instanceId().isEmpty()
                        || cloud.instanceId().equals(fleet.settings.spec().instanceId()));
    }

    private void compare(
            Eni eni, NetworkInterface cloud, long asked, Set<String> lent, Map<String, NetworkInterface> holders) {
        if (serves(cloud)) {
            eni.detachInDoubt = false;
            Set<String> confirmed = eni.confirmMissing(reading.missingLent(eni, cloud, asked), asked, fleet.lag);
            tellMoved(eni, confirmed, holders);
            reading.merge(eni, cloud, asked, lent, confirmed);
            return;
        }
        if (!isConfirmedGone(eni, asked)) {
            return;
        }
        tellMoved(eni, List.copyOf(eni.addresses().keySet()), holders);
        switch (cloud.status()) {
            case IN_USE, OTHER ->
                lifecycle.onDetached(eni, cloud, "another actor has attached it to " + cloud.instanceId());
            case AVAILABLE, ATTACHING, DETACHING, DELETING -> {
                String now = "it is " + cloud.status().label();
                lifecycle.onDetached(eni, cloud, "another actor has taken it off the instance: " + now);
                if (fleet.eni(eni.id()).isEmpty()) {
                    adopt(cloud, true, Set.of(), false);
                }
            }
        }
    }

    /** An address of ours that another ENI has now may soon be two pods'. */
    private void tellMoved(Eni eni, Collection<String> ips, Map<String, NetworkInterface> holders) {
        for (String ip : ips) {
            NetworkInterface holder = holders.get(ip);
            if (holder != null
                    && eni.find(ip).filter(it -> it.is(Holder.ENGINE)).isPresent()) {
                fleet.publish(
                        Severity.ERROR,
                        "AddressMoved",
                        resources.id(eni, ip).value(),
                        "address " + ip + " of ENI " + eni.id() + " is on ENI " + holder.id()
                                + (holder.instanceId().isEmpty() ? "" : " of " + holder.instanceId())
                                + " now: two pods may have one address; delete the pod that has it here",
                        Map.of("from", eni.id(), "to", holder.id(), "instance", holder.instanceId()));
            }
        }
    }

    private void adopt(NetworkInterface cloud, boolean quiet, Set<String> lent, boolean news) {
        if (!serves(cloud)
                && cloud.status() != CloudEniStatus.DELETING
                && cloud.ips().stream().anyMatch(lent::contains)) {
            // pods of an earlier run live on it
            Eni eni = add(cloud, EniState.IN_USE, Goal.ATTACHED, lent, news);
            String where = cloud.instanceId().isEmpty() ? "" : " on " + cloud.instanceId();
            lifecycle.onDetached(eni, cloud, "it is " + cloud.status().label() + where);
            return;
        }
        boolean free = cloud.instanceId().isEmpty();
        boolean mine = cloud.instanceId().equals(fleet.settings.spec().instanceId());
        boolean ours = switch (cloud.status()) {
            case IN_USE -> mine;
            case ATTACHING, DETACHING -> mine || free;
            case AVAILABLE -> free && quiet;
            case DELETING -> true;
            // a status this client does not know: nothing is done on its account
            case OTHER -> false;
        };
        if (ours) {
            EniState state = switch (cloud.status()) {
                case IN_USE -> EniState.IN_USE;
                case ATTACHING -> EniState.ATTACHING;
                case DETACHING -> EniState.DETACHING;
                default -> EniState.DELETING;
            };
            boolean stays = state == EniState.IN_USE || state == EniState.ATTACHING;
            add(cloud, state, stays ? Goal.ATTACHED : Goal.ABSENT, lent, news);
        }
    }

    private Eni add(NetworkInterface cloud, EniState state, Goal goal, Set<String> lent, boolean news) {
        Eni eni = fleet.eni(cloud.id(), cloud.vswitchId(), state, goal);
        eni.identify(cloud);
        fleet.pairing.settle(eni);
        EniRefresher.keepLent(eni, lent);
        fleet.add(eni);
        if (news) {
            String text = "ENI " + eni.id() + " is this node's by its tags and was in no book: it is taken over as ";
            fleet.publish(Severity.INFO, "EniAdopted", eni.id(), text + state.label(), eni.attributes());
        }
        return eni;
    }

    /** All that can be used, in the engine's hands from now on. */
    private List<Resource> handOver() {
        List<Resource> usable = new ArrayList<>();
        for (Eni eni : fleet.enis()) {
            if (!eni.is(EniState.IN_USE)) {
                continue;
            }
            eni.addresses().forEach((ip, address) -> {
                if (address.is(Holder.SPARE) && !eni.kept && eni.isLendable(address)) {
                    address.become(Holder.ENGINE);
                    address.markDelivered();
                    eni.version++;
                }
                if (address.is(Holder.ENGINE) && address.delivered() && eni.isLendable(address)) {
                    usable.add(resources.of(eni, ip));
                }
            });
        }
        return usable;
    }
}
