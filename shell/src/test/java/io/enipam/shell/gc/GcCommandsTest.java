package io.enipam.shell.gc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Timestamp;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.RenderContext;
import io.enipam.v1.GcReport;
import io.enipam.v1.GcSpared;
import io.enipam.v1.Lease;
import io.enipam.v1.Resource;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

class GcCommandsTest {
    private static final RenderContext PLAIN = new RenderContext(Palette.PLAIN, Instant.EPOCH, ZoneOffset.UTC, true);

    @Test
    void aCollectionListsWhatItSparedAndWhyAndUntilWhen() {
        GcSpared grace = GcSpared.newBuilder()
                .setLease(lease("default/ghost-0", "10.0.0.7/24"))
                .setReason("the pod does not exist, but the lease has no UID")
                .setUntil(Timestamp.newBuilder().setSeconds(600))
                .build();
        GcSpared connected = GcSpared.newBuilder()
                .setLease(lease("kube-system/proxy", "10.0.0.8/24"))
                .setReason("its sandbox is connected")
                .build();

        assertThat(GcCommands.report(
                        GcReport.newBuilder()
                                .setExamined(12)
                                .addSpared(grace)
                                .addSpared(connected)
                                .build(),
                        PLAIN))
                .satisfies(
                        lines -> assertThat(lines.get(0)).startsWith("examined 12 leases, collected 0, spared 2, in"))
                .endsWith(
                        "spared default/ghost-0, 10.0.0.7/24, until 00:10:00 at least: the pod does not exist, but the"
                                + " lease has no UID",
                        "spared kube-system/proxy, 10.0.0.8/24: its sandbox is connected");
    }

    private static Lease lease(String pod, String address) {
        return Lease.newBuilder()
                .setPod(pod)
                .setResource(Resource.newBuilder().addAddresses(address))
                .build();
    }
}
