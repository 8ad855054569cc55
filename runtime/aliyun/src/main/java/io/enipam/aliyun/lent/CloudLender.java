package io.enipam.aliyun.lent;

import io.enipam.aliyun.api.EcsApi;
import io.enipam.aliyun.api.EcsApi.InstanceTypeLimits;
import io.enipam.aliyun.client.MetadataClient.NodeIdentity;
import io.enipam.aliyun.client.RetryingEcsApi.Sleeper;
import io.enipam.aliyun.eni.FactorySettings.EniSpec;
import io.enipam.engine.concurrent.DaemonThreads;
import io.enipam.engine.port.TimeSource;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.cloud.Cloud;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Lends the cloud to plugins. All of them share threads of their own, and a bounded queue before these: a plugin that asks for
 * much, or that waits long, holds up no call of the daemon's. Thread-safe.
 */
public final class CloudLender implements AutoCloseable {
    private static final int THREADS = 16;
    private static final int WAITING = 512;

    /**
     * A cloud that has answered.
     *
     * @param pauses how a call waits for a status
     * @param tokens within which tokens of one plugin are distinct: a node's instance, or the VPC for all replicas of role CLUSTER
     * @param leads whether this host may change anything
     * @param node empty on a host that is none, and makes no ENIs
     */
    public record Session(EcsApi api, Sleeper pauses, String tokens, BooleanSupplier leads, Optional<LentNode> node) {}

    /**
     * The node on which plugins make ENIs.
     *
     * @param places where the next ENIs are made, described some time ago, at least one
     * @param enis what an ENI of the daemon's own has
     */
    public record LentNode(
            NodeIdentity identity, InstanceTypeLimits limits, Supplier<List<EcsApi.VSwitch>> places, EniSpec enis) {}

    private final Supplier<Session> session;
    private final TimeSource time;
    private final Set<String> borrowers = ConcurrentHashMap.newKeySet();
    private final ThreadPoolExecutor threads;
    private final ScheduledThreadPoolExecutor deadlines =
            new ScheduledThreadPoolExecutor(1, DaemonThreads.named("aliyun-plugins-deadlines"));

    /**
     * @param session asked for each call; opens the cloud if it is not open, which may block for some seconds; throws
     *     {@link FactoryException} if the cloud does not answer
     */
    public CloudLender(Supplier<Session> session, TimeSource time) {
        this.session = session;
        this.time = time;
        threads = new ThreadPoolExecutor(
                THREADS,
                THREADS,
                30,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(WAITING),
                DaemonThreads.numbered("aliyun-plugins"));
        threads.allowCoreThreadTimeOut(true);
        deadlines.setRemoveOnCancelPolicy(true);
    }

    /** The cloud for the plugin with an id. */
    public Cloud lend(String plugin) {
        borrowers.add(plugin);
        return new LentCloud(new CallQueue(session, threads, deadlines, time), plugin);
    }

    /** Whether the plugin with an id was ever lent it. */
    public boolean isLentTo(String plugin) {
        return borrowers.contains(plugin);
    }

    /** Ends the threads. Calls that wait for their turn are refused; those that are out end by their deadlines at the latest. */
    @Override
    public void close() {
        // what it gives back refuses now that the threads are shut down
        threads.shutdownNow().forEach(Runnable::run);
        // not at once: the deadlines of calls that are out are still to come
        deadlines.shutdown();
    }
}
