package io.enipam.bench.durable;

import io.enipam.engine.model.DatapathRequest;
import io.enipam.engine.model.DatapathResult;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.port.Datapath;
import io.enipam.engine.port.Datapath.Attachment;
import io.enipam.engine.port.Span;
import io.enipam.sdk.Address;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Connects every pod at once, and reports what the kernel reports of a veth pair; it changes nothing. Thread-safe. */
final class NoOpDatapath implements Datapath {
    private static final CompletionStage<Void> DONE = CompletableFuture.completedStage(null);

    @Override
    public CompletionStage<DatapathResult> setUp(DatapathRequest connection, Span span) {
        Address address = connection.lease().resource().addresses().get(0);
        String netns = connection.link().netns();
        return CompletableFuture.completedStage(new DatapathResult(
                List.of(
                        new DatapathResult.Link("cali0123456789a", "4e:00:00:00:00:01", 1500, ""),
                        new DatapathResult.Link("eth0", "4e:00:00:00:00:02", 1500, netns)),
                List.of(new DatapathResult.PodAddress(address, "169.254.1.1", 1)),
                List.of(new DatapathResult.Route("0.0.0.0/0", "169.254.1.1"))));
    }

    @Override
    public CompletionStage<Void> tearDown(OwnerKey owner, Span span) {
        return DONE;
    }

    @Override
    public CompletionStage<List<Attachment>> attached() {
        return CompletableFuture.completedStage(List.of());
    }
}
