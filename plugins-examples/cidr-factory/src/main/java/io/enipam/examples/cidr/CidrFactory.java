package io.enipam.examples.cidr;

import io.enipam.examples.cidr.AddressPlan.CidrSettings;
import io.enipam.sdk.Capabilities;
import io.enipam.sdk.CreateRequest;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.DisposeResult;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Failed;
import io.enipam.sdk.PluginContext;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.ResourceKind;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The factory {@code cidr}: addresses of configured ranges, kept in a {@link AllocationStore}.
 *
 * <p><b>One thread.</b> All that touches the index runs on one thread of the factory's own, one item after the other, so two
 * requests never see the same free address, and a caller that is interrupted interrupts no write (an interrupt closes the file
 * a thread is writing to). Each stage completes on that thread as soon as its own item is on disk.
 *
 * <p>Thread-safe. After {@link #close} every request fails with {@link ErrorKind#UNAVAILABLE}.
 */
final class CidrFactory implements ResourceFactory {
    /** Its name in {@code pool.factory}. */
    static final String NAME = "cidr";

    /** What it makes: one address, or a pair of IPv4 and IPv6. */
    static final ResourceKind KIND = new ResourceKind("host-local");

    private static final Duration CLOSING = Duration.ofSeconds(5);
    private static final Duration ANSWERING = Duration.ofSeconds(3);

    private final AllocationIndex index;
    private final ExecutorService thread;

    private CidrFactory(AllocationIndex index) {
        this.index = index;
        this.thread = Executors.newSingleThreadExecutor(task -> {
            Thread made = new Thread(task, "cidr-factory");
            made.setDaemon(true);
            return made;
        });
    }

    /**
     * Checks the settings, takes the ledger's lock and reads the ledger.
     *
     * @throws FactoryException {@link ErrorKind#MISCONFIGURED}, {@link ErrorKind#CONFLICT} if another factory has the ledger, or
     *     {@link ErrorKind#UNAVAILABLE} if the disk fails
     */
    static CidrFactory open(PluginContext context) {
        AddressPlan plan = AddressPlan.of(context.settings());
        AllocationStore ledger = AllocationStore.open(context.directory());
        try {
            boolean lowestFirst = context.settings().get(CidrSettings.ORDER).equals(CidrSettings.LOWEST);
            return new CidrFactory(new AllocationIndex(plan, ledger, context.clock(), lowestFirst));
        } catch (RuntimeException e) {
            ledger.close();
            throw e;
        }
    }

    @Override
    public ResourceKind kind() {
        return KIND;
    }

    @Override
    public Capabilities capabilities() {
        return index.capabilities();
    }

    @Override
    public List<CompletionStage<CreateResult>> create(List<CreateRequest> requests) {
        return List.copyOf(requests.stream()
                .map(request -> this.<CreateResult>soon(() -> index.create(request), CidrFactory::closed))
                .toList());
    }

    @Override
    public List<CompletionStage<DisposeResult>> dispose(List<Resource> resources) {
        return List.copyOf(resources.stream()
                .map(resource -> this.<DisposeResult>soon(() -> index.dispose(resource), CidrFactory::closed))
                .toList());
    }

    @Override
    public CompletionStage<List<Resource>> list() {
        return soon(index::list, CidrFactory::refuse);
    }

    /** Finishes what was asked, for a few seconds at most, and lets go of the ledger. */
    @Override
    public void close() {
        if (!isOpen()) {
            return;
        }
        thread.execute(index::close);
        thread.shutdown();
        try {
            // when the disk hangs, the thread lets go of the ledger whenever it comes back
            thread.awaitTermination(CLOSING.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    boolean isOpen() {
        return !thread.isShutdown();
    }

    /**
     * Asks the index something, for a diagnostic.
     *
     * @throws FactoryException {@link ErrorKind#DEADLINE_EXCEEDED} if the disk keeps the factory's thread busy for seconds
     */
    <T> T ask(Function<AllocationIndex, T> question) {
        CompletableFuture<T> answer = soon(() -> question.apply(index), CidrFactory::refuse);
        try {
            return answer.get(ANSWERING.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new FactoryException(ErrorKind.DEADLINE_EXCEEDED, "the ledger is busy; the disk may hang", e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof FactoryException known
                    ? known
                    : new FactoryException(ErrorKind.INTERNAL, "the ledger could not answer: " + e.getCause(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FactoryException(ErrorKind.DEADLINE_EXCEEDED, "interrupted while the ledger was asked", e);
        }
    }

    private <T> CompletableFuture<T> soon(Supplier<T> work, Supplier<T> ifClosed) {
        CompletableFuture<T> outcome = new CompletableFuture<>();
        try {
            thread.execute(() -> settle(outcome, work));
        } catch (RejectedExecutionException closed) {
            settle(outcome, ifClosed);
        }
        return outcome;
    }

    private static <T> void settle(CompletableFuture<T> outcome, Supplier<T> work) {
        T value;
        try {
            value = work.get();
        } catch (RuntimeException e) {
            outcome.completeExceptionally(e);
            return;
        }
        outcome.complete(value);
    }

    private static Failed closed() {
        return Failed.of(ErrorKind.UNAVAILABLE, "the cidr factory is closed");
    }

    private static <T> T refuse() {
        throw new FactoryException(ErrorKind.UNAVAILABLE, "the cidr factory is closed");
    }
}
