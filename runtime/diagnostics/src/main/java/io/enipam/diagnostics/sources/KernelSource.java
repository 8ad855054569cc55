package io.enipam.diagnostics.sources;

import io.enipam.diagnostics.sources.Statement.Topic;
import io.enipam.engine.model.AddressFormat;
import io.enipam.engine.port.Datapath;
import io.enipam.engine.port.Datapath.Attachment;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

/** The kernel: which sandboxes are connected, and with which addresses. */
public final class KernelSource extends Source<KernelSource.Sandboxes> {
    private final Datapath kernel;

    public KernelSource(Datapath kernel) {
        super(KERNEL, Sandboxes.class, Duration.ofSeconds(5));
        this.kernel = kernel;
    }

    /**
     * The sandboxes that the kernel is connected to.
     *
     * @param attached in no particular order
     */
    public record Sandboxes(List<Attachment> attached) {
        public Sandboxes {
            attached = List.copyOf(attached);
        }
    }

    @Override
    public CompletionStage<Sandboxes> ask() {
        return kernel.attached().thenApply(Sandboxes::new);
    }

    @Override
    public List<Statement> statements(Sandboxes answer) {
        return answer.attached().stream().map(KernelSource::sandbox).toList();
    }

    private static Statement sandbox(Attachment sandbox) {
        return new Statement(
                Topic.SANDBOX,
                sandbox.addresses().stream().map(AddressFormat::text).collect(Collectors.toSet()),
                "",
                Optional.of(sandbox.owner()),
                sandbox.pod(),
                "CONNECTED",
                Optional.empty(),
                (sandbox.addresses().isEmpty() ? "half connected to container " : "routed to container ")
                        + sandbox.owner().containerId()
                        + sandbox.pod().map(pod -> " of pod " + pod).orElse(""));
    }
}
