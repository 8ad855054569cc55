package io.enipam.sdk;

import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Makes and unmakes resources of one kind. The engine's pool is its only caller, or another factory that wraps it.
 *
 * <p><b>Thread-safety.</b> Every method may be called from several threads at once. {@code create}, {@code dispose} and
 * {@code list} return at once: slow work belongs on the factory's own threads, and each item's stage completes as soon
 * as its own outcome is known, never when the batch is through. A stage completes once, from any thread, and its
 * followers may run on that thread: complete it while holding no lock. A caller that is interrupted is served like any
 * other, and stays interrupted.
 *
 * <p><b>Order.</b> {@code list} comes first after opening; until it has answered, nothing else is asked. After that any
 * calls may overlap. A create that overlaps a list may be in it or not. A resource is disposed of at most once at a
 * time, but again after an answer that was lost or a {@link Failed}. Two calls may carry the same token, after a
 * restart or a lost answer.
 *
 * <p><b>Failing.</b> One item's failure is that item's {@link Failed}; methods throw nothing. {@link ErrorKind} has the
 * engine's reaction to each. A stage that completes exceptionally counts as the kind of the {@link FactoryException} it
 * completes with, or {@link ErrorKind#INTERNAL}; so does a call that throws, for all its items; {@code null} counts as
 * {@code INTERNAL}.
 *
 * <p><b>Deadlines.</b> A call that has not returned after 2 s is left behind on its thread: the factory's breaker
 * opens, and until the call comes back every other item fails with {@link ErrorKind#UNAVAILABLE}, without the factory
 * being asked. Five failed calls of the last twenty open the breaker too, for 10 s. A list may take 60 s, a close 5 s. An item
 * whose stage is open at its request's deadline is given up; if it completes after that, with {@link Created}, the
 * resource is taken into the pool or disposed of. The factory of a plugin that hangs costs at most eight threads and
 * delays no other factory.
 *
 * <p><b>Example.</b> A factory of a fixed set of addresses, which exist as files in the plugin's directory so that they
 * are known after a restart. One lock makes finding and taking an address one step; the disk is the provider.
 *
 * <pre>{@code
 * final class FixedFactory implements ResourceFactory {
 *     private static final ResourceKind KIND = new ResourceKind("host-local");
 *     private final ExecutorService disk = Executors.newSingleThreadExecutor();
 *     private final Path directory;
 *     private final Clock clock;
 *     private final List<String> hosts;
 *
 *     FixedFactory(PluginContext context, List<String> hosts) {
 *         this.directory = context.directory();
 *         this.clock = context.clock();
 *         this.hosts = hosts;
 *     }
 *
 *     public ResourceKind kind() { return KIND; }
 *
 *     public Capabilities capabilities() {
 *         return new Capabilities(Set.of(Family.IPV4), hosts.size(), 1, false);
 *     }
 *
 *     public List<CompletionStage<CreateResult>> create(List<CreateRequest> requests) {
 *         return requests.stream().map(request -> later(() -> make(request), failed -> failed)).toList();
 *     }
 *
 *     private CreateResult make(CreateRequest request) throws IOException {
 *         if (!request.families().equals(Set.of(Family.IPV4))) {
 *             return Failed.of(ErrorKind.MISCONFIGURED, "asked for " + request.families() + ", there is IPv4 alone");
 *         }
 *         if (!clock.instant().isBefore(request.deadline())) {
 *             return Failed.of(ErrorKind.DEADLINE_EXCEEDED, "the request came after its deadline");
 *         }
 *         for (String host : hosts) {
 *             try {
 *                 Files.createFile(directory.resolve(host)); // finds and takes in one step
 *                 return new Created(resource(host));
 *             } catch (FileAlreadyExistsException e) {
 *                 continue; // taken
 *             }
 *         }
 *         return Failed.of(ErrorKind.ADDRESSES_EXHAUSTED, "all " + hosts.size() + " addresses exist");
 *     }
 *
 *     public List<CompletionStage<DisposeResult>> dispose(List<Resource> resources) {
 *         return resources.stream().map(resource -> later(() -> unmake(resource), failed -> failed)).toList();
 *     }
 *
 *     private DisposeResult unmake(Resource resource) throws IOException {
 *         Files.deleteIfExists(directory.resolve(resource.addresses().get(0).host()));
 *         return new Disposed(resource.id()); // also if it was gone already
 *     }
 *
 *     public CompletionStage<List<Resource>> list() {
 *         return CompletableFuture.supplyAsync(() -> {
 *             try (Stream<Path> files = Files.list(directory)) {
 *                 return files.map(file -> resource(file.getFileName().toString())).toList();
 *             } catch (IOException e) {
 *                 throw new FactoryException(ErrorKind.UNAVAILABLE, "the directory cannot be read: " + e, e);
 *             }
 *         }, disk);
 *     }
 *
 *     private <R> CompletionStage<R> later(Callable<R> work, Function<Failed, R> asResult) {
 *         return CompletableFuture.supplyAsync(() -> {
 *             try {
 *                 return work.call();
 *             } catch (Exception e) {
 *                 return asResult.apply(Failed.of(ErrorKind.UNAVAILABLE, "the disk said: " + e));
 *             }
 *         }, disk);
 *     }
 *
 *     private static Resource resource(String host) {
 *         return new Resource(
 *                 new ResourceId("fixed/" + host), KIND, List.of(Address.parse(host + "/24")), "", Map.of());
 *     }
 *
 *     public void close() { disk.shutdown(); }
 * }
 * }</pre>
 *
 * <p>{@code ResourceFactoryContract} of the testkit has a test for each of these promises.
 */
public interface ResourceFactory extends AutoCloseable {
    /** The kind of everything this factory makes; constant. */
    ResourceKind kind();

    /**
     * What it can do: the same whether it is empty or full, unless the provider's limits change. Cheap: no I/O. Asked
     * when the factory was opened, after each list, and at most every ten seconds.
     */
    Capabilities capabilities();

    /**
     * Makes one resource for each request. Asked for more than fit, it makes as many as fit, and the others fail with
     * {@link ErrorKind#QUOTA_EXHAUSTED} or {@link ErrorKind#ADDRESSES_EXHAUSTED}. A request for a family that the
     * {@link #capabilities} do not have fails with {@link ErrorKind#MISCONFIGURED}; one whose deadline has passed, with
     * {@link ErrorKind#DEADLINE_EXCEEDED}, and makes nothing. Each resource has the families of its request, this factory's
     * kind, and {@link Address#isAssignable addresses that a pod can have}; another one is not used, is disposed of, and counts
     * as a failure of the factory.
     *
     * @param requests 1 or more, with different tokens
     * @return as many stages as requests, in the same order
     */
    List<CompletionStage<CreateResult>> create(List<CreateRequest> requests);

    /**
     * Unmakes resources. One that does not exist any more, or never did, counts as {@link Disposed}; so does, in the
     * end, one that is on its way out already. {@code Disposed} means that the provider has it no more, not that it was
     * asked.
     *
     * @param resources 1 or more, each made or listed by this factory
     * @return as many stages as resources, in the same order
     */
    List<CompletionStage<DisposeResult>> dispose(List<Resource> resources);

    /**
     * Everything of this factory's that exists now and is fit for use, as the provider reports it, not as the factory
     * remembers it. What is half made or half unmade is left out, and so is what {@link #create} may not make. Called at start-up before anything else, and at every
     * reconcile.
     *
     * @return completes exceptionally with {@link FactoryException} if the provider could not be asked
     */
    CompletionStage<List<Resource>> list();

    /**
     * Stops the factory's threads, and closes what it wraps. Resources stay: where the plugin is loaded anew while its factory is in
     * use, another instance is opened when this has returned, and has to list them. What is under way is finished, undone, or
     * left for the next {@link #list} to find; its stages complete or are abandoned. Later calls of other methods may
     * fail; a second close does nothing.
     */
    @Override
    default void close() {}
}
