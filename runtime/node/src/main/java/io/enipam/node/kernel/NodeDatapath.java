package io.enipam.node.kernel;

import com.google.common.base.Suppliers;
import io.enipam.datapath.KernelDatapath;
import io.enipam.datapath.KernelDatapath.DatapathConfig;
import io.enipam.datapath.iproute.Sysctls;
import io.enipam.datapath.link.LinkContext.NodeNetwork;
import io.enipam.engine.model.DatapathRequest;
import io.enipam.engine.model.DatapathResult;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.Pod.PodNetworkSpec;
import io.enipam.engine.port.Datapath;
import io.enipam.engine.port.Datapath.Attachment;
import io.enipam.engine.port.Span;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** All sandboxes of the node: connected by this daemon, by their callers, or simulated. Thread-safe. */
public final class NodeDatapath implements Datapath, AutoCloseable {
    private static final String HINT =
            "mend that: the daemon notices by itself; or set datapath.use to off if it is not to connect pods";

    /** The greatest age of the cached obstacle, in seconds. */
    private static final int FRESH = 2;

    private final SimulatedDatapath simulated;
    private final SimulatedDatapath callers;
    private final Optional<KernelDatapath> real;
    private final Supplier<Optional<String>> obstacle;
    /** Requests of sandboxes that their callers connect; in memory only, so from this start on. */
    private final Map<OwnerKey, DatapathRequest> byCallers = new ConcurrentHashMap<>();

    /**
     * A node on which this daemon connects pods in the kernel.
     *
     * @param simulated directory of the simulated sandboxes
     * @param callers directory of the sandboxes that their callers connect
     * @param obstacle why the kernel cannot be changed now, which may pass; evaluated at each use
     */
    public NodeDatapath(Path simulated, Path callers, KernelDatapath real, Supplier<Optional<String>> obstacle) {
        this(simulated, callers, Optional.of(real), obstacle);
    }

    /** A node on which this daemon connects no pods in the kernel, for the reason given. */
    public NodeDatapath(Path simulated, Path callers, String whyNot) {
        this(simulated, callers, Optional.empty(), () -> Optional.of(whyNot));
    }

    private NodeDatapath(
            Path simulated, Path callers, Optional<KernelDatapath> real, Supplier<Optional<String>> obstacle) {
        this.simulated = new SimulatedDatapath(simulated);
        this.callers = new SimulatedDatapath(callers);
        this.real = real;
        this.obstacle = obstacle;
    }

    /**
     * Opens the kernel as configured. If the kernel cannot be changed, the daemon of a node that connects pods still
     * starts: it serves DELs, refuses ADDs with the reason, is not ready, and continues by itself once the obstacle is
     * gone.
     *
     * @param use {@code auto}, {@code on} or {@code off}
     * @param optional whether {@code auto} proceeds without the kernel if it cannot be changed: in a sandbox, and if no
     *     runtime is served
     * @param simulated directory of the simulated sandboxes
     * @param callers directory of the sandboxes that their callers connect
     * @param attachments directory of the sandboxes that this daemon connects
     * @param environment its {@code ENIPAM_SYSCTLS} may say where {@code /proc/sys} is writable
     * @param netlink the file of {@code enipam-netlink}; without it iproute2 does all
     * @throws KernelUnavailableException if the configuration requires the kernel and it cannot be changed
     */
    public static NodeDatapath open(
            String use,
            boolean optional,
            Path simulated,
            Path callers,
            Path attachments,
            NodeNetwork node,
            Map<String, String> environment,
            Optional<Path> netlink) {
        Optional<String> obstacle =
                use.equals("off") ? Optional.of("datapath.use is off") : KernelDatapath.unavailableReason();
        if (use.equals("on") && obstacle.isPresent()) {
            throw new KernelUnavailableException(obstacle.get());
        }
        if (obstacle.isPresent() && (use.equals("off") || optional)) {
            return new NodeDatapath(simulated, callers, obstacle.get());
        }
        return new NodeDatapath(
                simulated,
                callers,
                KernelDatapath.open(new DatapathConfig(attachments, node, sysctls(environment), netlink)),
                Suppliers.memoizeWithExpiration(KernelDatapath::unavailableReason, FRESH, TimeUnit.SECONDS));
    }

    private static Path sysctls(Map<String, String> environment) {
        String said = environment.getOrDefault("ENIPAM_SYSCTLS", "");
        return said.isBlank() ? Sysctls.USUAL : Path.of(said);
    }

