package io.enipam.sdk.testkit;

import io.enipam.sdk.CreateRequest;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.Created;
import io.enipam.sdk.DisposeResult;
import io.enipam.sdk.Disposed;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Family;
import io.enipam.sdk.RequestToken;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.ResourceId;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A factory under test, asked as the engine asks it. Waits for what the engine would go on without. Thread-safe. */
final class FactoryUnderTest implements AutoCloseable {
    private static final ContractRule COUNTED = new ContractRule(
            "create and dispose return as many stages as they were given items, none of them null",
            "Make one stage for each item, also for those that fail at once: CompletableFuture.completedStage(failed).");
    private static final ContractRule ANSWERED = new ContractRule(
            "every stage completes, within the deadline of its request",
            "Look for a path on which a stage is forgotten: an exception on a worker's thread, an early return, a batch of"
                    + " which only the successes are answered.");
    private static final ContractRule IN_WORDS = new ContractRule(
            "a stage completes with a result; an item that does not work out is a Failed, not an exception and not null",
            "Catch what the work throws and complete the stage with Failed.of(kind, message).");
    private static final ContractRule NOT_THROWN = new ContractRule(
            "create, dispose and list throw nothing: what goes wrong is told by the stages",
            "Catch what the method throws, and answer each item with a Failed, or the list with a failed stage.");
    private static final AtomicLong TOKENS = new AtomicLong();

    private final ResourceFactory factory;
    private final Set<Family> families;
    private final Duration patience;
    private final Clock clock;
    private final AtomicBoolean closed = new AtomicBoolean();

    FactoryUnderTest(ResourceFactory factory, Set<Family> families, Duration patience, Clock clock) {
        this.factory = factory;
        this.families = families;
        this.patience = patience;
        this.clock = clock;
    }

    ResourceFactory factory() {
        return factory;
    }

    /** Requests with names never used before, and time enough. */
    List<CreateRequest> requests(int count) {
        return Stream.generate(this::request).limit(count).toList();
    }

    CreateRequest request() {
        return request(new RequestToken("contract-" + ProcessHandle.current().pid() + "-" + TOKENS.incrementAndGet()));
    }

    CreateRequest request(RequestToken token) {
        return new CreateRequest(token, families, clock.instant().plus(patience));
    }

    CreateRequest lateRequest() {
        return new CreateRequest(request().token(), families, clock.instant().minusSeconds(1));
    }

    List<Awaited<CreateResult>> ask(List<CreateRequest> requests) {
        return stages(requests.size(), () -> factory.create(requests));
    }

    List<CreateResult> create(List<CreateRequest> requests) {
        return ask(requests).stream().map(this::answer).toList();
    }

    /** Makes resources, which must work. */
    List<Resource> make(int count) {
        return created(create(requests(count)));
    }

    static List<Resource> created(List<CreateResult> results) {
        return results.stream()
                .map(result -> {
                    if (result instanceof Created created) {
                        return created.resource();
                    }
                    throw new ContractRule(
                                    "below its capacity, and with a provider that works, a factory makes what it is asked for",
                                    "See what the failure says; if the provider of the test is slow or small, raise patience()"
                                            + " or declare a smaller capacity.")
                            .broken("the answer to a create was " + result);
                })
                .toList();
    }

    List<Awaited<DisposeResult>> askToDispose(List<Resource> resources) {
        return stages(resources.size(), () -> factory.dispose(resources));
    }

    List<DisposeResult> dispose(List<Resource> resources) {
        return askToDispose(resources).stream().map(this::answer).toList();
    }

    /** Disposes of one, which must work. */
    void unmake(Resource resource) {
        DisposeResult result = dispose(List.of(resource)).get(0);
        if (!gone(result)) {
            throw new ContractRule(
                            "with a provider that works, a factory disposes of what it made",
                            "See what the failure says; if the provider of the test is slow, raise patience().")
                    .broken("disposing of " + resource.id() + " gave " + result);
        }
    }

    static boolean gone(DisposeResult result) {
        return result instanceof Disposed || (result instanceof Failed failed && failed.kind() == ErrorKind.NOT_FOUND);
    }

    Awaited<List<Resource>> askForList() {
        long end = System.nanoTime() + patience.toNanos();
        try {
            return new Awaited<>(factory.list(), end);
        } catch (RuntimeException | LinkageError e) {
            throw NOT_THROWN.broken("list threw " + e, e);
        }
    }

    List<Resource> list() {
        return answer(askForList());
    }

    Set<ResourceId> listed() {
        return ids(list());
    }

    static Set<ResourceId> ids(List<Resource> resources) {
        return resources.stream().map(Resource::id).collect(Collectors.toCollection(TreeSet::new));
    }

    /** Waits until {@link #patience} after the call that gave the stage, and no longer: that is the deadline it was given. */
    <T> T answer(Awaited<T> stage) {
        try {
            T result = stage.get(stage.end - System.nanoTime(), TimeUnit.NANOSECONDS);
            if (result == null) {
                throw IN_WORDS.broken("a stage completed with null");
            }
            return result;
        } catch (TimeoutException e) {
            throw ANSWERED.broken("a stage was still open after " + patience, e);
        } catch (ExecutionException e) {
            throw IN_WORDS.broken("a stage completed with the exception " + e.getCause(), e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("the test was interrupted", e);
        }
    }

    private <T> List<Awaited<T>> stages(int items, Supplier<List<CompletionStage<T>>> call) {
        long end = System.nanoTime() + patience.toNanos();
        List<CompletionStage<T>> stages;
        try {
            stages = call.get();
        } catch (RuntimeException | LinkageError e) {
            throw NOT_THROWN.broken("a call with " + items + " items threw " + e, e);
        }
        COUNTED.check(stages != null, () -> "null was returned for " + items + " items");
        COUNTED.check(stages.size() == items, () -> stages.size() + " stages were returned for " + items + " items");
        List<Awaited<T>> mine = new ArrayList<>();
        for (CompletionStage<T> stage : stages) {
            COUNTED.check(stage != null, () -> "one of the stages is null");
            mine.add(new Awaited<>(stage, end));
        }
        return mine;
    }

    /** A future of our own that follows the stage: not every stage can be turned into a future. */
    static final class Awaited<T> extends CompletableFuture<T> {
        /** When it must be complete, by {@link System#nanoTime}. */
        private final long end;

        private Awaited(CompletionStage<T> stage, long end) {
            this.end = end;
            stage.whenComplete((result, error) -> {
                if (error == null) {
                    complete(result);
                } else {
                    completeExceptionally(error);
                }
            });
        }
    }

    /** Closes the factory, once. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            factory.close();
        }
    }
}
