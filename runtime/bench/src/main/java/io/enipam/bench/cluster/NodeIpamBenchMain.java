package io.enipam.bench.cluster;

import io.enipam.bench.Scratch;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.Leadership;
import io.enipam.engine.port.ResourceDb;
import io.enipam.platform.ExecutorScheduler;
import io.enipam.platform.SystemTime;
import io.enipam.pluginhost.PluginStorage.HostNode;
import io.enipam.pluginhost.controller.ControllerView;
import io.enipam.pluginhost.controller.Controllers;
import io.enipam.pluginhost.extension.Effects;
import io.enipam.pluginhost.extension.Extensions;
import io.enipam.pluginhost.extension.Extensions.Candidate;
import io.enipam.pluginhost.extension.Extensions.LentHost;
import io.enipam.pluginhost.guard.GuardLimits;
import io.enipam.pluginhost.guard.PluginGuard;
import io.enipam.sdk.IpamPlugin;
import io.enipam.sdk.Journal;
import io.enipam.sdk.NodeInfo;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.Role;
import io.enipam.sdk.Settings;
import io.enipam.sdk.cluster.Cluster;
import io.enipam.sdk.cluster.ClusterObject;
import io.enipam.sdk.cluster.Informer;
import io.enipam.sdk.cluster.ObjectKind;
import io.enipam.sdk.cluster.ObjectRef;
import io.enipam.sdk.ledger.Ledger;
import io.enipam.store.JournaledResourceDb;
import io.enipam.store.tables.PluginTables;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Measures node-ipam on the daemon's plugin host, tables on the disk included: nodes that are made at once, and how long it takes until
 * all have a block, against a server that answers in 5 ms. Arguments: a directory on the disk to be measured, and numbers of nodes.
 */
public final class NodeIpamBenchMain {
    private static final Duration ANSWER = Duration.ofMillis(5);
    private static final Duration LONGEST = Duration.ofMinutes(5);
    private static final String NAME = "node-ipam";

    private static final EventSink EVENTS = (severity, type, subject, message, attributes) ->
            System.err.println(severity + " " + type + " " + subject + ": " + message);

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
                RunningPlugin plugin = new RunningPlugin(Files.createDirectories(directory), cluster)) {
            await(() -> plugin.view()
                    .filter(view -> view.state() == ControllerView.State.ACTIVE)
                    .isPresent());
            pools().forEach(MemoryPoolMXBean::resetPeakUsage);
            Informer copy = cluster.informer(ObjectKind.NODE);
            long begun = System.nanoTime();
            IntStream.range(0, nodes)
                    .forEach(i -> cluster.put(ClusterObject.of(ObjectRef.node("node-" + i), Map.of("spec", Map.of()))));
            await(() -> withBlocks(copy).size() == nodes);
            double seconds = (System.nanoTime() - begun) / 1e9;
            await(plugin::isIdle);
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

    private static void await(BooleanSupplier condition) throws InterruptedException {
        long until = System.nanoTime() + LONGEST.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > until) {
                throw new IllegalStateException("it is not through after " + LONGEST);
            }
            Thread.sleep(10);
        }
    }

    /** The plugin as the daemon runs it: its jars, guard, tables, controller and effects. */
    private static final class RunningPlugin implements AutoCloseable {
        private final ExecutorScheduler engine = new ExecutorScheduler();
        private final URLClassLoader loader;
        private final ResourceDb db;
        private final PluginGuard guard;
        private final Extensions extensions;
        private final Effects effects;
        private final Controllers controllers;

        RunningPlugin(Path directory, Cluster cluster) throws IOException {
            SystemTime time = new SystemTime();
            loader = new URLClassLoader(jars(), NodeIpamBenchMain.class.getClassLoader());
            IpamPlugin plugin =
                    ServiceLoader.load(IpamPlugin.class, loader).findFirst().orElseThrow();
            db = JournaledResourceDb.open(directory);
            guard = new PluginGuard(NAME, loader, GuardLimits.DEFAULT, time, engine, engine, health -> {});
            Journal journal = new PluginTables(db).of(NAME, guard.journalThread());
            Leadership leadership = Leadership.alone("bench");
            effects = new Effects(leadership, time, engine, new SplittableRandom(1));
            controllers = new Controllers(effects, leadership, time, engine, EVENTS, new SplittableRandom(1));
            extensions = new Extensions(time, engine, EVENTS, new SplittableRandom(1));
            extensions.follow(controllers);
            extensions.follow(effects);
            Settings settings = Settings.of(
                    plugin.settings(),
                    Map.of("cluster_cidr", List.of("10.0.0.0/8"), "service_cluster_ip_range", List.of("10.96.0.0/16")));
            Ledger ledger = new Ledger(journal, NAME, Clock.systemUTC());
            extensions.add(List.of(new Candidate(
                    NAME,
                    plugin.extensions().get(0),
                    guard.extension(NAME),
                    () -> new BenchHost(settings, ledger, cluster, directory))));
            extensions.configure(Set.of(NAME), id -> settings);
        }

        private static URL[] jars() throws IOException {
            Path built =
                    Path.of(System.getProperty("enipam.home")).resolve("plugins-examples/" + NAME + "/target/plugin");
            List<URL> urls = new ArrayList<>();
            try (Stream<Path> files = Files.list(built)) {
                for (Path file : files.toList()) {
                    urls.add(file.toUri().toURL());
                }
            }
            return urls.toArray(URL[]::new);
        }

        /** Empty while it is opened. */
        Optional<ControllerView> view() {
            return controllers.all().stream().findFirst();
        }

        boolean isIdle() {
            ControllerView.Load load = view().orElseThrow().load();
            return load.queued() + load.underWay() + load.paused() == 0
                    && effects.all().isEmpty();
        }

        @Override
        public void close() throws IOException {
            extensions.close();
            guard.close();
            db.close();
            engine.close();
            loader.close();
        }
    }

    private record BenchHost(Settings settings, Ledger ledger, Cluster cluster, Path directory) implements LentHost {
        @Override
        public NodeInfo node() {
            return new HostNode("bench", Role.CLUSTER);
        }

        @Override
        public Clock clock() {
            return Clock.systemUTC();
        }

        @Override
        public Journal journal() {
            return ledger.journal();
        }

        @Override
        public <T> Optional<T> service(Class<T> type) {
            return Optional.of(cluster).filter(type::isInstance).map(type::cast);
        }

        @Override
        public ResourceFactory factory(String name) {
            throw new UnsupportedOperationException("no factories");
        }

        @Override
        public void abandon() {}
    }
}
