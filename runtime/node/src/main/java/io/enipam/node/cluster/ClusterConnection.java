package io.enipam.node.cluster;

import static java.util.Map.entry;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.enipam.config.ClusterAccess;
import io.enipam.config.ClusterConfig;
import io.enipam.engine.EngineStatus;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.Event;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.Pod;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.TimeSource;
import io.enipam.events.EventRing;
import io.enipam.events.EventRing.EventFollower;
import io.enipam.kubernetes.api.ApiServerClient;
import io.enipam.kubernetes.cidr.NodeCidr;
import io.enipam.kubernetes.cidr.NodeCidrFactory;
import io.enipam.kubernetes.events.EventReporter;
import io.enipam.kubernetes.events.EventReporter.EventNotice;
import io.enipam.kubernetes.node.ClusterReader;
import io.enipam.kubernetes.node.NodeStatusWriter;
import io.enipam.kubernetes.pods.ApiServerPodDirectory;
import io.enipam.kubernetes.pods.ManifestParser;
import io.enipam.kubernetes.pods.ManifestParser.ParsedManifest;
import io.enipam.kubernetes.pods.ManifestParser.StickRule;
import io.enipam.kubernetes.pods.PodInformer;
import io.enipam.kubernetes.pods.PodInformer.PodListener;
import io.enipam.kubernetes.pods.PodInformer.WatchedPod;
import io.enipam.kubernetes.pods.PodIpsAnnotator;
import io.enipam.node.cluster.ClusterInspector.WatchTracker;
import io.enipam.node.cluster.EniDevicePlugin.EniDeviceCapacity;
import io.enipam.node.cluster.NodeStatusUpdater.NodeAvailability;
import io.enipam.node.pods.NodePods;
import io.enipam.sdk.PodRef;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The daemon's connection to its cluster: provides the engine's pods at once, and from {@link #begin} on the watch,
 * garbage collection after deletions, events and the node's condition. Thread-safe.
 */
public final class ClusterConnection implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterConnection.class);
    private static final int AT_ONCE = 64;

    private final ApiServerClient calls;
    private final ClusterConfig config;
    private final String node;
    private final TimeSource time;
    private final Scheduler scheduler;
    private final EventRing events;
    private final PodInformer watch;
    private final NodePods pods;
    private final ManifestWarnings complaints;
    private final EventReporter reporter;
    private volatile Optional<IpamEngine> engine = Optional.empty();
    private final WatchTracker watched;
    private volatile StickRule rule;
    private final ClusterInspector inspector;
    /** Events up to this number belong to an earlier run; later ones may concern this configuration. */
    private final long since;

    private volatile Optional<PodDeletionGcTrigger> collector = Optional.empty();
    private volatile Optional<EventFollower> follower = Optional.empty();
    private volatile Optional<PodIpAnnotator> notes = Optional.empty();
    private volatile Optional<NodeStatusUpdater> witness = Optional.empty();

    /** Connects to nothing yet. The access is closed by its opener, and the node is named as in the cluster. */
    public ClusterConnection(
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
        complaints = new ManifestWarnings(events, this::sharesEnis);
        rule = new StickRule(config.statefulKinds(), config.stick());
        ManifestParser reader = new ManifestParser(() -> rule);
        watched = new WatchTracker(time);
        watch = new PodInformer(calls, node, reader, new PodEventHandler());
        ClusterPods directory = new ClusterPods(reader);
        pods = directory;
        reporter = new EventReporter(calls, time, node);
        inspector = new ClusterInspector(access, config, node, directory, watch, watched, reporter);
    }

    /** Applies a changed rule for pods that keep their address, to new pods and to pods that change. */
    public void reconfigure(ClusterConfig next) {
        rule = new StickRule(next.statefulKinds(), next.stick());
    }

    public ClusterInspector inspector() {
        return inspector;
    }

    public NodePods pods() {
        return pods;
    }

    /**
     * Begins to watch and to report; call it once.
     *
     * @param broken why no pod can start here although the engine serves; empty if pods can start
     */
    public void begin(IpamEngine engine, Supplier<Optional<String>> broken) {
        this.engine = Optional.of(engine);
        long begun = time.nanoTime();
        collector = Optional.of(new PodDeletionGcTrigger(() -> engine, scheduler));
        witness = Optional.of(new NodeStatusUpdater(
                () -> NodeAvailability.of(engine, broken, time.now(), Duration.ofNanos(time.nanoTime() - begun)),
                new NodeStatusWriter(calls, time, node),
                time,
                events,
                new SplittableRandom()));
        ClusterEventMapper notices = new ClusterEventMapper(pod -> uid(engine, pod));
        follower = Optional.of(events.follow(since, () -> tellAll(notices)));
        if (config.patchPodIps()) {
            notes = Optional.of(new PodIpAnnotator(
                    engine,
                    new PodIpsAnnotator(calls),
                    () -> watch.hasSynced() ? Optional.of(unfinished()) : Optional.empty(),
                    time,
                    events,
                    new SplittableRandom()));
        }
        // the first call may have preceded the first data
        tellAll(notices);
        watch.start();
    }

    /** Reports changes of node and pods to the cluster; called every few seconds. Returns at once, and never throws. */
    public void sync() {
        guarded(() -> {
            watch.connected(watched.update(watch.isOpen()));
            watch.checkStall(time.nanoTime());
        });
        guarded(() -> witness.ifPresent(NodeStatusUpdater::sync));
        guarded(() -> notes.ifPresent(PodIpAnnotator::sync));
    }

    /** A scheduler would not repeat a task that threw. */
    private static void guarded(Runnable look) {
        try {
            look.run();
        } catch (RuntimeException e) {
            LOG.error("the cluster could not be told how this node fares; this is a bug of enipam", e);
        }
    }

    private boolean sharesEnis() {
        return engine.filter(known -> known.status().phase() == EngineStatus.Phase.READY)
                .filter(known ->
                        EniDeviceCapacity.sharesEnis(known.poolSummary().kind()))
                .isPresent();
    }

    private List<WatchedPod> unfinished() {
        return watch.watchedPods().stream()
                .filter(known -> !known.pod().finished())
                .toList();
    }

    CompletableFuture<NodeCidr> nodeCidr() {
        return new ClusterReader(calls, node).podCidr();
    }

    private String uid(IpamEngine engine, PodRef pod) {
        return engine.leasesOf(pod).stream()
                .map(Lease::podUid)
                .filter(uid -> !uid.isEmpty())
                .findFirst()
                .orElseGet(() -> watch.find(pod).map(Pod::uid).orElse(""));
    }

    /** One thread, so that events stay in order. */
    private synchronized void tellAll(ClusterEventMapper notices) {
        follower.ifPresent(following -> {
            for (var some = following.take(AT_ONCE); !some.isEmpty(); some = following.take(AT_ONCE)) {
                some.forEach(event -> {
                    notices.toNotices(event).forEach(reporter::enqueue);
                    notices.unanswered(event)
                            .ifPresent(pod -> collector.ifPresent(collecting -> collecting.podDeleted(pod)));
                    notes.ifPresent(writing -> notices.granted(event).ifPresent(writing::granted));
                });
            }
        });
    }

    @Override
    public void close() {
        follower.ifPresent(EventFollower::close);
        watch.close();
        reporter.close();
    }

    /** The pods of a node in a cluster: the daemon neither creates nor deletes them. */
    private final class ClusterPods extends ApiServerPodDirectory implements NodePods {
        private ClusterPods(ManifestParser reader) {
            super(calls, watch, reader, node);
        }

        @Override
        public void admit(PodRef pod, String leaseUid) {
            // the API server decides which pods exist
        }

        @Override
        public void delete(PodRef pod) {
            throw new IpamException(
                    ErrorCode.INVALID_ARGUMENT,
                    "pod " + pod + " cannot be deleted here: pods are simulated in a sandbox only",
                    "delete it where it is known: kubectl delete pod -n " + pod.namespace() + " " + pod.name());
        }

        @Override
        public boolean allowsUnknownPods() {
            return config.trustCalls();
        }

        /** A node that assigns addresses of its own CIDR makes no ENIs. */
        @Override
        public Optional<String> refusal(Pod pod) {
            return pod.wishes().ownEni()
                            && engine.filter(known -> known.poolSummary().kind().equals(NodeCidrFactory.KIND.name()))
                                    .isPresent()
                    ? Optional.of("it asks for an ENI of its own (annotation k8s.aliyun.com/ENI or resource"
                            + " aliyun/eni), and a node with daemon.mode VPC has none for pods")
                    : Optional.empty();
        }
    }

    private final class PodEventHandler implements PodListener {
        @Override
        public void onEvent() {
            watched.heard();
        }

        @Override
        public void onPod(ParsedManifest manifest) {
            complaints.seen(manifest);
            collector.ifPresent(collecting -> collecting.podSeen(manifest.pod()));
        }

        @Override
        public void onPodEnded(PodRef pod, String why) {
            complaints.over(pod);
            collector.ifPresent(collecting -> collecting.podDeleted(pod));
        }

        @Override
        public void onReachable(boolean reachable, String why) {
            if (reachable) {
                events.info("ApiServerReachable", "api server", "the pods of this node are watched");
            } else {
                events.warning("ApiServerUnreachable", "api server", "the pods of this node are not heard of: " + why);
            }
        }
    }

    /** Reports each unusable value of a pod's manifest once, however often the pod changes otherwise. Thread-safe. */
    static final class ManifestWarnings {
        /** As in terway, the mode decides what a pod gets; terway does not report the difference. */
        private static final String NO_ENI =
                "the pod asks for an ENI of its own (annotation k8s.aliyun.com/ENI or resource aliyun/eni), but this node's"
                        + " pods share ENIs: it gets an address of one; for an ENI of its own, run it on a node with daemon.mode"
                        + " ENIOnly";

        private final EventSink events;
        private final BooleanSupplier sharesEnis;

        @GuardedBy("this")
        private final Map<PodRef, List<String>> told = new HashMap<>();

        /**
         * @param sharesEnis whether pods share ENIs here, so that a pod that requests its own ENI gets none; false
         *     until that is known
         */
        ManifestWarnings(EventSink events, BooleanSupplier sharesEnis) {
            this.events = events;
            this.sharesEnis = sharesEnis;
        }

        void seen(ParsedManifest manifest) {
            PodRef pod = manifest.pod().ref();
            List<String> complaints = new ArrayList<>(manifest.complaints());
            if (manifest.pod().wishes().ownEni() && !manifest.pod().finished() && sharesEnis.getAsBoolean()) {
                complaints.add(NO_ENI);
            }
            List<String> before;
            synchronized (this) {
                List<String> known = complaints.isEmpty() ? told.remove(pod) : told.put(pod, List.copyOf(complaints));
                before = known == null ? List.of() : known;
            }
            complaints.stream()
                    .filter(complaint -> !before.contains(complaint))
                    .forEach(complaint -> events.warning("ManifestInvalid", pod.toString(), complaint));
        }

        synchronized void over(PodRef pod) {
            told.remove(pod);
        }
    }

    /**
     * Which of the daemon's events become events of the cluster, and with which reason: terway's reasons where they exist,
     * since alerts refer to them. All other events stay on the node.
     *
     * @param uid gives the UID of a pod, or empty text if it is unknown
     */
    private record ClusterEventMapper(Function<PodRef, String> uid) {
        private static final Map<String, String> OF_PODS = Map.of(
                "LeaseGranted", "AllocIPSucceed",
                "LeaseRefused", "AllocIPFailed",
                "LeaseNotUndone", "ReleaseIPFailed",
                "ManifestInvalid", "ConfigError",
                "AddressLost", "ResourceInvalid");
        private static final Map<String, String> OF_THE_NODE = Map.ofEntries(
                entry("VSwitchUnusable", "VSwitchUnusable"),
                entry("CloudUnreachable", "CloudUnavailable"),
                entry("CloudUnavailable", "CloudUnavailable"),
                entry("ConfigAdjusted", "ConfigError"),
                entry("ConfigRefused", "ConfigError"),
                entry("ConfigMapMissing", "ConfigError"),
                entry("ServiceCidrRefused", "ConfigError"),
                entry("DatabaseUnwritable", "DatabaseUnwritable"),
                entry("KernelUnusable", "KernelUnusable"),
                entry("AddsFailing", "AddsFailing"),
                entry("RecoveryFailed", "RecoveryFailed"),
                entry("PluginDegraded", "PluginDegraded"),
                entry("NodeCidrChanged", "ConfigError"),
                entry("NodeAddressTaken", "ConfigError"),
                entry("NodeNotTold", "ConfigError"),
                entry("PodsNotOurs", "ConfigError"),
                entry("ConfigNotApplied", "ConfigError"),
                entry("KubeletNotTold", "KubeletNotTold"));

        /** @return one for each pod of the event; none if the event is of no use to the cluster */
        List<EventNotice> toNotices(Event event) {
            boolean warning = event.severity() != Event.Severity.INFO;
            String ofPod = OF_PODS.get(event.type());
            if (ofPod != null) {
                String pods = event.attributes()
                        .getOrDefault("pods", event.attributes().getOrDefault("pod", event.subject()));
                return Arrays.stream(pods.split(","))
                        .flatMap(name -> pod(name).stream())
                        .map(pod -> EventNotice.ofPod(pod, uid.apply(pod), warning, ofPod, event.message()))
                        .toList();
            }
            return Optional.ofNullable(OF_THE_NODE.get(event.type())).stream()
                    .map(reason -> EventNotice.ofNode(warning, reason, event.message()))
                    .toList();
        }

        /** The pod that got an address, if the event says so. */
        Optional<PodRef> granted(Event event) {
            return event.type().equals("LeaseGranted") ? pod(event.subject()) : Optional.empty();
        }

        /** The pod that an ADD could not look up, if the event says so. */
        Optional<PodRef> unanswered(Event event) {
            return event.type().equals("PodLookupFailed") ? pod(event.subject()) : Optional.empty();
        }

        private static Optional<PodRef> pod(String subject) {
            try {
                return Optional.of(PodRef.parse(subject));
            } catch (IllegalArgumentException e) {
                // a placeholder's name, or none: the cluster knows no such pod
                return Optional.empty();
            }
        }
    }
}
