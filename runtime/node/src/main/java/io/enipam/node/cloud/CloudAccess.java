package io.enipam.node.cloud;

import io.enipam.aliyun.CloudProbe;
import io.enipam.aliyun.eni.EniUse;
import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.port.CloudInspector;
import io.enipam.engine.port.EniDirectory;
import io.enipam.engine.port.EniSweeper;
import io.enipam.engine.port.EventSink;
import io.enipam.node.cloud.CloudSession.SharedCloudSession;
import io.enipam.sdk.ResourceFactory;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Access to the cloud: opens a session when one of the cloud's factories is requested, and ends it when that factory is
 * closed. A node whose addresses come from elsewhere never calls the cloud. Thread-safe.
 */
public final class CloudAccess implements EniDirectory, EniSweeper {
    private final Function<EniUse, DeferredCloudFactory> links;
    private final Supplier<Optional<EniSweeper>> plugins;
    private final List<DeferredCloudFactory> made = new CopyOnWriteArrayList<>();

    /** @param links begins to open the cloud for a use */
    public CloudAccess(Function<EniUse, DeferredCloudFactory> links) {
        this(links, Optional::empty);
    }

    /** @param plugins sweeps what plugins left, where they call the cloud and no factory of the cloud is in use */
    private CloudAccess(Function<EniUse, DeferredCloudFactory> links, Supplier<Optional<EniSweeper>> plugins) {
        this.links = links;
        this.plugins = plugins;
    }

    /** All uses share one session, which the threads open; each use is reported once its session is open. */
    public static CloudAccess over(
            SharedCloudSession shared,
            ScheduledExecutorService threads,
            EventSink events,
            BiConsumer<EniUse, CloudSession> opened) {
        return new CloudAccess(
                use -> new DeferredCloudFactory(
                        use.kind(), () -> shared.open(use), threads, events, session -> opened.accept(use, session)),
                shared::sweeperForPlugins);
    }

    /** The cloud's factory of a use; the caller closes it. */
    public ResourceFactory open(EniUse use) {
        DeferredCloudFactory opened = links.apply(use);
        made.removeIf(DeferredCloudFactory::closed);
        made.add(opened);
        return opened;
    }

    /** Why the cloud cannot be used now; empty if it can, or if this node does not use it. */
    public Optional<String> trouble() {
        return inUse().flatMap(link -> link.trouble().stream()).findFirst();
    }

    /**
     * Checks what this node depends on; empty if this node does not use the cloud, or the cloud has not answered yet.
     */
    public Optional<CloudProbe> probe() {
        return inUse().flatMap(link -> link.probe().stream()).findFirst();
    }

    /** The ENIs of all uses: the links share one session, so each link lists all. */
    @Override
    public List<Eni> enis() {
        return inUse().map(DeferredCloudFactory::enis)
                .filter(enis -> !enis.isEmpty())
                .findFirst()
                .orElse(List.of());
    }

    @Override
    public Duration lag() {
        return inUse().map(DeferredCloudFactory::lag)
                .max(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
    }

    /** Whether an address of this node may come from the cloud. */
    public boolean used() {
        return inUse().findAny().isPresent();
    }

    /** Reads the cloud's own data; empty if this node does not use the cloud, or the cloud has not answered yet. */
    public Optional<CloudInspector> witness() {
        return inUse().flatMap(link -> link.witness().stream()).findFirst();
    }

    /** Fails with {@link IpamException} if this node does not use the cloud, or the cloud cannot be asked. */
    @Override
    public CompletionStage<Report> sweep(boolean dryRun) {
        // the links share one session, which sweeps for all of them
        Optional<EniSweeper> cloud =
                inUse().<EniSweeper>map(link -> link).findFirst().or(plugins);
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

    private Stream<DeferredCloudFactory> inUse() {
        return made.stream().filter(link -> !link.closed());
    }
}
