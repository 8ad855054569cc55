package io.enipam.node.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.engine.model.DatapathRequest;
import io.enipam.engine.model.DatapathResult;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.LinkRequest;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.Pod.PodNetworkSpec;
import io.enipam.engine.port.Datapath;
import io.enipam.engine.port.Datapath.Attachment;
import io.enipam.engine.port.Span;
import io.enipam.engine.simulation.RecordedEvents;
import io.enipam.engine.simulation.VirtualTime;
import io.enipam.kubernetes.cidr.AddressFileStore.AddressOwner;
import io.enipam.kubernetes.cidr.InMemoryAddressFileStore;
import io.enipam.kubernetes.cidr.NodeCidrFactory;
import io.enipam.sdk.Address;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class OwnerRecordingDatapathTest {
    private static final OwnerKey OWNER = new OwnerKey("enipam", "c1", "eth0");
    private static final AddressOwner SANDBOX = AddressOwner.sandbox("c1", "eth0");
    private static final String ADDRESS = "10.64.0.2";

    private final InMemoryAddressFileStore files = new InMemoryAddressFileStore();
    private final RecordedEvents events = new RecordedEvents(new VirtualTime());
    private Optional<RuntimeException> trouble = Optional.empty();
    private final Datapath kernel = new Datapath() {
        @Override
        public CompletionStage<DatapathResult> setUp(DatapathRequest connection, Span span) {
            return trouble.<CompletionStage<DatapathResult>>map(CompletableFuture::failedStage)
                    .orElseGet(() -> CompletableFuture.completedStage(DatapathResult.NONE));
        }

        @Override
        public CompletionStage<Void> tearDown(OwnerKey owner, Span span) {
            return CompletableFuture.completedStage(null);
        }

        @Override
        public CompletionStage<List<Attachment>> attached() {
            return CompletableFuture.completedStage(List.of());
        }
    };
    private final OwnerRecordingDatapath signed = new OwnerRecordingDatapath(kernel, files, List.of(), events);

    private static Lease lease() {
        return new Lease(
                OWNER,
                new PodRef("default", "web-0"),
                "",
                new Resource(
                                new ResourceId("node-cidr/" + ADDRESS),
                                NodeCidrFactory.KIND,
                                List.of(Address.parse(ADDRESS + "/24")),
                                "",
                                Map.of())
                        .madeBy(NodeCidrFactory.NAME),
                Duration.ZERO,
                Instant.EPOCH);
    }

    private void add(LinkRequest link) {
        signed.setUp(new DatapathRequest(lease(), link, PodNetworkSpec.NONE))
                .toCompletableFuture()
                .join();
    }

    private void del(OwnerRecordingDatapath addresses) {
        addresses.tearDown(OWNER).toCompletableFuture().join();
    }

    @Test
    void aLentAddressNamesItsSandboxUntilItIsGivenBack() throws Exception {
        files.put(ADDRESS, AddressOwner.IDLE);
        add(LinkRequest.simulated());
        assertThat(files.owner(ADDRESS)).contains(SANDBOX);
        // another daemon does the DEL
        del(new OwnerRecordingDatapath(kernel, files, List.of(lease()), events));
        assertThat(files.owner(ADDRESS)).contains(AddressOwner.IDLE);
    }

    @Test
    void anAddressWhoseFileHasBecomeAnothersIsNotLent() throws Exception {
        AddressOwner other = new AddressOwner("c9", "eth0", false);
        files.put(ADDRESS, other);
        assertThatThrownBy(() -> add(LinkRequest.simulated()))
                .hasMessageContaining(
                        "address 10.64.0.2 cannot be given to enipam/c1/eth0: its file has become that of c9 eth0");
        assertThat(files.owner(ADDRESS)).contains(other);
    }

    @Test
    void oneWhoseFileVanishedGetsItAgain() throws Exception {
        add(LinkRequest.simulated());
        assertThat(files.owner(ADDRESS)).contains(SANDBOX);
    }

    @Test
    void aPodThatCannotBeConnectedIsNamedByNoFile() throws Exception {
        files.put(ADDRESS, AddressOwner.IDLE);
        trouble = Optional.of(new IllegalStateException("the kernel said no"));
        assertThatThrownBy(() -> add(LinkRequest.into("/var/run/netns/x"))).hasMessageContaining("the kernel said no");
        assertThat(files.owner(ADDRESS)).contains(AddressOwner.IDLE);
    }

    @Test
    void whereTheCallerAsksHostLocalItselfNoFileOfOursNamesTheSandbox() throws Exception {
        files.put(ADDRESS, AddressOwner.IDLE);
        add(LinkRequest.byCaller("/var/run/netns/x"));
        assertThat(files.owner(ADDRESS)).contains(AddressOwner.IDLE);
    }

    @Test
    void aDiskThatFailsStopsAnAddAndNoDel() throws Exception {
        files.put(ADDRESS, AddressOwner.IDLE);
        add(LinkRequest.simulated());
        files.fail(Optional.of("the disk is away"));
        assertThatThrownBy(() -> add(LinkRequest.simulated())).hasMessageContaining("the disk is away");
        del(signed);
        assertThat(events.types()).contains("NodeAddressTaken");
    }
}
