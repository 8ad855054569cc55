package io.enipam.examples.resilient;

import io.enipam.sdk.Address;
import io.enipam.sdk.Capabilities;
import io.enipam.sdk.CreateRequest;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.DisposeResult;
import io.enipam.sdk.Disposed;
import io.enipam.sdk.Family;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/** A factory to wrap whose every answer the test gives, when the test wants. Keeps what it was asked. */
final class ScriptedFactory implements ResourceFactory {
    final List<CompletableFuture<CreateResult>> creates = new CopyOnWriteArrayList<>();
    final List<CompletableFuture<List<Resource>>> lists = new CopyOnWriteArrayList<>();
    final List<CompletableFuture<DisposeResult>> disposals = new CopyOnWriteArrayList<>();
    final List<Integer> batches = new CopyOnWriteArrayList<>();

    /** What creates are answered with; stages of {@link #creates} stay open while it gives null. */
    volatile Function<CreateRequest, CreateResult> answer = request -> null;

    volatile Capabilities capabilities = new Capabilities(Set.of(Family.IPV4), 100, 10, true);
    volatile int closed;

    @Override
    public ResourceKind kind() {
        return new ResourceKind("scripted");
    }

    @Override
    public Capabilities capabilities() {
        return capabilities;
    }

    @Override
    public List<CompletionStage<CreateResult>> create(List<CreateRequest> requests) {
        batches.add(requests.size());
        List<CompletionStage<CreateResult>> stages = new ArrayList<>();
        for (CreateRequest request : requests) {
            CompletableFuture<CreateResult> stage = new CompletableFuture<>();
            creates.add(stage);
            stages.add(stage);
            CreateResult now = answer.apply(request);
            if (now != null) {
                stage.complete(now);
            }
        }
        return stages;
    }

    @Override
    public List<CompletionStage<DisposeResult>> dispose(List<Resource> resources) {
        List<CompletionStage<DisposeResult>> stages = new ArrayList<>();
        for (int i = 0; i < resources.size(); i++) {
            CompletableFuture<DisposeResult> stage = new CompletableFuture<>();
            disposals.add(stage);
            stages.add(stage);
        }
        return stages;
    }

    @Override
    public CompletionStage<List<Resource>> list() {
        CompletableFuture<List<Resource>> stage = new CompletableFuture<>();
        lists.add(stage);
        return stage;
    }

    @Override
    public void close() {
        closed++;
    }

    Resource resource(String host) {
        return new Resource(new ResourceId(host), kind(), List.of(Address.parse(host)), "", Map.of());
    }

    static Disposed gone(Resource resource) {
        return new Disposed(resource.id());
    }
}
