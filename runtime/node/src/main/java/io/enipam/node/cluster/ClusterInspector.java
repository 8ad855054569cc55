package io.enipam.node.cluster;

import io.enipam.config.ClusterAccess;
import io.enipam.config.ClusterConfig;
import io.enipam.kubernetes.api.CredentialStatus;
import io.enipam.kubernetes.api.RequestStats;
import io.enipam.kubernetes.events.EventReporter;
import io.enipam.kubernetes.events.EventReporter.DroppedEvents;
import io.enipam.kubernetes.node.ClusterReader;
import io.enipam.kubernetes.node.NodeNetworkInfo;
import io.enipam.kubernetes.pods.ApiServerPodDirectory;
import io.enipam.kubernetes.pods.PodInformer;
import io.enipam.kubernetes.pods.WatchedPod;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * What people can see of the cluster from this node, and of the link to it. What is asked anew is taken from a share that is
 * theirs alone. Thread-safe.
 */
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

    /** A URL may have a name and a password in it. */
    private static String bare(String url) {
        URI uri = URI.create(url);
        return uri.getScheme() + "://" + uri.getHost() + (uri.getPort() < 0 ? "" : ":" + uri.getPort());
    }

    /** How the link fares now; asks nobody. */
    public ClusterState state() {
        watched.update(watch.isOpen());
        return new ClusterState(
                server,
                access.way().toString(),
                node,
                watched.state(watch.hasSynced(), watch.watchedPods().size(), watch.failureReason()),
                new Traffic(access.book().counts(), access.book().lastMinute(), config.perSecond()),
                events.dropped(),
                access.book().clockAhead(),
                config.trustCalls());
    }

    /** The pods of the watch, as they were when it was heard last. */
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

    /** What the daemon goes by at the API server, read anew; no secret is in it. May read files. */
    public List<CredentialStatus> credentials() throws IOException {
        return CredentialStatus.of(access.way());
    }

    /**
     * How the link to the cluster fares, out of the daemon's own memory.
     *
     * @param server where the API server is
     * @param credentials whose word the daemon goes by there, for a person: a file's name, nothing out of it
     * @param node the node's name, as the API server should have it
     * @param traffic the requests of this daemon
     * @param events the events that nobody was told of
     * @param clockAhead how far the API server's clock is ahead, if it told the time
     * @param trustsCalls whether an ADD goes on by its own parameters when nobody answers
     */
    public record ClusterState(
            String server,
            String credentials,
            String node,
            WatchState watch,
            Traffic traffic,
            DroppedEvents.Lost events,
            Optional<Duration> clockAhead,
            boolean trustsCalls) {
        /** The requests since the start, by name and answer. */
        public List<RequestStats.Count> requests() {
            return traffic.requests();
        }

        /** How many requests were answered with a status since the start. */
        public long answered(int code) {
            return traffic.requests().stream()
                    .filter(count -> count.code() == code)
                    .mapToLong(RequestStats.Count::times)
                    .sum();
        }
    }

    /**
     * The requests to the API server.
     *
     * @param requests all that were made since the start
     * @param lastMinute how many of them were over in the last minute
     * @param perSecond how many a second are allowed, watches aside
     */
    public record Traffic(List<RequestStats.Count> requests, int lastMinute, int perSecond) {
        public Traffic {
            requests = List.copyOf(requests);
        }
    }

    /**
     * How the watch on this node's pods fares.
     *
     * @param listed whether the pods were listed once: before, nobody knows which there are
     * @param up whether changes are heard. A connection that is opened anew every few minutes does not count as down
     * @param since since when it is up, or is not
     * @param last when anything was heard last: a list, or a change of a pod
     * @param changes how many times anything was heard since the start
     * @param breaks how often it went down since the start
     * @param pods how many pods are known
     * @param trouble why it is down, for a person; empty text if it is up
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
        /** Whether what is known of the pods is what the API server says now. */
        public boolean heard() {
            return listed && up;
        }
    }
}