    /** The kernel datapath, if this daemon connects pods; {@link #unusable} says whether it works now. */
    public Optional<KernelDatapath> real() {
        return real;
    }

    /** The request of a sandbox that its caller connects; empty for others, and for those from before this start. */
    public Optional<DatapathRequest> byCaller(OwnerKey owner) {
        return Optional.ofNullable(byCallers.get(owner));
    }

    /** Why no network namespace can be connected now; empty if one can. */
    public Optional<String> obstacle() {
        return obstacle.get()
                .map(why -> real.isPresent()
                        ? "this daemon can connect no pods: " + why
                        : "this daemon connects no network namespaces: " + why);
    }

    /** The same, but empty if this daemon is not meant to connect pods: then it is no fault of the node. */
    public Optional<String> unusable() {
        return real.isPresent() ? obstacle() : Optional.empty();
    }

    @Override
    public CompletionStage<DatapathResult> setUp(DatapathRequest connection, Span span) {
        return switch (connection.link().connector()) {
            case NOBODY -> simulated.setUp(connection, span);
            case CALLER ->
                callers.setUp(connection, span).thenApply(wiring -> {
                    byCallers.put(connection.lease().owner(), connection);
                    return wiring;
                });
            case DAEMON -> connect(connection, span);
        };
    }

    private CompletionStage<DatapathResult> connect(DatapathRequest connection, Span span) {
        Optional<String> why = obstacle();
        return why.isEmpty()
                ? real.orElseThrow().setUp(connection, span)
                : CompletableFuture.failedStage(new IpamException(ErrorCode.DATAPATH_FAILED, why.get(), HINT));
    }

    /** A caller changes its own connection: it gets the new limits from now on. */
    @Override
    public CompletionStage<Boolean> adjust(Lease lease, PodNetworkSpec wishes) {
        byCallers.computeIfPresent(
                lease.owner(), (owner, connection) -> new DatapathRequest(lease, connection.link(), wishes));
        return real.isPresent() ? real.get().adjust(lease, wishes) : CompletableFuture.completedStage(false);
    }

    @Override
    public CompletionStage<Void> tearDown(OwnerKey owner, Span span) {
        byCallers.remove(owner);
        return simulated
                .tearDown(owner, span)
                .thenCompose(done -> callers.tearDown(owner, span))
                .thenCompose(done -> real.map(kernel -> disconnect(kernel, owner, span))
                        .orElseGet(() -> CompletableFuture.completedStage(null)));
    }

    /** While the kernel cannot be changed, a sandbox with kernel state keeps it, and its lease; another one is gone. */
    private CompletionStage<Void> disconnect(KernelDatapath kernel, OwnerKey owner, Span span) {
        Optional<String> why = unusable();
        if (why.isEmpty()) {
            return kernel.tearDown(owner, span);
        }
        return kernel.hasConnected(owner)
                ? CompletableFuture.failedStage(new IpamException(ErrorCode.DATAPATH_FAILED, why.get(), HINT))
                : CompletableFuture.completedStage(null);
    }

    /** The sandboxes that their callers have connected, kept across restarts. */
    public CompletionStage<Set<OwnerKey>> connectedByCallers() {
        return callers.attached()
                .thenApply(all -> all.stream().map(Attachment::owner).collect(Collectors.toSet()));
    }

    @Override
    public CompletionStage<List<Attachment>> attached() {
        return simulated
                .attached()
                .thenCombine(callers.attached(), NodeDatapath::joined)
                .thenCombine(
                        real.filter(kernel ->
                                        kernel.hasConnectedAny() || unusable().isEmpty())
                                .map(KernelDatapath::attached)
                                .orElseGet(() -> CompletableFuture.completedStage(List.of())),
                        NodeDatapath::joined);
    }

    private static List<Attachment> joined(List<Attachment> some, List<Attachment> others) {
        List<Attachment> all = new ArrayList<>(some);
        all.addAll(others);
        return all;
    }

    /** The simulated sandboxes, for use before the engine starts. */
    public List<Attachment> simulatedNow() throws IOException {
        return simulated.now();
    }

    @Override
    public void close() {
        real.ifPresent(KernelDatapath::close);
    }

    /** The configuration requires the kernel, and it cannot be changed. */
    public static final class KernelUnavailableException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        KernelUnavailableException(String why) {
            super("pods cannot be connected from here: " + why
                    + "; set datapath.use to auto to start and wait until that is mended, or to off to connect none");
        }
    }
}
