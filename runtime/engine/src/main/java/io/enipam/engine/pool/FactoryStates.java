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
    /** Of factories by name; those that are done with stay, since calls about their resources may still be under way. */
    private final Map<String, String> providers = new HashMap<>();

    String active;
    ResourceKind kind;
    int activeCapacity;

    static final class Count {
        int slots;
        /** Those of the slots that the provider has lost: they are recorded, and take no capacity. */
        int lost;

        int creating;
        /** Creates that were asked of it, and not answered yet. */
        int unanswered;
    }

    FactoryStates(String active, ResourceKind kind) {
        this.active = active;
        this.kind = kind;
        counts.put(active, new Count());
    }

    /** The count of a factory, which begins when it comes or leaves. */
    Count of(String maker) {
        return counts.computeIfAbsent(maker, name -> new Count());
    }

    boolean knows(String maker) {
        return counts.containsKey(maker);
    }

    /** The resource with the name of a factory there is: what no other factory made is the active one's. */
    Resource stamped(Resource resource) {
        String owner = ownerOf(resource.factory());
        return resource.madeBy(counts.containsKey(owner) ? owner : active);
    }

    /** A factory has the resources of a provider: its own name, or that of the factory it wraps. */
    void provides(String maker, String provider) {
        providers.put(maker, provider);
    }

    /** Where the resources of a factory come from; what no factory there is has made comes from where the active one's do. */
    private String origin(String maker) {
        String owner = ownerOf(maker);
        String known = providers.getOrDefault(owner, counts.containsKey(owner) ? owner : "");
        return known.isEmpty() ? providers.getOrDefault(active, active) : known;
    }

    /** Whether the resources of two factories come from one place, so that one id names one resource of both. */
    boolean shareOrigin(String one, String other) {
        return one.equals(other) || origin(one).equals(origin(other));
    }

    /** Whether two are one resource: of one id, and from one origin. Factories of two providers may give the same ids. */
    boolean same(Resource one, Resource other) {
        return one.id().equals(other.id()) && shareOrigin(one.factory(), other.factory());
    }

    boolean anyLeaving() {
        return !leaving.isEmpty();
    }

    boolean isLeaving(String maker) {
        return leaving.contains(maker);
    }

    void activate(String maker, ResourceKind newKind, int capacity) {
        of(maker);
        stay(maker);
        active = maker;
        kind = newKind;
        activeCapacity = capacity;
    }

    void leave(String maker) {
        of(maker);
        leaving.add(maker);
    }

    void stay(String maker) {
        leaving.remove(maker);
        heirs.remove(maker);
    }

    /** Whether a leaving factory is done with; forgets it then. */
    boolean drained(String maker) {
        Count count = counts.get(maker);
        boolean over = count != null && leaving.contains(maker) && count.slots + count.creating + count.unanswered == 0;
        if (over) {
            counts.remove(maker);
            stay(maker);
        }
        return over;
    }

    /** A factory leaves whose resources are another's now, as are those that it still makes. */
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

    /** Creates under way, in time, whose resources will be this factory's. */
    int creating(String maker) {
        int merged = heirs.entrySet().stream()
                .filter(heir -> heir.getValue().equals(maker))
                .mapToInt(heir -> of(heir.getKey()).creating)
                .sum();
        return merged + (counts.containsKey(maker) ? of(maker).creating : 0);
    }

    /** What there is of a factory's, or soon will be: what its capacity bounds. */
    int total(String maker) {
        return creating(maker) + (counts.containsKey(maker) ? of(maker).slots - of(maker).lost : 0);
    }

    Set<String> names() {
        return Set.copyOf(counts.keySet());
    }
}
