package io.enipam.sdk.testkit;

import io.enipam.sdk.ErrorKind;
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
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A cluster in memory, with the faults of a real one when a test wants them. Requests are answered, and sources told, before the call
 * returns, on the caller's thread: what a test sees depends on nothing else. Thread-safe.
 *
 * <pre>{@code
 * FakeCluster cluster = new FakeCluster();
 * cluster.put(ClusterObject.of(ObjectRef.node("node-1"), Map.of("spec", Map.of())));
 * TestContext context = TestContext.builder().service(Cluster.class, cluster).build();
 * cluster.failNext(1, ErrorKind.DEADLINE_EXCEEDED, true); // the next write is done, and its answer is lost
 * }</pre>
 *
 * <p>Of what {@link Patch.Format#STRATEGIC} merges by a key, it knows conditions, by their type; other lists are replaced. Of what an
 * API server refuses to change, it knows the {@code podCIDRs} that a node has.
 */
public final class FakeCluster implements Cluster {
    private static final String BROKEN = "the watch is broken";

    private final Object lock = new Object();
    // all by the lock
    private final Map<ObjectRef, ClusterObject> objects = new LinkedHashMap<>();
    private final Map<ObjectKind, Map<String, ClusterObject>> copies = new HashMap<>();
    private final Set<Feed> feeds = new LinkedHashSet<>();
    private final Set<ObjectRef> changed = new LinkedHashSet<>();
    private final Map<ObjectRef, List<ClusterEvent>> events = new HashMap<>();
    private final List<String> requests = new ArrayList<>();
    private final List<Fault> faults = new ArrayList<>();
    private long versions;
    private boolean broken;
    private boolean leads = true;

    private record Fault(ErrorKind kind, boolean done) {}

    // ---- what a test does

    /** Makes an object as it is, or changes it, as another client of the cluster does; returns it with uid and resourceVersion. */
    public ClusterObject put(ClusterObject object) {
        return told(() -> {
            ClusterObject before = objects.get(object.ref());
            return stored(object, before == null ? "uid-" + ++versions : before.uid(), object.deletion());
        });
    }

    /** Deletes an object as another client does: it stays as long as it has finalizers. */
    public void remove(ObjectRef ref) {
        told(() -> Optional.ofNullable(objects.get(ref)).map(this::deleted));
    }

    /** An object as the server has it. */
    public Optional<ClusterObject> find(ObjectRef ref) {
        synchronized (lock) {
            return Optional.ofNullable(objects.get(ref));
        }
    }

    /**
     * Lets the next requests fail.
     *
     * @param kind one of {@link Cluster}'s table
     * @param done whether they have their effect nevertheless, which only {@link ErrorKind#DEADLINE_EXCEEDED} allows
     */
    public void failNext(int requests, ErrorKind kind, boolean done) {
        if (done && kind != ErrorKind.DEADLINE_EXCEEDED) {
            throw new IllegalArgumentException("a request that failed as " + kind + " was not done");
        }
        synchronized (lock) {
            for (int i = 0; i < requests; i++) {
                faults.add(new Fault(kind, done));
            }
        }
    }

    /** From now on informers hear nothing: they are not current, and their sources are lost. */
    public void breakWatches() {
        List<Feed> lost;
        synchronized (lock) {
            broken = true;
            lost = List.copyOf(feeds);
            feeds.clear();
        }
        lost.forEach(feed -> feed.sink.lost(BROKEN));
    }

    /** Everything is listed again; sources that are opened then tell it. */
    public void restoreWatches() {
        synchronized (lock) {
            broken = false;
            copies.replaceAll((kind, copy) -> listed(kind));
        }
    }

    /** Whether this replica leads; it does at first. */
    public void lead(boolean now) {
        synchronized (lock) {
            leads = now;
        }
    }

    /** What was reported about an object, in order. */
    public List<ClusterEvent> events(ObjectRef about) {
        synchronized (lock) {
            return List.copyOf(events.getOrDefault(about, List.of()));
        }
    }

    /** The requests so far, failed ones included: {@code PATCH Node node-1}. */
    public List<String> requests() {
        synchronized (lock) {
            return List.copyOf(requests);
        }
    }

    // ---- the service

    @Override
    public CompletionStage<Reply<ClusterObject>> get(ObjectRef ref) {
        return answered("GET " + ref, true, () -> known(ref));
    }

    @Override
    public CompletionStage<Reply<ClusterObject>> create(ClusterObject object) {
        return answered("POST " + object.ref(), false, () -> {
            if (objects.containsKey(object.ref())) {
                throw refused(ErrorKind.CONFLICT, object.ref() + " exists already");
            }
            return stored(object, "uid-" + ++versions, Optional.empty());
        });
    }

    @Override
    public CompletionStage<Reply<ClusterObject>> patch(ObjectRef ref, Patch patch) {
        return answered("PATCH " + ref, false, () -> {
            ClusterObject before = known(ref);
            unchanged(before, patch.uid(), patch.resourceVersion());
            ClusterObject after = patched(before, patch);
            writtenOnce(before, after);
            return after.equals(before) ? before : stored(after, before.uid(), before.deletion());
        });
    }

    @Override
    public CompletionStage<Reply<Boolean>> delete(ClusterObject object) {
        return answered("DELETE " + object.ref(), false, () -> {
            ClusterObject before = objects.get(object.ref());
            if (before == null) {
                return false;
            }
            unchanged(before, object.uid(), object.resourceVersion());
            return deleted(before);
        });
    }

    @Override
    public CompletionStage<Reply<Boolean>> report(ClusterObject about, ClusterEvent event) {
        return answered(
                "POST event " + event.reason() + " of " + about.ref(),
                false,
                () -> events.computeIfAbsent(about.ref(), ref -> new ArrayList<>())
                        .add(event));
    }

    @Override
    public boolean leads() {
        synchronized (lock) {
            return leads;
        }
    }

    @Override
    public Optional<String> leader() {
        return Optional.of(leads() ? "this" : "another");
    }

    @Override
    public Informer informer(ObjectKind kind) {
        synchronized (lock) {
            copies.computeIfAbsent(kind, this::listed);
        }
        return new Copy(kind);
    }

    // ---- how it does that

    private <T> CompletionStage<Reply<T>> answered(String request, boolean reads, Supplier<T> answer) {
        return CompletableFuture.completedStage(told(() -> {
            requests.add(request);
            if (!reads && !leads) {
                return Reply.failed(Failed.of(ErrorKind.UNAVAILABLE, request + ": this replica does not lead"));
            }
            Optional<Fault> fault = faults.isEmpty() ? Optional.empty() : Optional.of(faults.remove(0));
            Optional<Reply<T>> failed =
                    fault.map(its -> Reply.failed(Failed.of(its.kind(), request + ": a test lets it fail")));
            if (fault.isPresent() && !fault.get().done()) {
                return failed.get();
            }
            try {
                Reply<T> done = Reply.of(answer.get());
                return failed.orElse(done);
            } catch (Refusal e) {
                return failed.orElseGet(() -> Reply.failed(e.failure));
            }
        }));
    }

    private static final class Refusal extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private final transient Failed failure;

        private Refusal(Failed failure) {
            super(failure.message());
            this.failure = failure;
        }
    }

    private static Refusal refused(ErrorKind kind, String message) {
        return new Refusal(Failed.of(kind, message));
    }

    /** Does something under the lock, and then tells the sources what has changed by it. */
    private <T> T told(Supplier<T> action) {
        List<Runnable> news = new ArrayList<>();
        T result;
        synchronized (lock) {
            result = action.get();
            for (ObjectRef ref : changed) {
                for (Feed feed : feeds) {
                    if (feed.kind.equals(ref.kind())) {
                        news.add(() -> feed.sink.changed(ref.key()));
                    }
                }
            }
            changed.clear();
        }
        news.forEach(Runnable::run);
        return result;
    }

    private void set(ObjectRef ref, Optional<ClusterObject> next) {
        next.ifPresentOrElse(object -> objects.put(ref, object), () -> objects.remove(ref));
        if (!broken) {
            Map<String, ClusterObject> copy = copies.getOrDefault(ref.kind(), new HashMap<>());
            next.ifPresentOrElse(object -> copy.put(ref.key(), object), () -> copy.remove(ref.key()));
            changed.add(ref);
        }
    }

    private Map<String, ClusterObject> listed(ObjectKind kind) {
        return objects.values().stream()
                .filter(object -> object.ref().kind().equals(kind))
                .collect(Collectors.toMap(
                        object -> object.ref().key(), object -> object, (one, same) -> one, HashMap::new));
    }

    private ClusterObject known(ObjectRef ref) {
        ClusterObject object = objects.get(ref);
        if (object == null) {
            throw refused(ErrorKind.NOT_FOUND, "there is no " + ref);
        }
        return object;
    }

    private static void unchanged(ClusterObject now, String uid, String resourceVersion) {
        if (!uid.isEmpty() && !uid.equals(now.uid())) {
            throw refused(ErrorKind.CONFLICT, now.ref() + " is another one now");
        }
        if (!resourceVersion.isEmpty() && !resourceVersion.equals(now.resourceVersion())) {
            throw refused(ErrorKind.CONFLICT, now.ref() + " has changed since");
        }
    }

    private static void writtenOnce(ClusterObject before, ClusterObject after) {
        for (String field : List.of("podCIDR", "podCIDRs")) {
            Optional<Object> was = before.at("spec", field);
            if (before.ref().kind().equals(ObjectKind.NODE)
                    && was.isPresent()
                    && !was.equals(after.at("spec", field))) {
                throw refused(
                        ErrorKind.MISCONFIGURED,
                        before.ref() + " is invalid: spec: Forbidden: node updates may not change " + field
                                + " except from \"\" to valid");
            }
        }
    }

    /** Stores an object as its next version; one that was deleted goes with its last finalizer. */
    private ClusterObject stored(ClusterObject object, String uid, Optional<Instant> deletion) {
        ClusterObject next = new ClusterObject(
                object.ref(),
                uid,
                Long.toString(++versions),
                object.labels(),
                object.annotations(),
                object.finalizers(),
                deletion,
                object.body());
        boolean goes = deletion.isPresent() && object.finalizers().isEmpty();
        set(object.ref(), goes ? Optional.empty() : Optional.of(next));
        return next;
    }

    private boolean deleted(ClusterObject object) {
        if (object.finalizers().isEmpty()) {
            set(object.ref(), Optional.empty());
        } else if (object.deletion().isEmpty()) {
            stored(object, object.uid(), Optional.of(Instant.EPOCH.plusSeconds(versions)));
        }
        return true;
    }

    private static ClusterObject patched(ClusterObject before, Patch patch) {
        Map<String, @Nullable Object> body = new LinkedHashMap<>(patch.change());
        Map<?, ?> metadata = body.remove("metadata") instanceof Map<?, ?> map && !patch.status() ? map : Map.of();
        boolean strategic = patch.format() == Patch.Format.STRATEGIC;
        body.keySet().removeIf(key -> key.equals("status") != patch.status());
        return new ClusterObject(
                before.ref(),
                before.uid(),
                before.resourceVersion(),
                texts(before.labels(), metadata.get("labels")),
                texts(before.annotations(), metadata.get("annotations")),
                metadata.get("finalizers") instanceof List<?> list
                        ? list.stream().map(String::valueOf).toList()
                        : before.finalizers(),
                before.deletion(),
                merged(before.body(), body, strategic));
    }

    private static Map<String, String> texts(Map<String, String> before, @Nullable Object change) {
        Map<String, String> texts = new HashMap<>();
        merged(before, change instanceof Map<?, ?> map ? map : Map.of(), false)
                .forEach((key, value) -> texts.put(key, String.valueOf(value)));
        return texts;
    }

    /** RFC 7386, and conditions by their type where it is strategic. */
    private static Map<String, Object> merged(Map<?, ?> before, Map<?, ?> change, boolean strategic) {
        Map<String, Object> after = new LinkedHashMap<>();
        before.forEach((key, value) -> after.put(String.valueOf(key), value));
        change.forEach((key, value) -> {
            String name = String.valueOf(key);
            Object known = after.get(name);
            if (value == null) {
                after.remove(name);
            } else if (value instanceof Map<?, ?> map) {
                after.put(name, merged(known instanceof Map<?, ?> old ? old : Map.of(), map, strategic));
            } else if (strategic && name.equals("conditions") && value instanceof List<?> list) {
                after.put(name, byType(known instanceof List<?> old ? old : List.of(), list));
            } else {
                after.put(name, value);
            }
        });
        return after;
    }

    private static List<Object> byType(List<?> before, List<?> change) {
        Map<Object, Object> conditions = new LinkedHashMap<>();
        UnaryOperator<Object> type = each -> each instanceof Map<?, ?> map ? map.get("type") : each;
        before.forEach(each -> conditions.put(type.apply(each), each));
        change.forEach(each -> conditions.merge(
                type.apply(each),
                each,
                (old, one) ->
                        old instanceof Map<?, ?> was && one instanceof Map<?, ?> is ? merged(was, is, true) : one));
        return List.copyOf(conditions.values());
    }

    /** A source that is open. */
    private record Feed(ObjectKind kind, Source.Sink sink, Object identity) {}

    private final class Copy implements Informer {
        private final ObjectKind kind;

        private Copy(ObjectKind kind) {
            this.kind = kind;
        }

        @Override
        public boolean isCurrent() {
            return problem().isEmpty();
        }

        @Override
        public String problem() {
            synchronized (lock) {
                return broken ? BROKEN : "";
            }
        }

        @Override
        public Optional<ClusterObject> get(String key) {
            synchronized (lock) {
                return Optional.ofNullable(copies.getOrDefault(kind, Map.of()).get(key));
            }
        }

        @Override
        public List<ClusterObject> list() {
            synchronized (lock) {
                return List.copyOf(copies.getOrDefault(kind, Map.of()).values());
            }
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
                    return opened(sink);
                }
            };
        }

        private AutoCloseable opened(Source.Sink sink) {
            Feed feed = new Feed(kind, sink, new Object());
            List<String> keys = List.of();
            synchronized (lock) {
                if (!broken) {
                    feeds.add(feed);
                    keys = list().stream().map(object -> object.ref().key()).toList();
                }
            }
            keys.forEach(sink::changed);
            boolean heard;
            synchronized (lock) {
                heard = feeds.contains(feed);
            }
            if (heard) {
                sink.synced();
            } else {
                sink.lost(BROKEN);
            }
            return () -> {
                synchronized (lock) {
                    feeds.remove(feed);
                }
            };
        }

        /** The copy stays for other informers of the kind. */
        @Override
        public void close() {}
    }
}
