package io.enipam.kubernetes.node;

import io.enipam.engine.port.TimeSource;
import io.enipam.kubernetes.api.ApiSerialization;
import io.enipam.kubernetes.api.ApiServerClient;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.api.model.NodeConditionBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
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
 * Reports the node's status to the API server. Each call is one request, a patch of our own fields: other clients
 * change the node at the same time, and the patch names no version, so that conflicts cannot occur. Thread-safe; stages
 * fail with {@link java.io.IOException}.
 */
public record NodeStatusWriter(ApiServerClient calls, TimeSource time, String node) {
    /** Terway's condition and its reasons. */
    public static final String CONDITION = "SufficientIP";

    /** Terway's annotation: how many pods of this node can have an address. */
    public static final String CAPACITY = "k8s.aliyun.com/max-available-ip";

    /** A condition without a heartbeat looks as if its writer had died. Kubelets use the same interval. */
    public static final Duration HEARTBEAT = Duration.ofMinutes(5);

    public CompletableFuture<NodeAddressStatus> fetch() {
        return request("GET node ", client -> client.nodes().withName(node).get());
    }

    /** Reports whether the next pods get addresses, and since when; returns the node's new status. */
    public CompletableFuture<NodeAddressStatus> writeSufficient(boolean sufficient, String message, Instant since) {
        NodeCondition condition = new NodeConditionBuilder()
                .withType(CONDITION)
                .withStatus(sufficient ? "True" : "False")
                .withReason(sufficient ? "IPResSufficient" : "IPResInsufficient")
                .withMessage(message)
                .withLastHeartbeatTime(text(time.now()))
                .withLastTransitionTime(text(since))
                .build();
        String patch = ApiSerialization.INSTANCE.asJson(Map.of("status", Map.of("conditions", List.of(condition))));
        return request(
                "PATCH nodes/status ",
                client -> client.resource(inHand())
                        .subresource("status")
                        .patch(PatchContext.of(PatchType.STRATEGIC_MERGE), patch));
    }

    /** Reports how many pods can have an address; returns the node's new status. */
    public CompletableFuture<NodeAddressStatus> writeCapacity(int pods) {
        Map<String, ?> annotations = Map.of("annotations", Map.of(CAPACITY, Integer.toString(pods)));
        String patch = ApiSerialization.INSTANCE.asJson(Map.of("metadata", annotations));
        PatchContext merge = PatchContext.of(PatchType.STRATEGIC_MERGE);
        return request("PATCH node ", client -> client.resource(inHand()).patch(merge, patch));
    }

    /** Otherwise the client would first get the node from the server. */
    private Node inHand() {
        return new NodeBuilder().withNewMetadata().withName(node).endMetadata().build();
    }

    private CompletableFuture<NodeAddressStatus> request(String what, Function<KubernetesClient, Node> request) {
        return calls.request(
                what + node,
                client -> Optional.ofNullable(request.apply(client))
                        .map(NodeAddressStatus::of)
                        .orElseThrow(() -> new IllegalStateException("there is no node " + node)));
    }

    private static String text(Instant time) {
        return time.truncatedTo(ChronoUnit.SECONDS).toString();
    }

    /**
     * The node object's status of addresses. A recreated node has none.
     *
     * @param sufficient the condition, if present and known
     * @param since when it began, if given
     * @param capacity the annotation, if present and a number
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
                // written by another client: treat it as absent
                return Optional.empty();
            }
        }
    }
}
