package io.enipam.sdk.testkit;

import io.enipam.sdk.Address;
import io.enipam.sdk.RequestToken;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceKind;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** A provider in memory: a few addresses, each at most once, found again by the token it was made for. Guarded by itself. */
final class InMemoryProvider {
    static final int CAPACITY = 16;
    static final ResourceKind KIND = new ResourceKind("test-address");

    final Map<ResourceId, Resource> books = new TreeMap<>();
    final Map<RequestToken, ResourceId> tokens = new HashMap<>();
    boolean away;
    private boolean refusing;

    synchronized void refuseNext() {
        refusing = true;
    }

    /** Whether this one is refused. */
    synchronized boolean refuses() {
        boolean refused = refusing;
        refusing = false;
        return refused;
    }

    synchronized Optional<Resource> find(RequestToken token) {
        return Optional.ofNullable(tokens.get(token)).map(books::get);
    }

    /** A free resource, marked as taken. */
    synchronized Optional<Resource> take(RequestToken token) {
        Optional<Resource> free = IntStream.rangeClosed(1, CAPACITY)
                .mapToObj(InMemoryProvider::resource)
                .filter(resource -> !books.containsKey(resource.id()))
                .findFirst();
        free.ifPresent(resource -> {
            books.put(resource.id(), resource);
            tokens.put(token, resource.id());
        });
        return free;
    }

    synchronized boolean remove(ResourceId id) {
        return books.remove(id) != null;
    }

    synchronized List<Resource> all() {
        return List.copyOf(books.values());
    }

    synchronized boolean away() {
        return away;
    }

    synchronized void away(boolean gone) {
        away = gone;
    }

    static Resource resource(int number) {
        String host = "10.0.0." + number;
        return new Resource(
                new ResourceId("test/" + host),
                KIND,
                List.of(Address.parse(host + "/24")),
                "",
                Map.of(Resource.GATEWAY, "10.0.0.254"));
    }
}
