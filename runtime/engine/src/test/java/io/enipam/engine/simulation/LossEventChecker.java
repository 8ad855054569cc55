package io.enipam.engine.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.model.Event;
import io.enipam.engine.pool.PoolView;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceState;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * What the events of one life of the engine say of lost addresses, read in their order: nothing lost is lent, each loss is told
 * once, and what is told is what the pool says.
 */
final class LossEventChecker {
    private final Set<String> lost = new HashSet<>();
    private final Set<String> lostOfOwners = new HashSet<>();
    private final Set<String> disposed = new HashSet<>();
    private final Predicate<String> cameBack;
    private int heard;

    /** @param cameBack whether the outside ever gave a resource back, or moved one to where it is */
    LossEventChecker(Predicate<String> cameBack) {
        this.cameBack = cameBack;
    }

    /** Reads the events that came since. */
    void hear(List<Event> all) {
        for (Event event : all.subList(heard, all.size())) {
            apart(event).forEach(this::hear);
        }
        heard = all.size();
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
                assertThat(lost.add(resource))
                        .as("%s is told once", event.message())
                        .isTrue();
                if (owner != null) {
                    lostOfOwners.add(resource + " of " + owner);
                }
            }
            case "AddressRegained" -> {
                assertThat(lost.remove(resource))
                        .as("%s was lost before", resource)
                        .isTrue();
                lostOfOwners.remove(resource + " of " + owner);
            }
            case "ResourceDisposed" -> {
                lost.remove(resource);
                disposed.add(resource);
            }
            case "AddressAdopted", "AddressReturned" ->
                assertThat(disposed.contains(resource) && !cameBack.test(resource))
                        .as("%s went back for good: %s", resource, event.message())
                        .isFalse();
            case "LeaseGranted", "LeaseRepeated" ->
                assertThat(lost)
                        .as("%s is not lost: %s", resource, event.message())
                        .doesNotContain(resource);
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
        Set<String> invalid = pool.entries().stream()
                .filter(entry -> entry.state() == ResourceState.INVALID)
                .flatMap(entry ->
                        entry.owner().stream().map(owner -> entry.resource().id() + " of " + owner))
                .collect(Collectors.toSet());
        assertThat(lostOfOwners).as("losses told").containsAll(invalid);
        Set<String> fine = pool.entries().stream()
                .filter(entry -> entry.state() == ResourceState.IN_USE)
                .flatMap(entry ->
                        entry.owner().stream().map(owner -> entry.resource().id() + " of " + owner))
                .collect(Collectors.toSet());
        assertThat(fine).as("leases that are in order").noneMatch(lostOfOwners::contains);
    }
}
