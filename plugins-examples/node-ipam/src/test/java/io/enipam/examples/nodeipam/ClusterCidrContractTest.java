package io.enipam.examples.nodeipam;

import io.enipam.examples.nodeipam.clustercidr.ClusterCidr;
import io.enipam.sdk.Extension;
import io.enipam.sdk.Journal;
import io.enipam.sdk.cluster.Cluster;
import io.enipam.sdk.cluster.ClusterObject;
import io.enipam.sdk.cluster.ObjectRef;
import io.enipam.sdk.ranges.Subnet;
import io.enipam.sdk.testkit.ControllerContract;
import io.enipam.sdk.testkit.FakeCluster;
import io.enipam.sdk.testkit.TestContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The rules every controller keeps; the tests are inherited. Nodes and ClusterCIDRs come, change and go. */
class ClusterCidrContractTest extends ControllerContract {
    private static final String PREFIX = "clustercidr/";
    private static final String FINALIZER = "networking.x-k8s.io/cluster-cidr-finalizer";

    private final FakeCluster cluster = new FakeCluster();

    @Override
    protected Extension extension() {
        return new NodeIpamPlugin().extensions().get(0);
    }

    /** There is always a block for each node. */
    @Override
    protected void prepare(TestContext.Builder host) {
        host.settings(new NodeIpamPlugin().settings())
                .value("cidr_allocator_type", "MultiCIDRRangeAllocator")
                .value("cluster_cidr", "10.0.0.0/16")
                .service(Cluster.class, cluster);
    }

    @Override
    protected List<String> keys() {
        return List.of(PREFIX + "x", PREFIX + "y", "a", "b", "c", "d");
    }

    private static ObjectRef ref(String key) {
        return key.startsWith(PREFIX)
                ? ObjectRef.of(ClusterCidr.KIND, key.substring(PREFIX.length()))
                : ObjectRef.node(key);
    }

    @Override
    protected void change(String key, Random random) {
        ObjectRef ref = ref(key);
        Optional<ClusterObject> known = cluster.find(ref);
        Map<String, String> labels = Map.of(
                "pool", random.nextBoolean() ? "x" : "y", "changed", Integer.toString(random.nextInt(1_000_000_000)));
        boolean deleted = known.isPresent() && known.get().deletion().isPresent();
        if (known.isEmpty()) {
            cluster.put(ClusterObject.of(ref, Map.of("spec", spec(ref, random))).withLabels(labels));
        } else if (random.nextBoolean() || deleted) {
            ClusterObject now = known.get().withLabels(labels);
            boolean otherSpec = key.startsWith(PREFIX) && random.nextInt(3) == 0;
            cluster.put(
                    otherSpec
                            ? new ClusterObject(
                                    ref,
                                    "",
                                    "",
                                    labels,
                                    now.annotations(),
                                    now.finalizers(),
                                    now.deletion(),
                                    Map.of("spec", spec(ref, random)))
                            : now);
        } else {
            cluster.remove(ref);
        }
    }

    /** Ranges of two to four blocks, which overlap or not, and now and then nonsense. */
    private static Map<String, Object> spec(ObjectRef ref, Random random) {
        if (!ref.kind().equals(ClusterCidr.KIND)) {
            return Map.of();
        }
        Map<String, Object> selector = Map.of(
                "nodeSelectorTerms",
                List.of(Map.of(
                        "matchExpressions",
                        List.of(Map.of("key", "pool", "operator", "In", "values", List.of(ref.name()))))));
        return Map.of(
                "perNodeHostBits",
                random.nextInt(4) == 0 ? 2 : 4 + random.nextInt(2),
                "ipv4",
                "10.1.0." + 64 * random.nextInt(2) + "/26",
                "nodeSelector",
                selector);
    }

    private Stream<ClusterObject> found(boolean clusterCidrs) {
        return keys().stream()
                .filter(key -> key.startsWith(PREFIX) == clusterCidrs)
                .flatMap(key -> cluster.find(ref(key)).stream());
    }

    private Stream<ClusterObject> nodes() {
        return found(false);
    }

    @Override
    protected Set<String> outside() {
        return Stream.concat(
                        nodes().map(node -> node.name() + node.texts("spec", "podCIDRs")),
                        found(true).map(object -> object.name() + object.finalizers() + object.annotations()))
                .collect(Collectors.toSet());
    }

    @Override
    protected Optional<String> unwanted(Journal tables) {
        Optional<String> bare = nodes().filter(
                        node -> node.texts("spec", "podCIDRs").isEmpty())
                .map(node -> node.name() + " has no block")
                .findFirst();
        return bare.or(
                () -> found(true).map(this::unwanted).flatMap(Optional::stream).findFirst());
    }

    private Optional<String> unwanted(ClusterObject object) {
        if (!object.annotations().containsKey("enipam.io/report")) {
            return Optional.of(object.name() + " has no report");
        }
        boolean guarded = object.finalizers().contains(FINALIZER);
        boolean used = nodes().flatMap(node -> node.texts("spec", "podCIDRs").stream())
                .anyMatch(cidr -> cidr.startsWith("10.1.0."));
        return object.deletion().isPresent() && guarded && !used
                ? Optional.of(object.name() + " is deleted, no node has a block of it, and it stays")
                : Optional.empty();
    }

    @Override
    protected Optional<String> violated(Journal tables) {
        List<Subnet> all = new ArrayList<>();
        for (String text :
                nodes().flatMap(node -> node.texts("spec", "podCIDRs").stream()).toList()) {
            Subnet cidr = Subnet.parse(text);
            if (all.stream().anyMatch(other -> other.contains(cidr.first()) || cidr.contains(other.first()))) {
                return Optional.of(cidr + " overlaps with one of " + all);
            }
            all.add(cidr);
        }
        return Optional.empty();
    }
}
