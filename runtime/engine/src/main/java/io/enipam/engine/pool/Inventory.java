package io.enipam.engine.pool;

import io.enipam.engine.model.OwnerKey;
import io.enipam.sdk.Address;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceState;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The pool's slots and every index over them, kept in step by {@link #add}, {@link #move} and {@link #remove} alone.
 * Look-ups by id, by owner, by reservation and "longest idle" are O(1), "next hold to end" is O(log n). Guarded by the
 * pool's lock.
 */
final class Inventory {
    /** By the distance of two moments, since the clock's origin is any. */
    private static final Comparator<Slot> BY_END =
            ((Comparator<Slot>) (a, b) -> Long.signum(a.until - b.until)).thenComparingLong(slot -> slot.sequence);

    /** The first of those with an id; {@link Slot#namesake} leads to the others. */
    private final Map<ResourceId, Slot> byId = new HashMap<>();
    /** All of them, in no order, each at its {@link Slot#index}. */
    private final List<Slot> slots = new ArrayList<>();

    private final Map<InetAddress, Slot> byAddress = new HashMap<>();
    /** Those that an address leads to another slot of. */
    private final Set<Slot> shadowed = new HashSet<>();

    private final Map<OwnerKey, Slot> byOwner = new HashMap<>();
    private final Map<PodRef, Slot> reservations = new HashMap<>();
    private final Map<String, Integer> siblings = new HashMap<>();
    private final IdleList idle = new IdleList();
    private final TreeSet<Slot> holds = new TreeSet<>(BY_END);
    private final FactoryStates factories;
    private final int[] counts = new int[ResourceState.values().length];
    private int lost;
    private long sequence;
    private long version;
    private long copies;
    /** The copy that is being made, if one is. */
    private @Nullable InventoryCopy copying;

    private final Predicate<Resource> families;

    /** @param families whether a resource has those that the pool lends; of one resource always the same */
    Inventory(FactoryStates factories, Predicate<Resource> families) {
        this.factories = factories;
        this.families = families;
    }

    /** Goes up with every change: what was derived from an older version is stale. */
    long version() {
        return version;
    }

    void touched() {
        version++;
    }

    Map<ResourceState, Integer> counts() {
        Map<ResourceState, Integer> all = new EnumMap<>(ResourceState.class);
        for (ResourceState state : ResourceState.values()) {
            all.put(state, count(state));
        }
        return all;
    }

    int count(ResourceState state) {
        return counts[state.ordinal()];
    }

    /** Everything there is or soon will be: what capacity bounds. What the outside has lost is not there. */
    int total() {
        return slots.size() - lost + count(ResourceState.CREATING);
    }

    void creating(String maker, int change) {
        factories.of(maker).creating += change;
        counts[ResourceState.CREATING.ordinal()] += change;
        version++;
    }

    IdleList idle() {
        return idle;
    }

    int leased() {
        return byOwner.size();
    }

    Collection<Slot> slots() {
        return Collections.unmodifiableList(slots);
    }

    List<Slot> slotsOf(String maker) {
        return slots.stream()
                .filter(slot -> slot.resource.factory().equals(maker))
                .toList();
    }

    /** The slot of the resource: of its id and its origin. */
    @Nullable
    Slot get(Resource resource) {
        Slot slot = byId.get(resource.id());
        while (slot != null && !factories.same(slot.resource, resource)) {
            slot = slot.namesake;
        }
        return slot;
    }

    /** Whether this is true of one with an id: there are several only where factories of several providers give the same. */
    boolean isAny(ResourceId id, Predicate<Slot> condition) {
        Slot slot = byId.get(id);
        while (slot != null && !condition.test(slot)) {
            slot = slot.namesake;
        }
        return slot != null;
    }

    /** The idle one with an id; of several the active factory's. */
    @Nullable
    Slot idle(ResourceId id) {
        Slot found = null;
        for (Slot slot = byId.get(id); slot != null; slot = slot.namesake) {
            if (slot.state == ResourceState.IDLE
                    && (found == null || slot.resource.factory().equals(factories.active))) {
                found = slot;
            }
        }
        return found;
    }

