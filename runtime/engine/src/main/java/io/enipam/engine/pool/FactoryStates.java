package io.enipam.engine.pool;

import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceKind;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Which factory made what, which one is active, and which are leaving. Guarded by the pool's lock.
 *
 * <p>A factory is done with when nothing of its is in the pool and every create that was asked of it was answered: then
 * it can deliver nothing that no factory would take back.
 */
final class FactoryStates {
    private final Map<String, Count> counts = new HashMap<>();
    private final Set<String> leaving = new HashSet<>();
    /** Who has the resources of a factory that was merged into another one, until it is done with. */
    private final Map<String, String> heirs = new HashMap<>();

    private String active;
    private ResourceKind kind;
    private int activeCapacity;

    /** How much of one factory's there is. */
    private static final class Count {
        int slots;
        /** Those of the slots that the provider has lost: they are recorded, and take no capacity. */
        int lost;

        int creating;
        int unanswered;

        boolean nothing() {
            return slots == 0 && creating == 0 && unanswered == 0;
        }
    }

    FactoryStates(String active, ResourceKind kind) {
        this.active = active;
        this.kind = kind;
        counts.put(active, new Count());
    }

    String active() {
        return active;
    }

    ResourceKind kind() {
        return kind;
    }

    int activeCapacity() {
        return activeCapacity;
    }

    void activeCapacity(int most) {
        activeCapacity = most;
    }

    /** Begins the count of a factory that comes or leaves. */
    void register(String maker) {
        counts.computeIfAbsent(maker, name -> new Count());
    }

    boolean knows(String maker) {
        return counts.containsKey(maker);
    }

    /** The resource with the name of a factory there is: what no other factory made is the active one's. */
    Resource stamped(Resource resource) {
        String owner = ownerOf(resource.factory());
        return resource.madeBy(counts.containsKey(owner) ? owner : active);
    }

    boolean anyLeaving() {
        return !leaving.isEmpty();
    }

    boolean isLeaving(String maker) {
        return leaving.contains(maker);
    }

    void activate(String maker, ResourceKind newKind, int capacity) {
        register(maker);
        stay(maker);
        active = maker;
        kind = newKind;
        activeCapacity = capacity;
    }

    void leave(String maker) {
        register(maker);
        leaving.add(maker);
    }

    void stay(String maker) {
        leaving.remove(maker);
        heirs.remove(maker);
    }

    /** Whether a leaving factory is done with; forgets it then. */
    boolean drained(String maker) {
        Count count = counts.get(maker);
        if (count == null || !leaving.contains(maker) || !count.nothing()) {
            return false;
        }
        counts.remove(maker);
        stay(maker);
        return true;
    }

    /**
     * A factory leaves whose resources became another's, and those that it still makes will. It is done with when it
     * was answered.
     */
    void merge(String from, String to) {
        Count gone = of(from);
        of(to).slots += gone.slots;
        of(to).lost += gone.lost;
        gone.slots = 0;
        gone.lost = 0;
        leaving.add(from);
        heirs.replaceAll((name, heir) -> heir.equals(from) ? to : heir);
        heirs.put(from, to);
        heirs.remove(to);
    }

    /** Whose the resources of a factory are: its own, unless it was merged into another one. */
    String ownerOf(String maker) {
        return heirs.getOrDefault(maker, maker);
    }

    void slots(String maker, int change) {
        of(maker).slots += change;
    }

    void lost(String maker, int change) {
        of(maker).lost += change;
    }

    void creating(String maker, int change) {
        of(maker).creating += change;
    }

    /** Creates under way, in time, whose resources will be this factory's. */
    int creating(String maker) {
        Count count = counts.get(maker);
        int own = count == null ? 0 : count.creating;
        return own
                + heirs.entrySet().stream()
                        .filter(merged -> merged.getValue().equals(maker))
                        .mapToInt(merged -> of(merged.getKey()).creating)
                        .sum();
    }

    /** Creates asked of a factory, or answered by it. */
    void unanswered(String maker, int change) {
        of(maker).unanswered += change;
    }

    /** What there is of a factory's, or soon will be: what its capacity bounds. */
    int total(String maker) {
        Count count = counts.get(maker);
        return (count == null ? 0 : count.slots - count.lost) + creating(maker);
    }

    Set<String> names() {
        return Set.copyOf(counts.keySet());
    }

    private Count of(String maker) {
        return counts.computeIfAbsent(maker, name -> new Count());
    }
}
