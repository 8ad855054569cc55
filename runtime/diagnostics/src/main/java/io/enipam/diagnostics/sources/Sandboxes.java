package io.enipam.diagnostics.sources;

import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.port.Datapath.Attachment;
import java.util.List;
import java.util.Optional;

/**
 * The sandboxes that the kernel is connected to.
 *
 * @param attached in no particular order
 */
public record Sandboxes(List<Attachment> attached) {
    public Sandboxes {
        attached = List.copyOf(attached);
    }

    public Optional<Attachment> of(OwnerKey owner) {
        return attached.stream()
                .filter(sandbox -> sandbox.owner().equals(owner))
                .findFirst();
    }
}
