package io.enipam.node.cluster;

import io.enipam.config.ClusterConfig;
import io.enipam.kubernetes.api.ApiAccess;
import io.enipam.kubernetes.api.ApiServerClient;
import io.enipam.kubernetes.api.CredentialStatus;
import io.enipam.kubernetes.api.RequestStats;
import io.enipam.kubernetes.events.EventReporter;
import io.enipam.kubernetes.node.NodeReader;
import io.enipam.kubernetes.node.NodeNetworkInfo;
import io.enipam.kubernetes.pods.PodLister;
import io.enipam.kubernetes.pods.ManifestParser;
import io.enipam.kubernetes.pods.PodInformer;
import io.enipam.kubernetes.pods.PodWithDetails;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * What people can see of the cluster from this node, and of the link to it. What is asked anew is taken from a share that is
 * theirs alone. Thread-safe.
 */
public final class ClusterInspector {
    private final ApiAccess access;
    private final ClusterConfig config;
    private final String node;
    private final String server;
    private final RequestStats book;
    private final PodInformer watch;
    private final WatchTracker watched;
    private final EventReporter events;
    private final PodLister listed;
    private final NodeReader nodes;

    ClusterInspector(
            ApiAccess access,
            ClusterConfig config,
            String node,
            ApiServerClient calls,
            RequestStats book,
            ManifestParser reader,
            PodInformer watch,
            WatchTracker watched,
            EventReporter events) {
        this.access = access;
        this.config = config;
        this.node = node;
        this.server = bare(calls.server());
        this.book = book;
        this.watch = watch;
        this.watched = watched;
        this.events = events;
        this.listed = new PodLister(calls, node, reader);
        this.nodes = new NodeReader(calls, node);
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
                access.toString(),
                node,
                watched.state(watch.hasSynced(), watch.podsWithDetails().size(), watch.failureReason()),
                book.counts(),
                book.lastMinute(),
                config.perSecond(),
                events.dropped(),
                book.clockAhead(),
                config.trustCalls());
    }

    /** The pods of the watch, as they were when it was heard last. */
    public List<PodWithDetails> pods() {
        return watch.podsWithDetails();
    }

    /** The pods as the API server lists them now; fails with {@link IOException}. */
    public CompletionStage<List<PodWithDetails>> listed() {
        return listed.list();
    }

    /** The node object as it is now; empty if there is none. Fails with {@link IOException}. */
    public CompletionStage<Optional<NodeNetworkInfo>> node() {
        return nodes.fetch();
    }

    /** What the daemon goes by at the API server, read anew; no secret is in it. May read files. */
    public List<CredentialStatus> credentials() throws IOException {
        return CredentialStatus.of(access);
    }
}
