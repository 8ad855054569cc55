package io.enipam.frontends.terway;

import io.enipam.frontends.grpc.GrpcFailures;
import io.enipam.terway.rpc.AllocIPReply;
import io.enipam.terway.rpc.AllocIPRequest;
import io.enipam.terway.rpc.GetInfoReply;
import io.enipam.terway.rpc.GetInfoRequest;
import io.enipam.terway.rpc.ReleaseIPReply;
import io.enipam.terway.rpc.ReleaseIPRequest;
import io.enipam.terway.rpc.TerwayBackendGrpc;
import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The contract's three calls. A call that cannot be served ends with a status that says why and what to do, within the time that the
 * plugin gives it (120 s); {@code Success} is never false. Thread-safe.
 */
final class TerwayBackendService extends TerwayBackendGrpc.TerwayBackendImplBase {
    /** What terway's plugin waits; for one that says nothing of its patience. */
    private static final Duration PLUGINS_PATIENCE = Duration.ofSeconds(120);

    /** So much is left to undo what came to nothing, and to say so. */
    private static final Duration LAST_WORDS = Duration.ofSeconds(2);

    private static final Logger LOG = LoggerFactory.getLogger(TerwayBackendService.class);

    private final AllocIpHandler allocation;
    private final ReleaseIpHandler release;
    private final GetIpInfoHandler information;

    TerwayBackendService(TerwayContext desk) {
        ActiveAllocations underway = new ActiveAllocations();
        CidrSandboxStore sandboxes = new CidrSandboxStore(desk.hostLocal().sandboxes());
        this.allocation = new AllocIpHandler(desk, underway, sandboxes);
        this.release = new ReleaseIpHandler(desk, underway, sandboxes);
        this.information = new GetIpInfoHandler(desk, underway, sandboxes, release);
    }

    @Override
    public void allocIP(AllocIPRequest request, StreamObserver<AllocIPReply> observer) {
        ServerCallStreamObserver<AllocIPReply> caller = tolerant(observer);
        Duration patience = patience();
        staged(() -> allocation.allocate(request, patience)).whenComplete((given, failure) -> {
            if (failure != null) {
                refuse("AllocIP", caller, failure);
            } else if (caller.isCancelled()) {
                // nobody would ever come for it
                given.takeBack().whenComplete((done, error) -> {
                    if (error != null) {
                        LOG.warn("what a caller that went away was given is left to the garbage collector", error);
                    }
                });
            } else {
                answer(caller, given.reply());
            }
        });
    }

    @Override
    public void releaseIP(ReleaseIPRequest request, StreamObserver<ReleaseIPReply> observer) {
        unary("ReleaseIP", observer, () -> release.release(request));
    }

    @Override
    public void getIPInfo(GetInfoRequest request, StreamObserver<GetInfoReply> observer) {
        unary("GetIPInfo", observer, () -> information.of(request));
    }

    private static <R> void unary(
            String call, StreamObserver<R> observer, Supplier<? extends CompletionStage<R>> work) {
        ServerCallStreamObserver<R> caller = tolerant(observer);
        staged(work).whenComplete((reply, failure) -> {
            if (failure != null) {
                refuse(call, caller, failure);
            } else {
                answer(caller, reply);
            }
        });
    }

    private static <R> void answer(StreamObserver<R> caller, R reply) {
        caller.onNext(reply);
        caller.onCompleted();
    }

    private static void refuse(String call, StreamObserver<?> caller, Throwable failure) {
        RuntimeException words = GrpcFailures.plainStatus(failure);
        LOG.info("{} ends with {}", call, words.getMessage());
        caller.onError(words);
    }

    /** A caller that hung up is no bug: without a handler, gRPC throws at whoever answers it. */
    private static <R> ServerCallStreamObserver<R> tolerant(StreamObserver<R> observer) {
        ServerCallStreamObserver<R> caller = (ServerCallStreamObserver<R>) observer;
        caller.setOnCancelHandler(() -> {});
        return caller;
    }

    private static <T> CompletionStage<T> staged(Supplier<? extends CompletionStage<T>> work) {
        try {
            return work.get();
        } catch (RuntimeException e) {
            return CompletableFuture.failedStage(e);
        }
    }

    /** How long an allocation may take, at least a moment. */
    private static Duration patience() {
        Deadline deadline = Context.current().getDeadline();
        Duration left =
                deadline == null ? PLUGINS_PATIENCE : Duration.ofNanos(deadline.timeRemaining(TimeUnit.NANOSECONDS));
        Duration most = left.compareTo(PLUGINS_PATIENCE) < 0 ? left : PLUGINS_PATIENCE;
        Duration usable = most.minus(LAST_WORDS);
        return usable.compareTo(Duration.ofMillis(500)) < 0 ? Duration.ofMillis(500) : usable;
    }
}
