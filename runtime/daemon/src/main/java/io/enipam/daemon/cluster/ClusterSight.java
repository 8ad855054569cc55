package io.enipam.daemon.cluster;

import io.enipam.daemon.config.ClusterConfig;
import io.enipam.kubernetes.api.ApiAccess;
import io.enipam.kubernetes.api.ApiCalls;
import io.enipam.kubernetes.api.Credential;
import io.enipam.kubernetes.api.RequestBook;
import io.enipam.kubernetes.events.EventReporter;
import io.enipam.kubernetes.node.NodeLooks;
import io.enipam.kubernetes.node.NodeWord;
import io.enipam.kubernetes.pods.ListedPods;
import io.enipam.kubernetes.pods.ManifestReader;
import io.enipam.kubernetes.pods.PodWatch;
import io.enipam.kubernetes.pods.SeenPod;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * What people can see of the cluster from this node, and of the link to it. What is asked anew is taken from a share that is
 * theirs alone. Thread-safe.
 */
public final class ClusterSight {
    private final ApiAccess access;
    private final ClusterConfig config;
    private final String node;
    private final String server;
    private final RequestBook book;
    private final PodWatch watch;
    private final WatchBook watched;
    private final EventReporter events;
    private final ListedPods listed;
    private final NodeLooks nodes;

    ClusterSight(
            ApiAccess access,
            ClusterConfig config,
            String node,
            ApiCalls calls,
            RequestBook book,
            ManifestReader reader,
            PodWatch watch,
            WatchBook watched,
            EventReporter events) {
        this.access = access;
        this.config = config;
        this.node = node;
        this.server = bare(calls.server());
        this.book = book;
        this.watch = watch;
        this.watched = watched;
        this.events = events;
        this.listed = new ListedPods(calls, node, reader);
        this.nodes = new NodeLooks(calls, node);
    }

    /** A URL may have a name and a password in it. */
    private static String bare(String url) {
        URI uri = URI.create(url);
        return uri.getScheme() + "://" + uri.getHost() + (uri.getPort() < 0 ? "" : ":" + uri.getPort());
    }

    /** How the link fares now; asks nobody. */
    public ClusterState state() {
        watched.seen(watch.isOpen());
        return new ClusterState(
                server,
                access.toString(),
                node,
                watched.state(watch.hasListed(), watch.seen().size(), watch.trouble()),
                book.counts(),
                book.lastMinute(),
                config.perSecond(),
                events.losses(),
                book.clockAhead(),
                config.trustCalls());
    }

    /** The pods of the watch, as they were when it was heard last. */
    public List<SeenPod> pods() {
        return watch.seen();
    }

    /** The pods as the API server lists them now; fails with {@link IOException}. */
    public CompletionStage<List<SeenPod>> listed() {
        return listed.list();
    }

    /** The node object as it is now; empty if there is none. Fails with {@link IOException}. */
    public CompletionStage<Optional<NodeWord>> node() {
        return nodes.look();
    }

    /** What the daemon goes by at the API server, read anew; no secret is in it. May read files. */
    public List<Credential> credentials() throws IOException {
        return Credential.of(access);
    }
}
