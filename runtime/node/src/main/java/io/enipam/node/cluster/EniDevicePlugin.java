package io.enipam.node.cluster;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.enipam.engine.EngineStatus;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.pool.PoolView;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.TimeSource;
import io.enipam.kubernetes.device.KubeletDevicePlugin;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the kubelet how many pods can have an ENI of their own: the resource {@code aliyun/eni} of a node whose pool lends whole
 * ENIs. Where the pool lends anything else the kubelet is not bothered, unless it was told before: then there are none any more.
 *
 * <p>Asked to look every few seconds. Nothing is said before the engine serves: a node that has just started would look as if it had no
 * ENIs. Thread-safe.
 */
public final class EniDevicePlugin implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EniDevicePlugin.class);

    /** A kubelet that starts anew is away for less. */
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

    /** Looks, and tells what is new. Blocks for a few seconds at most, and never throws. */
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
        PoolView pool = engine.pool();
        if (plugin.isEmpty()
                && (!EniDeviceCapacity.lendsEnis(pool) || (place.optional() && !Files.isDirectory(place.directory())))) {
            return;
        }
        KubeletDevicePlugin telling = plugin.orElseGet(() -> new KubeletDevicePlugin(place.directory(), KubeletDevicePlugin.ENI));
        plugin = Optional.of(telling);
        EniDeviceCapacity supply = EniDeviceCapacity.of(pool, engine.pendingWork(), time.now());
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
}
