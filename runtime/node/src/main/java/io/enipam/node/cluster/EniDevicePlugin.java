package io.enipam.node.cluster;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.enipam.aliyun.eni.EniUse;
import io.enipam.engine.EngineStatus;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.PendingWork;
import io.enipam.engine.pool.PoolView;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.TimeSource;
import io.enipam.kubernetes.device.KubeletDevicePlugin;
import io.enipam.node.cluster.NodeStatusUpdater.NodeAvailability.ProvisioningFailure;
import io.enipam.sdk.ResourceState;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports to the kubelet how many pods can have an ENI of their own: the resource {@code aliyun/eni} of a node whose
 * pool allocates whole ENIs. For other pools it reports nothing, or 0 if it has reported devices before.
 *
 * <p>{@link #sync} runs every few seconds. It reports nothing before the engine serves: a node that has just started
 * would seem to have no ENIs. Thread-safe.
 */
public final class EniDevicePlugin implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EniDevicePlugin.class);

    /** A restarting kubelet is away for a shorter time. */
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final DevicePluginDirectory place;
    private final IpamEngine engine;
    private final TimeSource time;
    private final EventSink events;

    @GuardedBy("this")
    private Optional<KubeletDevicePlugin> plugin = Optional.empty();

    @GuardedBy("this")
    private Optional<Long> unknownSince = Optional.empty();

    @GuardedBy("this")
    private boolean complained;

    @GuardedBy("this")
    private boolean closed;

    public EniDevicePlugin(DevicePluginDirectory place, IpamEngine engine, TimeSource time, EventSink events) {
        this.place = place;
        this.engine = engine;
        this.time = time;
        this.events = events;
    }

    /** Checks, and reports changes. Blocks for a few seconds at most, and never throws. */
    public synchronized void sync() {
        try {
            if (!closed && place.wanted()) {
                tell();
            }
        } catch (RuntimeException e) {
            LOG.error("the kubelet could not be told of the ENIs; this is a bug of enipam", e);
        }
    }

    @GuardedBy("this")
    private void tell() {
        if (engine.status().phase() != EngineStatus.Phase.READY) {
            return;
        }
        if (plugin.isEmpty()
                && (!EniDeviceCapacity.lendsEnis(engine.poolSummary().kind())
                        || (place.optional() && !Files.isDirectory(place.directory())))) {
            return;
        }
        KubeletDevicePlugin telling =
                plugin.orElseGet(() -> new KubeletDevicePlugin(place.directory(), KubeletDevicePlugin.ENI));
        plugin = Optional.of(telling);
        EniDeviceCapacity supply = EniDeviceCapacity.of(engine.pool(), engine.pendingWork(), time.now());
        telling.setDevices(supply.all(), supply.healthy());
        telling.checkRegistration();
        complain(telling.failureReason());
    }

    @GuardedBy("this")
    private void complain(String trouble) {
        long now = time.nanoTime();
        if (trouble.isEmpty()) {
            if (complained) {
                events.info("KubeletTold", "kubelet", "the kubelet knows of " + KubeletDevicePlugin.ENI + " again");
            }
            unknownSince = Optional.empty();
            complained = false;
            return;
        }
        long since = unknownSince.orElse(now);
        unknownSince = Optional.of(since);
        if (!complained && now - since >= PATIENCE.toNanos()) {
            complained = true;
            events.warning(
                    "KubeletNotTold",
                    "kubelet",
                    "the kubelet does not know of " + KubeletDevicePlugin.ENI
                            + ", so that pods that request it stay pending: " + trouble);
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        plugin.ifPresent(KubeletDevicePlugin::close);
    }

    /**
     * How many pods can have an ENI of their own, as reported to the kubelet.
     *
     * <p>While creates fail for long, only existing ENIs count as healthy: those of pods, and idle ones. The kubelet
     * assigns no other devices to pods, and the scheduler places pods on other nodes instead of letting them wait here.
     * No pod is evicted.
     *
     * @param all the most that the node can have
     * @param healthy how many of those exist or can be made
     */
    record EniDeviceCapacity(int all, int healthy) {
        private static final String WHOLE = EniUse.WHOLE.kind().name();
        private static final Set<ResourceState> THERE =
                Set.of(ResourceState.IN_USE, ResourceState.IDLE, ResourceState.COOLING, ResourceState.RESERVED);

        private static boolean lendsEnis(String kind) {
            return kind.equals(WHOLE);
        }

        /** Whether a pool of this kind allocates addresses of ENIs that pods share. */
        static boolean sharesEnis(String kind) {
            return kind.equals(EniUse.ADDRESSES.kind().name());
        }

        /** Computes the numbers; a pool of another kind has none. */
        static EniDeviceCapacity of(PoolView pool, PendingWork agenda, Instant now) {
            if (!lendsEnis(pool.summary().kind())) {
                return new EniDeviceCapacity(0, 0);
            }
            // the pool's capacity includes resources of a former factory that pods still have
            int others = (int) pool.entries().stream()
                    .filter(entry -> !entry.resource().kind().name().equals(WHOLE))
                    .count();
            int all = Math.max(0, pool.summary().capacity() - others);
            int there = (int) pool.entries().stream()
                    .filter(entry -> entry.resource().kind().name().equals(WHOLE))
                    .filter(entry -> THERE.contains(entry.state()))
                    .count();
            return new EniDeviceCapacity(
                    all, ProvisioningFailure.lasting(agenda, now).isPresent() ? Math.min(all, there) : all);
        }
    }

    /** @param optional whether an absent directory means that there is no kubelet */
    public record DevicePluginDirectory(boolean wanted, boolean optional, Path directory) {
        /** @param setting {@code auto} for the usual directory, {@code off} or a path */
        public static DevicePluginDirectory of(String setting, Path usual) {
            return switch (setting) {
                case "auto" -> new DevicePluginDirectory(true, true, usual);
                case "off" -> new DevicePluginDirectory(false, true, usual);
                default -> new DevicePluginDirectory(true, false, Path.of(setting));
            };
        }
    }
}
