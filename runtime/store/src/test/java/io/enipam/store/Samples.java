package io.enipam.store;

import io.enipam.engine.model.Hold;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.Intent;
import io.enipam.engine.port.ResourceDb;
import io.enipam.sdk.Address;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceKind;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Values to store, one for each number. */
final class Samples {
    static final Instant NOON = Instant.parse("2026-01-01T12:00:00.123456789Z");

    private Samples() {}

    static Resource resource(int n) {
        String host = "10." + (n >> 16) + "." + ((n >> 8) & 255) + "." + (n & 255);
        return new Resource(
                new ResourceId("eni-1/" + host),
                ResourceKind.ENI_IP,
                List.of(
                        Address.parse(host + "/8"),
                        Address.parse(String.format("fd00::%x:%x/64", n >> 16, n & 0xffff))),
                "eni-1",
                Map.of(Resource.MAC, "00:16:3e:00:00:01", Resource.GATEWAY, "10.255.255.253"));
    }

    static Lease lease(int n) {
        return new Lease(
                new OwnerKey("enipam", "c" + n, "eth0"),
                PodRef.parse("default/web-" + n),
                "uid-" + n,
                resource(n),
                Duration.ofMinutes(5),
                NOON.plusSeconds(n));
    }

    static Hold hold(int n) {
        return new Hold(resource(n), Hold.Purpose.RESERVED, PodRef.parse("default/web-" + n), NOON.plusSeconds(n));
    }

    static Intent intent(int n) {
        return new Intent("token-" + n, Intent.Action.CREATE, NOON.plusSeconds(n));
    }

    static Change put(int n) {
        return new Change.PutLease(lease(n));
    }

    static CompletableFuture<Void> commit(ResourceDb db, Change... changes) {
        return db.commit(List.of(changes)).toCompletableFuture();
    }

    /** The numbers of the leases in a database, in order. */
    static List<Integer> leases(ResourceDb db) {
        return db.contents().leases().stream()
                .map(lease -> Integer.parseInt(lease.owner().containerId().substring(1)))
                .sorted()
                .toList();
    }
}
