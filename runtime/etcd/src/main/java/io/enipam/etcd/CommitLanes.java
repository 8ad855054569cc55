package io.enipam.etcd;

import com.google.protobuf.ByteString;
import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.port.Scheduler;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.JournalException;
import io.etcd.jetcd.api.Compare;
import io.etcd.jetcd.api.Compare.CompareResult;
import io.etcd.jetcd.api.Compare.CompareTarget;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.LeaseGrantRequest;
import io.etcd.jetcd.api.LeaseGrpc;
import io.etcd.jetcd.api.LeaseKeepAliveRequest;
import io.etcd.jetcd.api.LeaseRevokeRequest;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.RangeResponse;
import io.etcd.jetcd.api.RequestOp;
import io.etcd.jetcd.api.TxnRequest;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Commits of one client that are carried out once, though the request may be sent several times. Thread-safe.
 *
 * <p>A request whose answer is lost may have been carried out, may never be, or may be on its way still; to send it again could
 * do it twice. So each commit is on a lane: a key with the number of its last commit, and one commit on it at a time. The request
 * compares that the key has a lower number, and puts its own. If it finds its own number there, an earlier try was carried out. If
 * another row has changed instead, and an earlier try may be on its way, the number is put as spent before the transaction
 * runs again: that try then finds it and does nothing.
 *
 * <p>The lanes have a lease, which is kept alive: they vanish a minute after the client has. A lane that is missing, as after a
 * minute without a connection, lets no request through. The transaction leaves the lease as it is ({@code ignore_lease}), so that
 * one which has expired is a missing lane and no failure of another kind.
 */
