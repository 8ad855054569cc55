package io.enipam.kubernetes.cidr;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.kubernetes.cidr.AddressFileStore.AddressOwner;
import io.enipam.kubernetes.cidr.NodeCidrFactory.LentAddress;
import io.enipam.sdk.Created;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Resource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class NodeCidrAllocatorTest {
    private static final AddressOwner HOST_LOCAL = new AddressOwner("c9", "eth0", false);

    private final InMemoryAddressFileStore files = new InMemoryAddressFileStore();
    private final List<String> warnings = new ArrayList<>();
    private final List<LentAddress> lent = new ArrayList<>();
    private NodeCidrAllocator book = book(List.of());

    private NodeCidrAllocator book(Collection<Resource> known) {
        return new NodeCidrAllocator(NodeCidr.parse("10.64.0.0/29"), files, known, () -> lent, warnings::add);
    }

    private List<Resource> make(int wanted) throws Exception {
        return book.allocate(wanted).stream()
                .flatMap(result -> result instanceof Created made ? Stream.of(made.resource()) : Stream.of())
                .toList();
    }

    private static List<String> hosts(List<Resource> resources) {
        return resources.stream()
                .map(resource -> resource.addresses().get(0).host())
                .sorted()
                .toList();
    }

    @Test
    void anAddressWithAFileIsNeverHandedOutAndComesBackWhenTheFileGoes() throws Exception {
        files.put("10.64.0.3", HOST_LOCAL);
        assertThat(hosts(make(9))).containsExactly("10.64.0.2", "10.64.0.4", "10.64.0.5", "10.64.0.6");
        assertThat(book.allocate(1).get(0))
                .isInstanceOfSatisfying(
                        Failed.class,
                        failed -> assertThat(failed.message())
                                .isEqualTo(
                                        "all 5 addresses of the node's CIDR 10.64.0.0/29 are taken, 4 of them by enipam;"
                                                + " the files in memory say by whom"));
        files.remove("10.64.0.3");
        assertThat(hosts(make(1))).containsExactly("10.64.0.3");
    }

    @Test
    void theNextAddressIsTheOneAfterTheLastThatAnybodyTook() throws Exception {
        files.setLastReserved("10.64.0.4");
        assertThat(hosts(make(2))).containsExactly("10.64.0.5", "10.64.0.6");
        assertThat(files.lastReserved()).contains("10.64.0.6");
        assertThat(hosts(make(1))).containsExactly("10.64.0.2");
    }

    @Test
    void aFileOfOursThatVanishedIsMadeAgain() throws Exception {
        Resource resource = make(1).get(0);
        files.remove("10.64.0.2");
        lent.add(new LentAddress(resource.id(), AddressOwner.sandbox("c1", "eth0")));
        assertThat(hosts(book.list())).containsExactly("10.64.0.2");
        assertThat(files.owner("10.64.0.2")).contains(AddressOwner.sandbox("c1", "eth0"));
    }

    @Test
    void oneThatAnotherTookInTheMeantimeIsHisUntilHeGivesItBack() throws Exception {
        make(2);
        files.put("10.64.0.2", HOST_LOCAL);
        assertThat(hosts(book.list())).containsExactly("10.64.0.3");
        book.list();
        assertThat(warnings)
                .containsExactly("address 10.64.0.2 is enipam's by the database, and c9 eth0 has its file in memory:"
                        + " it is lent to nobody until that file is gone");
        files.remove("10.64.0.2");
        assertThat(hosts(book.list())).containsExactly("10.64.0.2", "10.64.0.3");
    }

    @Test
    void givingBackLeavesWhatHasBecomeAnothers() throws Exception {
        List<Resource> made = make(2);
        files.put("10.64.0.2", HOST_LOCAL);
        book.release(made);
        assertThat(files.owners()).containsOnlyKeys("10.64.0.2").containsValue(HOST_LOCAL);
    }

    @Test
    void afterACrashFilesAndDatabaseAgree() throws Exception {
        Resource lost = make(1).get(0);
        Resource idle = make(1).get(0);
        Resource stale = make(1).get(0);
        files.remove("10.64.0.2");
        files.changeOwner("10.64.0.4", AddressOwner.sandbox("dead", "eth0"));
        files.put("10.64.0.6", HOST_LOCAL);
        files.put("10.99.0.7", AddressOwner.IDLE);
        files.put("10.99.0.8", HOST_LOCAL);
        lent.add(new LentAddress(lost.id(), AddressOwner.sandbox("c1", "eth0")));

        book = book(List.of(lost));
        assertThat(book.list()).containsExactlyInAnyOrder(lost, idle, stale);
        assertThat(files.owners())
                .as("lent, idle, idle again, and what is others'; ours of another CIDR is gone")
                .hasSize(5)
                .containsEntry("10.64.0.2", AddressOwner.sandbox("c1", "eth0"))
                .containsEntry("10.64.0.3", AddressOwner.IDLE)
                .containsEntry("10.64.0.4", AddressOwner.IDLE)
                .containsEntry("10.64.0.6", HOST_LOCAL)
                .containsEntry("10.99.0.8", HOST_LOCAL);
    }
}
