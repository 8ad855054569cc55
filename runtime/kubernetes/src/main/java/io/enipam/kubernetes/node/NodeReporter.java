package io.enipam.kubernetes.node;

import io.enipam.engine.port.TimeSource;
import io.enipam.kubernetes.api.ApiCalls;
import io.enipam.kubernetes.api.Patch;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.api.model.NodeConditionBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Tells the API server how the node fares. Each call is one request, a patch of what is ours: others change the node at the same
 * time. Thread-safe; stages fail with {@link java.io.IOException}.
 */
public final class NodeReporter {
    /** Terway's condition, and its words. */
    public static final String CONDITION = "SufficientIP";

    /** Terway's annotation: how many pods of this node can have an address. */
    public static final String CAPACITY = "k8s.aliyun.com/max-available-ip";

    /** A condition that nobody repeats looks as if its writer were dead. */
    public static final Duration HEARTBEAT = Duration.ofMinutes(5);

    private final ApiCalls calls;
    private final TimeSource time;
    private final String node;
    private volatile Optional<Told> told = Optional.empty();

    /** What the server has heard last. */
    private record Told(boolean sufficient, Instant since) {}

    public NodeReporter(ApiCalls calls, TimeSource time, String node) {
        this.calls = calls;
        this.time = time;
        this.node = node;
    }

    /** Says whether the next pods get addresses. */
    public CompletableFuture<Void> sufficient(boolean sufficient, String message) {
        Instant now = time.now().truncatedTo(ChronoUnit.SECONDS);
        Told next = told.filter(before -> before.sufficient() == sufficient).orElseGet(() -> new Told(sufficient, now));
        NodeCondition condition = new NodeConditionBuilder()
                .withType(CONDITION)
                .withStatus(sufficient ? "True" : "False")
                .withReason(sufficient ? "IPResSufficient" : "IPResInsufficient")
                .withMessage(message)
                .withLastHeartbeatTime(now.toString())
                .withLastTransitionTime(next.since().toString())
                .build();
        return patch("nodes/status " + node, true, Map.of("status", Map.of("conditions", List.of(condition))))
                .thenRun(() -> told = Optional.of(next));
    }

    /** Says how many pods can have an address. */
    public CompletableFuture<Void> capacity(int pods) {
        return patch(
                "node " + node,
                false,
                Map.of("metadata", Map.of("annotations", Map.of(CAPACITY, Integer.toString(pods)))));
    }

    private CompletableFuture<Void> patch(String what, boolean status, Object patch) {
        Patch one = new Patch(
                "/api/v1/nodes/" + node + (status ? "/status" : ""), Patch.Type.STRATEGIC, Serialization.asJson(patch));
        return calls.patch("PATCH " + what, one)
                .thenCompose(found -> found
                        ? CompletableFuture.completedFuture(null)
                        : CompletableFuture.failedFuture(
                                new IOException("PATCH " + what + ": there is no node " + node)));
    }
}
