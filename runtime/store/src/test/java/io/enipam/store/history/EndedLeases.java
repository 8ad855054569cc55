package io.enipam.store.history;

import io.enipam.engine.model.Lease;
import io.enipam.engine.model.LeaseEnd;
import io.enipam.engine.model.LeaseRecord;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.LeaseHistory.LeaseQuery;
import io.enipam.engine.port.ResourceDb;
import io.enipam.sdk.Address;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceKind;
import io.enipam.store.Disk;
import io.enipam.store.JournaledResourceDb;
import io.enipam.store.StoreOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/** Leases as a node has them, numbered, and a database beside a history. */
final class EndedLeases {
    static final Instant NOON = Instant.parse("2026-11-21T12:00:00Z");
    static final Clock CLOCK = Clock.fixed(NOON.plus(Duration.ofDays(1)), ZoneOffset.UTC);
    static final HistoryLimits ROOMY = new HistoryLimits(Duration.ofDays(30), 256L << 20);
    /** Journal files that seven commits or so fill. */
    static final StoreOptions TINY = new StoreOptions(8 << 10, 64, CLOCK);

    private EndedLeases() {}

    /** Of a node with 250 addresses; each number is another container. */
    static Lease lease(int n) {
        Random random = new Random(n);
        String ip = "10.1.2." + (n % 250 + 1);
        String eni = "eni-bp1" + (n % 250 / 10) + "a6hnxw1e5j3ks";
        Resource resource = new Resource(
                new ResourceId(eni + "/" + ip),
                ResourceKind.ENI_IP,
                List.of(Address.parse(ip + "/24")),
                eni,
                Map.of(Resource.MAC, "00:16:3e:00:00:01", Resource.GATEWAY, "10.1.2.253"));
        String container = "%016x%016x%016x%016x"
                .formatted(random.nextLong(), random.nextLong(), random.nextLong(), random.nextLong());
        String pod =
                "checkout-" + "%08x".formatted(n / 50 * 31) + "-" + Integer.toString(Math.abs(random.nextInt()), 36);
        return new Lease(
                new OwnerKey("enipam", container, "eth0"),
                new PodRef("shop", pod),
                new UUID(random.nextLong(), random.nextLong()).toString(),
                resource,
                Duration.ZERO,
                NOON.plusMillis(n * 10L));
    }

    static LeaseEnd end(int n) {
        return new LeaseEnd(LeaseEnd.Reason.DEL, "cni", "", NOON.plusMillis(n * 10L + 2000));
    }

    static LeaseRecord ended(int n) {
        return LeaseRecord.of(lease(n), Optional.of(end(n)));
    }

    static Change put(int n) {
        return new Change.PutLease(lease(n));
    }

    static Change remove(int n) {
        return new Change.RemoveLease(lease(n).owner(), end(n));
    }

    static void commit(ResourceDb db, Change... changes) {
        db.commit(List.of(changes))
                .toCompletableFuture()
                .orTimeout(60, TimeUnit.SECONDS)
                .join();
    }

    static LeaseQuery everything() {
        return new LeaseQuery(Optional.empty(), Instant.EPOCH, Instant.MAX, Integer.MAX_VALUE);
    }

    static LeaseQuery of(String subject) {
        return new LeaseQuery(Optional.of(subject), Instant.EPOCH, Instant.MAX, Integer.MAX_VALUE);
    }

    /** Below a directory: {@code db} and {@code history}. */
    record Node(JournaledResourceDb db, LeaseHistoryFiles history) implements AutoCloseable {
        static Node open(Path directory) throws IOException {
            Files.createDirectories(directory.resolve("history"));
            return open(directory, Disk.local(), Disk.local());
        }

        static Node open(Path directory, Disk database, Disk files) {
            LeaseHistoryFiles history =
                    LeaseHistoryFiles.open(directory.resolve("history"), () -> ROOMY, CLOCK, files, 16);
            try {
                return new Node(
                        JournaledResourceDb.open(directory.resolve("db"), TINY, database, () -> history), history);
            } catch (RuntimeException e) {
                history.close();
                throw e;
            }
        }

        @Override
        public void close() {
            db.close();
            history.close();
        }
    }
}
