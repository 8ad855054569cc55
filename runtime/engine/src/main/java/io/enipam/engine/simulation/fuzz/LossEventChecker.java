package io.enipam.engine.simulation.fuzz;

import static io.enipam.engine.simulation.fuzz.Violation.require;

import io.enipam.engine.model.Event;
import io.enipam.engine.pool.PoolView;
import io.enipam.engine.simulation.RecordedEvents;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceState;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * What the events of one life of the engine say of lost addresses, read in their order: nothing lost is lent, each loss is reported
 * once, and what is reported is what the pool says.
 */
final class LossEventChecker {
    private static final Set<String> CHANGES_OF_THE_OUTSIDE = Set.of("Recovered", "AddressRegained", "LeaseRebuilt");

    private final Set<String> lost = new TreeSet<>();
    private final Set<String> lostOfOwners = new TreeSet<>();
    private final Set<String> disposed = new HashSet<>();
    private final Predicate<String> cameBack;
    private int heard;
    private int changes;

    /** @param cameBack whether the outside ever gave a resource back, or moved one to where it is */
    LossEventChecker(Predicate<String> cameBack) {
        this.cameBack = cameBack;
    }

    /** Reads the events that came since. */
    void hear(RecordedEvents events) {
        List<Event> news = events.behind(heard);
        heard += news.size();
        for (Event event : news) {
            if (CHANGES_OF_THE_OUTSIDE.contains(event.type())) {
                changes++;
            }
            apart(event).forEach(this::hear);
        }
    }

    /** How often the engine has heard so far of what else is, or may be, in the pool. */
    int changes() {
        return changes;
    }

    /** What is told of several addresses of an ENI, as if it were told of each. */
    private static List<Event> apart(Event event) {
        String resources = event.attributes().get("resources");
        if (resources == null) {
            return List.of(event);
        }
        String[] ids = resources.split(",");
        String[] owners = event.attributes().getOrDefault("owners", "").split(",", -1);
        return IntStream.range(0, ids.length)
                .mapToObj(i -> {
                    Map<String, String> one = new HashMap<>(Map.of("resource", ids[i]));
                    if (!owners[i].isEmpty()) {
                        one.put("owner", owners[i]);
                    }
                    return new Event(
                            event.sequence(), event.at(), event.severity(), event.type(), ids[i], event.message(), one);
                })
                .toList();
    }

    private void hear(Event event) {
        String resource = event.attributes().getOrDefault("resource", event.subject());
        String owner = event.attributes().get("owner");
        switch (event.type()) {
            case "AddressLost" -> {
                require(lost.add(resource), "a loss is told once", resource + " is not lost yet", event::message);
                if (owner != null) {
                    lostOfOwners.add(resource + " of " + owner);
                }
            }
            case "AddressRegained" -> {
                require(lost.remove(resource), "what is regained was lost", resource + " was lost", event::message);
                lostOfOwners.remove(resource + " of " + owner);
            }
            case "ResourceDisposed" -> {
                lost.remove(resource);
                disposed.add(resource);
            }
            case "AddressAdopted", "AddressReturned" ->
                require(
                        !disposed.contains(resource) || cameBack.test(resource),
                        "what was disposed of stays away",
                        resource + " is not in the pool again",
                        event::message);
            case "LeaseGranted", "LeaseRepeated" ->
                require(!lost.contains(resource), "no pod gets a lost address", resource + " is lost", event::message);
            default -> {}
        }
    }

    /** How much of the pool is not lost. */
    int left(PoolView pool) {
        return (int) pool.entries().stream()
                .filter(entry -> !isLost(entry.resource()))
                .count();
    }

    boolean isLost(Resource resource) {
        return lost.contains(resource.id().value());
    }

    /** A new life begins: it finds out anew what is lost. */
    void restart() {
        lost.clear();
        lostOfOwners.clear();
    }

    /** Whoever has a lost address has been told of, and only they. */
    void isWhatThePoolSays(PoolView pool) {
        Set<String> invalid = owned(pool, ResourceState.INVALID);
        require(
                lostOfOwners.containsAll(invalid),
                "each lost address of a pod is told",
                "events of " + invalid,
                () -> lostOfOwners);
        Set<String> fine = owned(pool, ResourceState.IN_USE);
        require(
                fine.stream().noneMatch(lostOfOwners::contains),
                "no loss is told of a lease that is in order",
                "no events of " + fine,
                () -> lostOfOwners);
    }

    private static Set<String> owned(PoolView pool, ResourceState state) {
        return pool.entries().stream()
                .filter(entry -> entry.state() == state)
                .flatMap(entry ->
                        entry.owner().stream().map(owner -> entry.resource().id() + " of " + owner))
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
