package io.enipam.kubernetes.cluster;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.enipam.engine.concurrent.DaemonThreads;
import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.port.Leadership;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.TimeSource;
import io.enipam.kubernetes.api.ApiSerialization;
import io.enipam.kubernetes.api.ApiServerClient;
import io.enipam.kubernetes.api.RequestFailure;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Source;
import io.enipam.sdk.cluster.Cluster;
import io.enipam.sdk.cluster.ClusterEvent;
import io.enipam.sdk.cluster.ClusterObject;
import io.enipam.sdk.cluster.Informer;
import io.enipam.sdk.cluster.ObjectKind;
import io.enipam.sdk.cluster.ObjectRef;
import io.enipam.sdk.cluster.Patch;
import io.enipam.sdk.cluster.Reply;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/**
 * The cluster that parts of plugins are lent, on the daemon's connection to the API server. Thread-safe. Its threads end when they have
 * had nothing to do for a minute; without an informer it has no timer.
 */
public final class ApiServerCluster implements Cluster, AutoCloseable {
    private static final int MOST_KINDS = 20;
    private static final Duration CHECK = Duration.ofSeconds(2);
    /** Sinks and stages of plugins run here; some may block. */
    private static final int THREADS = 64;

    private final ApiServerClient calls;
    private final Leadership leadership;
    private final TimeSource time;
    private final Scheduler scheduler;
    private final ThreadPoolExecutor threads;

    @GuardedBy("this")
    private final Map<ObjectKind, SharedWatch> watches = new HashMap<>();

    /** Whether a look at the watches is due. */
    @GuardedBy("this")
    private boolean checking;

    private record SharedWatch(KindWatch watch, int users) {}

    /** @param leadership by which writes are sent; closed by the caller, as the connection is */
    public ApiServerCluster(ApiServerClient calls, Leadership leadership, TimeSource time, Scheduler scheduler) {
        this.calls = calls;
        this.leadership = leadership;
        this.time = time;
        this.scheduler = scheduler;
        threads = new ThreadPoolExecutor(
                THREADS,
                THREADS,
                1,
                TimeUnit.MINUTES,
                new LinkedBlockingQueue<>(),
                DaemonThreads.numbered("cluster-service"));
        threads.allowCoreThreadTimeOut(true);
    }

    // ---- requests

    @Override
    public CompletionStage<Reply<ClusterObject>> get(ObjectRef ref) {
        return ask("GET " + ref, client -> {
            String found = client.raw(ObjectMapping.path(ref), "GET", null);
            return ObjectMapping.of(
                    ref.kind(), ApiSerialization.INSTANCE.unmarshal(found, GenericKubernetesResource.class));
        });
    }

    @Override
    public CompletionStage<Reply<ClusterObject>> create(ClusterObject object) {
        ObjectRef ref = object.ref();
        return write(
                "POST " + ref,
                client -> ObjectMapping.of(
                        ref.kind(),
                        resource(client, ref, ObjectMapping.of(object)).create()));
    }

    @Override
    public CompletionStage<Reply<ClusterObject>> patch(ObjectRef ref, Patch patch) {
        String body = ApiSerialization.INSTANCE.asJson(patch.body());
        PatchContext format = PatchContext.of(
                patch.format() == Patch.Format.MERGE ? PatchType.JSON_MERGE : PatchType.STRATEGIC_MERGE);
        return write("PATCH " + ref, client -> {
            Resource<GenericKubernetesResource> object = resource(client, ref, ObjectMapping.inHand(ref));
            return ObjectMapping.of(
                    ref.kind(),
                    patch.status() ? object.subresource("status").patch(format, body) : object.patch(format, body));
        });
    }

    @Override
    public CompletionStage<Reply<Boolean>> delete(ClusterObject object) {
        Map<String, String> same = new HashMap<>();
        same.put("uid", object.uid());
        same.put("resourceVersion", object.resourceVersion());
        same.values().removeIf(String::isEmpty);
        Map<String, ?> options = Map.of("apiVersion", "v1", "kind", "DeleteOptions", "preconditions", same);
        return write("DELETE " + object.ref(), client -> {
                    client.raw(ObjectMapping.path(object.ref()), "DELETE", options);
                    return true;
                })
                .thenApply(reply -> reply.is(ErrorKind.NOT_FOUND) ? Reply.of(false) : reply);
    }

    @Override
    public CompletionStage<Reply<Boolean>> report(ClusterObject about, ClusterEvent event) {
        Event made = event(about, event);
        return write("POST event " + event.reason() + " of " + about.ref(), client -> {
            client.resource(made).create();
            return true;
        });
    }

    /** An event of the core API, which every server has. Those of objects without a namespace are in {@code default}. */
    private Event event(ClusterObject about, ClusterEvent event) {
        ObjectRef ref = about.ref();
        String now = time.now().truncatedTo(ChronoUnit.SECONDS).toString();
        String end = "." + Long.toHexString(ThreadLocalRandom.current().nextLong());
        String name = ref.name().replace(':', '-');
        return new EventBuilder()
                .withNewMetadata()
                .withNamespace(ref.namespace().isEmpty() ? "default" : ref.namespace())
                .withName(name.substring(0, Math.min(name.length(), 253 - end.length())) + end)
                .endMetadata()
                .withNewInvolvedObject()
                .withApiVersion(ref.kind().apiVersion())
                .withKind(ref.kind().kind())
                .withNamespace(ref.namespace().isEmpty() ? null : ref.namespace())
                .withName(ref.name())
                .withUid(about.uid().isEmpty() ? null : about.uid())
                .withResourceVersion(about.resourceVersion().isEmpty() ? null : about.resourceVersion())
                .endInvolvedObject()
                .withType(event.warning() ? "Warning" : "Normal")
                .withReason(event.reason())
                .withMessage(event.message())
                .withCount(1)
                .withFirstTimestamp(now)
                .withLastTimestamp(now)
                .withNewSource()
                .withComponent(event.source())
                .endSource()
                .withReportingComponent(event.source())
                .build();
    }

