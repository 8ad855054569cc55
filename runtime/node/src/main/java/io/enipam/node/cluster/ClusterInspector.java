package io.enipam.node.cluster;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.enipam.config.ClusterAccess;
import io.enipam.config.ClusterConfig;
import io.enipam.engine.port.TimeSource;
import io.enipam.kubernetes.api.CredentialStatus;
import io.enipam.kubernetes.api.RequestStats;
import io.enipam.kubernetes.events.EventReporter;
import io.enipam.kubernetes.node.ClusterReader;
import io.enipam.kubernetes.node.ClusterReader.NodeNetworkInfo;
import io.enipam.kubernetes.pods.ApiServerPodDirectory;
import io.enipam.kubernetes.pods.PodInformer;
import io.enipam.kubernetes.pods.PodInformer.WatchedPod;
import io.enipam.node.cluster.ClusterInspector.WatchState;
import io.enipam.sdk.PodRef;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/** What operators can inspect of the cluster; requests use their share of the request limit. Thread-safe. */
public final class ClusterInspector {
    private final ClusterAccess access;
    private final ClusterConfig config;
    private final String node;
    private final String server;
    private final PodInformer watch;
    private final WatchTracker watched;
    private final EventReporter events;
    private final ApiServerPodDirectory pods;
    private final ClusterReader reader;

    ClusterInspector(
            ClusterAccess access,
            ClusterConfig config,
            String node,
            ApiServerPodDirectory pods,
            PodInformer watch,
            WatchTracker watched,
            EventReporter events) {
        this.access = access;
        this.config = config;
        this.node = node;
        this.server = bare(access.calls().server());
        this.pods = pods;
        this.watch = watch;
        this.watched = watched;
        this.events = events;
        this.reader = new ClusterReader(access.calls(), node);
    }

    /** Removes a name and password that a URL may contain. */
    private static String bare(String url) {
        URI uri = URI.create(url);
        return uri.getScheme() + "://" + uri.getHost() + (uri.getPort() < 0 ? "" : ":" + uri.getPort());
    }

    /** The present state of the connection; sends no request. */
    public ClusterState state() {
        return new ClusterState(
                server,
                access.way().toString(),
                node,
                watch(),
                new Traffic(access.book().counts(), access.book().lastMinute(), config.perSecond()),
                events.dropped(),
                access.book().clockAhead(),
                config.trustCalls());
    }

    /** The present state of the watch alone. */
    public WatchState watch() {
        watched.update(watch.isOpen());
        return watched.state(watch.hasSynced(), watch.size(), watch.failureReason());
    }

    /** The names of the pods of the watch, as of its last update. */
    public Set<PodRef> names() {
        return watch.names();
    }

    /** The pods of the watch, as of its last update. */
    public List<WatchedPod> pods() {
        return watch.watchedPods();
    }

    /** The pods as the API server lists them now; fails with {@link IOException}. */
    public CompletionStage<List<WatchedPod>> listed() {
        return pods.listInteractive();
    }

    /** The node object as it is now; empty if there is none. Fails with {@link IOException}. */
    public CompletionStage<Optional<NodeNetworkInfo>> node() {
        return reader.networkInfo();
    }

    /** The daemon's credentials at the API server, read anew; contains no secret. May read files. */
    public List<CredentialStatus> credentials() throws IOException {
        return CredentialStatus.of(access.way());
    }

    /**
     * The state of the connection to the cluster, from the daemon's memory.
     *
     * @param credentials source of the credentials, for operators: a file's name, none of its contents
     * @param clockAhead how far the API server's clock is ahead, if its answers give the time
     * @param trustsCalls whether an ADD proceeds with its own parameters when the API server does not answer
     */
    public record ClusterState(
            String server,
            String credentials,
            String node,
            WatchState watch,
            Traffic traffic,
            EventReporter.Lost events,
            Optional<Duration> clockAhead,
            boolean trustsCalls) {
        /** The requests since the start, by name and answer. */
        public List<RequestStats.Count> requests() {
            return traffic.requests();
        }

        /** The number of requests that were answered with a status since the start. */
        public long answered(int code) {
            return traffic.requests().stream()
                    .filter(count -> count.code() == code)
                    .mapToLong(RequestStats.Count::times)
                    .sum();
        }
    }

    /** The requests to the API server: all since the start, those of the last minute, and how many a second are allowed. */
    public record Traffic(List<RequestStats.Count> requests, int lastMinute, int perSecond) {
        public Traffic {
            requests = List.copyOf(requests);
        }
    }

    /**
     * @param listed whether the pods were listed once: before that, the set of pods is unknown
     * @param up whether changes arrive. A connection that is reopened every few minutes does not count as down
     * @param since when it came up or went down
     * @param last when the watch last delivered anything: a list, or a change of a pod
     * @param changes how many times it delivered anything since the start
     * @param breaks how often it went down since the start
     * @param trouble why it is down, for operators; empty text if it is up
     */
    public record WatchState(
            boolean listed,
            boolean up,
            Instant since,
            Optional<Instant> last,
            long changes,
            long breaks,
            int pods,
            String trouble) {
        /** Whether the known pods are those that the API server has now. */
        public boolean heard() {
            return listed && up;
        }
    }

    /**
     * Records the state of the watch: since when it is up, its last delivery, how often it broke. The client reopens a
     * broken connection without notice, so its state is polled every few seconds. Thread-safe; {@code this} guards the
     * fields.
     */
    static final class WatchTracker {
        /** A watch is reopened every few minutes, which takes a second or two. */
        static final Duration MOMENT = Duration.ofSeconds(5);

        private final TimeSource time;

        @GuardedBy("this")
        private boolean up;

        @GuardedBy("this")
        private Instant since;

        @GuardedBy("this")
        private Optional<Moment> closed = Optional.empty();

        @GuardedBy("this")
        private Optional<Instant> last = Optional.empty();

        @GuardedBy("this")
        private long changes;

        @GuardedBy("this")
        private long breaks;

        /** A date for display, and the same moment by the monotonic clock. */
        private record Moment(Instant date, long nanos) {}

        WatchTracker(TimeSource time) {
            this.time = time;
            since = time.now();
        }

        synchronized void heard() {
            last = Optional.of(time.now());
            changes++;
            open();
        }

        /** Records the present state of the connection; returns whether the watch counts as up. */
        synchronized boolean update(boolean isOpen) {
            long now = time.nanoTime();
            if (isOpen) {
                open();
            } else if (closed.isEmpty()) {
                closed = Optional.of(new Moment(time.now(), now));
            } else if (up && now - closed.get().nanos() >= MOMENT.toNanos()) {
                up = false;
                since = closed.get().date();
                breaks++;
            }
            return up;
        }

        @GuardedBy("this")
        private void open() {
            closed = Optional.empty();
            if (!up) {
                up = true;
                since = time.now();
            }
        }

        synchronized WatchState state(boolean listed, int pods, String trouble) {
            return new WatchState(listed, up, since, last, changes, breaks, pods, up ? "" : trouble);
        }
    }
}
