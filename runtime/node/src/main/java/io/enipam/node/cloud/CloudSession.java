package io.enipam.node.cloud;

import dev.failsafe.function.CheckedSupplier;
import io.enipam.aliyun.AliyunCloud;
import io.enipam.aliyun.CloudProbe;
import io.enipam.aliyun.EniConfig;
import io.enipam.aliyun.api.EcsApi.VSwitch;
import io.enipam.aliyun.eni.EniUse;
import io.enipam.aliyun.lent.CloudLender;
import io.enipam.engine.model.NodeIdentity;
import io.enipam.engine.port.CloudInspector;
import io.enipam.engine.port.EniDirectory;
import io.enipam.engine.port.EniSweeper;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.ResourceFactory;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * A session with a cloud that has answered.
 *
 * @param factories the factory of each use of ENIs
 * @param witness reads the cloud's own data; empty if that is possible only through the factories
 * @param probe checks what this node depends on; empty if this cloud offers no check
 * @param places decides in which vSwitches the next ENIs are made
 * @param closer ends the session; its factories are closed with it
 */
public record CloudSession(
        NodeIdentity node,
        Factories factories,
        EniDirectory enis,
        EniSweeper sweeper,
        Optional<CloudInspector> witness,
        Optional<CloudProbe> probe,
        EniPlacement places,
        Runnable closer) {
    @FunctionalInterface
    public interface Factories {
        /** The factory of a use, built at the first request. */
        ResourceFactory of(EniUse use);

        /** Closes the factory of a use; the session continues. */
        default void leave(EniUse use) {}

        /**
         * What plugins' own calls go through.
         *
         * @throws FactoryException if this cloud has no such calls
         */
        default CloudLender.Session lend() {
            throw new FactoryException(ErrorKind.MISCONFIGURED, "this cloud has no calls for plugins");
        }
    }

    /** A session with one factory for every use. */
    public CloudSession(
            String instanceId, ResourceFactory factory, EniDirectory enis, EniSweeper sweeper, Runnable closer) {
        this(
                new NodeIdentity(instanceId, ""),
                use -> factory,
                enis,
                sweeper,
                Optional.empty(),
                Optional.empty(),
                EniPlacement.NONE,
                closer);
    }

    public String instanceId() {
        return node.instanceId();
    }

    /** A session with Alibaba Cloud, or with a server of the same API. */
    public static CloudSession of(AliyunCloud cloud) {
        return new CloudSession(
                new NodeIdentity(cloud.instanceId(), cloud.regionId()),
                new Factories() {
                    @Override
                    public ResourceFactory of(EniUse use) {
                        return cloud.factory(use);
                    }

                    @Override
                    public void leave(EniUse use) {
                        cloud.drain(use);
                    }

                    @Override
                    public CloudLender.Session lend() {
                        return cloud.lend();
                    }
                },
                cloud.enis(),
                cloud.sweeper(),
                Optional.of(cloud.stateReader()),
                Optional.of(cloud.probe()),
                new EniPlacement(
                        cloud::updateVSwitches,
                        () -> cloud.vswitches().stream().collect(Collectors.toMap(VSwitch::id, VSwitch::cidr))),
                cloud::close);
    }

    /** The factory of addresses, or the only factory. */
    public ResourceFactory factory() {
        return factories.of(EniUse.ADDRESSES);
    }

    /**
     * Decides in which vSwitches a cloud's next ENIs are made. Thread-safe.
     *
     * @param configure changes the placement of further ENIs by its vSwitches and their selection; may block for some
     *     seconds. Throws {@link io.enipam.sdk.FactoryException} if none can be used, or the cloud does not answer; the
     *     placement is then unchanged
     * @param ranges gives the ranges of the vSwitches by id, at least one if the cloud has vSwitches
     */
    public record EniPlacement(Consumer<EniConfig> configure, Supplier<Map<String, String>> ranges) {
        /** For a cloud without vSwitches. */
        static final EniPlacement NONE = new EniPlacement(enis -> {}, Map::of);
    }

    /**
     * One session with the cloud for all factories on it, so that they share its rate limits and the instance's slots:
     * opened with the first of them, ended with the last. One that plugins call, too, is ended by {@link #close}. Thread-safe.
     */
    public static final class SharedCloudSession implements AutoCloseable {
        private final CheckedSupplier<CloudSession> opener;
        private final Map<EniUse, Integer> users = new EnumMap<>(EniUse.class);
        private volatile Optional<CloudSession> session = Optional.empty();
        private volatile boolean lent;

        /** @param opener one try to open a session, which may block */
        public SharedCloudSession(CheckedSupplier<CloudSession> opener) {
            this.opener = opener;
        }

        /** Opens the session, or joins it; may block. The result has the factory of this use alone, and ends that use. */
        public synchronized CloudSession open(EniUse use) throws Throwable {
            CloudSession shared = joined();
            users.merge(use, 1, Integer::sum);
            ResourceFactory factory = shared.factories().of(use);
            AtomicBoolean ended = new AtomicBoolean();
            return new CloudSession(
                    shared.node(),
                    any -> factory,
                    shared.enis(),
                    shared.sweeper(),
                    shared.witness(),
                    shared.probe(),
                    shared.places(),
                    () -> {
                        if (ended.compareAndSet(false, true)) {
                            end(use);
                        }
                    });
        }

        private CloudSession joined() throws Throwable {
            CloudSession shared = session.isPresent() ? session.get() : opener.get();
            session = Optional.of(shared);
            return shared;
        }

        /**
         * What plugins' calls go through; opens the session if there is none, which may block.
         *
         * @throws FactoryException if the cloud does not answer
         */
        public synchronized CloudLender.Session lend() {
            try {
                CloudLender.Session calls = joined().factories().lend();
                lent = true;
                return calls;
            } catch (FactoryException | Error e) {
                throw e;
            } catch (Throwable e) {
                throw new FactoryException(ErrorKind.UNAVAILABLE, "the cloud cannot be asked: " + e.getMessage(), e);
            } finally {
                endIfUnused();
            }
        }

        /** Sweeps, if plugins call the cloud and it has answered. Returns at once. */
        Optional<EniSweeper> sweeperForPlugins() {
            return session.filter(open -> lent).map(CloudSession::sweeper);
        }

        /** Plugins call no more. */
        @Override
        public synchronized void close() {
            lent = false;
            endIfUnused();
        }

        private boolean isUsed() {
            return lent || !users.isEmpty();
        }

        private void endIfUnused() {
            if (!isUsed()) {
                session.ifPresent(last -> last.closer().run());
                session = Optional.empty();
            }
        }

        /** Sets the placement of further ENIs, see {@link EniPlacement}; waits for a session that is opening. */
        public synchronized void configure(EniConfig enis) {
            session.ifPresent(shared -> shared.places().configure().accept(enis));
        }

        /** The ranges of the vSwitches for ENIs, by id; empty until the cloud has answered. Returns at once. */
        public Map<String, String> ranges() {
            return session.map(shared -> shared.places().ranges().get()).orElse(Map.of());
        }

        private synchronized void end(EniUse use) {
            users.computeIfPresent(use, (key, count) -> count == 1 ? null : count - 1);
            if (isUsed() && !users.containsKey(use)) {
                session.ifPresent(shared -> shared.factories().leave(use));
            }
            endIfUnused();
        }
    }
}