    /** The slot of the resource, or one with one of its addresses: there can be one of them. */
    @Nullable
    Slot rival(Resource resource) {
        Slot same = get(resource);
        for (Address address : resource.addresses()) {
            same = same == null ? byAddress.get(address.ip()) : same;
        }
        return same;
    }

    @Nullable
    Slot of(OwnerKey owner) {
        return byOwner.get(owner);
    }

    @Nullable
    Slot reservedFor(PodRef pod) {
        return reservations.isEmpty() ? null : reservations.get(pod);
    }

    /** The slot whose hold ends first. */
    @Nullable
    Slot nextHold() {
        return holds.isEmpty() ? null : holds.first();
    }

    /** The reservation that ends first, of those whose maker stays. */
    @Nullable
    Slot nextReservation() {
        return reservations.isEmpty()
                ? null
                : holds.stream()
                        .filter(slot -> slot.state == ResourceState.RESERVED)
                        .filter(slot -> !factories.isLeaving(slot.resource.factory()))
                        .findFirst()
                        .orElse(null);
    }

    /** How many slots, in whatever state, hang on the same parent. */
    int siblings(String parent) {
        return siblings.getOrDefault(parent, 0);
    }

    Slot add(Resource resource, long now) {
        Slot slot = new Slot(factories.stamped(resource), families.test(resource), now);
        if (get(slot.resource) != null) {
            throw new IllegalStateException("resource " + resource.id() + " is in the pool already");
        }
        slot.namesake = byId.put(resource.id(), slot);
        slot.index = slots.size();
        slots.add(slot);
        index(slot);
        siblings.merge(resource.parent(), 1, Integer::sum);
        factories.of(slot.resource.factory()).slots++;
        enter(slot);
        return slot;
    }

    private void index(Slot slot) {
        slot.resource.addresses().forEach(address -> byAddress.putIfAbsent(address.ip(), slot));
        if (slot.resource.addresses().stream().anyMatch(address -> byAddress.get(address.ip()) != slot)) {
            shadowed.add(slot);
        } else {
            shadowed.remove(slot);
        }
    }

    void remove(Slot slot) {
        leave(slot);
        lost(slot, false);
        unlink(slot);
        Slot last = slots.remove(slots.size() - 1);
        if (last != slot) {
            slots.set(slot.index, last);
            last.index = slot.index;
        }
        slot.index = Slot.GONE;
        slot.resource.addresses().forEach(address -> byAddress.remove(address.ip(), slot));
        shadowed.remove(slot);
        List.copyOf(shadowed).forEach(this::index);
        factories.of(slot.resource.factory()).slots--;
        siblings.computeIfPresent(slot.resource.parent(), (parent, n) -> n == 1 ? null : n - 1);
        version++;
    }

    private void unlink(Slot slot) {
        ResourceId id = slot.resource.id();
        Slot before = byId.get(id);
        if (before == slot) {
            byId.remove(id);
            if (slot.namesake != null) {
                byId.put(id, slot.namesake);
            }
        } else {
            while (before != null && before.namesake != slot) {
                before = before.namesake;
            }
            if (before != null) {
                before.namesake = slot.namesake;
            }
        }
        slot.namesake = null;
    }

    void move(Slot slot, ResourceState to, long now) {
        if (!Slot.mayFollow(slot.state, to)) {
            throw new IllegalStateException(
                    "resource " + slot.resource.id() + " cannot go from " + slot.state + " to " + to);
        }
        changing(slot);
        leave(slot);
        slot.state = to;
        slot.since = now;
        enter(slot);
        if (to != ResourceState.DISPOSING) {
            lost(slot, to == ResourceState.INVALID);
        }
    }

    /** What the provider has lost takes no capacity, not while it is disposed of either, unless it comes back. */
    private void lost(Slot slot, boolean now) {
        if (slot.lost != now) {
            slot.lost = now;
            lost += now ? 1 : -1;
            factories.of(slot.resource.factory()).lost += now ? 1 : -1;
        }
    }

