package io.enipam.examples.nodeipam;

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
import io.enipam.sdk.testkit.FakeCluster;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The API server as one replica has it: its copy of the objects is as old as a test wants, and requests take as long, are lost on
 * their way, or their answers are. For one thread.
 */
final class LaggingCluster implements Cluster {
    private static final List<ErrorKind> REFUSALS = List.of(
            ErrorKind.UNAVAILABLE,
            ErrorKind.INTERNAL,
            ErrorKind.CONFLICT,
            ErrorKind.THROTTLED,
            ErrorKind.UNAUTHORIZED,
            ErrorKind.NOT_FOUND);

    private final FakeCluster server;
    private final Random random;
    private final Consumer<String> story;
    /** What the watch has not told yet. */
    final Deque<Runnable> news = new ArrayDeque<>();
    /** Patches without an answer. */
    final List<Request> underWay = new ArrayList<>();
    /** Patches for whose answer no one waits any more, and which may still arrive. */
    final List<Sending> stray = new ArrayList<>();

    private final Map<ObjectKind, Copy> copies = new LinkedHashMap<>();
    boolean leads;
    boolean faults = true;
    /** Of how many five fail. */
    private final int requests;

    /** Events in a row. */
    private int refused;

    LaggingCluster(FakeCluster server, Random random, Consumer<String> story) {
        this.server = server;
        this.random = random;
        this.story = story;
        this.requests = List.of(6, 12, 50).get(random.nextInt(3));
    }

    /** What a request does once it arrives. */
    static final class Sending {
        private final Supplier<Reply<ClusterObject>> request;
        private Optional<Reply<ClusterObject>> reply = Optional.empty();

        private Sending(Supplier<Reply<ClusterObject>> request) {
            this.request = request;
        }

        void arrive() {
            reply = Optional.of(request.get());
        }

        private Reply<ClusterObject> reply() {
            return reply.orElseThrow();
        }
    }

    record Request(Sending sending, CompletableFuture<Reply<ClusterObject>> answer) {}

    private static <T> Reply<T> failed(ErrorKind kind) {
        return Reply.failed(Failed.of(kind, "a test lets it fail"));
    }

    /** One of the requests arrives, or fails. */
    void step() {
        if (!stray.isEmpty() && random.nextInt(30) == 0) {
            stray.remove(random.nextInt(stray.size())).arrive();
        }
        if (underWay.isEmpty()) {
            return;
        }
        Request request = underWay.remove(random.nextInt(underWay.size()));
        switch (faults ? random.nextInt(requests) : 9) {
            case 0, 1 -> request.answer().complete(failed(REFUSALS.get(random.nextInt(REFUSALS.size()))));
            case 2 -> {
                request.sending().arrive();
                request.answer().complete(failed(ErrorKind.DEADLINE_EXCEEDED));
            }
            case 3 -> request.answer().complete(failed(ErrorKind.DEADLINE_EXCEEDED));
            case 4 -> {
                stray.add(request.sending());
                request.answer().complete(failed(ErrorKind.DEADLINE_EXCEEDED));
            }
            default -> {
                request.sending().arrive();
                request.answer().complete(request.sending().reply());
            }
        }
    }

    /** The process ends: its requests may arrive nevertheless. */
    void crash() {
        underWay.forEach(request -> stray.add(request.sending()));
        underWay.clear();
        loseWatch();
        copies.values().forEach(copy -> copy.objects.clear());
    }

    /** The watch has broken: what it has not told is not told; all is listed again. */
    void loseWatch() {
        copies.values().forEach(Copy::unsubscribe);
        news.clear();
        copies.values().forEach(Copy::lose);
    }

    /** What is known of a kind. */
    private final class Copy implements Informer {
        private final ObjectKind kind;
        private final Map<String, ClusterObject> objects = new LinkedHashMap<>();
        private final Set<Source.Sink> sinks = new LinkedHashSet<>();
        private Optional<AutoCloseable> feed = Optional.empty();

        private Copy(ObjectKind kind) {
            this.kind = kind;
        }

        private void unsubscribe() {
            feed.ifPresent(open -> {
                try {
                    open.close();
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            });
            feed = Optional.empty();
        }

        private void lose() {
            List<Source.Sink> lost = List.copyOf(sinks);
            sinks.clear();
            lost.forEach(sink -> sink.lost("the watch is broken"));
        }

        /** The copy is listed if there is none, and otherwise as old as it is. */
        private void subscribe() {
            if (feed.isPresent()) {
                return;
            }
            Informer truth = server.informer(kind);
            objects.clear();
            truth.list().forEach(object -> objects.put(object.name(), object));
            AtomicBoolean listed = new AtomicBoolean();
            feed = Optional.of(truth.source().open(new Source.Sink() {
                @Override
                public void changed(String key) {
                    Optional<ClusterObject> now = truth.get(key);
                    if (listed.get()) { // before that it is in the copy
                        news.add(() -> {
                            now.ifPresentOrElse(object -> objects.put(key, object), () -> objects.remove(key));
                            List.copyOf(sinks).forEach(sink -> sink.changed(key));
                        });
                    }
                }

                @Override
                public void synced() {}

                @Override
                public void lost(String why) {
                    throw new AssertionError(why);
                }
            }));
            listed.set(true);
        }

        @Override
        public boolean isCurrent() {
            return feed.isPresent();
        }

        @Override
        public String problem() {
            return isCurrent() ? "" : "the watch is broken";
        }

        @Override
        public Optional<ClusterObject> get(String key) {
            return Optional.ofNullable(objects.get(key));
        }

        @Override
        public List<ClusterObject> list() {
            return List.copyOf(objects.values());
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
                    subscribe();
                    sinks.add(sink);
                    List.copyOf(objects.keySet()).forEach(sink::changed);
                    sink.synced();
                    return () -> sinks.remove(sink);
                }
            };
        }

        @Override
        public void close() {}
    }

    @Override
    public CompletionStage<Reply<ClusterObject>> patch(ObjectRef ref, Patch patch) {
        if (!leads) {
            return CompletableFuture.completedStage(failed(ErrorKind.UNAVAILABLE));
        }
        Request request = new Request(
                new Sending(() -> {
                    story.accept("arrives: " + ref + " " + patch.change());
                    return server.patch(ref, patch).toCompletableFuture().join();
                }),
                new CompletableFuture<>());
        underWay.add(request);
        return request.answer();
    }

    @Override
    public CompletionStage<Reply<Boolean>> report(ClusterObject about, ClusterEvent event) {
        if (!leads || (faults && refused < 2 && random.nextInt(4) == 0)) {
            refused++;
            return CompletableFuture.completedStage(failed(ErrorKind.UNAVAILABLE));
        }
        refused = 0;
        return server.report(about, event);
    }

    @Override
    public Informer informer(ObjectKind kind) {
        Copy copy = copies.computeIfAbsent(kind, Copy::new);
        copy.subscribe();
        return copy;
    }

    @Override
    public boolean leads() {
        return leads;
    }

    @Override
    public CompletionStage<Reply<ClusterObject>> get(ObjectRef ref) {
        return server.get(ref);
    }

    @Override
    public CompletionStage<Reply<ClusterObject>> create(ClusterObject object) {
        throw new AssertionError("it creates nothing");
    }

    @Override
    public CompletionStage<Reply<Boolean>> delete(ClusterObject object) {
        throw new AssertionError("it deletes nothing");
    }

    @Override
    public Optional<String> leader() {
        return Optional.empty();
    }
}