    private static Resource<GenericKubernetesResource> resource(
            KubernetesClient client, ObjectRef ref, GenericKubernetesResource object) {
        var kind = client.genericKubernetesResources(ObjectMapping.context(ref.kind()));
        return ref.namespace().isEmpty()
                ? kind.resource(object)
                : kind.inNamespace(ref.namespace()).resource(object);
    }

    private static final class NotLeading extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private NotLeading() {
            super("this replica does not lead");
        }
    }

    private <T> CompletionStage<Reply<T>> write(String what, Function<KubernetesClient, T> request) {
        return ask(what, client -> {
            // here, and not when it was queued: the lease may have been lost meanwhile
            if (!leadership.leads()) {
                throw new NotLeading();
            }
            return request.apply(client);
        });
    }

    private <T> CompletionStage<Reply<T>> ask(String what, Function<KubernetesClient, T> request) {
        return calls.requestOfPart(what, request)
                .orTimeout(LONGEST_SECONDS, TimeUnit.SECONDS)
                .handleAsync(
                        (value, error) -> error == null ? Reply.of(value) : Reply.failed(failure(what, error)),
                        threads);
    }

    private static Failed failure(String what, Throwable error) {
        Throwable cause = Stages.cause(error);
        if (cause.getCause() instanceof NotLeading no) {
            return Failed.of(ErrorKind.UNAVAILABLE, what + " was not sent: " + no.getMessage());
        }
        return cause instanceof TimeoutException
                ? Failed.of(ErrorKind.DEADLINE_EXCEEDED, what + ": no answer within " + LONGEST_SECONDS + " s")
                : RequestFailure.of(what, cause);
    }

    // ---- leadership

    @Override
    public boolean leads() {
        return leadership.leads();
    }

    @Override
    public Optional<String> leader() {
        return leadership.leader();
    }

    // ---- informers

    @Override
    public synchronized Informer informer(ObjectKind kind) {
        SharedWatch known = watches.get(kind);
        if (known == null && watches.size() >= MOST_KINDS) {
            throw new FactoryException(ErrorKind.QUOTA_EXHAUSTED, MOST_KINDS + " kinds of objects are watched already");
        }
        KindWatch watch = known == null ? new KindWatch(kind, calls, time, threads) : known.watch();
        watches.put(kind, new SharedWatch(watch, known == null ? 1 : known.users() + 1));
        if (known == null) {
            watch.start();
            checkLater();
        }
        return new LentInformer(kind, watch);
    }

    @GuardedBy("this")
    private void checkLater() {
        if (!checking && !watches.isEmpty()) {
            checking = true;
            // not on the engine's threads: an informer that ends may wait for its connection
            scheduler.after(CHECK, () -> threads.execute(this::check));
        }
    }

    private void check() {
        List<KindWatch> all;
        synchronized (this) {
            all = watches.values().stream().map(SharedWatch::watch).toList();
        }
        all.forEach(KindWatch::check);
        synchronized (this) {
            checking = false;
            checkLater();
        }
    }

    private void close(ObjectKind kind, KindWatch watch) {
        synchronized (this) {
            SharedWatch known = watches.get(kind);
            if (known == null || known.watch() != watch) {
                return;
            }
            if (known.users() > 1) {
                watches.put(kind, new SharedWatch(watch, known.users() - 1));
                return;
            }
            watches.remove(kind);
        }
        watch.stop();
    }

    /** Ends all watches; requests that are on their way are answered. */
    @Override
    public void close() {
        List<SharedWatch> all;
        synchronized (this) {
            all = List.copyOf(watches.values());
            watches.clear();
        }
        all.forEach(shared -> shared.watch().stop());
    }

    private final class LentInformer implements Informer {
        private final ObjectKind kind;
        private final KindWatch watch;
        private final AtomicBoolean closed = new AtomicBoolean();

        private LentInformer(ObjectKind kind, KindWatch watch) {
            this.kind = kind;
            this.watch = watch;
        }

        @Override
        public boolean isCurrent() {
            return watch.problem().isEmpty();
        }

        @Override
        public String problem() {
            return watch.problem();
        }

        @Override
        public Optional<ClusterObject> get(String key) {
            return watch.find(key);
        }

        @Override
        public List<ClusterObject> list() {
            return watch.all();
        }

        @Override
        public Source source() {
            return new Source() {
                @Override
                public String name() {
                    return kind.plural();
                }

                @Override
                public AutoCloseable open(Sink sink) {
                    return watch.open(sink);
                }
            };
        }

        @Override
        public void close() {
            if (!closed.getAndSet(true)) {
                ApiServerCluster.this.close(kind, watch);
            }
        }
    }
}
