package io.enipam.node.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.model.DatapathRequest;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.LinkRequest;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.Pod.PodNetworkSpec;
import io.enipam.engine.port.Datapath.Attachment;
import io.enipam.sdk.Address;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceKind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SimulatedDatapathTest {
    @TempDir
    Path directory;

    private static Lease lease(String container) {
        Resource resource = new Resource(
                new ResourceId("eni-1/10.0.0.1"),
                ResourceKind.ENI_IP,
                List.of(Address.parse("10.0.0.1/24"), Address.parse("fd00::1/64")),
                "eni-1",
                Map.of());
        return new Lease(
                new OwnerKey("net", container, "eth0"),
                PodRef.parse("default/web-0"),
                "uid-1",
                resource,
                Duration.ZERO,
                Instant.EPOCH);
    }

    private SimulatedDatapath kernel() {
        return new SimulatedDatapath(directory.resolve("kernel"));
    }

    @Test
    void whatIsConnectedOutlivesTheDaemonUntilItIsTornDown() throws Exception {
        String longest = "c".repeat(253);
        connect(kernel(), "c-1");
        connect(kernel(), "c-1");
        connect(kernel(), longest);

        assertThat(kernel().now())
                .containsExactlyInAnyOrder(
                        new Attachment(
                                lease("c-1").owner(),
                                Optional.of(PodRef.parse("default/web-0")),
                                "uid-1",
                                Set.of(Address.literal("10.0.0.1"), Address.literal("fd00::1"))),
                        new Attachment(
                                lease(longest).owner(),
                                Optional.of(PodRef.parse("default/web-0")),
                                "uid-1",
                                Set.of(Address.literal("10.0.0.1"), Address.literal("fd00::1"))));

        kernel().tearDown(lease("c-1").owner()).toCompletableFuture().join();
        kernel().tearDown(lease("c-1").owner()).toCompletableFuture().join();
        assertThat(kernel().now())
                .extracting(attachment -> attachment.owner().containerId())
                .containsExactly(longest);
    }

    @Test
    void whatAnotherProcessChangesIsSeenThoughTheFilesAreReadOnlyWhenTheDirectoryHasChanged() throws Exception {
        SimulatedDatapath kernel = kernel();
        connect(kernel(), "c-1");
        Files.setLastModifiedTime(directory.resolve("kernel"), FileTime.from(Instant.EPOCH.plusSeconds(1)));
        List<Attachment> first = kernel.now();
        assertThat(kernel.now()).isSameAs(first);

        connect(kernel(), "c-2");
        assertThat(kernel.now()).hasSize(2);
        kernel().tearDown(lease("c-1").owner()).toCompletableFuture().join();
        assertThat(kernel.now())
                .extracting(attachment -> attachment.owner().containerId())
                .containsExactly("c-2");
    }

    private static void connect(SimulatedDatapath kernel, String container) {
        kernel.setUp(new DatapathRequest(lease(container), LinkRequest.simulated(), PodNetworkSpec.NONE))
                .toCompletableFuture()
                .join();
    }

    @Test
    void aFileThatCannotBeReadIsAKernelThatCannotBeReadAndIsNamed() throws Exception {
        Path file = Files.createDirectories(directory.resolve("kernel")).resolve("x.json");
        Files.writeString(file, "{");

        assertThat(kernel().attached())
                .failsWithin(Duration.ofSeconds(60))
                .withThrowableThat()
                .withMessageContaining(file.toString());
    }

    @Test
    void aNodeThatConnectedNobodyHasNoDirectory() throws Exception {
        assertThat(kernel().now()).isEmpty();
        assertThat(directory.resolve("kernel")).doesNotExist();
    }
}
