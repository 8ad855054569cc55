package io.enipam.daemon.cluster;

import io.enipam.daemon.config.ClusterConfig;
import io.enipam.daemon.events.EventFollower;
import io.enipam.daemon.events.EventRing;
import io.enipam.daemon.pods.NodePods;
import io.enipam.engine.EngineStatus;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.model.Event;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.Pod;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.TimeSource;
import io.enipam.kubernetes.api.ApiCalls;
import io.enipam.kubernetes.cidr.NodeCidr;
import io.enipam.kubernetes.cidr.NodeCidrFactory;
import io.enipam.kubernetes.cidr.NodeCidrQuestion;
import io.enipam.kubernetes.events.EventReporter;
import io.enipam.kubernetes.node.NodeReporter;
import io.enipam.kubernetes.node.OwnNode;
import io.enipam.kubernetes.pods.ClusterPods;
import io.enipam.kubernetes.pods.Manifest;
import io.enipam.kubernetes.pods.ManifestReader;
import io.enipam.kubernetes.pods.PodAddresses;
import io.enipam.kubernetes.pods.PodListener;
import io.enipam.kubernetes.pods.PodWatch;
import io.enipam.kubernetes.pods.StickRule;
import io.enipam.sdk.PodRef;
import java.time.Duration;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The daemon's link to its cluster: the engine's pods from the moment it is made, and from {@link #begin} on the watch, the
 * collections after deletions, the events and the node's condition. Thread-safe.
 */
public final class ClusterLink implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterLink.class);
    private static final int AT_ONCE = 64;

    private final ApiCalls calls;
    private final ClusterConfig config;
    private final String node;
    private final TimeSource time;
    private final Scheduler scheduler;
    private final EventRing events;
    private final PodWatch watch;
    private final ClusterPods pods;
    private final Complaints complaints;
    private final EventReporter reporter;
    private final AtomicReference<Optional<IpamEngine>> engine = new AtomicReference<>(Optional.empty());
    private final WatchBook watched;
    private volatile StickRule rule;
    private final ClusterSight sight;
    /** What was said before is of another life of the daemon; what is said from now on may be of its configuration. */
    private final long since;

    private final AtomicReference<Optional<DeletionCollector>> collector = new AtomicReference<>(Optional.empty());
    private final AtomicReference<Optional<EventFollower>> follower = new AtomicReference<>(Optional.empty());
    private final AtomicReference<Optional<PodIpNotes>> notes = new AtomicReference<>(Optional.empty());
    private final AtomicReference<Optional<NodeWitness>> witness = new AtomicReference<>(Optional.empty());

    /**
     * Connects to nothing yet.
     *
     * @param access closed by who opened it
     * @param node name of the node, as the API server has it
     */
    public ClusterLink(
            ClusterAccess access,
            ClusterConfig config,
            String node,
            TimeSource time,
            Scheduler scheduler,
            EventRing events) {
        this.calls = access.calls();
        this.config = config;
        this.node = node;
        this.time = time;
        this.scheduler = scheduler;
        this.events = events;
        this.since = events.after(0).stream().mapToLong(Event::sequence).max().orElse(0);
        complaints = new Complaints(events, this::sharesEnis);
        rule = new StickRule(config.statefulKinds(), config.stick());
        ManifestReader reader = new ManifestReader(() -> rule);
        watched = new WatchBook(time);
        watch = new PodWatch(calls, node, reader, new Told());
        pods = new ClusterPods(calls, watch, reader, node, new OwnNode(calls, node, OwnNode.BOOT_ID));
        reporter = new EventReporter(calls, time, node);
        sight = new ClusterSight(access.way(), config, node, calls, access.book(), reader, watch, watched, reporter);
    }

    /** Goes by what another configuration says of pods that keep their address: for those that come, and those that change. */
    public void goBy(ClusterConfig next) {
        rule = new StickRule(next.statefulKinds(), next.stick());
    }

    /** What people can see of it. */
    public ClusterSight sight() {
        return sight;
    }

    /** The node's pods by the API server. */
    public NodePods pods() {
        return new ClusterNodePods(pods, config.trustCalls(), this::refusal);
    }

    /**
     * Begins to watch and to tell; once.
     *
     * @param broken why no pod can start here although the engine serves; empty if one can
     */
    public void begin(IpamEngine engine, Supplier<Optional<String>> broken) {
        this.engine.set(Optional.of(engine));
        long begun = time.nanoTime();
        collector.set(Optional.of(new DeletionCollector(() -> engine, scheduler)));
        witness.set(Optional.of(new NodeWitness(
                () -> NodeOutlook.of(engine, broken, time.now(), Duration.ofNanos(time.nanoTime() - begun)),
                new NodeReporter(calls, time, node),
                time,
                events,
                new SplittableRandom())));
        ClusterNotices notices = new ClusterNotices(pod -> uid(engine, pod));
        follower.set(Optional.of(events.follow(since, () -> tellAll(notices))));
        if (config.patchPodIps()) {
            notes.set(Optional.of(new PodIpNotes(
                    engine,
                    new PodAddresses(calls),
                    () -> watch.hasListed() ? Optional.of(watch.watched()) : Optional.empty(),
                    time,
                    events,
                    new SplittableRandom())));
        }
        // the first call may have come before there was anything to take from
        tellAll(notices);
        watch.begin();
    }

    /** Tells the cluster how node and pods fare, if that is news; asked every few seconds. Returns at once, and never throws. */
    public void look() {
        guarded(() -> {
            watch.connected(watched.seen(watch.isOpen()));
            watch.look(time.nanoTime());
        });
        guarded(() -> witness.get().ifPresent(NodeWitness::look));
        guarded(() -> notes.get().ifPresent(PodIpNotes::look));
    }

    /** What is asked for again and again would not be after it threw once. */
    private static void guarded(Runnable look) {
        try {
            look.run();
        } catch (RuntimeException e) {
            LOG.error("the cluster could not be told how this node fares; this is a bug of enipam", e);
        }
    }

    /** Why the API server is not heard, or empty text. */
    public String trouble() {
        return watch.trouble();
    }

    private boolean sharesEnis() {
        return engine.get()
                .filter(known -> known.status().phase() == EngineStatus.Phase.READY)
                .filter(known -> DeviceSupply.sharesEnis(known.pool()))
                .isPresent();
    }

    /** A node that gives addresses of its own CIDR makes no ENIs. */
    private Optional<String> refusal(Pod pod) {
        return pod.wishes().ownEni()
                        && engine.get()
                                .filter(known -> known.pool().kind().equals(NodeCidrFactory.KIND.name()))
                                .isPresent()
                ? Optional.of(
                        "it asks for an ENI of its own (annotation k8s.aliyun.com/ENI or resource aliyun/eni), and a node"
                                + " with daemon.mode VPC has none for pods")
                : Optional.empty();
    }

    /** The CIDR that the cluster has given to this node. */
    CompletableFuture<NodeCidr> nodeCidr() {
        return new NodeCidrQuestion(calls, node).ask();
    }

    private String uid(IpamEngine engine, PodRef pod) {
        return engine.leasesOf(pod).stream()
                .map(Lease::podUid)
                .filter(uid -> !uid.isEmpty())
                .findFirst()
                .orElseGet(() -> watch.find(pod).map(Pod::uid).orElse(""));
    }

    /** One at a time, so that they stay in order. */
    private synchronized void tellAll(ClusterNotices notices) {
        follower.get().ifPresent(following -> {
            for (var some = following.take(AT_ONCE); !some.isEmpty(); some = following.take(AT_ONCE)) {
                some.forEach(event -> {
                    notices.of(event).forEach(reporter::tell);
                    notices.unanswered(event)
                            .ifPresent(pod -> collector.get().ifPresent(collecting -> collecting.unanswered(pod)));
                    notes.get().ifPresent(writing -> notices.granted(event).ifPresent(writing::granted));
                });
            }
        });
    }

    @Override
    public void close() {
        follower.get().ifPresent(EventFollower::close);
        watch.close();
        reporter.close();
    }

    private final class Told implements PodListener {
        @Override
        public void heard() {
            watched.heard();
        }

        @Override
        public void seen(Manifest manifest) {
            complaints.seen(manifest);
            collector.get().ifPresent(collecting -> collecting.seen(manifest.pod()));
        }

        @Override
        public void over(PodRef pod, String why) {
            complaints.over(pod);
            collector.get().ifPresent(collecting -> collecting.over(pod));
        }

        @Override
        public void reachable(boolean reachable, String why) {
            if (reachable) {
                events.info("ApiServerReachable", "api server", "the pods of this node are watched");
            } else {
                events.warning("ApiServerUnreachable", "api server", "the pods of this node are not heard of: " + why);
            }
        }
    }
}