    void lend(Slot slot, OwnerKey owner, PodRef pod, long now) {
        slot.reservedFor = slot.state == ResourceState.RESERVED ? slot.pod : null;
        move(slot, ResourceState.IN_USE, now);
        slot.owner = owner;
        slot.pod = pod;
        byOwner.put(owner, slot);
    }

    /** Parts owner and slot; the caller says what the slot is next. */
    @Nullable
    Slot giveBack(OwnerKey owner) {
        Slot slot = byOwner.remove(owner);
        if (slot != null) {
            changing(slot);
            slot.owner = null;
        }
        return slot;
    }

    /** What one owner has is another's from now on; false if the first has nothing or the second has something. */
    boolean passOn(OwnerKey from, OwnerKey to, PodRef pod) {
        Slot slot = byOwner.get(from);
        if (slot == null || (!from.equals(to) && byOwner.containsKey(to))) {
            return false;
        }
        changing(slot);
        byOwner.remove(from);
        slot.owner = to;
        slot.pod = pod;
        byOwner.put(to, slot);
        version++;
        return true;
    }

    /** Moves a slot to COOLING or RESERVED until a moment. */
    void hold(Slot slot, ResourceState to, PodRef pod, long until, long now) {
        changing(slot);
        slot.pod = pod;
        slot.until = until;
        move(slot, to, now);
    }

    /** All that one factory made is another's from now on. */
    void reassign(String from, String to) {
        for (Slot slot : slotsOf(from)) {
            changing(slot);
            slot.resource = slot.resource.madeBy(to);
        }
        version++;
    }

    /** Begins a copy of all slots as they are now, in the place of one that was given up. */
    InventoryCopy beginCopy() {
        InventoryCopy begun = new InventoryCopy(++copies, slots);
        copying = begun;
        return begun;
    }

    /** Goes on with the copy that was begun last; whether it is complete. */
    boolean copyMore(InventoryCopy copy) {
        boolean complete = copy.step();
        if (complete) {
            copying = null;
        }
        return complete;
    }

    /** Before each change of what {@link Slot#copy} shows. */
    private void changing(Slot slot) {
        if (copying != null) {
            copying.keep(slot);
        }
    }

    private void leave(Slot slot) {
        counts[slot.state.ordinal()]--;
        switch (slot.state) {
            case IDLE -> idle.remove(slot);
            case COOLING -> holds.remove(slot);
            case RESERVED -> {
                holds.remove(slot);
                reservations.remove(slot.pod);
            }
            case CREATING, IN_USE, INVALID, DISPOSING -> {}
        }
    }

    private void enter(Slot slot) {
        counts[slot.state.ordinal()]++;
        version++;
        slot.sequence = sequence++;
        switch (slot.state) {
            case IDLE -> idle.addLast(slot);
            case COOLING, RESERVED -> holds.add(slot);
            case CREATING, IN_USE, INVALID, DISPOSING -> {}
        }
        if (slot.state == ResourceState.RESERVED) {
            reservations.put(slot.pod, slot);
        }
    }

    /**
     * The idle slots, longest idle first. Adding, taking the first and removing any one are O(1): the links live in the
     * slots. Guarded by the pool's lock.
     */
    static final class IdleList implements Iterable<Slot> {
        private @Nullable Slot first;
        private @Nullable Slot last;
        private int size;

        int size() {
            return size;
        }

        @Nullable
        Slot first() {
            return first;
        }

        void addLast(Slot slot) {
            slot.previous = last;
            slot.next = null;
            if (last == null) {
                first = slot;
            } else {
                last.next = slot;
            }
            last = slot;
            size++;
        }

        void remove(Slot slot) {
            Slot before = slot.previous;
            Slot after = slot.next;
            if (before == null) {
                first = after;
            } else {
                before.next = after;
            }
            if (after == null) {
                last = before;
            } else {
                after.previous = before;
            }
            slot.previous = null;
            slot.next = null;
            size--;
        }

        @Override
        public Iterator<Slot> iterator() {
            return Stream.iterate(first, Objects::nonNull, slot -> slot.next).iterator();
        }
    }
}
