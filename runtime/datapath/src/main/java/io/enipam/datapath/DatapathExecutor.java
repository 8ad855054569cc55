package io.enipam.datapath;

import io.enipam.datapath.iproute.Runner.CommandFailedException;
import io.enipam.engine.concurrent.DaemonThreads;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.OwnerKey;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/** The datapath's own threads: what waits for the kernel waits on these. Thread-safe. */
final class DatapathExecutor implements AutoCloseable {
    private static final int THREADS = 8;
    private static final int MOST_WAITING = 1_024;
    /** How long what is under way may still take: a little more than the deadline of a process. */
    private static final int LAST_WORDS = 12;

    private static final List<KernelHint> HINTS = List.of(
            new KernelHint(
                    "netns|network namespace|reassociate",
                    "the pod's network namespace is gone: the container runtime ends this sandbox and makes another"),
            new KernelHint(
                    "Operation not permitted",
                    "run the daemon as root with CAP_NET_ADMIN and CAP_SYS_ADMIN (privileged: true)"),
            new KernelHint("Read-only file system", "give the daemon a writable /proc/sys (privileged: true)"),
            new KernelHint(
                    "Cannot find device|No such device",
                    "a link went away meanwhile: see 'ip link', and 'enipam eni list' for ENIs that were detached"),
            new KernelHint(
                    "Unknown device type|not supported",
                    "the kernel lacks a module: see 'modprobe -n veth sch_tbf ipvlan'"),
            new KernelHint("was killed", "the kernel is slow or stuck: see 'dmesg' and the load of the node"));

    private final ThreadPoolExecutor threads;

    DatapathExecutor() {
        threads = new ThreadPoolExecutor(
                THREADS,
                THREADS,
                30,
                TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(MOST_WAITING),
                DaemonThreads.numbered("enipam-datapath"));
        threads.allowCoreThreadTimeOut(true);
    }

    /** Does it on one of them; whatever is thrown ends the stage as an {@link IpamException}. */
    <T> CompletableFuture<T> run(Supplier<T> work) {
        CompletableFuture<T> stage = new CompletableFuture<>();
        try {
            threads.execute(() -> {
                try {
                    stage.complete(work.get());
                } catch (RuntimeException | Error e) {
                    stage.completeExceptionally(coded(e));
                }
            });
        } catch (RejectedExecutionException e) {
            stage.completeExceptionally(new IpamException(
                    ErrorCode.TRY_AGAIN,
                    threads.isShutdown()
                            ? "the datapath is closed"
                            : MOST_WAITING + " changes to the kernel wait already",
                    "try again"));
        }
        return stage;
    }

    private static Throwable coded(Throwable e) {
        if (e instanceof CommandFailedException failed) {
            return new IpamException(ErrorCode.DATAPATH_FAILED, failed.getMessage(), hint(failed.answer()), e);
        }
        if (e instanceof UncheckedIOException failed) {
            return new IpamException(
                    ErrorCode.TRY_AGAIN,
                    failed.getMessage(),
                    "try again later: the disk is full, or this directory cannot be written",
                    e);
        }
        return e;
    }

    @Override
    public void close() {
        threads.shutdown();
        try {
            if (!threads.awaitTermination(LAST_WORDS, TimeUnit.SECONDS)) {
                threads.shutdownNow();
            }
        } catch (InterruptedException e) {
            threads.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }

    private static String hint(String answer) {
        return HINTS.stream()
                .filter(hint -> hint.sign.matcher(answer).find())
                .map(KernelHint::text)
                .findFirst()
                .orElse("run 'enipam doctor' on the node");
    }

    /** A hint for an answer of the kernel in which the sign is found. */
    private record KernelHint(Pattern sign, String text) {
        KernelHint(String sign, String text) {
            this(Pattern.compile(sign), text);
        }
    }

    /**
     * Runs the work of one owner in the order of the calls; different owners run in parallel. A lock alone is not enough: an ADD that
     * waited too long is undone while it still waits for a thread, and if the undoing ran first, the pod would be connected with an
     * address that is leased to the next. Waiting occupies no thread. Thread-safe.
     */
    static final class OwnerSerialExecutor {
        private final DatapathExecutor workers;
        private final Map<OwnerKey, CompletableFuture<?>> last = new ConcurrentHashMap<>();

        OwnerSerialExecutor(DatapathExecutor workers) {
            this.workers = workers;
        }

        /** Does it when all that was asked for the owner before has ended, well or not. */
        <T> CompletableFuture<T> run(OwnerKey owner, Supplier<T> work) {
            CompletableFuture<T> mine = new CompletableFuture<>();
            CompletableFuture<?> before = last.put(owner, mine);
            if (before == null) {
                begin(owner, work, mine);
            } else {
                before.whenComplete((done, error) -> begin(owner, work, mine));
            }
            // the caller may complete its copy without disturbing the order
            return mine.copy();
        }

        private <T> void begin(OwnerKey owner, Supplier<T> work, CompletableFuture<T> mine) {
            workers.run(work).whenComplete((done, error) -> {
                last.remove(owner, mine);
                if (error == null) {
                    mine.complete(done);
                } else {
                    mine.completeExceptionally(error);
                }
            });
        }

        /** How many owners something is asked for. */
        int busy() {
            return last.size();
        }
    }
}
