package io.enipam.bench.cluster;

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
import io.enipam.pluginhost.extension.Extensions.RunningPart;
import io.enipam.pluginhost.extension.Voting;
import io.enipam.pluginhost.guard.GuardLimits;
import io.enipam.pluginhost.guard.PluginGuard;
import io.enipam.sdk.Ballots;
import io.enipam.sdk.IpamPlugin;
import io.enipam.sdk.Journal;
import io.enipam.sdk.NodeInfo;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.Role;
import io.enipam.sdk.Settings;
import io.enipam.sdk.ledger.Ledger;
import io.enipam.store.JournaledResourceDb;
import io.enipam.store.tables.PluginTables;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/** An extension as the daemon of role cluster runs it: its plugin's jars, guard, tables on the disk, controller, ballots and effects. */
final class RunningPlugin implements AutoCloseable {
    private static final Duration LONGEST = Duration.ofMinutes(5);

    private static final EventSink EVENTS = (severity, type, subject, message, attributes) ->
            System.err.println(severity + " " + type + " " + subject + ": " + message);

    private final String name;
    private final ExecutorScheduler engine = new ExecutorScheduler();
    private final URLClassLoader loader;
    private final ResourceDb db;
    private final PluginGuard guard;
    private final Extensions extensions;
    private final Effects effects;
    private final Controllers controllers;
    private final Journal tables;

    /**
     * @param name of the extension, of its plugin, and of the module that has it
     * @param directory of the database
     * @param services that its host has
     * @param beside other extensions of the plugin that run as well
     */
    RunningPlugin(String name, Path directory, Map<String, List<String>> values, List<?> services, Set<String> beside)
            throws IOException {
        this.name = name;
        SystemTime time = new SystemTime();
        loader = new URLClassLoader(jars(name), RunningPlugin.class.getClassLoader());
        IpamPlugin plugin =
                ServiceLoader.load(IpamPlugin.class, loader).findFirst().orElseThrow();
        db = JournaledResourceDb.open(directory);
        guard = new PluginGuard(name, loader, GuardLimits.DEFAULT, time, engine, engine, health -> {});
        PluginTables all = new PluginTables(db);
        Journal journal = all.of(name, guard.journalThread());
        tables = all.of(name, engine);
        Leadership leadership = Leadership.alone("bench");
        effects = new Effects(leadership, time, engine, new SplittableRandom(1));
        controllers = new Controllers(effects, leadership, time, engine, EVENTS, new SplittableRandom(1));
        extensions = new Extensions(time, engine, EVENTS, new SplittableRandom(1));
        extensions.follow(controllers);
        extensions.follow(effects);
        extensions.follow(new Voting(leadership, extensions, engine, new SplittableRandom(1)));
        Settings settings = Settings.of(plugin.settings(), values);
        Set<String> enabled = new LinkedHashSet<>(List.of(name));
        enabled.addAll(beside);
        extensions.add(plugin.extensions().stream()
                .filter(each -> enabled.contains(each.name()))
                .map(each -> {
                    Ledger ledger = new Ledger(journal, each.name(), Clock.systemUTC());
                    return new Candidate(
                            name,
                            each,
                            guard.extension(each.name()),
                            () -> new BenchHost(settings, ledger, services, directory));
                })
                .toList());
        extensions.configure(enabled, id -> settings);
        await(() -> extensions.running().size() == enabled.size()
                && controllers.all().stream()
                        .anyMatch(controller -> controller.state() == ControllerView.State.ACTIVE));
    }

    private static URL[] jars(String name) throws IOException {
        Path built = Path.of(System.getProperty("enipam.home")).resolve("plugins-examples/" + name + "/target/plugin");
        List<URL> urls = new ArrayList<>();
        try (Stream<Path> files = Files.list(built)) {
            for (Path file : files.toList()) {
                urls.add(file.toUri().toURL());
            }
        }
        return urls.toArray(URL[]::new);
    }

    /** Waits, at most some minutes. */
    static void await(BooleanSupplier condition) {
        long until = System.nanoTime() + LONGEST.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > until) {
                throw new IllegalStateException("it is not through after " + LONGEST);
            }
            try {
                Thread.sleep(5);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
        }
    }

    RunningPart part() {
        return extensions.running(name).orElseThrow();
    }

    /** Its tables, for tables that the caller opens with a codec of its own. */
    Journal tables() {
        return tables;
    }

    /** Whether its controller and its effects have nothing to do, now. */
    boolean isIdle() {
        ControllerView.Load load = controllers.all().get(0).load();
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

    private record BenchHost(Settings settings, Ledger ledger, List<?> services, Path directory) implements LentHost {
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
            return services.stream().filter(type::isInstance).<T>map(type::cast).findFirst();
        }

        @Override
        public Ballots ballots() {
            return ledger.ballots();
        }

        @Override
        public ResourceFactory factory(String name) {
            throw new UnsupportedOperationException("no factories");
        }

        @Override
        public void abandon() {}
    }
}
