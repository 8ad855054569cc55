package io.enipam.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.util.Durations;
import com.google.protobuf.util.Timestamps;
import io.enipam.daemon.testing.EmulatedSurroundings;
import io.enipam.daemon.testing.LivingDaemon;
import io.enipam.v1.GetLeaseHistoryReply;
import io.enipam.v1.GetLeaseHistoryRequest;
import io.enipam.v1.Lease;
import io.enipam.v1.LeaseRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The whole daemon, asked who had an address. */
@Timeout(240)
class LeaseHistoryOverRestartTest {
    private static final Duration PATIENTLY = Duration.ofSeconds(90);

    @TempDir
    Path root;

    @Test
    void whoHadAnAddressIsKnownAfterARestartByEachNameAndAtAnyTime() throws IOException {
        Lease gone;
        try (LivingDaemon daemon = LivingDaemon.start(root, new EmulatedSurroundings())) {
            gone = daemon.add("default/gone", PATIENTLY);
            daemon.add("default/stays", PATIENTLY);
            daemon.del(gone);
            assertThat(find(daemon, "default/gone")).hasSize(1);
        }
        try (LivingDaemon daemon = LivingDaemon.start(root, new EmulatedSurroundings())) {
            String address = gone.getResource().getAddresses(0).replaceAll("/.*", "");
            List<LeaseRecord> had = find(daemon, address);
            assertThat(had).hasSize(1);
            LeaseRecord lease = had.get(0);
            assertThat(lease.getPod()).isEqualTo("default/gone");
            assertThat(lease.getOwner()).isEqualTo(gone.getOwner());
            assertThat(lease.getEni()).isEqualTo(gone.getResource().getParent());
            assertThat(lease.getEnd().getReason()).isEqualTo("DEL");
            assertThat(Timestamps.compare(lease.getEnd().getAt(), lease.getSince()))
                    .isNotNegative();

            assertThat(find(daemon, "gone")).containsExactly(lease);
            assertThat(find(daemon, gone.getOwner().getContainer())).containsExactly(lease);
            assertThat(find(daemon, gone.getResource().getParent()))
                    .extracting(LeaseRecord::getPod)
                    .as("the one that stands comes first")
                    .containsExactly("default/stays", "default/gone");
            assertThat(find(daemon, "default/stays").get(0).hasEnd()).isFalse();
            assertThat(find(daemon, "default/never")).isEmpty();

            GetLeaseHistoryRequest then = GetLeaseHistoryRequest.newBuilder()
                    .setWhat(address)
                    .setFrom(lease.getSince())
                    .setTo(lease.getSince())
                    .build();
            GetLeaseHistoryReply reply = daemon.client().inspect().getLeaseHistory(then);
            assertThat(reply.getLeasesList()).containsExactly(lease);
            assertThat(reply.getHistory().getLeases()).isEqualTo(1);
            assertThat(reply.getHistory().getTrouble()).isEmpty();
            GetLeaseHistoryRequest before = then.toBuilder()
                    .setFrom(Timestamps.subtract(lease.getSince(), Durations.fromSeconds(60)))
                    .setTo(Timestamps.subtract(lease.getSince(), Durations.fromSeconds(60)))
                    .build();
            assertThat(daemon.client().inspect().getLeaseHistory(before).getLeasesList())
                    .isEmpty();
        }
    }

    @Test
    void aDirectoryThatCannotBeMadeKeepsNoPodFromItsAddress() throws IOException {
        DaemonLayout layout = DaemonLayout.below(root);
        Files.createDirectories(layout.leaseHistory().getParent());
        Files.writeString(layout.leaseHistory(), "a file in its place");
        try (LivingDaemon daemon = LivingDaemon.start(root, new EmulatedSurroundings())) {
            daemon.del(daemon.add("default/web-0", PATIENTLY));
            GetLeaseHistoryReply reply =
                    daemon.client().inspect().getLeaseHistory(GetLeaseHistoryRequest.getDefaultInstance());
            assertThat(reply.getHistory().getTrouble()).contains("cannot be read");
        }
    }

    private static List<LeaseRecord> find(LivingDaemon daemon, String what) {
        return daemon.client()
                .inspect()
                .getLeaseHistory(
                        GetLeaseHistoryRequest.newBuilder().setWhat(what).build())
                .getLeasesList();
    }
}
