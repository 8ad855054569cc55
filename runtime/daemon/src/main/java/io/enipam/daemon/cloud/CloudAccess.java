package io.enipam.daemon.cloud;

import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.port.EniDirectory;
import io.enipam.engine.port.EniSweeper;
import io.enipam.sdk.ResourceFactory;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * The cloud for those who need it: a link is made when the cloud's factory is asked for, and ended when it is closed. A node
 * whose addresses come from elsewhere never calls the cloud. Thread-safe.
 */
public final class CloudAccess implements EniDirectory, EniSweeper {
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

    /** Fails with {@link IpamException}: nobody uses the cloud, or it cannot be asked. */
    @Override
    public CompletionStage<Report> sweep(boolean dryRun) {
        Optional<CloudLink> cloud = inUse();
        if (cloud.isEmpty()) {
            return CompletableFuture.failedStage(new IpamException(
                    ErrorCode.TRY_AGAIN,
                    "no address of this node comes from the cloud, so there is nothing to sweep",
                    "make the cloud's factory the active one first: plugin swap factory eni-ip"));
        }
        return cloud.get().sweep(dryRun).exceptionallyCompose(failure -> {
            Throwable cause = Stages.cause(failure);
            return CompletableFuture.failedStage(new IpamException(
                    ErrorCode.CLOUD_FAILED,
                    "nothing was swept, since the cloud could not be read: " + cause.getMessage(),
                    "it is swept again within the hour; status says whether the cloud answers",
                    cause));
        });
    }

    private Optional<CloudLink> inUse() {
        return link.filter(last -> !last.closed());
    }
}
