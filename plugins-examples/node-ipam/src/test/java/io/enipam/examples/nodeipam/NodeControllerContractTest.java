package io.enipam.examples.nodeipam;

import io.enipam.sdk.Extension;
import io.enipam.sdk.Journal;
import io.enipam.sdk.cluster.Cluster;
import io.enipam.sdk.cluster.ClusterObject;
import io.enipam.sdk.cluster.ObjectRef;
import io.enipam.sdk.testkit.ControllerContract;
import io.enipam.sdk.testkit.FakeCluster;
import io.enipam.sdk.testkit.TestContext;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The rules every controller keeps; the tests are inherited. The nodes of a cluster come, change and go. */
class NodeControllerContractTest extends ControllerContract {
    private final FakeCluster cluster = new FakeCluster();

    @Override
    protected Extension extension() {
        return new NodeIpamPlugin().extensions().get(0);
    }

    @Override
    protected void prepare(TestContext.Builder host) {
        host.settings(new NodeIpamPlugin().settings())
                .value("cluster_cidr", "10.0.0.0/21,fd00::/61")
                .value("service_cluster_ip_range", "10.0.1.0/24")
                .service(Cluster.class, cluster);
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
            cluster.put(ClusterObject.of(ref, Map.of("spec", Map.of())));
        } else if (random.nextBoolean()) {
            cluster.put(known.get().withLabels(Map.of("changed", Integer.toString(random.nextInt(1_000)))));
        } else {
            cluster.remove(ref);
            if (random.nextBoolean()) {
                cluster.put(ClusterObject.of(ref, Map.of())); // another one of the name
            }
        }
    }

    private Stream<ClusterObject> nodes() {
        return keys().stream().flatMap(key -> cluster.find(ObjectRef.node(key)).stream());
    }

    @Override
    protected Set<String> outside() {
        return nodes().map(node -> node.name() + node.texts("spec", "podCIDRs")).collect(Collectors.toSet());
    }

    @Override
    protected Optional<String> unwanted(Journal tables) {
        return nodes().filter(node -> node.texts("spec", "podCIDRs").size() != 2)
                .map(node -> node.name() + " has " + node.texts("spec", "podCIDRs"))
                .findFirst();
    }

    @Override
    protected Optional<String> violated(Journal tables) {
        Set<String> taken = new HashSet<>(Set.of("10.0.1.0/24"));
        return nodes().flatMap(node -> node.texts("spec", "podCIDRs").stream())
                .filter(cidr -> !taken.add(cidr))
                .map(cidr -> cidr + " is taken twice, or is of the services")
                .findFirst();
    }
}
