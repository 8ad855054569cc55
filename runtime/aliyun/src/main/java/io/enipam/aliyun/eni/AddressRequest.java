package io.enipam.aliyun.eni;

import io.enipam.engine.port.Scheduler;
import io.enipam.sdk.CreateRequest;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.RequestToken;
import java.util.concurrent.CompletableFuture;

/** One wish for an address, until it is answered. Guarded by the fleet's lock, but for its future. */
final class AddressRequest {
    /** How often a wish is tried before it fails. */
    static final int ROUNDS = 4;

    private final CreateRequest request;
    private final CompletableFuture<CreateResult> result = new CompletableFuture<>();
    private Scheduler.Cancellable timer = () -> {};
    private int round;
    private boolean answered;

    AddressRequest(CreateRequest request) {
        this.request = request;
    }

    RequestToken token() {
        return request.token();
    }

    CreateRequest request() {
        return request;
    }

    CompletableFuture<CreateResult> result() {
        return result;
    }

    /** Set once the deadline's timer runs. */
    void timer(Scheduler.Cancellable deadline) {
        timer = deadline;
    }

    /** How often it was tried for certain: part of the client token, so that a new try is a new call. */
    int round() {
        return round;
    }

    void nextRound() {
        round++;
    }

    boolean answered() {
        return answered;
    }

    /** Claims the right to answer. Whoever claimed it completes the future after the lock is released. */
    boolean claim() {
        if (answered) {
            return false;
        }
        answered = true;
        timer.cancel();
        return true;
    }
}
