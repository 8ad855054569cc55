package io.enipam.kubernetes.node;

import io.enipam.engine.port.TimeSource;
import io.enipam.kubernetes.api.ApiServerClient;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.api.model.NodeConditionBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Tells the API server how the node fares. Each call is one request, a patch of what is ours: others change the node at the same
 * time, and no version of it is named, so that there is nothing to conflict with. Thread-safe; stages fail with {@link
 * java.io.IOException}.
 */
public final class NodeStatusWriter {
    /** Terway's condition, and its words. */
    public static final String CONDITION = "SufficientIP";

    /** Terway's annotation: how many pods of this node can have an address. */
    public static final String CAPACITY = "k8s.aliyun.com/max-available-ip";

    /** A condition that nobody repeats looks as if its writer were dead. Kubelets repeat theirs as often. */
    public static final Duration HEARTBEAT = Duration.ofMinutes(5);

    private final ApiServerClient calls;
    private final TimeSource time;
    private final String node;

    public NodeStatusWriter(ApiServerClient calls, TimeSource time, String node) {
        this.calls = calls;
        this.time = time;
        this.node = node;
    }

    /** Asks what the node says of this now. */
    public CompletableFuture<NodeAddressStatus> fetch() {
        return calls.request(
                "GET node " + node,
                there(client -> client.nodes().withName(node).get()));
    }

    /**
     * Says whether the next pods get addresses.
     *
     * @param since when it came to be so
     * @return what the node says from now on
     */
    public CompletableFuture<NodeAddressStatus> writeSufficient(boolean sufficient, String message, Instant since) {
        NodeCondition condition = new NodeConditionBuilder()
                .withType(CONDITION)
                .withStatus(sufficient ? "True" : "False")
                .withReason(sufficient ? "IPResSufficient" : "IPResInsufficient")
                .withMessage(message)
                .withLastHeartbeatTime(text(time.now()))
                .withLastTransitionTime(text(since))
                .build();
        String patch = Serialization.asJson(Map.of("status", Map.of("conditions", List.of(condition))));
        return calls.request(
                "PATCH nodes/status " + node,
                there(client -> client.resource(inHand())
                        .subresource("status")
                        .patch(PatchContext.of(PatchType.STRATEGIC_MERGE), patch)));
    }

    /**
     * Says how many pods can have an address.
     *
     * @return what the node says from now on
     */
    public CompletableFuture<NodeAddressStatus> writeCapacity(int pods) {
        String patch = Serialization.asJson(
                Map.of("metadata", Map.of("annotations", Map.of(CAPACITY, Integer.toString(pods)))));
        return calls.request(
                "PATCH node " + node,
                there(client -> client.resource(inHand()).patch(PatchContext.of(PatchType.STRATEGIC_MERGE), patch)));
    }

    /** The client would get the node first from the server otherwise. */
    private Node inHand() {
        return new NodeBuilder().withNewMetadata().withName(node).endMetadata().build();
    }

    private Function<KubernetesClient, NodeAddressStatus> there(Function<KubernetesClient, Node> request) {
        return client -> Optional.ofNullable(request.apply(client))
                .map(NodeAddressStatus::of)
                .orElseThrow(() -> new IllegalStateException("there is no node " + node));
    }

    private static String text(Instant time) {
        return time.truncatedTo(ChronoUnit.SECONDS).toString();
    }

    /**
     * What the node's object says of its addresses. One that was made anew under the name says nothing.
     *
     * @param sufficient the condition, where it is there and known
     * @param since when it came to be so, where that is told
     * @param capacity the annotation, where it is there and a number
     */
    public record NodeAddressStatus(Optional<Boolean> sufficient, Optional<Instant> since, OptionalInt capacity) {
        static NodeAddressStatus of(Node node) {
            var condition = Optional.ofNullable(node.getStatus())
                    .flatMap(status -> Optional.ofNullable(status.getConditions()))
                    .flatMap(all -> all.stream()
                            .filter(each -> NodeStatusWriter.CONDITION.equals(each.getType()))
                            .findFirst());
            String capacity = Optional.ofNullable(node.getMetadata().getAnnotations())
                    .map(annotations -> annotations.get(NodeStatusWriter.CAPACITY))
                    .orElse("");
            return new NodeAddressStatus(
                    condition.flatMap(known -> switch (String.valueOf(known.getStatus())) {
                        case "True" -> Optional.of(true);
                        case "False" -> Optional.of(false);
                        default -> Optional.empty();
                    }),
                    condition.flatMap(known -> instant(known.getLastTransitionTime())),
                    capacity.matches("\\d{1,9}") ? OptionalInt.of(Integer.parseInt(capacity)) : OptionalInt.empty());
        }

        private static Optional<Instant> instant(String text) {
            try {
                return Optional.ofNullable(text).map(Instant::parse);
            } catch (DateTimeParseException e) {
                // somebody else's: as good as none
                return Optional.empty();
            }
        }
    }
}
