package io.enipam.pluginhost.guard;

import io.enipam.sdk.Address;
import io.enipam.sdk.Capabilities;
import io.enipam.sdk.CreateRequest;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.Created;
import io.enipam.sdk.DisposeResult;
import io.enipam.sdk.Disposed;
import io.enipam.sdk.Family;
import io.enipam.sdk.RequestToken;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceKind;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** A factory that does everything right; tests override what shall be wrong. */
class StubFactory implements ResourceFactory {
    static final ResourceKind KIND = new ResourceKind("host-local");
    final AtomicInteger closes = new AtomicInteger();
    final AtomicInteger asked = new AtomicInteger();

    static List<CreateRequest> requests(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> new CreateRequest(new RequestToken("t" + i), Set.of(Family.IPV4), Instant.EPOCH))
                .toList();
    }

    static Resource resource(String name) {
        return new Resource(new ResourceId(name), KIND, List.of(Address.parse("10.0.0.1/24")), "", Map.of());
    }

    @Override
    public ResourceKind kind() {
        return KIND;
    }

    @Override
    public Capabilities capabilities() {
        asked.incrementAndGet();
        return new Capabilities(Set.of(Family.IPV4), 100, 10, false);
    }

    @Override
    public List<CompletionStage<CreateResult>> create(List<CreateRequest> requests) {
        return requests.stream().map(this::create).toList();
    }

    CompletionStage<CreateResult> create(CreateRequest request) {
        return CompletableFuture.completedStage(
                new Created(resource(request.token().value())));
    }

    @Override
    public List<CompletionStage<DisposeResult>> dispose(List<Resource> resources) {
        return resources.stream()
                .map(r -> CompletableFuture.<DisposeResult>completedStage(new Disposed(r.id())))
                .toList();
    }

    @Override
    public CompletionStage<List<Resource>> list() {
        return CompletableFuture.completedStage(List.of(resource("a"), resource("b")));
    }

    @Override
    public void close() {
        closes.incrementAndGet();
    }
}
