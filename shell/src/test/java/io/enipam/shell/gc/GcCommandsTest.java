package io.enipam.shell.gc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Timestamp;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.pod.PodCommands;
import io.enipam.v1.GcGrant;
import io.enipam.v1.GcReport;
import io.enipam.v1.GcSpared;
import io.enipam.v1.Lease;
import io.enipam.v1.PluginGrant;
import io.enipam.v1.PodInfo;
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

    @Test
    void aCollectionListsTheGrantsOfPluginsThatEndedAndThoseThatStay() {
        GcReport report = GcReport.newBuilder()
                .setExamined(2)
                .setExaminedGrants(3)
                .addCollectedGrants(GcGrant.newBuilder()
                        .setGrant(grant("default/web-0", "10.77.0.2/24"))
                        .setReason("the pod does not exist"))
                .addSparedGrants(GcGrant.newBuilder()
                        .setGrant(grant("kube-system/proxy", "10.77.0.3/24"))
                        .setReason("it is a static pod"))
                .build();

        assertThat(GcCommands.report(report, PLAIN))
                .satisfies(lines -> assertThat(lines.get(0))
                        .startsWith("examined 2 leases and 3 grants of plugins, collected 1, spared 1, in"))
                .anySatisfy(line -> assertThat(line)
                        .contains("default/web-0", "10.77.0.2/24", "lan/c1/eth0", "the pod does not exist"))
                .endsWith("spared kube-system/proxy, 10.77.0.3/24 of extension files: it is a static pod");
        assertThat(GcCommands.pods(report)).containsExactly("default/web-0");
    }

    @Test
    void aPodThatAnAllocatorServesShowsWhatItGranted() {
        PodInfo pod = PodInfo.newBuilder()
                .setPod("default/web-0")
                .setKnown(true)
                .addGrants(grant("default/web-0", "10.77.0.2/24"))
                .build();

        assertThat(PodCommands.one(pod, PLAIN))
                .noneMatch(line -> line.contains("it holds no address"))
                .anySatisfy(line -> assertThat(line).contains("10.77.0.2/24", "files", "lan/c1/eth0"));
    }

    private static PluginGrant grant(String owner, String address) {
        return PluginGrant.newBuilder()
                .setOwner(owner)
                .setExtension("files")
                .setClaim("lan/c1/eth0")
                .setState("GRANTED")
                .addAddresses(address)
                .build();
    }

    private static Lease lease(String pod, String address) {
        return Lease.newBuilder()
                .setPod(pod)
                .setResource(Resource.newBuilder().addAddresses(address))
                .build();
    }
}
