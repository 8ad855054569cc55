package io.enipam.kubernetes.cidr;

import io.enipam.engine.concurrent.DaemonThreads;
import io.enipam.kubernetes.cidr.AddressFileStore.AddressOwner;
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
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceKind;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes addresses of the node's CIDR: terway's mode VPC. It calls no cloud: an address exists as long as its file does
 * ({@link AddressFileStore}), and enipam and CNI's host-local plugin exclude each other by these files. Thread-safe;
 * one thread of its own does all the work, so that a batch takes the lock once.
 */
public final class NodeCidrFactory implements ResourceFactory {
    public static final String NAME = "node-cidr";
    public static final ResourceKind KIND = new ResourceKind("node-ip");

    private static final Logger LOG = LoggerFactory.getLogger(NodeCidrFactory.class);

    private final NodeCidr cidr;
    private final NodeCidrAllocator book;
    private final AtomicBoolean lookIsQueued = new AtomicBoolean();
    private final Supplier<Instant> now;
    private final ExecutorService worker = Executors.newSingleThreadExecutor(DaemonThreads.named("node-cidr"));

    /**
     * @param known leased or held resources from this factory; those of another CIDR stay until they are released
     * @param lent the owners of leased addresses in the database
     * @param warnings gets warnings for operators, one sentence each
     */
    public NodeCidrFactory(
            NodeCidr cidr,
            AddressFileStore files,
            Collection<Resource> known,
            Supplier<Collection<LentAddress>> lent,
            Supplier<Instant> now,
            Consumer<String> warnings) {
        this.cidr = cidr;
        this.now = now;
        this.book = new NodeCidrAllocator(cidr, files, known, lent, warnings);
    }

    public NodeCidr cidr() {
        return cidr;
    }

    @Override
    public ResourceKind kind() {
        return KIND;
    }

    @Override
    public Capabilities capabilities() {
        return new Capabilities(Set.of(Family.IPV4), cidr.capacity(), 1, false);
    }

    @Override
    public List<CompletionStage<CreateResult>> create(List<CreateRequest> requests) {
        List<CompletableFuture<CreateResult>> results = new ArrayList<>();
        requests.forEach(request -> results.add(new CompletableFuture<>()));
        work(failed -> results.forEach(each -> each.complete(failed)), () -> {
            List<CompletableFuture<CreateResult>> wanted = new ArrayList<>();
            for (int i = 0; i < requests.size(); i++) {
                CreateResult refusal = refusal(requests.get(i));
                if (refusal == null) {
                    wanted.add(results.get(i));
                } else {
                    results.get(i).complete(refusal);
                }
            }
            if (worker.isShutdown()) {
                // nothing would take it now: it is made again on demand
                throw new IOException("the factory is closed");
            }
            complete(wanted, wanted.isEmpty() ? List.of() : book.allocate(wanted.size()));
        });
        return List.copyOf(results);
    }

    private @Nullable CreateResult refusal(CreateRequest request) {
        if (!request.families().equals(Set.of(Family.IPV4))) {
            return Failed.of(ErrorKind.MISCONFIGURED, "the node's CIDR " + cidr + " has IPv4 addresses alone");
        }
        return now.get().isBefore(request.deadline())
                ? null
                : Failed.of(ErrorKind.DEADLINE_EXCEEDED, "the deadline was over before an address was made");
    }

    @Override
    public List<CompletionStage<DisposeResult>> dispose(List<Resource> resources) {
        List<CompletableFuture<DisposeResult>> results = new ArrayList<>();
        resources.forEach(resource -> results.add(new CompletableFuture<>()));
        work(
                failed -> results.forEach(each -> each.complete(failed)),
                () -> complete(results, book.release(resources)));
        return List.copyOf(results);
    }

    @Override
    public CompletionStage<List<Resource>> list() {
        CompletableFuture<List<Resource>> result = new CompletableFuture<>();
        try {
            worker.execute(() -> {
                try {
                    result.complete(book.list());
                } catch (IOException e) {
                    result.completeExceptionally(new FactoryException(ErrorKind.UNAVAILABLE, words(e), e));
                } catch (RuntimeException e) {
                    result.completeExceptionally(e);
                }
            });
        } catch (RejectedExecutionException e) {
            result.completeExceptionally(new FactoryException(ErrorKind.UNAVAILABLE, "the factory is closed", e));
        }
        return result;
    }

    /**
     * Restores files of ours that were removed or emptied, so that host-local does not take their addresses. Returns at
     * once; to be called every few seconds. {@link #list} reports an unreadable directory.
     */
    public void restoreFiles() {
        if (!lookIsQueued.compareAndSet(false, true)) {
            return;
        }
        try {
            worker.execute(() -> {
                lookIsQueued.set(false);
                try {
                    book.restoreFiles();
                } catch (IOException | RuntimeException e) {
                    LOG.debug("the files of addresses are looked at again in some seconds", e);
                }
            });
        } catch (RejectedExecutionException e) {
            LOG.debug("the factory is closed: no file is put back", e);
        }
    }

    private interface Work {
        void run() throws IOException;
    }

    /** Runs on the worker thread; results that are still open afterwards fail. */
    private void work(Consumer<Failed> open, Work work) {
        try {
            worker.execute(() -> {
                Failed failed =
                        Failed.of(ErrorKind.INTERNAL, "the work on the addresses' files ended without an answer");
                try {
                    work.run();
                } catch (IOException e) {
                    failed = Failed.of(ErrorKind.UNAVAILABLE, words(e));
                } catch (RuntimeException e) {
                    failed = Failed.of(ErrorKind.INTERNAL, "the work on the addresses' files failed: " + e);
                } finally {
                    open.accept(failed);
                }
            });
        } catch (RejectedExecutionException e) {
            open.accept(Failed.of(ErrorKind.UNAVAILABLE, "the factory is closed"));
        }
    }

    private static <R> void complete(List<CompletableFuture<R>> open, List<R> results) {
        for (int i = 0; i < results.size(); i++) {
            open.get(i).complete(results.get(i));
        }
    }

    private static String words(IOException e) {
        return String.valueOf(e.getMessage());
    }

    /** Work submitted before is still done. */
    @Override
    public void close() {
        worker.shutdown();
    }

    /** A leased address in the database. */
    public record LentAddress(ResourceId resource, AddressOwner owner) {}
}
