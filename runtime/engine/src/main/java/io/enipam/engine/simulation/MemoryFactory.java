package io.enipam.engine.simulation;

import io.enipam.engine.port.Scheduler;
import io.enipam.sdk.Address;
import io.enipam.sdk.Capabilities;
import io.enipam.sdk.CreateRequest;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.Created;
import io.enipam.sdk.DisposeResult;
import io.enipam.sdk.Disposed;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Family;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * A cloud in memory: makes addresses 10.0.x.y, as many as its capacity, after the time its owner says, and fails when its owner
 * says so. What it made outlives a crash of the engine. Thread-safe.
 */
public final class MemoryFactory implements ResourceFactory {
    private final Map<ResourceId, Resource> cloud = new TreeMap<>();
    private final Scheduler scheduler;
    private final Supplier<Instant> now;
    private final Supplier<Duration> latency;
    private final Supplier<Optional<Failed>> mishap;
    private final int capacity;
    private final String eni;
    private final int network;
    private int made;
    private int creates;
    private boolean down;
    private Optional<Duration> listing = Optional.empty();
    private boolean oldNews;
    private final Set<ResourceId> concealed = new HashSet<>();
    private final Deque<List<Resource>> lies = new ArrayDeque<>();
    private final Deque<Resource> next = new ArrayDeque<>();
    private final Set<ResourceId> hidden = new HashSet<>();

    /**
     * @param capacity how many addresses can be at one time
     * @param latency how long each operation takes
     * @param mishap asked at each operation: a failure, or empty to let it work
     */
    public MemoryFactory(
            Scheduler scheduler, int capacity, Supplier<Duration> latency, Supplier<Optional<Failed>> mishap) {
        this("eni-fake", 0, scheduler, capacity, latency, mishap);
    }

    /**
     * A factory with ids and addresses of its own, for which no request comes too late.
     *
     * @param eni the parent of all it makes
     * @param network the second number of its addresses, 0 to 255
     */
    public MemoryFactory(
            String eni,
            int network,
            Scheduler scheduler,
            int capacity,
            Supplier<Duration> latency,
            Supplier<Optional<Failed>> mishap) {
        this(eni, network, scheduler, () -> Instant.MIN, capacity, latency, mishap);
    }

    /**
     * A factory with ids and addresses of its own.
     *
     * @param eni the parent of all it makes
     * @param network the second number of its addresses, 0 to 255
     * @param now what a request's deadline is compared with
     */
    public MemoryFactory(
            String eni,
            int network,
            Scheduler scheduler,
            Supplier<Instant> now,
            int capacity,
            Supplier<Duration> latency,
            Supplier<Optional<Failed>> mishap) {
        this.eni = eni;
        this.network = network;
        this.scheduler = scheduler;
        this.now = now;
        this.capacity = capacity;
        this.latency = latency;
        this.mishap = mishap;
    }

    /** A factory that does everything at once and never fails. */
    public static MemoryFactory instant(Scheduler scheduler, int capacity) {
        return new MemoryFactory(scheduler, capacity, () -> Duration.ZERO, Optional::empty);
    }

    /** From now on, nothing answers, or all does again. */
    public synchronized void down(boolean down) {
        this.down = down;
    }

    /** From now on a list is answered without delay, whatever the latency is. */
    public void listsAtOnce() {
        listsAfter(Duration.ZERO);
    }

    /** From now on a list takes this long, and tells what there is at its end. */
    public synchronized void listsAfter(Duration delay) {
        listing = Optional.of(delay);
        oldNews = false;
    }

    /** From now on a list takes this long, and tells what there was at its beginning. */
    public synchronized void listsStaleAfter(Duration delay) {
        listing = Optional.of(delay);
        oldNews = true;
    }

    /** What the cloud's books say. */
    public synchronized List<Resource> contents() {
        return List.copyOf(cloud.values());
    }

    /** How many addresses were asked for so far. */
    public synchronized int creates() {
        return creates;
    }

    /** Takes an address away behind the engine's back. */
    public synchronized void lose(ResourceId id) {
        cloud.remove(id);
    }

    /**
     * Gives an address back that was taken away, behind the engine's back.
     *
     * @return false if there is no room for it any more, or its address is elsewhere
     */
    public synchronized boolean regain(Resource resource) {
        boolean elsewhere =
                cloud.values().stream().anyMatch(other -> other.addresses().equals(resource.addresses()));
        if (elsewhere || cloud.size() >= capacity) {
            return false;
        }
        cloud.putIfAbsent(resource.id(), resource);
        return true;
    }

    /** Makes an address that the engine knows nothing of; there must be room for it. */
    public synchronized Resource appear() {
        Resource resource = make(eni);
        cloud.put(resource.id(), resource);
        return resource;
    }

    /** Moves an address to another ENI behind the engine's back: it has another id there. */
    public synchronized Resource move(ResourceId id, String toEni) {
        Resource here = cloud.remove(id);
        Resource there = resource(toEni, here.addresses().get(0));
        cloud.put(there.id(), there);
        return there;
    }

