package io.enipam.examples.swarm;

import static io.enipam.examples.swarm.Objects.addresses;
import static io.enipam.examples.swarm.Objects.allocator;
import static io.enipam.examples.swarm.Objects.changed;
import static io.enipam.examples.swarm.Objects.ingress;
import static io.enipam.examples.swarm.Objects.net;
import static io.enipam.examples.swarm.Objects.on;
import static io.enipam.examples.swarm.Objects.service;
import static io.enipam.examples.swarm.Objects.subnet;
import static io.enipam.examples.swarm.Objects.task;
import static io.enipam.examples.swarm.Objects.virtualIps;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.examples.swarm.model.Attachment;
import io.enipam.examples.swarm.model.Endpoint;
import io.enipam.examples.swarm.model.Network;
import io.enipam.examples.swarm.model.Service;
import io.enipam.examples.swarm.model.Task;
import io.enipam.examples.swarm.networks.NetworkAllocator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Cases of the acceptance table, part B: addresses of tasks, services and nodes. */
class AddressCasesTest {
    private final NetworkAllocator allocator = allocator();

    @Test
    void b1RestoredInAnotherOrderTasksHaveTheSameAddresses() {
        Network one = allocator.allocate(net("n1", subnet("192.168.1.0/24")));
        Network two = allocator.allocate(net("n2", subnet("192.168.2.0/24")));
        Task first = allocator.allocateTask(task("t1", on(one), on(two)));
        Task second = allocator.allocateTask(task("t2", on(one), on(two)));
        assertThat(addresses(first)).containsExactly("192.168.1.2/24", "192.168.2.2/24");
        assertThat(addresses(second)).containsExactly("192.168.1.3/24", "192.168.2.3/24");

        NetworkAllocator restored = allocator();
        restored.allocate(two);
        restored.allocate(one);
        restored.restoreTask(second);
        restored.restoreTask(first);
        assertThat(restored.held()).isEqualTo(allocator.held());
        assertThat(addresses(restored.allocateTask(task("t3", on(one))))).containsExactly("192.168.1.4/24");
    }

    @Test
    void b3AServiceHasAVirtualIpOnEachNetworkAndAnAddressThatCameBackWaitsItsTurn() {
        allocator.allocate(net("n1"));
        Network two = allocator.allocate(net("n2"));
        Network three = allocator.allocate(net("n3"));
        assertThat(virtualIps(allocator.allocateService(service("s", List.of("n2", "n3")))))
                .containsExactly("10.0.1.2/24", "10.0.2.2/24");
        Task first = allocator.allocateTask(task("t1", on(two), on(three)));
        assertThat(addresses(first)).containsExactly("10.0.1.3/24", "10.0.2.3/24");
        allocator.deallocateTask(first);
        assertThat(addresses(allocator.allocateTask(task("t2", on(two))))).containsExactly("10.0.1.4/24");
    }

    @Test
    void b4ATaskThatHasItsAddressesAlreadyIsRefusedAndKeepsThem() {
        Network network = allocator.allocate(net("n"));
        Task task = allocator.allocateTask(task("t", on(network)));
        List<Integer> before = allocator.held();
        assertThatThrownBy(() -> allocator.allocateTask(task))
                .hasMessageEndingWith("could not allocate IP from IPAM: Address already in use");
        assertThat(allocator.held()).isEqualTo(before);
    }

