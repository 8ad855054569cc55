package io.enipam.diagnostics.sources;

import io.enipam.diagnostics.sources.Saying.Topic;
import io.enipam.engine.model.AddressFormat;
import io.enipam.engine.port.Datapath;
import io.enipam.engine.port.Datapath.Attachment;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

/** The kernel: which sandboxes are connected, and with which addresses. */
public final class KernelSource implements Source<Sandboxes> {
    private final Datapath kernel;

    public KernelSource(Datapath kernel) {
        this.kernel = kernel;
    }

    @Override
    public String name() {
        return "kernel";
    }

    @Override
    public Class<Sandboxes> type() {
        return Sandboxes.class;
    }

    @Override
    public Duration patience() {
        return Duration.ofSeconds(5);
    }

    @Override
    public CompletionStage<Sandboxes> ask() {
        return kernel.attached().thenApply(Sandboxes::new);
    }

    @Override
    public List<Saying> sayings(Sandboxes told) {
        return told.attached().stream().map(KernelSource::sandbox).toList();
    }

    private static Saying sandbox(Attachment sandbox) {
        return new Saying(
                Topic.SANDBOX,
                sandbox.owner().toString(),
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
