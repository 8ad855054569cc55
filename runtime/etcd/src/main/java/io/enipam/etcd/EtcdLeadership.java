package io.enipam.etcd;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.google.protobuf.ByteString;
import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.port.Leadership;
import io.enipam.engine.port.LeadershipTerms;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.TimeSource;
import io.etcd.jetcd.api.Compare;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.LeaseGrantRequest;
import io.etcd.jetcd.api.LeaseGrpc;
import io.etcd.jetcd.api.LeaseKeepAliveRequest;
import io.etcd.jetcd.api.LeaseRevokeRequest;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.RequestOp;
import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.api.TxnResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Leadership by a key in etcd under a lease: the replica whose lease has the key leads. Thread-safe.
 *
 * <p>One round follows the other. A round renews the lease, or is granted one, and then puts the key if there is none (its create
 * revision is 0), or reads who has it. While the key has this replica's lease, this replica leads until two thirds of the lease
 * are over, counted from the moment at which the renewal was sent: etcd counts from a later one, so the lease outlasts that, also
 * where etcd's clock runs faster by a half. A renewal that is not answered changes nothing in that; nor does a process that was
 * stopped, since the monotonic clock went on.
 *
 * <pre>
 * no lease -> lease -> lease and key      granted; the key was put
 *             lease -> no lease           it has expired
 *                      lease and key -> lease      the key is another replica's, as after an operator deleted it
 *                      lease and key -> no lease   it has expired; leads() is false before that
 * </pre>
 */
final class EtcdLeadership implements Leadership {
    static final Duration LEASE = Duration.ofSeconds(15);

    private static final Logger LOG = LoggerFactory.getLogger(EtcdLeadership.class);
    private static final Duration LONGEST_CLOSE = Duration.ofSeconds(2);
    private static final long NO_LEASE = 0;

    private final EtcdClient client;
    private final ByteString key;
    private final String replica;
    private final Duration lease;
    private final Scheduler scheduler;
    private final TimeSource time;
    private final LeadershipTerms terms;
    private volatile Optional<String> leader = Optional.empty();

    @GuardedBy("this")
    private long leaseId = NO_LEASE;

    @GuardedBy("this")
    private boolean closed;

    private volatile boolean away;

    /** @param lease 3 s or more: etcd grants none that is shorter than its elections */
    EtcdLeadership(
            EtcdClient client, ByteString key, String replica, Duration lease, Scheduler scheduler, TimeSource time) {
        this.client = client;
        this.key = key;
        this.replica = replica;
        this.lease = lease;
        this.scheduler = scheduler;
        this.time = time;
        this.terms = new LeadershipTerms(time, scheduler);
    }

    EtcdLeadership begun() {
        round();
        return this;
    }

    @Override
    public boolean leads() {
        return terms.running();
    }

    @Override
    public Optional<String> leader() {
        return leader;
    }

    @Override
    public void follow(Consumer<Boolean> listener) {
        terms.follow(listener);
    }

    // ---- rounds

    private void round() {
        Optional<Long> known;
        synchronized (this) {
            if (closed) {
                return;
            }
            known = leaseId == NO_LEASE ? Optional.empty() : Optional.of(leaseId);
        }
        Sent sent = new Sent();
        known.map(id -> renewed(id, sent))
                .orElseGet(() -> granted(sent))
                .thenCompose(id -> id == NO_LEASE ? CompletableFuture.completedFuture(null) : contend(id, sent))
                .whenComplete((done, failure) -> {
                    note(failure);
                    boolean expired = failure == null && !hasLease();
                    scheduler.after(expired ? Duration.ZERO : lease.dividedBy(6), this::round);
                });
    }

    /** When the try was sent that was answered: a client's tries come one after the other. */
    private static final class Sent {
        private volatile long nanos;
    }

    private CompletableFuture<Long> granted(Sent sent) {
        LeaseGrantRequest request =
                LeaseGrantRequest.newBuilder().setTTL(lease.toSeconds()).build();
        return client.callAnew(LeaseGrpc.getLeaseGrantMethod(), () -> now(request, sent))
                .thenApply(answer -> has(answer.response().getID()));
    }

