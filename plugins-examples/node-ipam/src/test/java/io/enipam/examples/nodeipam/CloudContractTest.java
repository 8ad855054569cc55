package io.enipam.examples.nodeipam;

import io.enipam.sdk.Extension;
import io.enipam.sdk.Journal;
import io.enipam.sdk.cloud.Cloud;
import io.enipam.sdk.cluster.Cluster;
import io.enipam.sdk.cluster.ClusterObject;
import io.enipam.sdk.cluster.ObjectRef;
import io.enipam.sdk.testkit.ControllerContract;
import io.enipam.sdk.testkit.FakeCluster;
import io.enipam.sdk.testkit.TestContext;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The rules every controller keeps, with IPAMFromCluster: each node has its blocks, each block its route, and no other route is left. */
class CloudContractTest extends ControllerContract {
    private final FakeCluster cluster = new FakeCluster();
    private final FakeRoutes routes = new FakeRoutes();

    @Override
    protected Extension extension() {
        return new NodeIpamPlugin().extensions().get(0);
    }

    @Override
    protected void prepare(TestContext.Builder host) {
        host.settings(new NodeIpamPlugin().settings())
                .value("cidr_allocator_type", "IPAMFromCluster")
                .value("cluster_cidr", "10.0.0.0/22,fd00::/62")
                .value("route_table", FakeRoutes.TABLE)
                .service(Cluster.class, cluster)
                .service(Cloud.class, routes.cloud());
    }

    @Override
    protected List<String> keys() {
        return List.of("a", "b", "c", "d");
    }

    @Override
    protected void change(String key, Random random) {
        ObjectRef ref = ObjectRef.node(key);
        Optional<ClusterObject> known = cluster.find(ref);
        if (known.isEmpty()) {
            make(ref, random);
        } else if (random.nextBoolean()) {
            cluster.put(known.get().withLabels(Map.of("changed", Integer.toString(random.nextInt(1_000)))));
        } else {
            cluster.remove(ref);
            if (random.nextBoolean()) {
                make(ref, random); // another one of the name, of the same instance or of another
            }
        }
    }

    private void make(ObjectRef ref, Random random) {
        Map<String, Object> spec = new HashMap<>();
        spec.put("providerID", "cn-hangzhou.i-" + ref.name() + random.nextInt(2));
        cluster.put(ClusterObject.of(ref, Map.of("spec", spec)));
    }

    private Stream<ClusterObject> nodes() {
        return keys().stream().flatMap(key -> cluster.find(ObjectRef.node(key)).stream());
    }

    private Set<String> wanted() {
        return nodes().flatMap(node -> node.texts("spec", "podCIDRs").stream()
                        .map(cidr ->
                                cidr + " " + node.text("spec", "providerID").substring("cn-hangzhou.".length())))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Override
    protected Set<String> outside() {
        Set<String> all = new HashSet<>(routes.routes());
        nodes().forEach(node -> all.add(node.name() + node.texts("spec", "podCIDRs")));
        return all;
    }

    @Override
    protected Optional<String> unwanted(Journal tables) {
        Set<String> there = new TreeSet<>(routes.routes());
        return there.equals(wanted()) && there.size() == 2 * nodes().count()
                ? Optional.empty()
                : Optional.of("the routes are " + there + ", not " + wanted());
    }
}