    @Test
    void b6AnAddressThatIsAskedForDoesNotChangeWhoseTurnItIs() {
        Network network = allocator.allocate(net("n", subnet("192.168.50.0/24")));
        assertThat(addresses(allocator.allocateTask(task("t1", on(network, "192.168.50.77")))))
                .containsExactly("192.168.50.77/24");
        assertThat(addresses(allocator.allocateTask(task("t2", on(network))))).containsExactly("192.168.50.2/24");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "192.168.50.77, could not allocate IP from IPAM: Address already in use",
        "192.168.51.1, could not find an available IP",
        "foo, could not parse address string foo: invalid CIDR address: foo",
        "192.168.50.1, could not allocate IP from IPAM: Address already in use",
        "192.168.50.0, could not allocate IP from IPAM: Address already in use"
    })
    void b7AnAddressThatCannotBeHadIsRefusedAndTheOthersOfTheTaskGoBack(String address, String why) {
        Network network = allocator.allocate(net("n", subnet("192.168.50.0/24")));
        Network other = allocator.allocate(net("other"));
        allocator.allocateTask(task("t1", on(network, "192.168.50.77/24")));
        List<Integer> before = allocator.held();
        assertThatThrownBy(() -> allocator.allocateTask(task("t2", on(other), on(network, address))))
                .hasMessage("failed to allocate network IP for task t2 network n: " + why);
        assertThat(allocator.held()).isEqualTo(before);
    }

    @Test
    void b7AnAddressOfTheSecondSubnetIsFoundThere() {
        Network network = allocator.allocate(net("n", subnet("10.1.0.0/24"), subnet("10.2.0.0/30")));
        assertThat(addresses(allocator.allocateTask(task("t1", on(network, "10.2.0.2")))))
                .containsExactly("10.2.0.2/30");
        assertThat(addresses(allocator.allocateTask(task("t2", on(network))))).containsExactly("10.1.0.2/24");
    }

    @Test
    void b9AnEndpointHasTheSpecificationItWasMadeForAndPortsAreNotOfNetworks() {
        allocator.allocate(net("n"));
        Service service = allocator.allocateService(service("s", List.of("n"), "http/tcp:0->80", "https/tcp:0->443"));
        assertThat(virtualIps(service)).containsExactly("10.0.0.2/24");
        assertThat(service.endpoint().spec()).isEqualTo(service.spec().endpoint());
        assertThat(service.endpoint().ports()).isEmpty();
    }

    @Test
    void b10TheVirtualIpOfTheIngressNetworkComesAndGoes() {
        allocator.allocate(ingress("10.255.0.0/16"));
        Service service = service("s", List.of(), "tcp:1234->1234");
        Service asked = service.with(Endpoint.NONE.withVirtualIps(List.of(new Endpoint.VirtualIp("ingress", ""))));
        Service allocated = allocator.allocateService(asked);
        assertThat(virtualIps(allocated)).containsExactly("10.255.0.2/16");
        assertThat(allocator.isServiceAllocated(allocated)).isTrue();
        Service none = allocator.deallocateService(allocated);
        assertThat(none.endpoint().virtualIps()).isEmpty();
        assertThat(virtualIps(allocator.allocateService(asked))).containsExactly("10.255.0.3/16");
    }

    @Test
    void b12AServiceThatTurnsToDnsrrGivesItsVirtualIpsBackAndGetsOthersWhenItReturns() {
        allocator.allocate(net("n1"));
        Network two = allocator.allocate(net("n2"));
        allocator.allocate(net("n3"));
        Service service = allocator.allocateService(service("s", List.of("n2", "n3")));
        allocator.allocateTask(task("t1", on(two)));
        allocator.allocateTask(task("t2", on(two)));
        assertThat(allocator.isServiceAllocated(service)).isTrue();

        Service turned = changed(service, Endpoint.Mode.DNSRR);
        assertThat(allocator.isServiceAllocated(turned)).isFalse();
        Service without = allocator.allocateService(turned);
        assertThat(virtualIps(without)).isEmpty();
        assertThat(allocator.isServiceAllocated(without)).isTrue();

        Service back = changed(without, Endpoint.Mode.VIP);
        assertThat(allocator.isServiceAllocated(back)).isFalse();
        assertThat(virtualIps(allocator.allocateService(back))).containsExactly("10.0.1.5/24", "10.0.2.3/24");
    }

    @Test
    void b13AServiceOnANetworkThatIsNotAllocatedIsRefusedAndWhatItGotGoesBack() {
        allocator.allocate(net("n"));
        List<Integer> before = allocator.held();
        assertThatThrownBy(() -> allocator.allocateService(service("s", List.of("n", "nowhere"))))
                .hasMessage("networkallocator: could not find local network state");
        assertThat(allocator.held()).isEqualTo(before);
    }

    @Test
    void b13AServiceOnAFullNetworkIsRefused() {
        allocator.allocate(net("n", subnet("1.1.3.0/31")));
        allocator.allocateService(service("s1", List.of("n")));
        assertThatThrownBy(() -> allocator.allocateService(service("s2", List.of("n"))))
                .hasMessage("could not find an available IP while allocating VIP");
    }

    @Test
    void b15ANodeHasAnAddressOnTheIngressNetworkForAsLongAsItIsAttached() {
        Network network = allocator.allocate(ingress("10.255.0.0/16"));
        Attachment attachment = allocator.allocateAttachment(Attachment.of(network));
        assertThat(attachment.addresses()).containsExactly("10.255.0.2/16");
        Service asked = service("s", List.of(), "tcp:80->80")
                .with(Endpoint.NONE.withVirtualIps(List.of(new Endpoint.VirtualIp("ingress", ""))));
        assertThat(virtualIps(allocator.allocateService(asked))).containsExactly("10.255.0.3/16");
        allocator.deallocateAttachment(attachment);
        assertThat(allocator.allocateAttachment(Attachment.of(network)).addresses())
                .containsExactly("10.255.0.4/16");
    }

    /** Upstream, an object that is given back twice frees what another one has by then. */
    @Test
    void anObjectThatIsGivenBackTwiceFreesNothingOfAnother() {
        Network network = allocator.allocate(net("n", subnet("1.1.3.0/30")));
        Task first = allocator.allocateTask(task("t1", on(network)));
        allocator.deallocateTask(first);
        Task second = allocator.allocateTask(task("t2", on(network)));
        assertThat(addresses(second)).isEqualTo(addresses(first));
        allocator.deallocateTask(first);
        assertThatThrownBy(() -> allocator.allocateTask(task("t3", on(network))))
                .hasMessageEndingWith("could not find an available IP");
    }
}
