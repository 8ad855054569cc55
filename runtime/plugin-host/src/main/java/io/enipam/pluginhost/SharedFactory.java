package io.enipam.pluginhost;

import io.enipam.engine.concurrent.DaemonThreads;
import io.enipam.engine.concurrent.PauseGate;
import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.port.Scheduler;
import io.enipam.sdk.Capabilities;
import io.enipam.sdk.CreateRequest;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.DisposeResult;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.ResourceKind;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * One open factory, whose code can be replaced while it is used. All its users, the pool and the factories that wrap it, call it
 * through here, and keep what they have when the code behind it is another one. Two instances are never open at once.
 *
 * <table>
 *   <caption>The states</caption>
 *   <tr><th>state</th><th>a call</th><th>left by</th></tr>
 *   <tr><td>SERVING</td><td>goes through</td><td>{@link #quiesce}: to QUIET</td></tr>
 *   <tr><td>QUIET: what was under way has ended, or was given up, and the former instance is closed</td><td>waits for as long as a
 *       minute</td><td>{@link #reopen}: to PROVING; {@link #giveUp}: to AWAY</td></tr>
 *   <tr><td>PROVING: the next instance is open, and answers {@link #listAhead} alone</td><td>waits</td>
 *       <td>{@link #serve}: to SERVING; {@link #quiesce}: to QUIET, which closes it again</td></tr>
 *   <tr><td>AWAY: nothing is open, since nothing could be opened, or the former instance has not closed</td><td>fails with
 *       {@code UNAVAILABLE}; a list opens what there is now</td><td>such a list: to SERVING; {@link #quiesce}: to QUIET</td></tr>
 * </table>
 *
 * <p>Kind and capabilities are those of the instance that was open last, and are answered at any time. Thread-safe; {@code this} guards
 * the changes of state, which block.
 */
final class SharedFactory implements ResourceFactory {
    /** How long a call waits for the next instance; no longer than a list may take. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /** How long what is under way has to end before it is given up. */
    private static final Duration ENDING = Duration.ofSeconds(5);
    /** How much longer than its deadline a close may take. */
    private static final Duration CLOSING = Duration.ofSeconds(5);

    private static final Executor OPENING = DaemonThreads.each("plugin-reopen");

    enum State {
        SERVING,
        QUIET,
        PROVING,
        AWAY
    }

    private final String name;
    private final Supplier<OpenedFactory> opener;
    private final Scheduler scheduler;
    private final PauseGate gate = new PauseGate();
    /** Ends each call that the instance has not answered yet. */
    private final Set<Runnable> underWay = ConcurrentHashMap.newKeySet();
    /** The instance that was open last. */
    private volatile OpenedFactory last;

    private volatile State state = State.SERVING;
    private volatile String trouble = "";
    private boolean closed;
    private final AtomicReference<CompletableFuture<Void>> tries =
            new AtomicReference<>(CompletableFuture.completedFuture(null));

    /**
     * @param provider the name of the factory that has the resources in the end: its own, or that of the one it wraps
     * @param closed completes when the close of the factory has really returned, however late
     */
    record OpenedFactory(ResourceFactory factory, String provider, CompletionStage<Void> closed) {
        /** One whose close returns when it is closed. */
        OpenedFactory(ResourceFactory factory, String provider) {
            this(factory, provider, CompletableFuture.completedFuture(null));
        }
    }

    /**
     * @param opened the instance that is open now
     * @param opener opens the next one, by the code that is in force then; blocks
     */
    SharedFactory(String name, OpenedFactory opened, Supplier<OpenedFactory> opener, Scheduler scheduler) {
        this.name = name;
        this.last = opened;
        this.opener = opener;
        this.scheduler = scheduler;
    }

    String provider() {
        return last.provider();
    }

    State state() {
        return state;
    }

    /** Lets no more calls through, waits for those that are under way, and closes the instance. Blocks. */
    synchronized void quiesce() {
        if (state == State.SERVING || state == State.AWAY) {
            CompletableFuture<Void> ended = gate.pause();
            state = State.QUIET;
            await(ended, ENDING);
        }
        state = State.QUIET;
        last.factory().close();
        // what it made or unmade all the same, the next list shows
        underWay.forEach(Runnable::run);
    }

    /**
     * Opens the next instance. Blocks.
     *
     * @throws FactoryException if the former one has not closed yet, or the next one cannot be opened, or is of another kind or
     *     provider, or all users have closed it: then nothing is open
     */
    synchronized void reopen() {
        if (closed) {
            throw new FactoryException(ErrorKind.UNAVAILABLE, "factory " + name + " is not used any more");
        }
        if (!await(last.closed().toCompletableFuture(), CLOSING)) {
            throw new FactoryException(ErrorKind.UNAVAILABLE, "factory " + name + " has not closed");
        }
        OpenedFactory next = opener.get();
        String differs = difference(next);
        if (!differs.isEmpty()) {
            next.factory().close();
            throw new FactoryException(ErrorKind.MISCONFIGURED, "factory " + name + " is another one now: " + differs);
        }
        last = next;
        state = State.PROVING;
    }

    private String difference(OpenedFactory next) {
        ResourceKind was = last.factory().kind();
        ResourceKind is = next.factory().kind();
        if (!is.equals(was)) {
            return "it makes " + is + ", and made " + was;
        }
        return next.provider().equals(last.provider())
                ? ""
                : "its resources are those of " + next.provider() + ", and were those of " + last.provider();
    }

    /** What the instance that is open lists, whatever waits. */
    CompletionStage<List<Resource>> listAhead() {
        return Stages.call(() -> last.factory().list());
    }

    /** Lets the calls through to the instance that is open. */
    synchronized void serve() {
        trouble = "";
        state = State.SERVING;
        gate.resume();
    }

    /** Nothing is open: the calls that wait fail, and the next list opens what there is then. */
    synchronized void giveUp(String why) {
        trouble = why;
        state = State.AWAY;
        gate.resume();
    }

    private static boolean await(CompletableFuture<Void> end, Duration most) {
        try {
            end.get(most.toNanos(), TimeUnit.NANOSECONDS);
            return true;
        } catch (ExecutionException e) {
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public ResourceKind kind() {
        return last.factory().kind();
    }

    @Override
    public Capabilities capabilities() {
        return last.factory().capabilities();
    }

    @Override
    public List<CompletionStage<CreateResult>> create(List<CreateRequest> requests) {
        return each(requests.size(), factory -> factory.create(requests), failed -> failed);
    }

    @Override
    public List<CompletionStage<DisposeResult>> dispose(List<Resource> resources) {
        return each(resources.size(), factory -> factory.dispose(resources), failed -> failed);
    }

    private <R> List<CompletionStage<R>> each(
            int size, Function<ResourceFactory, List<CompletionStage<R>>> call, Function<Failed, R> failed) {
        List<CompletableFuture<R>> items =
                Stream.generate(CompletableFuture<R>::new).limit(size).toList();
        CompletableFuture<Void> all = CompletableFuture.allOf(items.toArray(CompletableFuture[]::new));
        through(
                () -> {
                    List<CompletionStage<R>> stages = call.apply(last.factory());
                    if (stages.size() != size) {
                        throw new IllegalStateException(stages.size() + " answers to " + size + " items");
                    }
                    for (int i = 0; i < size; i++) {
                        CompletableFuture<R> item = items.get(i);
                        stages.get(i).whenComplete((result, error) -> Stages.pass(item, result, error));
                    }
                    return all;
                },
                all,
                why -> items.forEach(item -> item.complete(failed.apply(Failed.of(ErrorKind.UNAVAILABLE, why)))));
        return List.copyOf(items);
    }

    @Override
    public CompletionStage<List<Resource>> list() {
        CompletableFuture<List<Resource>> listed = new CompletableFuture<>();
        CompletableFuture<Void> there = state == State.AWAY ? broughtBack() : CompletableFuture.completedFuture(null);
        there.whenComplete((done, error) -> through(
                () -> {
                    listAhead().whenComplete((resources, failure) -> Stages.pass(listed, resources, failure));
                    return listed;
                },
                listed,
                why -> listed.completeExceptionally(new FactoryException(ErrorKind.UNAVAILABLE, why))));
        return listed;
    }

    /**
     * Makes a call now, or when there is an instance to make it to.
     *
     * @param answered completes when all of the call is answered
     * @param fail ends what is not answered, with the reason
     */
    private <T> void through(Supplier<CompletionStage<T>> call, CompletableFuture<T> answered, Consumer<String> fail) {
        gate.run(
                        () -> {
                            if (state == State.AWAY) {
                                fail.accept("factory " + name + " is not open: " + trouble);
                                return answered;
                            }
                            Runnable end =
                                    () -> fail.accept("factory " + name + " was closed for another version of it");
                            underWay.add(end);
                            answered.whenComplete((done, error) -> underWay.remove(end));
                            return call.get();
                        },
                        PATIENCE,
                        scheduler,
                        () -> new IllegalStateException("factory " + name + " is being replaced"))
                .exceptionally(error -> {
                    fail.accept(String.valueOf(Stages.cause(error).getMessage()));
                    return null;
                });
    }

    /** In AWAY: one try to open what there is now, whoever asks meanwhile. */
    private CompletableFuture<Void> broughtBack() {
        synchronized (tries) {
            if (tries.get().isDone()) {
                tries.set(CompletableFuture.runAsync(this::bringBack, OPENING));
            }
            return tries.get();
        }
    }

    private synchronized void bringBack() {
        try {
            if (state == State.AWAY) {
                reopen();
                serve();
            }
        } catch (RuntimeException e) {
            trouble = String.valueOf(e.getMessage());
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        last.factory().close();
    }
}
