package io.enipam.kubernetes.cluster;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.enipam.engine.port.TimeSource;
import io.enipam.kubernetes.api.ApiServerClient;
import io.enipam.kubernetes.api.EpochGuardedCache;
import io.enipam.kubernetes.api.WatchStallDetector;
import io.enipam.sdk.Source;
import io.enipam.sdk.cluster.ClusterObject;
import io.enipam.sdk.cluster.ObjectKind;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.fabric8.kubernetes.client.informers.cache.Cache;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The watch on all objects of a kind, for all parts that want it. As the watch on pods it is fabric8's informer, which opens a broken
 * connection again and lists again where the server has forgotten its history; {@link #check} replaces one that has stalled. Thread-safe.
 *
 * <p>The copy is current once it was listed, for as long as the connection is open or was open {@link #GRACE} ago: a watch is opened again
 * every few minutes, which takes a moment. When it is so no more, the sources are lost, so that no controller decides on what is old.
 */
final class KindWatch {
    /** An API server that is restarted is away for less. */
    static final Duration GRACE = Duration.ofSeconds(30);

    /** Twenty thousand nodes in one answer would be hundreds of megabytes. */
    private static final long PAGE = 500;

    private final ObjectKind kind;
    private final ApiServerClient calls;
    private final TimeSource time;
    private final Executor threads;
    private final ObjectStore objects;
    private final WatchStallDetector silence = new WatchStallDetector(ThreadLocalRandom.current());
    private final Set<KeyFeed> feeds = ConcurrentHashMap.newKeySet();
    private volatile String problem = "they were not listed yet";
    private volatile String failure = "";
    private volatile long heardNanos;
    private volatile Session turn;

    private volatile boolean stopped;

    KindWatch(ObjectKind kind, ApiServerClient calls, TimeSource time, Executor threads) {
        this.kind = kind;
        this.calls = calls;
        this.time = time;
        this.threads = threads;
        this.objects = new ObjectStore(kind);
        this.heardNanos = time.nanoTime();
        this.turn = new Session();
    }

    /** Returns at once. */
    void start() {
        begin(turn);
    }

    private void begin(Session session) {
        if (!stopped) {
            session.informer.start();
        }
        if (stopped) {
            session.informer.stop();
        }
    }

    /** Why the copy is not current; empty text if it is. */
    String problem() {
        return problem;
    }

    Optional<ClusterObject> find(String key) {
        return objects.find(key);
    }

    List<ClusterObject> all() {
        return objects.all();
    }

    AutoCloseable open(Source.Sink sink) {
        KeyFeed feed = new KeyFeed(sink, threads);
        synchronized (this) {
            if (stopped) {
                feed.lost(problem);
            } else {
                feeds.add(feed);
                if (problem.isEmpty()) {
                    feed.sync(objects.keys());
                }
            }
        }
        return () -> {
            feeds.remove(feed);
            feed.close();
        };
    }

    /** Looks whether the copy is current, and replaces an informer that has stalled; to be called every few seconds. */
    void check() {
        Session former = turn;
        if (look(former)) {
            // outside of the lock, which the informer's own threads take
            former.informer.stop();
            begin(turn);
        }
    }

    /** Returns whether another session has taken the place of this one. */
    private synchronized boolean look(Session session) {
        if (stopped || session != turn) {
            return false;
        }
        long now = time.nanoTime();
        SharedIndexInformer<GenericKubernetesResource> informer = session.informer;
        if (informer.isWatching()) {
            heardNanos = now;
        }
        if (!informer.hasSynced()) {
            become(kind.plural() + " were not listed yet" + failure);
        } else if (now - heardNanos >= GRACE.toNanos()) {
            become("there has been no watch on " + kind.plural() + " for " + GRACE.toSeconds() + " s" + failure);
        } else {
            become("");
        }
        if (!silence.isStalled(informer.isWatching(), informer.lastSyncResourceVersion(), now)) {
            return false;
        }
        turn = new Session();
        return true;
    }

    @GuardedBy("this")
    private void become(String why) {
        boolean was = problem.isEmpty();
        problem = why;
        if (why.isEmpty() && !was) {
            failure = "";
            feeds.forEach(feed -> feed.sync(objects.keys()));
        } else if (!why.isEmpty() && was) {
            lose(why);
        }
    }

    @GuardedBy("this")
    private void lose(String why) {
        feeds.forEach(feed -> feed.lost(why));
        feeds.clear();
    }

    void stop() {
        synchronized (this) {
            stopped = true;
            problem = "the informer of " + kind.plural() + " was closed";
            lose(problem);
        }
        turn.informer.stop();
    }

    /** One informer. What a former one still delivers changes nothing. */
    private final class Session implements ResourceEventHandler<GenericKubernetesResource> {
        private final SharedIndexInformer<GenericKubernetesResource> informer = calls.client()
                .genericKubernetesResources(ObjectMapping.context(kind))
                .inAnyNamespace()
                .withLimit(PAGE)
                .runnableInformer(0);

        private Session() {
            informer.itemStore(new EpochGuardedCache<>(objects, this::isOver));
            informer.exceptionHandler((started, error) -> {
                if (!isOver()) {
                    failure = ": " + ApiServerClient.reason(error);
                }
                return true;
            });
            informer.addEventHandler(this);
        }

        private boolean isOver() {
            return turn != this;
        }

        @Override
        public void onNothing() {
            check();
        }

        @Override
        public void onList(String resourceVersion, boolean remainedEmpty) {
            check();
        }

        @Override
        public void onAdd(GenericKubernetesResource object) {
            changed(object);
        }

        @Override
        public void onUpdate(GenericKubernetesResource before, GenericKubernetesResource object) {
            changed(object);
        }

        @Override
        public void onDelete(GenericKubernetesResource object, boolean finalStateUnknown) {
            changed(object);
        }

        private void changed(GenericKubernetesResource object) {
            if (!isOver()) {
                String key = Cache.metaNamespaceKeyFunc(object);
                feeds.forEach(feed -> feed.changed(key));
            }
        }
    }
}
