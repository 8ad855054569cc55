package io.enipam.datapath;

import io.enipam.engine.model.Connection;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.Wiring;
import io.enipam.engine.port.Attachment;
import io.enipam.engine.port.Datapath;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The kernel of this node's network namespace. Thread-safe. */
public final class KernelDatapath implements Datapath, AutoCloseable {
    private final DatapathConfig config;

    private KernelDatapath(DatapathConfig config) {
        this.config = config;
    }

    /** Why the kernel cannot be changed from here, if that is so: no root, no iproute2. */
    public static Optional<String> obstacle() {
        return Optional.of("there is no datapath yet");
    }

    /** Opens it; nothing is changed. */
    public static KernelDatapath open(DatapathConfig config) {
        return new KernelDatapath(config);
    }

    @Override
    public CompletionStage<Wiring> setUp(Connection connection) {
        return CompletableFuture.failedStage(
                new IpamException(ErrorCode.DATAPATH_FAILED, "there is no datapath yet for " + config.records(), ""));
    }

    @Override
    public CompletionStage<Void> tearDown(OwnerKey owner) {
        return CompletableFuture.completedStage(null);
    }

    @Override
    public CompletionStage<List<Attachment>> attached() {
        return CompletableFuture.completedStage(List.of());
    }

    /**
     * Compares the kernel with what should be there, and looks for what is left of sandboxes that are gone.
     *
     * @return fails if the kernel could not be read
     */
    public CompletionStage<List<KernelFault>> faults() {
        return CompletableFuture.completedStage(List.of());
    }

    /** The same of one connection; a fault of part {@code LINK} if it is none. */
    public CompletionStage<List<KernelFault>> faults(OwnerKey owner) {
        return CompletableFuture.completedStage(List.of());
    }

    /**
     * Mends what can be mended without a pod noticing: rules, routes, neighbours, sysctls, and leftovers of dead sandboxes.
     *
     * @param kept owners with a lease: whatever belongs to none of them may go
     * @return what was mended
     */
    public CompletionStage<List<KernelFault>> repair(Set<OwnerKey> kept) {
        return CompletableFuture.completedStage(List.of());
    }

    /** Ends its threads; what is connected stays so. */
    @Override
    public void close() {}
}
