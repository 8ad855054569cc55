package io.enipam.examples.nodeipam;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.enipam.examples.nodeipam.clustercidr.ClusterCidr;
import io.enipam.examples.nodeipam.clustercidr.Given;
import io.enipam.sdk.cluster.ClusterEvent;
import io.enipam.sdk.cluster.ClusterObject;
import io.enipam.sdk.cluster.ObjectRef;
import io.enipam.sdk.testkit.FakeCluster;
import io.enipam.sdk.testkit.InMemoryJournal;
import io.enipam.sdk.testkit.TestClock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;

/** A cluster whose nodes get their blocks of ClusterCIDRs. */
abstract class MultiCidrCluster {
    static final String FINALIZER = "networking.x-k8s.io/cluster-cidr-finalizer";

    final FakeCluster cluster = new FakeCluster();
    final TestClock clock = TestClock.at(Instant.parse("2026-01-02T03:04:05Z"));
    private final InMemoryJournal store = new InMemoryJournal();
    private final List<Replica> replicas = new ArrayList<>();
    Replica leader;

    @AfterEach
    void close() {
        replicas.forEach(Replica::close);
    }

    void started() {
        started("");
    }

    /** @param settings such as {@code cluster_cidr=10.0.0.0/16 node_cidr_mask_size=24} */
    void started(String settings) {
        started(settings, replica -> {});
    }

    /** @param before is done with the replica before it does anything */
    void started(String settings, Consumer<Replica> before) {
        Map<String, List<String>> values = new HashMap<>();
        values.put("cidr_allocator_type", List.of("MultiCIDRRangeAllocator"));
        for (String setting : settings.isEmpty() ? new String[0] : settings.split(" ")) {
            String[] parts = setting.split("=");
            values.put(parts[0], List.of(parts[1]));
        }
        leader = new Replica(store, cluster, values, clock);
        replicas.add(leader);
        leader.lead();
        before.accept(leader);
        leader.drain();
    }

    /** A replica with the tables of the leader that does not lead. */
    Replica following() {
        Replica follower =
                new Replica(store, cluster, Map.of("cidr_allocator_type", List.of("MultiCIDRRangeAllocator")), clock);
        replicas.add(follower);
        return follower;
    }

    static ObjectRef nodeRef(String name) {
        return ObjectRef.node(name);
    }

    ClusterObject node(String name, Map<String, String> labels, String... podCidrs) {
        Map<String, Object> spec =
                podCidrs.length == 0 ? Map.of() : Map.of("podCIDR", podCidrs[0], "podCIDRs", List.of(podCidrs));
        return cluster.put(ClusterObject.of(nodeRef(name), Map.of("spec", spec)).withLabels(labels));
    }

    List<String> cidrs(String node) {
        return cluster.find(nodeRef(node)).orElseThrow().texts("spec", "podCIDRs");
    }

    static ObjectRef clusterCidrRef(String name) {
        return ObjectRef.of(ClusterCidr.KIND, name);
    }

    /** @param labels those of the nodes that it is for; none for all nodes */
    static ClusterObject written(String name, int hostBits, String ipv4, String ipv6, Map<String, String> labels) {
        Map<String, Object> spec = new LinkedHashMap<>();
        spec.put("perNodeHostBits", hostBits);
        if (!ipv4.isEmpty()) {
            spec.put("ipv4", ipv4);
        }
        if (!ipv6.isEmpty()) {
            spec.put("ipv6", ipv6);
        }
        if (!labels.isEmpty()) {
            List<Map<String, Object>> expressions = new ArrayList<>();
            labels.forEach(
                    (key, value) -> expressions.add(Map.of("key", key, "operator", "In", "values", List.of(value))));
            spec.put("nodeSelector", Map.of("nodeSelectorTerms", List.of(Map.of("matchExpressions", expressions))));
        }
        return ClusterObject.of(clusterCidrRef(name), Map.of("spec", spec));
    }

    /** Makes an object, or changes the spec of one, as a CRD without rules lets a user do. */
    void clusterCidr(String name, int hostBits, String ipv4, String ipv6, Map<String, String> labels) {
        ClusterObject written = written(name, hostBits, ipv4, ipv6, labels);
        cluster.put(cluster.find(written.ref())
                .map(was -> written.withFinalizers(was.finalizers()).withAnnotations(was.annotations()))
                .orElse(written));
    }

    ClusterObject clusterCidr(String name) {
        return cluster.find(clusterCidrRef(name)).orElseThrow();
    }

    List<ClusterEvent> events(String clusterCidr) {
        return cluster.events(clusterCidrRef(clusterCidr));
    }

    int patches(String clusterCidr) {
        return (int) cluster.requests().stream()
                .filter(("PATCH ClusterCIDR " + clusterCidr)::equals)
                .count();
    }

    JsonNode report(String clusterCidr) {
        try {
            return new ObjectMapper()
                    .readTree(clusterCidr(clusterCidr).annotations().get("enipam.io/report"));
        } catch (JsonProcessingException e) {
            throw new AssertionError(e);
        }
    }

    JsonNode condition(String clusterCidr, String type) {
        return StreamSupport.stream(report(clusterCidr).path("conditions").spliterator(), false)
                .filter(each -> each.path("type").asText().equals(type))
                .findFirst()
                .orElseThrow();
    }

    /** The names of the objects of which something is kept. */
    List<String> rows() {
        return Given.kept(store);
    }

    /** How many blocks of a range are taken, as the controller has it in memory. */
    int taken(String clusterCidr) {
        return leader.part
                .blocks()
                .read(clusterCidr, ranges -> ranges.get(0).taken())
                .orElseThrow();
    }
}