    /** The next create gives this address on this ENI: the cloud lends what it has taken from another ENI. */
    public synchronized void makeNext(String onEni, String host) {
        next.add(resource(onEni, Address.parse(host + "/16")));
    }

    /** Lists leave a resource out until {@link #reveal}: they are late. */
    public synchronized void hide(ResourceId id) {
        hidden.add(id);
    }

    /** Lists are up to date again. */
    public synchronized void reveal() {
        hidden.clear();
    }

    /** The next list tells this, whatever there is; after that, lists tell the truth again. */
    public synchronized void listsNext(List<Resource> lie) {
        lies.add(List.copyOf(lie));
    }

    @Override
    public ResourceKind kind() {
        return ResourceKind.ENI_IP;
    }

    @Override
    public Capabilities capabilities() {
        return new Capabilities(Set.of(Family.IPV4), capacity, 10, false);
    }

    @Override
    public synchronized List<CompletionStage<CreateResult>> create(List<CreateRequest> requests) {
        creates += requests.size();
        return each(requests, this::createOne);
    }

    @Override
    public List<CompletionStage<DisposeResult>> dispose(List<Resource> resources) {
        return each(resources, this::disposeOne);
    }

    /** What some list left out that told no truth, or an old one. */
    public synchronized Set<ResourceId> concealed() {
        return Set.copyOf(concealed);
    }

    private synchronized void conceals(List<Resource> told) {
        Set<ResourceId> kept = new HashSet<>(cloud.keySet());
        told.forEach(resource -> kept.remove(resource.id()));
        concealed.addAll(kept);
    }

    @Override
    public CompletionStage<List<Resource>> list() {
        CompletableFuture<List<Resource>> answer = new CompletableFuture<>();
        Optional<List<Resource>> told = news();
        told.ifPresent(this::conceals);
        scheduler.after(listTime(), () -> {
            if (isDown()) {
                answer.completeExceptionally(new FactoryException(ErrorKind.UNAVAILABLE, "the cloud is away"));
            } else {
                told.ifPresent(this::conceals);
                answer.complete(told.orElseGet(this::shown));
            }
        });
        return answer;
    }

    private synchronized Optional<List<Resource>> news() {
        if (!lies.isEmpty()) {
            return Optional.of(lies.remove());
        }
        return oldNews ? Optional.of(contents()) : Optional.empty();
    }

    private synchronized Duration listTime() {
        return listing.orElseGet(latency);
    }

    private synchronized List<Resource> shown() {
        return cloud.values().stream()
                .filter(resource -> !hidden.contains(resource.id()))
                .toList();
    }

    private synchronized boolean isDown() {
        return down;
    }

    private synchronized CreateResult createOne(CreateRequest request) {
        Optional<Failed> failed = mishap.get();
        if (!request.families().equals(Set.of(Family.IPV4))) {
            return Failed.of(ErrorKind.MISCONFIGURED, "addresses are IPv4, asked for " + request.families());
        }
        if (!now.get().isBefore(request.deadline())) {
            return Failed.of(ErrorKind.DEADLINE_EXCEEDED, "the deadline passed before the cloud gave an address");
        }
        if (down) {
            return Failed.of(ErrorKind.UNAVAILABLE, "the cloud is away");
        }
        if (failed.isPresent()) {
            return failed.get();
        }
        if (cloud.size() >= capacity) {
            return Failed.of(ErrorKind.QUOTA_EXHAUSTED, "all " + capacity + " addresses exist");
        }
        Resource resource = next.isEmpty() ? make(eni) : next.remove();
        cloud.put(resource.id(), resource);
        return new Created(resource);
    }

    private Resource make(String parent) {
        made++;
        return resource(parent, Address.parse("10." + network + "." + made / 250 + "." + (made % 250 + 1) + "/16"));
    }

    private static Resource resource(String parent, Address address) {
        return new Resource(
                new ResourceId(parent + "/" + address.host()), ResourceKind.ENI_IP, List.of(address), parent, Map.of());
    }

    private synchronized DisposeResult disposeOne(Resource resource) {
        Optional<Failed> failed = mishap.get();
        if (down) {
            return Failed.of(ErrorKind.UNAVAILABLE, "the cloud is away");
        }
        if (failed.isPresent()) {
            return failed.get();
        }
        cloud.remove(resource.id());
        return new Disposed(resource.id());
    }

    private <I, O> List<CompletionStage<O>> each(Collection<I> items, java.util.function.Function<I, O> work) {
        List<CompletionStage<O>> stages = new ArrayList<>();
        for (I item : items) {
            CompletableFuture<O> stage = new CompletableFuture<>();
            scheduler.after(latency.get(), () -> stage.complete(work.apply(item)));
            stages.add(stage);
        }
        return stages;
    }
}
