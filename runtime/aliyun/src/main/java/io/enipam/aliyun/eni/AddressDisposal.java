package io.enipam.aliyun.eni;

import io.enipam.sdk.DisposeResult;
import io.enipam.sdk.ResourceId;
import java.util.concurrent.CompletableFuture;

/** One address on its way out, until it is gone. Guarded by the fleet's lock, but for its future. */
final class AddressDisposal {
    private final ResourceId id;
    private final String ip;
    private final CompletableFuture<DisposeResult> result = new CompletableFuture<>();
    private int round;

    AddressDisposal(ResourceId id, String ip) {
        this.id = id;
        this.ip = ip;
    }

    ResourceId id() {
        return id;
    }

    String ip() {
        return ip;
    }

    CompletableFuture<DisposeResult> result() {
        return result;
    }

    int nextRound() {
        return ++round;
    }
}
