package io.enipam.platform.testing;

import io.enipam.sdk.Capabilities;
import io.enipam.sdk.CreateRequest;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.DisposeResult;
import io.enipam.sdk.Family;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.ResourceKind;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A factory of the cloud's that has nothing and makes nothing. */
public class EmptyFactory implements ResourceFactory {
    private final int capacity;

    public EmptyFactory(int capacity) {
        this.capacity = capacity;
    }

    @Override
    public ResourceKind kind() {
        return ResourceKind.ENI_IP;
    }

    @Override
    public Capabilities capabilities() {
        return new Capabilities(Set.of(Family.IPV4), capacity, 1, true);
    }

    @Override
    public List<CompletionStage<CreateResult>> create(List<CreateRequest> requests) {
        return List.of();
    }

    @Override
    public List<CompletionStage<DisposeResult>> dispose(List<Resource> resources) {
        return List.of();
    }

    @Override
    public CompletionStage<List<Resource>> list() {
        return CompletableFuture.completedStage(List.of());
    }
}