    private CompletableFuture<Long> renewed(long id, Sent sent) {
        LeaseKeepAliveRequest request =
                LeaseKeepAliveRequest.newBuilder().setID(id).build();
        return client.callAnew(LeaseGrpc.getLeaseKeepAliveMethod(), () -> now(request, sent))
                .thenApply(answer -> has(answer.response().getTTL() > 0 ? id : NO_LEASE));
    }

    private <Q> Q now(Q request, Sent sent) {
        sent.nanos = time.nanoTime();
        return request;
    }

    /** Returns the lease to contend with; none after the close, so that one which is granted just then gets no key. */
    private synchronized long has(long id) {
        leaseId = id;
        if (id == NO_LEASE) {
            terms.end();
        }
        return closed ? NO_LEASE : id;
    }

    private synchronized boolean hasLease() {
        return leaseId != NO_LEASE;
    }

    /** Puts the key if there is none, else finds out who has it. An earlier try of the same may have put it. */
    private CompletableFuture<Void> contend(long id, Sent sent) {
        TxnRequest txn = TxnRequest.newBuilder()
                .addCompare(Compare.newBuilder()
                        .setKey(key)
                        .setTarget(Compare.CompareTarget.CREATE)
                        .setResult(Compare.CompareResult.EQUAL)
                        .setCreateRevision(0))
                .addSuccess(RequestOp.newBuilder()
                        .setRequestPut(PutRequest.newBuilder()
                                .setKey(key)
                                .setValue(ByteString.copyFromUtf8(replica))
                                .setLease(id)))
                .addFailure(RequestOp.newBuilder()
                        .setRequestRange(RangeRequest.newBuilder().setKey(key)))
                .build();
        return client.call(KVGrpc.getTxnMethod(), txn)
                .thenAccept(answer -> learn(answer.response(), id, sent))
                .exceptionallyCompose(failure -> {
                    boolean gone = Stages.cause(failure) instanceof EtcdException known
                            && known.failure() == EtcdFailure.LEASE_GONE;
                    if (gone) {
                        has(NO_LEASE);
                    }
                    return gone ? CompletableFuture.completedFuture(null) : CompletableFuture.failedFuture(failure);
                });
    }

    private void learn(TxnResponse answer, long id, Sent sent) {
        Optional<KeyValue> other = answer.getSucceeded()
                ? Optional.empty()
                : answer.getResponses(0).getResponseRange().getKvsList().stream()
                        .filter(found -> found.getLease() != id)
                        .findFirst();
        leader = Optional.of(other.map(found -> found.getValue().toStringUtf8()).orElse(replica));
        if (other.isPresent()) {
            terms.end();
        } else {
            terms.renewed(sent.nanos + lease.toNanos() * 2 / 3);
        }
    }

    private void note(@Nullable Throwable failure) {
        if (failure != null && !away) {
            LOG.warn(
                    "this replica cannot renew its lease of the leadership: {}",
                    Stages.cause(failure).getMessage());
        } else if (failure == null && away) {
            LOG.info("the lease of the leadership can be renewed again");
        }
        away = failure != null;
    }

    /** Leads no more when it returns, and has revoked the lease, if etcd answers within 2 s. */
    @Override
    public void close() {
        long last;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            last = leaseId;
        }
        terms.close();
        if (last != NO_LEASE) {
            client.call(
                            LeaseGrpc.getLeaseRevokeMethod(),
                            LeaseRevokeRequest.newBuilder().setID(last).build())
                    .handle((done, failure) -> {
                        if (failure != null) {
                            LOG.debug("the lease of the leadership stays until it expires", failure);
                        }
                        return null;
                    })
                    .completeOnTimeout(null, LONGEST_CLOSE.toMillis(), TimeUnit.MILLISECONDS)
                    .join();
        }
    }
}
