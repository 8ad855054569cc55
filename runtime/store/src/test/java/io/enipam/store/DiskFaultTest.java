package io.enipam.store;

import static io.enipam.store.Samples.commit;
import static io.enipam.store.Samples.leases;
import static io.enipam.store.Samples.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.port.Change;
import io.enipam.engine.port.ResourceDb;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiskFaultTest {
    private final FaultyDisk disk = new FaultyDisk();

    @TempDir
    Path directory;

    @Test
    void aFullDiskFailsTheCommitChangesNothingAndHeals() {
        try (ResourceDb db = JournaledResourceDb.open(directory, disk, 100_000)) {
            commit(db, put(1)).join();

            disk.refuseWrites.set(true);
            failed(commit(db, put(2)), "No space left on device");
            failed(commit(db, new Change.RemoveLease(Samples.lease(1).owner())), "No space left on device");
            assertThat(leases(db)).containsExactly(1);

            disk.refuseWrites.set(false);
            commit(db, put(3)).join();
            assertThat(leases(db)).containsExactly(1, 3);
        }
        try (ResourceDb db = JournaledResourceDb.open(directory)) {
            assertThat(leases(db)).containsExactly(1, 3);
        }
    }

    @Test
    void aCommitWhoseForceFailedDoesNotComeBackOnceALaterOneWasAcknowledged() {
        try (ResourceDb db = JournaledResourceDb.open(directory, disk, 100_000)) {
            commit(db, put(1)).join();
            disk.refuseForces.set(true);
            failed(commit(db, put(2)), "Input/output error");
            disk.refuseForces.set(false);
            commit(db, put(3)).join();
        }
        try (ResourceDb db = JournaledResourceDb.open(directory)) {
            assertThat(leases(db)).containsExactly(1, 3);
        }
    }

    private static void failed(CompletableFuture<Void> commit, String why) {
        assertThat(commit)
                .failsWithin(Duration.ofSeconds(10))
                .withThrowableOfType(ExecutionException.class)
                .withMessageContaining(why);
    }
}
