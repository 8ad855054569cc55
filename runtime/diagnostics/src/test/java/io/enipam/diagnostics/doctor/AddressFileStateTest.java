package io.enipam.diagnostics.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.kubernetes.cidr.AddressFileStore.AddressOwner;
import io.enipam.kubernetes.cidr.InMemoryAddressFileStore;
import io.enipam.kubernetes.cidr.NodeCidr;
import io.enipam.kubernetes.cidr.NodeCidrFactory;
import io.enipam.sdk.Address;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class AddressFileStateTest {
    private static final Instant LATER = Instant.EPOCH.plus(Duration.ofHours(1));

    private final InMemoryAddressFileStore files = new InMemoryAddressFileStore();

    private static Lease lease(String address, String container) {
        return new Lease(
                new OwnerKey("enipam", container, "eth0"),
                new PodRef("default", "web-0"),
                "",
                new Resource(
                                new ResourceId("node-cidr/" + address),
                                NodeCidrFactory.KIND,
                                List.of(Address.parse(address + "/24")),
                                "",
                                Map.of())
                        .madeBy(NodeCidrFactory.NAME),
                Duration.ZERO,
                Instant.EPOCH);
    }

    private AddressFileState facts(Instant now, Lease... leases) throws IOException {
        return AddressFileState.of(files, NodeCidr.parse("10.7.0.0/24"), List.of(leases), Set.of("10.7.0.3"), now);
    }

    @Test
    void idleLentAndConnectedAddressesFit() throws IOException {
        files.put("10.7.0.2", AddressOwner.sandbox("c1", "eth0"));
        files.put("10.7.0.3", new AddressOwner("c2", "eth0", false));
        files.put("10.7.0.4", AddressOwner.IDLE);
        files.put("10.9.0.2", new AddressOwner("another-network", "eth0", false));

        AddressFileState facts = facts(LATER, lease("10.7.0.2", "c1"));

        assertThat(facts.odd()).isEmpty();
        assertThat(facts.ours()).isEqualTo(2);
        assertThat(facts.others()).isEqualTo(1);
    }

    @Test
    void emptyForeignStaleAndMissingFilesAreToldApart() throws IOException {
        files.put("10.7.0.2", new AddressOwner("", "", false));
        files.put("10.7.0.4", new AddressOwner("dead", "eth0", false));
        files.put("10.7.0.5", AddressOwner.sandbox("ended", "eth0"));
        files.put("10.7.0.6", new AddressOwner("taker", "eth0", false));

        assertThat(facts(LATER, lease("10.7.0.6", "c1"), lease("10.7.0.7", "c2"))
                        .odd())
                .extracting(AddressFileState.Odd::address, AddressFileState.Odd::seen)
                .containsExactly(
                        tuple("10.7.0.2", "its file names no owner: it is empty, or cannot be read"),
                        tuple("10.7.0.4", "its file is of dead eth0, and no route of this node leads to it"),
                        tuple("10.7.0.5", "its file names ended eth0, which has no lease"),
                        tuple("10.7.0.6", "its file is of taker eth0, and the database lends it to c1 eth0"),
                        tuple("10.7.0.7", "has no file, and the database lends it to c2 eth0"));
    }

    @Test
    void aFileThatWasWrittenAMomentAgoMayBeOfAPodThatIsBeingConnected() throws IOException {
        files.put("10.7.0.4", new AddressOwner("coming", "eth0", false));
        assertThat(facts(Instant.EPOCH.plusSeconds(5)).odd()).isEmpty();
    }
}
