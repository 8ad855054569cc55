package io.enipam.daemon;

import io.enipam.config.ClusterAccess;
import io.enipam.config.DaemonConfig;
import io.enipam.config.Schema;
import io.enipam.config.dynamic.DynamicConfig;
import io.enipam.config.dynamic.LiveConfig;
import io.enipam.diagnostics.doctor.StartLog;
import io.enipam.diagnostics.doctor.StartLog.Starts;
import io.enipam.diagnostics.trace.TraceRing;
import io.enipam.engine.concurrent.DaemonThreads;
import io.enipam.events.EventRing;
import io.enipam.frontends.rpc.AuditLog;
import io.enipam.node.overrides.CapacityOverrides.FlushingExecutor;
import io.enipam.platform.ExecutorScheduler;
import io.enipam.platform.SystemTime;
import io.enipam.sdk.Role;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The common base of the daemon: threads, events, the configuration in force, the trace ring and the audit log. Opened
 * first, closed last.
 */
final class BaseModule {
    private static final Logger LOG = LoggerFactory.getLogger(BaseModule.class);
    private static final Path KERNEL_NAME = Path.of("/proc/sys/kernel/hostname");

    final Closer opened;
    final DaemonLayout layout;
    final SystemTime time;
    final ExecutorScheduler scheduler;
    /** For work that loads classes or waits. */
    final ScheduledExecutorService blocking;

    final FlushingExecutor overrideWrites;
    final EventRing events;
    final String node;
    final Optional<ClusterAccess> access;
    final DynamicConfig dynamic;
    final LiveConfig live;
    /** The configuration at the start. */
    final DaemonConfig config;

    final StartupEvents announcements;
    /** This start, and how the one before ended. */
    final Starts starts;

    final TraceRing traces;
    final AuditLog audit;

    BaseModule(Closer opened, DaemonLayout layout, DaemonConfig files, SystemTime time) throws IOException {
        this.opened = opened;
        this.layout = layout;
        this.time = time;
        starts = StartLog.add(layout.starts(), time.now());
        opened.push("log of starts", () -> StartLog.end(layout.starts(), time.now()));
        scheduler = opened.push("scheduler", new ExecutorScheduler());
        blocking = threads(3, "blocking");
        opened.push("threads", blocking::shutdownNow);
        overrideWrites = opened.push("order file", new FlushingExecutor());
        events = new EventRing(time, scheduler);
        node = nodeName(files.get(Schema.NODE_NAME), System.getenv());
        access = ClusterAccess.find(files.cluster(), System.getenv(), time);
        access.ifPresent(way -> opened.push("way to the cluster", way));
        dynamic = opened.push(
                "configuration",
                DynamicConfig.open(files, ofNode(files), System.getenv(), node, layout.lastGoodConfig(), events));
        live = dynamic.live();
        config = live.now();
        announcements = new StartupEvents(config, events);
        traces = new TraceRing(time, config.traces());
        audit = opened.push("audit log", AuditLog.open(layout.auditLog(), config.auditBytes(), time));
        blocking.scheduleWithFixedDelay(audit::recordRefusals, 1, 1, TimeUnit.MINUTES);
    }

    /** The way to the ConfigMap that the node's label names: a replica of role CLUSTER is no node. */
    private Optional<ClusterAccess> ofNode(DaemonConfig files) {
        return access.filter(way -> files.role() == Role.NODE);
    }

    /**
     * Daemon threads for work that loads classes or waits. They use this program's class loader, whichever thread
     * starts them. A task that is repeated goes on after one run of it failed.
     *
     * @param most the most threads at a time
     * @param name of each of them
     */
    static ScheduledExecutorService threads(int most, String name) {
        return DaemonThreads.repeating(
                most, name, e -> LOG.error("a task that is repeated failed, and will be run again", e));
    }

    /** Waits for what another thread opens, and rethrows that thread's exception. */
    static <T> T join(CompletableFuture<T> future) {
        try {
            return future.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw e;
        }
    }

    /** Closes what another thread opens, once it is open; a failure to open has been reported already. */
    static <T> void whenOpened(CompletableFuture<T> opening, Consumer<T> close) {
        opening.handle((value, failure) -> failure == null ? Optional.of(value) : Optional.<T>empty())
                .join()
                .ifPresent(close);
    }

    /**
     * The node's name: the configured one, else that of the downward API, else the kernel's in lower case, as the
     * kubelet uses it. The kernel's name may differ from the cluster's: no address is taken from a pod before the
     * cluster has confirmed the name. DNS is not used: a look-up can take seconds, and gives another name.
     *
     * @param environment of the process; a DaemonSet sets {@code NODE_NAME} there, from {@code spec.nodeName}
     */
    private static String nodeName(String configured, Map<String, String> environment) {
        String named = configured.isEmpty() ? environment.getOrDefault("NODE_NAME", "") : configured;
        if (!named.isEmpty()) {
            return named;
        }
        try {
            return Files.readString(KERNEL_NAME).strip().toLowerCase(Locale.ROOT);
        } catch (IOException e) {
            LOG.warn(
                    "the host's name cannot be read, so the node is called 'unknown'; set node.name: {}", e.toString());
            return "unknown";
        }
    }
}
