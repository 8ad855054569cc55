package io.enipam.node.cloud;

import dev.failsafe.Failsafe;
import dev.failsafe.FailsafeExecutor;
import dev.failsafe.RetryPolicy;
import dev.failsafe.function.CheckedSupplier;
import io.enipam.aliyun.CloudProbe;
import io.enipam.engine.port.CloudInspector;
import io.enipam.engine.port.EniDirectory;
import io.enipam.engine.port.EniSweeper;
import io.enipam.engine.port.EventSink;
import io.enipam.sdk.Capabilities;
import io.enipam.sdk.CreateRequest;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.DisposeResult;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Family;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.ResourceKind;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The cloud's factory from the daemon's start on, before the cloud answers. Thread-safe.
 *
 * <p>Opening is retried with capped exponential backoff; {@link #trouble()} gives the latest failure for status, and
 * the first failure of a kind becomes an event. The first {@link #list()}, with which the engine's recovery begins,
 * waits for the cloud and is itself retried, so that a daemon that starts during an outage recovers when the outage
 * ends. Until then the capacity is 0.
 */
public final class DeferredCloudFactory implements ResourceFactory, EniDirectory, EniSweeper {
    private static final Duration FIRST_DELAY = Duration.ofMillis(500);
    private static final Duration LONGEST_DELAY = Duration.ofSeconds(30);
    /** Several calls of the cloud, with their retries. */
    private static final Duration LONGEST_LIST = Duration.ofMinutes(2);

    /** Number of tries; at the longest delay they take ten minutes. */
    private static final int TELL_EVERY = 20;

    private static final Capabilities NOT_YET = new Capabilities(Set.of(Family.IPV4), 0, 1, false);

    private final ResourceKind kind;
    private final EventSink events;
    private final CompletableFuture<CloudSession> opening;
    private final CompletableFuture<CloudSession> session;
    private final FailsafeExecutor<Object> retrying;
    private volatile String trouble = "the cloud has not answered yet";
    /** The last reported failure, and how often it was suppressed since. Guarded by {@code this}. */
    private Optional<ErrorKind> toldKind = Optional.empty();

    private int untold;
    private volatile boolean listed;
    /** The first list; done before it is asked for. Guarded by {@code this}. */
    private CompletableFuture<List<Resource>> firstList = CompletableFuture.completedFuture(List.of());

    private volatile boolean closed;
    /** The session to end; the thread that takes it out ends it. */
    private final AtomicReference<@Nullable CloudSession> held = new AtomicReference<>();

    /**
     * Begins to open the session.
     *
     * @param open one try, which may block; throws {@link io.enipam.sdk.FactoryException} if the cloud does not answer
     * @param threads run the tries; at least two threads
     * @param opened gets the session once, before the engine sees it
     */
    public DeferredCloudFactory(
            ResourceKind kind,
            CheckedSupplier<CloudSession> open,
            ScheduledExecutorService threads,
            EventSink events,
            Consumer<CloudSession> opened) {
        this.kind = kind;
        this.events = events;
        RetryPolicy<Object> policy = RetryPolicy.builder()
                .handleIf(failure -> !closed)
                .withBackoff(FIRST_DELAY, LONGEST_DELAY)
                .withJitter(0.2)
                .withMaxRetries(-1)
                .onFailedAttempt(attempt -> failed(attempt.getLastException()))
                .build();
        retrying = Failsafe.with(policy).with(threads);
        opening = retrying.getAsync(() -> keepOrEnd(open.get()));
        session = opening.thenApply(s -> {
            trouble = "";
            if (!closed) {
                opened.accept(s);
            }
            return s;
        });
    }

    /** Ends a session that opens after the close at once, since no other code refers to it. */
    private CloudSession keepOrEnd(CloudSession opened) {
        held.set(opened);
        if (closed) {
            endSession();
            throw new CancellationException("closed while opening");
        }
        return opened;
    }

    private void endSession() {
        CloudSession last = held.getAndSet(null);
        if (last != null) {
            last.closer().run();
        }
    }

    /** Why the cloud cannot be used now; empty if it can. */
    public Optional<String> trouble() {
        return Optional.of(trouble).filter(text -> !text.isEmpty());
    }

    /** Whether opening was given up. */
    boolean closed() {
        return closed;
    }

    @Override
    public List<Eni> enis() {
        return now().map(s -> s.enis().enis()).orElse(List.of());
    }

    @Override
    public Duration lag() {
        return now().map(s -> s.enis().lag()).orElse(Duration.ZERO);
    }

    @Override
    public CompletionStage<Report> sweep(boolean dryRun) {
        return now().map(s -> s.sweeper().sweep(dryRun))
                .orElseGet(() -> CompletableFuture.failedStage(new FactoryException(ErrorKind.UNAVAILABLE, trouble)));
    }

    /** Reads the cloud's own data; empty until the cloud has answered, and if it offers no inspection. */
    Optional<CloudInspector> witness() {
        return now().flatMap(CloudSession::witness);
    }

    /** Checks what this node depends on; empty until the cloud has answered. */
    Optional<CloudProbe> probe() {
        return now().flatMap(CloudSession::probe);
    }

    @Override
    public ResourceKind kind() {
        return kind;
    }

    @Override
    public Capabilities capabilities() {
        return now().map(s -> s.factory().capabilities()).orElse(NOT_YET);
    }

    @Override
    public CompletionStage<List<Resource>> list() {
        if (listed) {
            return session.thenCompose(s -> s.factory().list());
        }
        synchronized (this) {
            // who asks again after a while joins: each list of its own would be retried for as long as the outage lasts
            if (firstList.isDone()) {
                firstList = session.thenCompose(s -> retrying.getStageAsync(() -> s.factory()
                                .list()
                                .toCompletableFuture()
                                .copy()
                                .orTimeout(LONGEST_LIST.toSeconds(), TimeUnit.SECONDS)))
                        .thenApply(resources -> {
                            listed = true;
                            trouble = "";
                            return resources;
                        });
            }
            return firstList.copy();
        }
    }

    @Override
    public List<CompletionStage<CreateResult>> create(List<CreateRequest> requests) {
        return now().map(s -> s.factory().create(requests))
                .orElseGet(() -> Collections.nCopies(requests.size(), CompletableFuture.completedStage(away())));
    }

    @Override
    public List<CompletionStage<DisposeResult>> dispose(List<Resource> resources) {
        return now().map(s -> s.factory().dispose(resources))
                .orElseGet(() -> Collections.nCopies(resources.size(), CompletableFuture.completedStage(away())));
    }

    /** Stops trying, and ends the session if there is one. */
    @Override
    public void close() {
        closed = true;
        opening.cancel(true);
        endSession();
    }

    private Optional<CloudSession> now() {
        return session.isDone() && !session.isCompletedExceptionally() ? Optional.of(session.join()) : Optional.empty();
    }

    private Failed away() {
        return Failed.of(ErrorKind.UNAVAILABLE, trouble);
    }

    private void failed(Throwable cause) {
        if (!closed) {
            trouble = "the cloud cannot be asked: " + cause.getMessage();
            // the first list comes from the factory's own stage
            Throwable origin =
                    cause instanceof CompletionException && cause.getCause() != null ? cause.getCause() : cause;
            tell(origin instanceof FactoryException known ? known.kind() : ErrorKind.INTERNAL);
        }
    }

    /** Reports the first failure, a failure of another kind, and at intervals that it lasts. */
    private synchronized void tell(ErrorKind kind) {
        boolean news = !toldKind.equals(Optional.of(kind)) || ++untold == TELL_EVERY;
        if (news) {
            toldKind = Optional.of(kind);
            untold = 0;
            events.warning("CloudUnavailable", "cloud", trouble + "; trying again");
        }
    }
}
