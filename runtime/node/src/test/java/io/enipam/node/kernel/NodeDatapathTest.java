package io.enipam.node.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.datapath.KernelDatapath;
import io.enipam.datapath.KernelDatapath.DatapathConfig;
import io.enipam.datapath.iproute.Sysctls;
import io.enipam.datapath.link.LinkContext.NodeNetwork;
import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.datapath.record.AttachmentRecordStore;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.OwnerKey;
import io.enipam.sdk.Family;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A kernel that cannot be changed for a while. */
class NodeDatapathTest {
    private static final OwnerKey CONNECTED = new OwnerKey("enipam", "c-1", "eth0");
    private static final OwnerKey NEVER = new OwnerKey("enipam", "c-2", "eth0");

    @TempDir
    Path directory;

    private Optional<String> obstacle = Optional.of("ip not found on the PATH");

    @Test
    void aDelOfWhatWasNeverConnectedIsDoneAndOneOfWhatWasKeepsTheLeaseUntilTheKernelIsMended() {
        new AttachmentRecordStore(directory.resolve("attachments")).write(record());
        try (NodeDatapath kernel = kernel()) {
            kernel.tearDown(NEVER).toCompletableFuture().join();
            assertThatThrownBy(() ->
                            kernel.tearDown(CONNECTED).toCompletableFuture().join())
                    .isInstanceOf(CompletionException.class)
                    .cause()
                    .isInstanceOf(IpamException.class)
                    .hasMessage("this daemon can connect no pods: ip not found on the PATH");
            assertThat(kernel.real().orElseThrow().hasConnected(CONNECTED)).isTrue();
        }
    }

    @Test
    void theObstacleIsToldWhileItLastsAndAKernelWithoutSandboxesIsNotWaitedFor() {
        try (NodeDatapath kernel = kernel()) {
            assertThat(kernel.unusable()).contains("this daemon can connect no pods: ip not found on the PATH");
            assertThat(kernel.attached().toCompletableFuture().join()).isEmpty();
            obstacle = Optional.empty();
            assertThat(kernel.unusable()).isEmpty();
            assertThat(kernel.obstacle()).isEmpty();
        }
    }

    @Test
    void aDaemonThatIsToConnectNoPodsIsNotBroken() {
        try (NodeDatapath kernel =
                new NodeDatapath(directory.resolve("s"), directory.resolve("c"), "datapath.use is off")) {
            assertThat(kernel.unusable()).isEmpty();
            assertThat(kernel.obstacle()).contains("this daemon connects no network namespaces: datapath.use is off");
        }
    }

    private NodeDatapath kernel() {
        return new NodeDatapath(
                directory.resolve("s"),
                directory.resolve("c"),
                KernelDatapath.open(new DatapathConfig(
                        directory.resolve("attachments"), new Nowhere(), Sysctls.USUAL, Optional.empty())),
                () -> obstacle);
    }

    private static AttachmentRecord record() {
        return new AttachmentRecord(
                new AttachmentRecord.Sandbox(CONNECTED.toString(), "default", "web-0", "u-1"),
                "veth",
                new AttachmentRecord.Ends("/run/netns/x", "cali0", "02:00:00:00:00:01", "02:00:00:00:00:02", 1500),
                List.of(new AttachmentRecord.PodAddress("10.0.0.7", 24, "10.0.0.1")),
                new AttachmentRecord.Eni("02:00:00:00:00:03", 1001),
                new AttachmentRecord.Bandwidth(0, 0, new AttachmentRecord.Limits(0, 0)),
                List.of(),
                Map.of());
    }

    private static final class Nowhere implements NodeNetwork {
        @Override
        public Optional<InetAddress> address(Family family) {
            return Optional.empty();
        }

        @Override
        public List<String> serviceCidrs() {
            return List.of();
        }
    }
}
