package io.enipam.engine.pool;

import static io.enipam.sdk.ResourceState.DISPOSING;
import static io.enipam.sdk.ResourceState.INVALID;
import static io.enipam.sdk.ResourceState.IN_USE;

import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.SourceComparison;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceState;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * One comparison of the pool with what a factory lists. It begins before the factory is asked, and is settled by the answer.
 *
 * <p>A list is as old as the question, and may be as new as the answer: whatever came, went or was under way in between, it
 * says nothing of. So nothing counts as lost that was not in the pool, by the same slot, all the while; nothing counts as
 * unknown that went back meanwhile, or is going back; and while creates are out, what is unknown may be theirs and is left to
 * the next comparison.
 *
 * <p>Thread-safe, under the pool's lock. Every comparison ends by {@link #settle} or {@link #drop}.
 */
public final class FactoryListComparison {
    /** So many addresses that pods have are lost without a question, if the list has others. */
    private static final int FEW = 3;

    private final PoolCore core;
    private final String maker;
    private final Map<ResourceId, Slot> there = new HashMap<>();
    private final Set<ResourceId> gone = new HashSet<>();
    private final Set<ResourceId> asideBefore;
    private final boolean createsOut;

    /** Under the lock. */
    FactoryListComparison(PoolCore core, String maker) {
        this.core = core;
        this.maker = maker;
        this.asideBefore = core.aside.ids(resource -> core.isOf(maker, resource));
        this.createsOut = core.factories.creating(maker) > 0;
        core.inventory.slotsOf(maker).forEach(slot -> there.put(slot.resource.id(), slot));
    }

    /**
     * A resource of a list whose address another one of the pool has.
     *
     * @param pod who has the pool's, if a pod has
     */
    public record Clash(Resource resource, Resource rival, Optional<PodRef> pod) {}

    /**
     * @param lost invalid from now on
     * @param regained lost once, and their owners' again
     * @param adopted unknown, and idle from now on
     * @param unwanted unknown, and more than the pool shall have: to be given back
     * @param clashes kept aside
     * @param used by sandboxes without the pool's knowledge: left alone
     */
    public record Findings(
            List<ResourceLoss> lost,
            List<ResourceLoss> regained,
            List<Resource> adopted,
            List<Resource> unwanted,
            List<Clash> clashes,
            List<Resource> used) {}

    /** Under the lock. */
    void gone(Resource resource) {
        if (core.factories.shareOrigin(maker, resource.factory())) {
            gone.add(resource.id());
        }
    }

    /** What the pool has had all the while, and the list has not. Takes note of what is too young to count. */
    public Set<ResourceId> missing(Collection<Resource> listed) {
        return core.change(after -> compared(listed).left().stream()
                .filter(this::isLosable)
                .map(slot -> slot.resource.id())
                .collect(Collectors.toSet()));
    }

    /**
     * Of what is missing, what pods have and what is lost by no event that is usual: more than {@value #FEW} addresses whose
     * parents are listed or that have none, or any while the list is empty, since a source that has failed lists nothing. Where an
     * ENI is taken away, its addresses are missing together, and the pool has others or makes them.
     */
    public Set<ResourceId> doubtful(Collection<Resource> listed) {
        return core.locked(() -> {
            Set<ResourceId> ids = listed.stream().map(Resource::id).collect(Collectors.toSet());
            Set<String> parents = listed.stream().map(Resource::parent).collect(Collectors.toSet());
            List<Slot> missing = there.values().stream()
                    .filter(slot -> slot.owner != null && isLosable(slot))
                    .filter(slot -> !ids.contains(slot.resource.id()))
                    .toList();
            List<Slot> unexplained = missing.stream()
                    .filter(slot -> listed.isEmpty()
                            || slot.resource.parent().isEmpty()
                            || parents.contains(slot.resource.parent()))
                    .toList();
            return unexplained.size() <= (listed.isEmpty() ? 0 : FEW)
                    ? Set.<ResourceId>of()
                    : unexplained.stream().map(slot -> slot.resource.id()).collect(Collectors.toSet());
        });
    }

