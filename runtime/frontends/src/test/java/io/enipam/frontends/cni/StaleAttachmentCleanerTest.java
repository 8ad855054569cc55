package io.enipam.frontends.cni;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.lease.AddCommand;
import io.enipam.engine.model.DatapathRequest;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.LinkRequest;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.Pod.PodNetworkSpec;
import io.enipam.node.kernel.NodeDatapath;
import io.enipam.platform.testing.FakeEngine;
import io.enipam.sdk.PodRef;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StaleAttachmentCleanerTest {
    @TempDir
    private Path directory;

    private final FakeEngine engine = new FakeEngine(2);
    private Lease terways;

    @BeforeEach
    void aPodOfTerwaysPluginAndOneOfOurs() {
        engine.start().join();
        terways = add("terways");
        add("ours");
        kernel().setUp(new DatapathRequest(terways, LinkRequest.byCaller("/var/run/netns/t"), PodNetworkSpec.NONE))
                .toCompletableFuture()
                .join();
    }

    @Test
    void aSandboxThatTerwaysPluginConnectedIsNoRuntimesToCallInvalidInOurNetwork() {
        StaleAttachmentCleaner.CleanupReport report = end();

        assertThat(engine.leases()).containsExactly(terways);
        assertThat(report.ended())
                .extracting(lease -> lease.owner().containerId())
                .containsExactly("ours");
        assertThat(report.disconnected()).isEmpty();
        assertThat(report.problems()).isEmpty();
    }

    @Test
    void nothingEndsWhereItCannotBeReadWhoConnectedWhom() throws Exception {
        Files.writeString(callers().resolve("broken.json"), "{");

        StaleAttachmentCleaner.CleanupReport report = end();

        assertThat(engine.leases()).hasSize(2);
        assertThat(report.ended()).isEmpty();
        assertThat(report.problems())
                .singleElement()
                .asString()
                .startsWith("nothing was ended, since the sandboxes cannot be read: ")
                .contains("broken.json");
    }

    private StaleAttachmentCleaner.CleanupReport end() {
        return new StaleAttachmentCleaner(engine, kernel())
                .end("net", owner -> false, FakeEngine.AT, false, "test")
                .join();
    }

    private Lease add(String container) {
        return engine.add(new AddCommand(
                        new OwnerKey("net", container, "eth0"),
                        new PodRef("default", container),
                        Duration.ofSeconds(1)))
                .join()
                .lease();
    }

    /** As a daemon has it that was started again. */
    private NodeDatapath kernel() {
        return new NodeDatapath(directory.resolve("simulated"), callers(), "not here");
    }

    private Path callers() {
        return directory.resolve("callers");
    }
}
