package io.enipam.sdk.testkit;

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
import io.enipam.sdk.PluginContext;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.ResourceKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;

/** A factory that keeps every rule; the flawed ones override one step of it. */
class SoundFactory implements ResourceFactory {
    final InMemoryProvider cloud;
    final PluginContext context;
    final ExecutorService threads;

    SoundFactory(InMemoryProvider cloud, PluginContext context) {
        this.cloud = cloud;
        this.context = context;
        this.threads = Executors.newFixedThreadPool(2, daemons());
    }

    /** So that the flaw of not closing does not keep the test's JVM alive. */
    private static ThreadFactory daemons() {
        return task -> {
            Thread thread = new Thread(task, "factory");
            thread.setDaemon(true);
            return thread;
        };
    }

    @Override
    public ResourceKind kind() {
        return InMemoryProvider.KIND;
    }

    @Override
    public Capabilities capabilities() {
        return new Capabilities(Set.of(Family.IPV4), InMemoryProvider.CAPACITY, 4, true);
    }

    @Override
    public List<CompletionStage<CreateResult>> create(List<CreateRequest> requests) {
        List<CompletionStage<CreateResult>> stages = new ArrayList<>();
        for (CreateRequest request : requests) {
            stages.add(CompletableFuture.supplyAsync(() -> make(request), threads));
        }
        return stages;
    }

    CreateResult make(CreateRequest request) {
        if (!request.families().equals(Set.of(Family.IPV4))) {
            return Failed.of(ErrorKind.MISCONFIGURED, "only IPv4");
        }
        if (!request.deadline().isAfter(context.clock().instant())) {
            return Failed.of(ErrorKind.DEADLINE_EXCEEDED, "too late");
        }
        if (cloud.away()) {
            return Failed.of(ErrorKind.UNAVAILABLE, "away");
        }
        if (cloud.refuses()) {
            return refused(request);
        }
        synchronized (cloud) {
            return cloud.find(request.token())
                    .or(() -> cloud.take(request.token()))
                    .<CreateResult>map(Created::new)
                    .orElseGet(() -> Failed.of(ErrorKind.ADDRESSES_EXHAUSTED, "all taken"));
        }
    }

    CreateResult refused(CreateRequest request) {
        return Failed.of(ErrorKind.UNAVAILABLE, "the cloud refused " + request.token());
    }

    @Override
    public List<CompletionStage<DisposeResult>> dispose(List<Resource> resources) {
        List<CompletionStage<DisposeResult>> stages = new ArrayList<>();
        for (Resource resource : resources) {
            stages.add(CompletableFuture.supplyAsync(() -> unmake(resource), threads));
        }
        return stages;
    }

    DisposeResult unmake(Resource resource) {
        if (cloud.away()) {
            return Failed.of(ErrorKind.UNAVAILABLE, "away");
        }
        cloud.remove(resource.id());
        return new Disposed(resource.id());
    }

    @Override
    public CompletionStage<List<Resource>> list() {
        CompletableFuture<List<Resource>> answer = new CompletableFuture<>();
        threads.execute(() -> {
            if (cloud.away()) {
                answer.completeExceptionally(new FactoryException(ErrorKind.UNAVAILABLE, "away"));
            } else {
                answer.complete(tell());
            }
        });
        return answer;
    }

    List<Resource> tell() {
        return cloud.all();
    }

    @Override
    public void close() {
        threads.shutdown();
    }
}