final class CommitLanes implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CommitLanes.class);
    private static final int MOST = 32;
    private static final Duration LEASE = Duration.ofMinutes(1);
    private static final Duration LONGEST_CLOSE = Duration.ofSeconds(2);
    /** Of the largest number. */
    private static final int DIGITS = 19;

    private static final String COMMITTED = "c";
    private static final String SPENT = "s";

    private final EtcdClient client;
    private final EtcdKeys keys;
    private final String owner;
    private final Scheduler scheduler;
    private final Deque<Lane> free = new ArrayDeque<>(); // by this
    private final Deque<CompletableFuture<Lane>> waiting = new ArrayDeque<>(); // by this
    private final AtomicLong named = new AtomicLong();
    private int lanes; // by this
    private @Nullable CompletableFuture<Long> lease; // by this
    private boolean closed; // by this

    /** A lane: used by one commit at a time. */
    private static final class Lane {
        /** Where it is, and of which lease; nothing until it is used, and after it was lost. */
        private Optional<ByteString> key = Optional.empty();

        private @Nullable CompletableFuture<Long> lease;
        private long number;
    }

    /** What became of a commit. */
    enum Outcome {
        DONE,
        /** Nothing was written, and nothing will be: rows that it compares have changed. */
        CONFLICT
    }

    /** @param owner names the client, unlike any other */
    CommitLanes(EtcdClient client, EtcdKeys keys, String owner, Scheduler scheduler) {
        this.client = client;
        this.keys = keys;
        this.owner = owner;
        this.scheduler = scheduler;
    }

    /** Fails with a {@link JournalException}: {@link ErrorKind#DEADLINE_EXCEEDED} if it is not known whether it was carried out. */
    CompletableFuture<Outcome> commit(CommitRequest request) {
        return borrow().thenCompose(lane -> located(lane)
                .thenCompose(key -> commit(lane, key, request))
                .whenComplete((outcome, failure) -> giveBack(lane)));
    }

    // ---- one commit

    private CompletableFuture<Outcome> commit(Lane lane, ByteString key, CommitRequest request) {
        long number = ++lane.number;
        TxnRequest txn = TxnRequest.newBuilder()
                .addCompare(below(key, number))
                .addAllCompare(request.compares())
                .addSuccess(mark(key, number, COMMITTED))
                .addAllSuccess(request.writes())
                .addFailure(look(key))
                .build();
        return client.call(KVGrpc.getTxnMethod(), txn)
                .thenCompose(answer -> {
                    if (answer.response().getSucceeded()) {
                        return CompletableFuture.completedFuture(Outcome.DONE);
                    }
                    Optional<String> mark =
                            found(answer.response().getResponses(0).getResponseRange());
                    if (mark.isEmpty()) {
                        return lost(lane, answer.uncertain());
                    } else if (mark.get().equals(text(number, COMMITTED))) {
                        return CompletableFuture.completedFuture(Outcome.DONE);
                    }
                    return answer.uncertain()
                            ? spend(lane, key, number)
                                    .exceptionallyCompose(error -> CompletableFuture.failedFuture(unknown(error)))
                            : CompletableFuture.completedFuture(Outcome.CONFLICT);
                })
                .exceptionallyCompose(error -> CompletableFuture.failedFuture(told(error)));
    }

    /** Sees to it that no earlier try of a commit is carried out any more. */
    private CompletableFuture<Outcome> spend(Lane lane, ByteString key, long number) {
        TxnRequest txn = TxnRequest.newBuilder()
                .addCompare(below(key, number))
                .addSuccess(mark(key, number, SPENT))
                .addFailure(look(key))
                .build();
        return client.call(KVGrpc.getTxnMethod(), txn).thenCompose(answer -> {
            if (answer.response().getSucceeded()) {
                return CompletableFuture.completedFuture(Outcome.CONFLICT);
            }
            Optional<String> mark = found(answer.response().getResponses(0).getResponseRange());
            if (mark.isEmpty()) {
                return lost(lane, true);
            }
            return CompletableFuture.completedFuture(
                    mark.get().equals(text(number, COMMITTED)) ? Outcome.DONE : Outcome.CONFLICT);
        });
    }

    private CompletableFuture<Outcome> lost(Lane lane, boolean uncertain) {
        lane.key = Optional.empty();
        forget(lane.lease);
        return uncertain
                ? CompletableFuture.failedFuture(unknown(new JournalException(
                        ErrorKind.UNAVAILABLE,
                        "etcd at " + client.where() + " was away for longer than " + LEASE.toSeconds() + " s")))
                : CompletableFuture.completedFuture(Outcome.CONFLICT);
    }

    private static Throwable told(Throwable error) {
        Throwable cause = Stages.cause(error);
        return cause instanceof EtcdException known && known.isUncertain() ? unknown(known) : cause;
    }

    private static JournalException unknown(Throwable error) {
        Throwable cause = Stages.cause(error);
        if (cause instanceof JournalException told && told.kind() == ErrorKind.DEADLINE_EXCEEDED) {
            return told;
        }
        return new JournalException(
                ErrorKind.DEADLINE_EXCEEDED,
                cause.getMessage() + "; whether the commit was written is not known",
                cause);
    }

    private static Compare below(ByteString key, long number) {
        return Compare.newBuilder()
                .setKey(key)
                .setTarget(CompareTarget.VALUE)
                .setResult(CompareResult.LESS)
                .setValue(ByteString.copyFromUtf8(text(number, "")))
                .build();
    }

    private static RequestOp mark(ByteString key, long number, String state) {
        return RequestOp.newBuilder()
                .setRequestPut(PutRequest.newBuilder()
                        .setKey(key)
                        .setValue(ByteString.copyFromUtf8(text(number, state)))
                        .setIgnoreLease(true))
                .build();
    }

    private static RequestOp look(ByteString key) {
        return RequestOp.newBuilder()
                .setRequestRange(RangeRequest.newBuilder().setKey(key))
                .build();
    }

    private static Optional<String> found(RangeResponse lanes) {
        return lanes.getKvsList().stream()
                .findFirst()
                .map(lane -> lane.getValue().toStringUtf8());
    }

    /** Texts of numbers are in the order of the numbers, whatever follows. */
    private static String text(long number, String state) {
        String digits = Long.toString(number);
        return "0".repeat(DIGITS - digits.length()) + digits + state;
    }

    // ---- the lanes

    private synchronized CompletableFuture<Lane> borrow() {
        if (closed) {
            return CompletableFuture.failedFuture(
                    new JournalException(ErrorKind.UNAVAILABLE, "the journal in etcd is closed"));
        }
        Lane lane = free.poll();
        if (lane == null && lanes < MOST) {
            lanes++;
            lane = new Lane();
        }
        if (lane != null) {
            return CompletableFuture.completedFuture(lane);
        }
        CompletableFuture<Lane> turn = new CompletableFuture<>();
        waiting.add(turn);
        Scheduler.Cancellable timer = scheduler.after(
                client.patience(),
                () -> turn.completeExceptionally(new JournalException(
                        ErrorKind.UNAVAILABLE,
                        MOST + " commits wait for etcd at " + client.where() + ", and this one was not begun")));
        turn.whenComplete((mine, late) -> timer.cancel());
        return turn;
    }

    private void giveBack(Lane lane) {
        CompletableFuture<Lane> next = free(lane);
        while (next != null && !next.complete(lane)) { // its patience was over
            next = free(lane);
        }
    }

    /** Who is to have a lane; nothing if it is free now. */
    private synchronized @Nullable CompletableFuture<Lane> free(Lane lane) {
        CompletableFuture<Lane> next = waiting.poll();
        if (next == null) {
            free.push(lane);
        }
        return next;
    }

    /** The key of a lane, which is made if there is none: under a new name at each try, since an earlier one may come late. */
    private CompletableFuture<ByteString> located(Lane lane) {
        if (lane.key.isPresent()) {
            return CompletableFuture.completedFuture(lane.key.get());
        }
        CompletableFuture<Long> granted = lease();
        return granted.thenCompose(id -> made(lane, granted, id)).exceptionallyCompose(error -> {
            boolean gone =
                    Stages.cause(error) instanceof EtcdException known && known.failure() == EtcdFailure.LEASE_GONE;
            if (gone) {
                forget(granted);
            }
            return gone ? located(lane) : CompletableFuture.failedFuture(Stages.cause(error));
        });
    }

    private CompletableFuture<ByteString> made(Lane lane, CompletableFuture<Long> granted, long id) {
        return client.callAnew(
                        KVGrpc.getPutMethod(),
                        () -> PutRequest.newBuilder()
                                .setKey(keys.lane(owner + "/" + named.incrementAndGet()))
                                .setValue(ByteString.copyFromUtf8(text(0, SPENT)))
                                .setLease(id)
                                .build())
                .thenApply(answer -> {
                    lane.number = 0;
                    lane.lease = granted;
                    lane.key = Optional.of(answer.request().getKey());
                    return answer.request().getKey();
                });
    }

    // ---- the lease

    private synchronized CompletableFuture<Long> lease() {
        if (lease == null || lease.isCompletedExceptionally()) {
            LeaseGrantRequest request =
                    LeaseGrantRequest.newBuilder().setTTL(LEASE.toSeconds()).build();
            lease = client.call(LeaseGrpc.getLeaseGrantMethod(), request)
                    .thenApply(answer -> answer.response().getID());
            CompletableFuture<Long> granted = lease;
            lease.thenAccept(id -> keepAlive(granted, id));
        }
        return lease;
    }

    private synchronized void forget(@Nullable CompletableFuture<Long> granted) {
        if (lease == granted) {
            lease = null;
        }
    }

    private synchronized boolean isCurrent(CompletableFuture<Long> granted) {
        return !closed && lease == granted;
    }

    private void keepAlive(CompletableFuture<Long> granted, long id) {
        scheduler.after(LEASE.dividedBy(4), () -> {
            if (isCurrent(granted)) {
                LeaseKeepAliveRequest request =
                        LeaseKeepAliveRequest.newBuilder().setID(id).build();
                client.call(LeaseGrpc.getLeaseKeepAliveMethod(), request).whenComplete((answer, failure) -> {
                    if (failure != null) {
                        LOG.warn("the lease of this client is not kept alive: {}", failure.toString());
                    }
                    keepAlive(granted, id); // one that has expired is found by the commit that misses its lane
                });
            }
        });
    }

    /** Removes the lanes, if etcd answers; commits that come later fail. */
    @Override
    public void close() {
        CompletableFuture<Long> last;
        synchronized (this) {
            closed = true;
            last = lease;
        }
        if (last != null && last.isDone() && !last.isCompletedExceptionally()) {
            client.once(
                            client.members().get(0),
                            LeaseGrpc.getLeaseRevokeMethod(),
                            LeaseRevokeRequest.newBuilder().setID(last.join()).build())
                    .exceptionally(failure -> {
                        LOG.debug("the lanes of this client stay until their lease expires", failure);
                        return null;
                    })
                    .completeOnTimeout(null, LONGEST_CLOSE.toMillis(), TimeUnit.MILLISECONDS)
                    .join();
        }
    }
}
