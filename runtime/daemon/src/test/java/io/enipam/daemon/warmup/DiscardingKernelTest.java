package io.enipam.daemon.warmup;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.datapath.KernelDatapath;
import io.enipam.datapath.record.SandboxLinkNames;
import io.enipam.engine.model.DatapathRequest;
import io.enipam.engine.model.DatapathResult;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.LinkRequest;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.Pod.PodNetworkSpec;
import io.enipam.sdk.PodRef;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The datapath of the warm-up, which needs no right to change the kernel. */
class DiscardingKernelTest {
    private static final List<OwnerKey> PODS = IntStream.range(0, 2)
            .mapToObj(pod -> new OwnerKey("enipam", "warm-" + pod, "eth0"))
            .toList();

    @TempDir
    Path directory;

    @Test
    void podsComeAndGoAndTheNodeStaysAsItWas() throws Exception {
        try (KernelDatapath kernel = DiscardingKernel.open(directory, new DocumentedNetwork(), PODS)) {
            assertThat(kernel.attached().toCompletableFuture().get(60, TimeUnit.SECONDS))
                    .isEmpty();
            for (int round = 0; round < 2; round++) {
                for (int pod = 0; pod < PODS.size(); pod++) {
                    DatapathResult made =
                            kernel.setUp(request(pod)).toCompletableFuture().get(60, TimeUnit.SECONDS);
                    assertThat(made.links())
                            .extracting(DatapathResult.Link::sandbox)
                            .containsExactly("", DiscardingKernel.POD_NETNS);
                    assertThat(kernel.hasConnected(PODS.get(pod))).isTrue();
                }
                assertThat(names(Path.of("/sys/class/net"))).noneMatch(DiscardingKernelTest::isOfAPod);
                for (OwnerKey pod : PODS) {
                    kernel.tearDown(pod).toCompletableFuture().get(60, TimeUnit.SECONDS);
                }
                assertThat(kernel.hasConnectedAny()).isFalse();
            }
            // the shell that reads and enipam-netlink; iproute2 for a batch would be another
            assertThat(kernel.processStarts()).isEqualTo(2);
            assertThat(ProcessHandle.current()
                            .children()
                            .map(child -> child.info().commandLine().orElse("")))
                    .noneMatch(line -> line.contains("netlink") || line.contains("sh -s"));
        }
        assertThat(names(directory.resolve("attachments"))).isEmpty();
    }

    private static boolean isOfAPod(String link) {
        return PODS.stream().map(pod -> new SandboxLinkNames(pod).link("cali")).anyMatch(link::equals);
    }

    private static DatapathRequest request(int pod) {
        Lease lease = new Lease(
                PODS.get(pod),
                new PodRef("default", "warm-" + pod),
                "",
                new PreallocatedFactory(PODS.size())
                        .list()
                        .toCompletableFuture()
                        .join()
                        .get(pod),
                Duration.ZERO,
                Instant.EPOCH);
        return new DatapathRequest(lease, LinkRequest.into(DiscardingKernel.POD_NETNS), PodNetworkSpec.NONE);
    }

    private static List<String> names(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }
}
