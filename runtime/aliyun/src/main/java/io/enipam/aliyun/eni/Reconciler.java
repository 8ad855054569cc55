package io.enipam.aliyun.eni;

import io.enipam.aliyun.api.EcsApi;
import io.enipam.aliyun.api.EcsApi.NetworkInterface;
import io.enipam.aliyun.api.EcsApi.VSwitch;
import io.enipam.aliyun.api.EcsFailure;
import io.enipam.aliyun.eni.EniAddress.Holder;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Resource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Reads all of this node's ENIs from the cloud and brings the book in line with them. All methods run inside a turn of the
 * fleet.
 *
 * <p>A list is old when it arrives. It is believed about an ENI only if nothing was begun or ended on that ENI meanwhile; about
 * the others the book knows better. An ENI the book does not have is taken over: attached ones serve, those on their way are
 * followed, and those that hang on nothing are what a crash has left behind, and go. While a create is out, an unattached one
 * may be its, and is left to the next list.
 */
final class Reconciler {
    /** What the cloud said: the ENIs, and the vSwitches of theirs that the book did not know. */
    private record Seen(List<NetworkInterface> enis, List<VSwitch> vswitches) {}

    private final Fleet fleet;
    private final EniReading reading;
    private final Resources resources;

    Reconciler(Fleet fleet, EniReading reading, Resources resources) {
        this.fleet = fleet;
        this.reading = reading;
        this.resources = resources;
    }

    /**
     * Reads the cloud, and then hands the engine all it may use.
     *
     * @param result completes with every address on attached ENIs that is not on its way
     */
    void list(CompletableFuture<List<Resource>> result) {
        Map<Eni, Long> versions = new HashMap<>();
        fleet.enis().forEach(eni -> versions.put(eni, eni.version));
        boolean createOut = fleet.enis().stream().anyMatch(eni -> eni.is(EniState.CREATING));
        long creates = fleet.creates();
        fleet.call(
                this::ask,
                seen -> {
                    seen.vswitches().forEach(fleet.vswitches::learn);
                    boolean quiet = !createOut && creates == fleet.creates();
                    merge(seen.enis(), versions, quiet);
                    fleet.minimum.begin();
                    List<Resource> usable = handOver();
                    fleet.afterwards(() -> result.complete(usable));
                },
                failure -> fleet.afterwards(() -> result.completeExceptionally(translated(failure))));
    }

    private Seen ask(EcsApi api) {
        List<NetworkInterface> enis = api.describeNetworkInterfaces(fleet.settings.ownTags()).stream()
                .filter(NetworkInterface::secondary)
                .toList();
        Set<String> ids = new HashSet<>();
        List<VSwitch> unknown = new ArrayList<>();
        for (NetworkInterface eni : enis) {
            if (ids.add(eni.vswitchId()) && !fleet.read(() -> fleet.vswitches.knows(eni.vswitchId()))) {
                unknown.add(api.describeVSwitch(eni.vswitchId()));
            }
        }
        return new Seen(enis, unknown);
    }

    static FactoryException translated(EcsFailure failure) {
        return new FactoryException(failure.kind(), failure.getMessage(), failure);
    }

    private void merge(List<NetworkInterface> seen, Map<Eni, Long> versions, boolean quiet) {
        Set<String> ids = new HashSet<>();
        for (NetworkInterface cloud : seen) {
            ids.add(cloud.id());
            Optional<Eni> known = fleet.eni(cloud.id());
            if (known.isPresent()) {
                if (unchanged(known.get(), versions) && known.get().is(EniState.IN_USE)) {
                    compare(known.get(), cloud);
                }
            } else if (!wasGone(cloud, versions)) {
                adopt(cloud, quiet);
            }
        }
        for (Eni eni : List.copyOf(fleet.enis())) {
            if (!ids.contains(eni.id()) && eni.is(EniState.IN_USE) && unchanged(eni, versions)) {
                fleet.lose(eni, "the cloud has it no more: somebody else deleted it");
            }
        }
    }

    /** Whether the ENI was in the book when the list was asked for, and has left it since: then the list is out of date. */
    private static boolean wasGone(NetworkInterface cloud, Map<Eni, Long> versions) {
        return versions.keySet().stream().anyMatch(eni -> eni.id().equals(cloud.id()));
    }

    private static boolean unchanged(Eni eni, Map<Eni, Long> versions) {
        Long version = versions.get(eni);
        return version != null && version == eni.version && !eni.busy;
    }

    private void compare(Eni eni, NetworkInterface cloud) {
        switch (cloud.status()) {
            case IN_USE, OTHER -> {
                if (cloud.instanceId().isEmpty() || cloud.instanceId().equals(fleet.settings.instanceId())) {
                    reading.merge(eni, cloud);
                } else {
                    fleet.lose(eni, "it is attached to " + cloud.instanceId() + " now: somebody else moved it");
                }
            }
            case AVAILABLE, ATTACHING, DETACHING, DELETING -> {
                fleet.lose(eni, "somebody else took it off the instance; it is deleted");
                adopt(cloud, true);
            }
        }
    }

    private void adopt(NetworkInterface cloud, boolean quiet) {
        String here = fleet.settings.instanceId();
        boolean mine = cloud.instanceId().equals(here);
        boolean nobodys = cloud.instanceId().isEmpty();
        switch (cloud.status()) {
            case IN_USE -> {
                if (mine) {
                    add(cloud, EniState.IN_USE, Course.Goal.ATTACHED);
                }
            }
            case ATTACHING -> {
                if (mine || nobodys) {
                    add(cloud, EniState.ATTACHING, Course.Goal.ATTACHED);
                }
            }
            case DETACHING -> {
                if (mine || nobodys) {
                    add(cloud, EniState.DETACHING, Course.Goal.ABSENT);
                }
            }
            case AVAILABLE -> {
                if (nobodys && quiet) {
                    add(cloud, EniState.DELETING, Course.Goal.ABSENT);
                }
            }
            case DELETING -> add(cloud, EniState.DELETING, Course.Goal.ABSENT);
            case OTHER -> {
                // A status this client does not know: nothing is done on its account.
            }
        }
    }

    private void add(NetworkInterface cloud, EniState state, Course.Goal goal) {
        Eni eni = new Eni(cloud.id(), cloud.vswitchId(), state, fleet.now(), new Journey(goal));
        eni.identify(cloud);
        fleet.add(eni);
    }

    /** All that can be used, in the engine's hands from now on. */
    private List<Resource> handOver() {
        List<Resource> usable = new ArrayList<>();
        for (Eni eni : fleet.enis()) {
            if (!eni.is(EniState.IN_USE)) {
                continue;
            }
            eni.addresses().forEach((ip, address) -> {
                if (address.is(Holder.SPARE) && !eni.kept) {
                    address.become(Holder.ENGINE);
                    address.markDelivered();
                    eni.version++;
                }
                if (address.is(Holder.ENGINE) && address.delivered()) {
                    usable.add(resources.of(eni, ip));
                }
            });
        }
        return usable;
    }
}
