package io.enipam.kubernetes.cidr;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.enipam.sdk.Capabilities;
import io.enipam.sdk.CreateRequest;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.Created;
import io.enipam.sdk.DisposeResult;
import io.enipam.sdk.Disposed;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Family;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceKind;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * Makes addresses of the node's CIDR: terway's mode VPC. Nobody is asked for one, and nothing outside the node remembers it: an
 * address exists as long as somebody here needs it. What the database says of leases is therefore what exists at a start; what was
 * idle then does not exist any more, and is made again when it is wanted.
 *
 * <p>The next address is the one after the last made, going round, so that one given back is not another pod's at once. Thread-safe;
 * {@code this} guards what is made. Every stage is complete when it is returned.
 */
public final class NodeCidrFactory implements ResourceFactory {
    /** The name by which configuration knows it. */
    public static final String NAME = "node-cidr";

    /** What it makes. */
    public static final ResourceKind KIND = new ResourceKind("node-ip");

    private final NodeCidr cidr;
    private final Supplier<Instant> now;

    @GuardedBy("this")
    private final Map<ResourceId, Resource> made = new TreeMap<>();

    /** The number of the last one made. */
    @GuardedBy("this")
    private int last;

    /**
     * @param known what is lent or kept, and was made here before; those of another CIDR stay until they are given back
     */
    public NodeCidrFactory(NodeCidr cidr, Collection<Resource> known, Supplier<Instant> now) {
        this.cidr = cidr;
        this.now = now;
        for (Resource resource : known) {
            made.put(resource.id(), resource);
        }
        last = known.stream()
                .flatMap(resource -> resource.addresses().stream())
                .filter(cidr::contains)
                .mapToInt(cidr::number)
                .max()
                .orElse(NodeCidr.FIRST - 1);
    }

    @Override
    public ResourceKind kind() {
        return KIND;
    }

    @Override
    public Capabilities capabilities() {
        return new Capabilities(Set.of(Family.IPV4), cidr.capacity(), 1, false);
    }

    @Override
    public synchronized List<CompletionStage<CreateResult>> create(List<CreateRequest> requests) {
        List<CompletionStage<CreateResult>> results = new ArrayList<>();
        for (CreateRequest request : requests) {
            results.add(CompletableFuture.completedStage(create(request)));
        }
        return results;
    }

    @GuardedBy("this")
    private CreateResult create(CreateRequest request) {
        if (!request.families().equals(Set.of(Family.IPV4))) {
            return Failed.of(ErrorKind.MISCONFIGURED, "the node's CIDR " + cidr + " has IPv4 addresses alone");
        }
        if (!now.get().isBefore(request.deadline())) {
            return Failed.of(ErrorKind.DEADLINE_EXCEEDED, "the deadline was over before an address was made");
        }
        for (int tried = 0; tried < cidr.capacity(); tried++) {
            last = last >= cidr.last() ? NodeCidr.FIRST : last + 1;
            Resource resource = resource(last);
            if (made.putIfAbsent(resource.id(), resource) == null) {
                return new Created(resource);
            }
        }
        return Failed.of(
                ErrorKind.ADDRESSES_EXHAUSTED,
                "all " + cidr.capacity() + " addresses of the node's CIDR " + cidr + " are in use");
    }

    private Resource resource(int number) {
        var address = cidr.address(number);
        return new Resource(
                new ResourceId(NAME + "/" + address.host()),
                KIND,
                List.of(address),
                "",
                Map.of(Resource.GATEWAY, cidr.gateway()));
    }

    @Override
    public synchronized List<CompletionStage<DisposeResult>> dispose(List<Resource> resources) {
        List<CompletionStage<DisposeResult>> results = new ArrayList<>();
        for (Resource resource : resources) {
            made.remove(resource.id());
            results.add(CompletableFuture.completedStage(new Disposed(resource.id())));
        }
        return results;
    }

    @Override
    public synchronized CompletionStage<List<Resource>> list() {
        return CompletableFuture.completedStage(List.copyOf(made.values()));
    }
}
