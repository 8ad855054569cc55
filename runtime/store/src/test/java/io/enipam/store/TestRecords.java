package io.enipam.store;

import io.enipam.engine.model.Hold;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.Pod;
import io.enipam.engine.model.Pod.PodCopy;
import io.enipam.engine.model.Pod.PodNetworkSpec;
import io.enipam.engine.model.TableRow;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.port.ResourceDb.Intent;
import io.enipam.sdk.Address;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceKind;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Records and small databases for the tests. */
final class TestRecords {
    static final Instant NOON = Instant.parse("2026-11-21T12:00:00.000000001Z");
    static final Clock CLOCK = Clock.fixed(NOON, ZoneOffset.UTC);
    /** Journal files of 16 KiB: some thirty leases fill one. */
    static final StoreOptions SMALL = new StoreOptions(16 << 10, 4096, CLOCK);
    /** One journal file for the whole test. */
    static final StoreOptions ROOMY = new StoreOptions(256 << 10, 4096, CLOCK);

    private TestRecords() {}

    static OwnerKey owner(int n) {
        return new OwnerKey("cbr0", "sandbox-" + n, "eth0");
    }

    static Resource resource(int n) {
        String ip = "10.0." + (n >> 8 & 255) + "." + (n & 255);
        return new Resource(
                new ResourceId("eni-a/" + ip),
                ResourceKind.ENI_IP,
                List.of(Address.parse(ip + "/16"), Address.parse("fd00::" + Integer.toHexString(n + 1) + "/64")),
                "eni-a",
                Map.of(Resource.MAC, "00:16:3e:00:00:01", Resource.GATEWAY, "10.0.255.253"));
    }

    static Lease lease(int n) {
        return new Lease(
                owner(n), new PodRef("default", "web-" + n), "uid-" + n, resource(n), Duration.ofMinutes(5), NOON);
    }

    static Hold hold(int n) {
        return new Hold(
                resource(n),
                Hold.Purpose.RESERVED,
                new PodRef("default", "db-" + n),
                NOON.plusSeconds(n),
                Duration.ZERO);
    }

    /** The same hold of another factory's resource, which has the same id and other addresses. */
    static Hold hold(int n, String factory) {
        Resource like = resource(n);
        String ip = "10." + (1 + factory.length()) + "." + (n >> 8 & 255) + "." + (n & 255);
        Resource made = new Resource(like.id(), like.kind(), List.of(Address.parse(ip + "/16")), "", Map.of());
        Hold hold = hold(n);
        return new Hold(made.madeBy(factory), hold.purpose(), hold.pod(), hold.until(), hold.length());
    }

    static Intent intent(int n) {
        return new Intent("token-" + n, Intent.Action.CREATE, NOON, "");
    }

    static PodCopy copy(int n, Optional<Instant> expires) {
        Pod pod = new Pod(
                new PodRef("default", "web-" + n),
                "uid-" + n,
                expires.isPresent(),
                Duration.ofMinutes(5),
                resource(n).addresses().stream().map(Address::ip).toList(),
                n % 2 == 0
                        ? PodNetworkSpec.NONE
                        : new PodNetworkSpec(OptionalLong.of(1_250_000), OptionalLong.of(10 << 20), true));
        return new PodCopy(pod, NOON, expires);
    }

    /** Of even numbers with an object as its value, of odd ones with any text. */
    static TableRow row(int n) {
        String value = n % 2 == 0 ? "{\"node\":\"n-" + n + "\"}" : "{ \"n\": 1.0e2\t} " + n;
        return new TableRow("node-ipam", "blocks", "10.0." + n + ".0/24", 1, n + 1, value);
    }

    static Change put(int n) {
        return new Change.PutLease(lease(n));
    }

    static void commit(ResourceDb db, Change... changes) {
        await(db, changes);
    }

    private static void await(ResourceDb db, Change... changes) {
        CompletableFuture<Void> done = db.commit(List.of(changes)).toCompletableFuture();
        done.orTimeout(60, TimeUnit.SECONDS).join();
    }

    static List<String> keys(ResourceDb db, String bucket) {
        return db.records().stream()
                .filter(record -> record.bucket().equals(bucket))
                .map(ResourceDb.RawRecord::key)
                .toList();
    }
}
