package io.enipam.daemon.warmup;

import io.enipam.sdk.Address;
import io.enipam.sdk.Capabilities;
import io.enipam.sdk.CreateRequest;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.DisposeResult;
import io.enipam.sdk.Disposed;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Family;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceKind;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;

/** A cloud that has all its addresses already: a create never waits. Thread-safe. */
public final class PreallocatedFactory implements ResourceFactory {
    private static final String ENI = "eni-bp1memory0000000000";

    private final List<Resource> all;

    /** @param addresses how many there are, 1 to 10,000 */
    public PreallocatedFactory(int addresses) {
        all = IntStream.range(0, addresses)
                .mapToObj(PreallocatedFactory::address)
                .toList();
    }

    private static Resource address(int number) {
        String host = "10.0." + number / 250 + "." + (number % 250 + 1);
        // attributes as the real factory gives them: they are part of each record
        return new Resource(
                new ResourceId(ENI + "/" + host),
                ResourceKind.ENI_IP,
                List.of(Address.parse(host + "/16")),
                ENI,
                Map.of(
                        "gateway", "10.0.255.253",
                        "mac", DiscardingKernel.ENI_MAC,
                        "primary", "false",
                        "vswitch", "vsw-bp1memory0000000000"));
    }

    @Override
    public ResourceKind kind() {
        return ResourceKind.ENI_IP;
    }

    @Override
    public Capabilities capabilities() {
        return new Capabilities(Set.of(Family.IPV4), all.size(), 10, false);
    }

    @Override
    public CompletionStage<List<Resource>> list() {
        return CompletableFuture.completedStage(all);
    }

    @Override
    public List<CompletionStage<CreateResult>> create(List<CreateRequest> requests) {
        CreateResult none = Failed.of(ErrorKind.QUOTA_EXHAUSTED, "all addresses exist");
        return requests.stream()
                .map(request -> CompletableFuture.completedStage(none))
                .toList();
    }

    @Override
    public List<CompletionStage<DisposeResult>> dispose(List<Resource> resources) {
        return resources.stream()
                .map(resource -> CompletableFuture.<DisposeResult>completedStage(new Disposed(resource.id())))
                .toList();
    }
}
