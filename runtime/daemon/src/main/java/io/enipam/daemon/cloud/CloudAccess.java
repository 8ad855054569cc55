package io.enipam.daemon.cloud;

import io.enipam.aliyun.eni.EniUse;
import io.enipam.engine.port.EniDirectory;
import io.enipam.sdk.ResourceFactory;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/**
 * The cloud for those who need it: a link is made when one of the cloud's factories is asked for, and ended when that is
 * closed. A node whose addresses come from elsewhere never calls the cloud. Thread-safe.
 */
public final class CloudAccess implements EniDirectory {
    private final Function<EniUse, CloudLink> links;
    private final List<CloudLink> made = new CopyOnWriteArrayList<>();

    /** @param links begins to open the cloud for a use */
    public CloudAccess(Function<EniUse, CloudLink> links) {
        this.links = links;
    }

    /** The cloud's factory of a use; who asked for it closes it. */
    public ResourceFactory open(EniUse use) {
        CloudLink opened = links.apply(use);
        made.removeIf(CloudLink::closed);
        made.add(opened);
        return opened;
    }

    /** Why the cloud cannot be used now; empty if it can, or nobody needs it. */
    public Optional<String> trouble() {
        return made.stream()
                .filter(link -> !link.closed())
                .flatMap(link -> link.trouble().stream())
                .findFirst();
    }

    /** The ENIs of all uses: the links share one session, so each tells of all. */
    @Override
    public List<Eni> enis() {
        return made.stream()
                .filter(link -> !link.closed())
                .map(CloudLink::enis)
                .filter(enis -> !enis.isEmpty())
                .findFirst()
                .orElse(List.of());
    }
}