    /**
     * Brings the pool in line with the list. Unwanted ones are the caller's to give back.
     *
     * @param listed of the factory's kind, each once
     * @param losable what may be declared lost, if the list has it not
     */
    public Findings settle(List<Resource> listed, Set<ResourceId> losable) {
        return core.change(after -> {
            core.comparisons.remove(this);
            SourceComparison<Slot, Resource> compared = compared(listed);
            List<ResourceLoss> lost = compared.left().stream()
                    .filter(slot -> losable.contains(slot.resource.id()) && isLosable(slot))
                    .map(slot -> core.lose(slot, after))
                    .toList();
            List<ResourceLoss> regained = compared.both().stream()
                    .map(SourceComparison.Match::left)
                    .filter(slot -> stays(slot) && slot.state == INVALID && slot.owner != null)
                    .map(slot -> {
                        core.inventory.move(slot, IN_USE, core.time.nanoTime());
                        return ResourceLoss.of(slot);
                    })
                    .toList();
            Set<ResourceId> gone = new HashSet<>(asideBefore);
            listed.forEach(resource -> gone.remove(resource.id()));
            core.aside.forget(resource -> core.isOf(maker, resource) && gone.contains(resource.id()));
            core.drainedPerhaps(maker, after);
            Unknown unknown = new Unknown(after);
            // a factory that was done with meanwhile would have its resources taken for the active one's
            if (core.factories.knows(maker) && !core.closed) {
                listed.stream().filter(resource -> !isKnown(resource)).forEach(unknown::settle);
                core.serve(after);
            }
            return new Findings(lost, regained, unknown.adopted, unknown.unwanted, unknown.clashes, unknown.used);
        });
    }

    /** Whether the pool has it, or it is the address of a resource with the same id: another factory names it, too. */
    private boolean isKnown(Resource resource) {
        Slot rival = core.inventory.rival(resource);
        return rival != null && rival.resource.id().equals(resource.id());
    }

    /** Whether something has gone back since the comparison began, or is going back without being in the pool. */
    boolean isLeaving(Resource resource) {
        return core.locked(() -> leaves(resource));
    }

    private boolean leaves(Resource resource) {
        return gone.contains(resource.id()) || core.isUnwanted(resource);
    }

    /** Ends without a list: nothing changes. */
    public void drop() {
        core.locked(() -> core.comparisons.remove(this));
    }

    /** What becomes of what the list has and the pool has not. */
    private final class Unknown {
        private final DeferredEffects after;
        private final List<Resource> adopted = new ArrayList<>();
        private final List<Resource> unwanted = new ArrayList<>();
        private final List<Clash> clashes = new ArrayList<>();
        private final List<Resource> used = new ArrayList<>();
        private final boolean claimed = createsOut || core.factories.creating(maker) > 0;

        private Unknown(DeferredEffects after) {
            this.after = after;
        }

        private void settle(Resource resource) {
            Slot rival = core.inventory.rival(resource);
            if (rival != null) {
                keepAside(resource, rival);
                // the address of one that ends is no pod's: once that is forgotten, the new place is welcome
                if (!PoolCore.isEnding(rival)) {
                    Optional<PodRef> pod = Optional.ofNullable(rival.owner == null ? null : rival.pod);
                    clashes.add(new Clash(resource, rival.resource, pod));
                }
            } else if (core.isBarred(resource)) {
                used.add(resource.madeBy(maker));
            } else if (!claimed && !leaves(resource)) {
                if (isWelcome()) {
                    adopt(resource);
                } else {
                    core.unwanted(resource);
                    unwanted.add(resource);
                }
            }
        }

        private void keepAside(Resource resource, Slot rival) {
            if (!leaves(resource)) {
                core.aside.keep(resource.madeBy(maker), rival.resource);
            }
        }

        private boolean isWelcome() {
            int wanted = Math.max(core.settings.maxIdle(), core.queue.size());
            return core.inventory.idle().size() < wanted && core.headroom(maker) > 0;
        }

        private void adopt(Resource resource) {
            long now = core.time.nanoTime();
            Slot slot = core.inventory.add(resource, now);
            slot.fromList = true;
            core.sendBackIfLeaving(slot, now, after);
            after.demand = true;
            adopted.add(resource);
        }
    }

    /** Under the lock: what the pool had and has listed. Takes note of what the list does not show while it is young. */
    private SourceComparison<Slot, Resource> compared(Collection<Resource> listed) {
        SourceComparison<Slot, Resource> compared =
                SourceComparison.of(there.values(), slot -> slot.resource.id(), listed, Resource::id);
        compared.left().forEach(slot -> slot.missed |= core.isYoung(slot));
        compared.both().forEach(match -> match.left().missed = false);
        return compared;
    }

    /** Whether a list that does not show it proves it lost. */
    private boolean isLosable(Slot slot) {
        return stays(slot) && slot.state != INVALID && !core.isYoung(slot);
    }

    /** Whether a slot is still the pool's, and not on its way back. */
    private boolean stays(Slot slot) {
        return slot.index != Slot.GONE && slot.state != DISPOSING;
    }

    /**
     * A resource that the outside has lost, or has given back after that.
     *
     * @param pod the pod that has it or that it was kept for, if there is one
     */
    public record ResourceLoss(Resource resource, ResourceState was, Optional<OwnerKey> owner, Optional<PodRef> pod) {
        static ResourceLoss of(Slot slot) {
            boolean pods = slot.owner != null || slot.state == ResourceState.RESERVED;
            return new ResourceLoss(
                    slot.resource,
                    slot.state,
                    Optional.ofNullable(slot.owner),
                    Optional.ofNullable(pods ? slot.pod : null));
        }
    }
}
