package io.enipam.daemon.kernel;

import io.enipam.daemon.platform.SimulatedDatapath;
import io.enipam.datapath.KernelDatapath;
import io.enipam.engine.model.Connection;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.PodWishes;
import io.enipam.engine.model.Wiring;
import io.enipam.engine.port.Attachment;
import io.enipam.engine.port.Datapath;
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
import java.util.stream.Collectors;

/** All sandboxes of the node, whoever connected them. Thread-safe. */
public final class NodeKernel implements Datapath, AutoCloseable {
    private final SimulatedDatapath simulated;
    private final SimulatedDatapath callers;
    private final Optional<KernelDatapath> real;
    private final String whyNot;
    /** Of this process's life: how those wish to be connected who do it themselves. */
    private final Map<OwnerKey, Connection> byCallers = new ConcurrentHashMap<>();

    /**
     * @param simulated directory of the simulated sandboxes
     * @param callers directory of those that their callers have connected
     * @param real the kernel, unless it cannot be changed from here
     * @param whyNot why it cannot, or empty text
     */
    public NodeKernel(Path simulated, Path callers, Optional<KernelDatapath> real, String whyNot) {
        this.simulated = new SimulatedDatapath(simulated);
        this.callers = new SimulatedDatapath(callers);
        this.real = real;
        this.whyNot = whyNot;
    }

    /** The kernel itself, if it is in use. */
    public Optional<KernelDatapath> real() {
        return real;
    }

    /** What a pod that its caller connects was lent and wishes; empty if it is none, or has been one since before this start. */
    public Optional<Connection> byCaller(OwnerKey owner) {
        return Optional.ofNullable(byCallers.get(owner));
    }

    /** Why no network namespace can be connected from here; empty if one can. */
    public Optional<String> obstacle() {
        return real.isPresent()
                ? Optional.empty()
                : Optional.of("this daemon connects no network namespaces: " + whyNot);
    }

    @Override
    public CompletionStage<Wiring> setUp(Connection connection) {
        return setUp(connection, Span.NONE);
    }

    @Override
    public CompletionStage<Wiring> setUp(Connection connection, Span span) {
        return switch (connection.link().connector()) {
            case NOBODY -> simulated.setUp(connection, span);
            case CALLER ->
                callers.setUp(connection, span).thenApply(wiring -> {
                    byCallers.put(connection.lease().owner(), connection);
                    return wiring;
                });
            case DAEMON ->
                real.isPresent()
                        ? real.get().setUp(connection, span)
                        : CompletableFuture.failedStage(new IpamException(
                                ErrorCode.DATAPATH_FAILED,
                                "this daemon connects no network namespaces, and was given "
                                        + connection.link().netns() + (whyNot.isEmpty() ? "" : ": " + whyNot),
                                "call without a network namespace: the pod is simulated"));
        };
    }

    /** What a caller has connected is his to change; he is told the new limits from now on. */
    @Override
    public CompletionStage<Boolean> adjust(Lease lease, PodWishes wishes) {
        byCallers.computeIfPresent(
                lease.owner(), (owner, connection) -> new Connection(lease, connection.link(), wishes));
        return real.isPresent() ? real.get().adjust(lease, wishes) : CompletableFuture.completedStage(false);
    }

    @Override
    public CompletionStage<Void> tearDown(OwnerKey owner) {
        return tearDown(owner, Span.NONE);
    }

    @Override
    public CompletionStage<Void> tearDown(OwnerKey owner, Span span) {
        byCallers.remove(owner);
        return simulated
                .tearDown(owner, span)
                .thenCompose(done -> callers.tearDown(owner, span))
                .thenCompose(done ->
                        real.isPresent() ? real.get().tearDown(owner, span) : CompletableFuture.completedStage(null));
    }

    /** The sandboxes whose callers have connected them, over restarts. */
    public CompletionStage<Set<OwnerKey>> connectedByCallers() {
        return callers.attached()
                .thenApply(all -> all.stream().map(Attachment::owner).collect(Collectors.toSet()));
    }

    @Override
    public CompletionStage<List<Attachment>> attached() {
        return simulated
                .attached()
                .thenCombine(callers.attached(), NodeKernel::joined)
                .thenCombine(
                        real.isPresent() ? real.get().attached() : CompletableFuture.completedStage(List.of()),
                        NodeKernel::joined);
    }

    private static List<Attachment> joined(List<Attachment> some, List<Attachment> others) {
        List<Attachment> all = new ArrayList<>(some);
        all.addAll(others);
        return all;
    }

    /** The simulated sandboxes, for those who start before the engine. */
    public List<Attachment> simulatedNow() throws IOException {
        return simulated.now();
    }

    @Override
    public void close() {
        real.ifPresent(KernelDatapath::close);
    }
}
