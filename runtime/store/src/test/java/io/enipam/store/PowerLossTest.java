package io.enipam.store;

import static io.enipam.store.Samples.ROOMY;
import static io.enipam.store.Samples.intent;
import static io.enipam.store.Samples.keys;
import static io.enipam.store.Samples.owner;
import static io.enipam.store.Samples.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.port.Change;
import io.enipam.engine.port.ResourceDb;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PowerLossTest {
    @TempDir
    Path temp;

    @Test
    void whatever_was_acknowledged_before_the_power_went_is_there_whichever_sectors_made_it() throws Exception {
        PowerLossDisk disk = new PowerLossDisk(new Random(6));
        Path live = temp.resolve("live");
        Set<String> acknowledged = new HashSet<>();
        try (ResourceDb db = JournaledResourceDb.open(live, ROOMY, disk)) {
            for (int loss = 0; loss < 30; loss++) {
                CompletableFuture<Path> lost = disk.loseAtNextForce(live, temp.resolve("lost" + loss));
                List<CompletableFuture<Void>> group = new ArrayList<>();
                for (int i = loss * 20; i < loss * 20 + 20; i++) {
                    group.add(db.commit(List.of(put(i), new Change.PutIntent(intent(i))))
                            .toCompletableFuture());
                }
                try (ResourceDb after = JournaledResourceDb.open(lost.get(60, TimeUnit.SECONDS), ROOMY)) {
                    Set<String> missing = new HashSet<>(acknowledged);
                    keys(after, "leases").forEach(missing::remove);
                    assertThat(missing).as("loss %s", loss).isEmpty();
                    assertThat(keys(after, "intents").size())
                            .isEqualTo(keys(after, "leases").size());
                }
                group.forEach(CompletableFuture::join);
                for (int i = loss * 20; i < loss * 20 + 20; i++) {
                    acknowledged.add(owner(i).toString());
                }
            }
        }
    }
}
