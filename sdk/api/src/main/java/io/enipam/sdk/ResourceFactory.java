package io.enipam.sdk;

import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Makes and unmakes resources of one kind. The engine's pool is its only caller.
 *
 * <p><b>Thread-safety.</b> Every method may be called from several threads at once. {@code create} and {@code dispose}
 * must return quickly: slow work belongs on the factory's own threads, and each item's stage completes as soon as its
 * own outcome is known, never when the batch is through. A stage completes once, from any thread. A stage that
 * completes exceptionally, or with {@code null}, counts as {@link ErrorKind#INTERNAL}.
 *
 * <p><b>Example.</b> A factory of a fixed set of addresses:
 *
 * <pre>{@code
 * public List<CompletionStage<CreateResult>> create(List<CreateRequest> requests) {
 *     return requests.stream().map(r -> {
 *         Address next = free.poll();
 *         CreateResult result = next == null
 *                 ? Failed.of(ErrorKind.ADDRESSES_EXHAUSTED, "all " + size + " addresses are lent")
 *                 : new Created(resource(next));
 *         return CompletableFuture.completedStage(result);
 *     }).toList();
 * }
 * }</pre>
 */
public interface ResourceFactory extends AutoCloseable {
    /** The kind of everything this factory makes; constant. */
    ResourceKind kind();

    /** What it can do now. Cheap: no I/O. */
    Capabilities capabilities();

    /**
     * Makes one resource for each request.
     *
     * @param requests 1 or more, with different tokens
     * @return as many stages as requests, in the same order
     */
    List<CompletionStage<CreateResult>> create(List<CreateRequest> requests);

    /**
     * Unmakes resources. One that does not exist any more counts as {@link Disposed}.
     *
     * @param resources 1 or more, each made or listed by this factory
     * @return as many stages as resources, in the same order
     */
    List<CompletionStage<DisposeResult>> dispose(List<Resource> resources);

    /**
     * Everything of this factory's that exists now and is fit for use, as the provider tells it, not as the factory
     * remembers it. What is half made or half unmade is left out. Called at start-up before anything else, and at every
     * reconcile.
     *
     * @return completes exceptionally with {@link FactoryException} if the provider could not be asked
     */
    CompletionStage<List<Resource>> list();

    /** Stops the factory's threads. Resources stay. Called once; later calls of any method may fail. */
    @Override
    default void close() {}
}
