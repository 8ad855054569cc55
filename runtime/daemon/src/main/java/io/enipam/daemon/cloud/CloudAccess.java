package io.enipam.daemon.cloud;

import io.enipam.engine.port.EniDirectory;
import io.enipam.sdk.ResourceFactory;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The cloud for those who need it: a link is made when the cloud's factory is asked for, and ended when it is closed. A node
 * whose addresses come from elsewhere never calls the cloud. Thread-safe.
 */
public final class CloudAccess implements EniDirectory {
    private final Supplier<CloudLink> links;
    private volatile Optional<CloudLink> link = Optional.empty();

    /** @param links begins to open the cloud */
    public CloudAccess(Supplier<CloudLink> links) {
        this.links = links;
    }

    /** The cloud's factory; who asked for it closes it. */
    public ResourceFactory open() {
        CloudLink opened = links.get();
        link = Optional.of(opened);
        return opened;
    }

    /** Why the cloud cannot be used now; empty if it can, or nobody needs it. */
    public Optional<String> trouble() {
        return inUse().flatMap(CloudLink::trouble);
    }

    @Override
    public List<Eni> enis() {
        return inUse().map(CloudLink::enis).orElse(List.of());
    }

    private Optional<CloudLink> inUse() {
        return link.filter(last -> !last.closed());
    }
}
