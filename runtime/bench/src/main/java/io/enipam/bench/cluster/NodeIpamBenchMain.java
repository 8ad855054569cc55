package io.enipam.bench.cluster;

import io.enipam.bench.Scratch;
import io.enipam.sdk.cluster.ClusterObject;
import io.enipam.sdk.cluster.Informer;
import io.enipam.sdk.cluster.ObjectKind;
import io.enipam.sdk.cluster.ObjectRef;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Measures node-ipam on the daemon's plugin host, tables on the disk included: nodes that are made at once, and how long it takes until
 * all have a block, against a server that answers in 5 ms. Arguments: a directory on the disk to be measured, and numbers of nodes.
 */
public final class NodeIpamBenchMain {
    private static final Duration ANSWER = Duration.ofMillis(5);
    private static final String NAME = "node-ipam";

    private static final Map<String, List<String>> SETTINGS =
            Map.of("cluster_cidr", List.of("10.0.0.0/8"), "service_cluster_ip_range", List.of("10.96.0.0/16"));

    private NodeIpamBenchMain() {}

    public static void main(String[] args) throws Exception {
        List<Integer> sizes =
                args.length > 1 ? Stream.of(args).skip(1).map(Integer::valueOf).toList() : List.of(5_000, 20_000);
        System.out.println(" nodes   seconds  nodes/s  patches/node  at once  settled s  heap MB (most)");
        try (Scratch scratch = Scratch.of(args)) {
            measure(scratch.path().resolve("warm"), sizes.get(0), false);
            for (int nodes : sizes) {
                measure(scratch.path().resolve("nodes-" + nodes), nodes, true);
            }
        }
    }

    private static void measure(Path directory, int nodes, boolean shown) throws Exception {
        try (SlowCluster cluster = new SlowCluster(ANSWER);
                RunningPlugin plugin = new RunningPlugin(
                        NAME, Files.createDirectories(directory), SETTINGS, List.of(cluster), Set.of())) {
            pools().forEach(MemoryPoolMXBean::resetPeakUsage);
            Informer copy = cluster.informer(ObjectKind.NODE);
            long begun = System.nanoTime();
            IntStream.range(0, nodes)
                    .forEach(i -> cluster.put(ClusterObject.of(ObjectRef.node("node-" + i), Map.of("spec", Map.of()))));
            RunningPlugin.await(() -> withBlocks(copy).size() == nodes);
            double seconds = (System.nanoTime() - begun) / 1e9;
            RunningPlugin.await(plugin::isIdle);
            double settled = (System.nanoTime() - begun) / 1e9;
            long most = pools().mapToLong(pool -> pool.getPeakUsage().getUsed()).sum();
            System.gc();
            long heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
            if (Set.copyOf(withBlocks(copy)).size() != nodes) {
                throw new IllegalStateException("a block was given twice");
            }
            if (shown) {
                System.out.printf(
                        Locale.ROOT,
                        "%6d %9.2f %8.0f %13.3f %8d %10.2f %6d (%d)%n",
                        nodes,
                        seconds,
                        nodes / seconds,
                        (double) cluster.patches() / nodes,
                        cluster.most(),
                        settled,
                        heap >> 20,
                        most >> 20);
            }
        }
    }

    private static Stream<MemoryPoolMXBean> pools() {
        return ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(pool -> pool.getType() == java.lang.management.MemoryType.HEAP);
    }

    private static List<String> withBlocks(Informer nodes) {
        return nodes.list().stream()
                .map(node -> node.text("spec", "podCIDR"))
                .filter(cidr -> !cidr.isEmpty())
                .toList();
    }
}
