package io.enipam.examples.swarm;

import static io.enipam.examples.swarm.Objects.ingress;
import static io.enipam.examples.swarm.Objects.net;
import static io.enipam.examples.swarm.Objects.on;
import static io.enipam.examples.swarm.Objects.subnet;
import static io.enipam.examples.swarm.World.host;
import static io.enipam.examples.swarm.World.tcp;
import static io.enipam.examples.swarm.World.udp;
import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.examples.swarm.model.Attachment;
import io.enipam.examples.swarm.model.AttachmentSpec;
import io.enipam.examples.swarm.model.Endpoint;
import io.enipam.examples.swarm.model.Network;
import io.enipam.examples.swarm.model.Node;
import io.enipam.examples.swarm.model.Port;
import io.enipam.examples.swarm.model.Service;
import io.enipam.examples.swarm.model.Task;
import io.enipam.examples.swarm.model.Task.State;
import io.enipam.examples.swarm.state.Tables;
import io.enipam.sdk.Extension;
import io.enipam.sdk.Role;
import io.enipam.sdk.ranges.Ip;
import io.enipam.sdk.ranges.Subnet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The whole allocator through events: swarmkit's own cases, and what its code does with the same store. */
class AllocatorCasesTest {
    private final World world = new World();

    @AfterEach
    void end() {
        world.close();
    }

    private String why(String key) {
        return ((SwarmPart) world.replica.part()).waiting().getOrDefault(key, "");
    }

    private static Task ofNetworks(String id, Network... networks) {
        return Objects.task(id, "", "", Stream.of(networks).map(Attachment::of).toList());
    }

    @Test
    @DisplayName("D1 a store with networks, a service and tasks is allocated at the start")
    void allocatesAStoreAtTheStart() {
        Network net = net("testID1");
        Network bridge = net("bridge1", "bridge", false);
        Network macvlan = net("macvlan1", "macvlan", false);
        Port chosen = new Port("some_tcp", Port.Protocol.TCP, 9000, 0, Port.Mode.INGRESS);
        Port chosenUdp = new Port("some_udp", Port.Protocol.UDP, 9000, 0, Port.Mode.INGRESS);
        world.put(
                ingress(),
                net,
                bridge,
                macvlan,
                World.service("service1", List.of("testID1"), tcp(8001, 8000), udp(8001, 8000), chosen, chosenUdp),
                Objects.task("task1", "service1"),
                ofNetworks("task2", net),
                ofNetworks("task3", bridge),
                ofNetworks("task4", macvlan));
        world.start();
        for (String id : List.of("ingress", "testID1")) {
            assertThat(world.network(id).ipam().subnets()).singleElement().satisfies(given -> {
                Subnet subnet = Subnet.parse(given.subnet());
                assertThat(subnet.contains(Ip.parse(given.gateway()))).isTrue();
            });
        }
        assertThat(world.tasks()).allMatch(task -> task.status().state() == State.PENDING);
        assertThat(world.addresses("task1")).hasSize(2);
        assertThat(world.addresses("task2")).singleElement().satisfies(Subnet::parse);
        assertThat(world.addresses("task3")).isEmpty();
        assertThat(world.addresses("task4")).isEmpty();
        List<Integer> ports = world.published("service1");
        assertThat(ports).hasSize(4);
        assertThat(ports.subList(0, 2)).containsExactly(8001, 8001);
        assertThat(ports.subList(2, 4)).allMatch(port -> port >= 30_000 && port <= 32_767);
    }

    @Test
    @DisplayName("D3 a task whose network comes later is PENDING after the retry interval")
    void allocatesATaskWhoseNetworkComesLater() {
        world.start();
        Network net = net("net3");
        world.create(ofNetworks("task", net));
        assertThat(world.state("task")).isEqualTo(State.NEW);
        assertThat(why("task/-/task")).isEqualTo("failed to retrieve network net3 while allocating task task");
        world.create(net);
        assertThat(world.state("task")).isEqualTo(State.NEW);
        world.later();
        assertThat(world.state("task")).isEqualTo(State.PENDING);
        assertThat(world.addresses("task")).containsExactly("10.0.0.2/24");
    }

    @Test
    @DisplayName("D4 a task without networks is PENDING at once")
    void allocatesATaskWithoutNetworks() {
        world.start();
        world.create(Objects.task("task", ""));
        assertThat(world.state("task")).isEqualTo(State.PENDING);
    }

    @Test
    @DisplayName("D6 a service whose endpoint specification is removed gives its ports and addresses back")
    void freesAnEndpointWithoutSpecification() {
        world.put(ingress());
        world.start();
        world.create(World.service("service", List.of(), tcp(8080, 80)));
        assertThat(world.virtualIps("service")).containsExactly("ingress=10.255.0.2/16");
        world.update("service", spec -> Endpoint.Spec.NONE);
        assertThat(world.service("service").endpoint()).isEqualTo(Endpoint.NONE);
        world.create(World.service("other", List.of(), tcp(8080, 80)));
        assertThat(world.published("other")).containsExactly(8080);
    }

    @Test
    @DisplayName("D7 a service whose port is taken waits until the other one is deleted, and its task with it")
    void waitsForAPort() {
        world.put(ingress());
        world.start();
        world.create(
                World.service("svc3", List.of(), tcp(8080, 80), host(0, 81)),
                World.service("svc4", List.of(), tcp(8080, 80), host(0, 81)),
                Objects.task("task4", "svc4"));
        assertThat(world.service("svc4").endpoint()).isEqualTo(Endpoint.NONE);
        assertThat(world.state("task4")).isEqualTo(State.NEW);
        assertThat(why("task/svc4/task4"))
                .isEqualTo("service svc4 to which task task4 belongs has pending allocations");
        world.deleteService("svc3");
        assertThat(world.published("svc4")).contains(8080);
        assertThat(world.state("task4")).isEqualTo(State.PENDING);
    }

    @Test
    @DisplayName("D9 addresses that services have in the store are given to no task after a restart")
    void restoresVirtualIpsBeforeTasks() {
        Network ingress = net("ingress", "overlay", true, subnet("10.0.0.0/24"));
        world.start();
        world.create(ingress);
        world.replica.follow();
        Network allocated = world.network("ingress");
        for (int i = 0; i < 3; i++) {
            Service service = World.service("service" + i, List.of(), tcp(8001 + i, 8000));
            Endpoint endpoint = new Endpoint(
                    service.spec().endpoint(),
                    service.spec().endpoint().ports(),
                    List.of(new Endpoint.VirtualIp("ingress", "10.0.0." + (2 + i) + "/24")));
            world.put(service.with(endpoint), Objects.task("task" + i, "service" + i, "", List.of(on(allocated))));
        }
        world.replica.crash();
        world.start();
        List<String> taken = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            assertThat(world.virtualIps("service" + i)).containsExactly("ingress=10.0.0." + (2 + i) + "/24");
            taken.addAll(world.addresses("task" + i));
        }
        assertThat(taken)
                .doesNotHaveDuplicates()
                .hasSize(3)
                .doesNotContain("10.0.0.2/24", "10.0.0.3/24", "10.0.0.4/24");
    }

    @Test
    @DisplayName("D10 services without an endpoint specification keep their addresses over a restart")
    void restoresServicesWithoutSpecification() {
        world.start();
        world.create(net("net1", subnet("10.0.0.0/24")));
        world.replica.follow();
        for (int i = 0; i < 3; i++) {
            Service service = Objects.service("service" + i, List.of("net1"), Endpoint.Spec.NONE);
            world.put(
                    service.with(Endpoint.NONE.withVirtualIps(
                            List.of(new Endpoint.VirtualIp("net1", "10.0.0." + (2 + 2 * i) + "/24")))),
                    Objects.task("task" + i, "service" + i));
        }
        world.replica.crash();
        world.start();
        for (int i = 0; i < 3; i++) {
            assertThat(world.virtualIps("service" + i)).containsExactly("net1=10.0.0." + (2 + 2 * i) + "/24");
            assertThat(world.addresses("task" + i)).containsExactly("10.0.0." + (3 + 2 * i) + "/24");
        }
    }

    @Test
    @DisplayName("D12 a node has an address on each overlay network of its tasks, and on the ingress network")
    void attachesNodes() {
        Network net1 = net("overlayID1");
        world.put(ingress(), net1, net("unused"), Node.of("node1", "node1"));
        world.put(Objects.task("task1", "", "node1", List.of(on(net1))));
        world.start();
        assertThat(world.attachments("node1")).hasSize(2).noneMatch(each -> each.startsWith("unused"));
        world.create(Node.of("node2", "node2"));
        assertThat(world.attachments("node2")).singleElement().asString().startsWith("ingress=");
        Network net2 = net("net2");
        world.create(net2, Objects.task("task2", "", "node2", List.of(on(net2))));
        assertThat(world.attachments("node2")).hasSize(2);
        world.create(Objects.task("task3", "", "node1", List.of(on(net1))));
        assertThat(world.attachments("node1")).hasSize(2);
        world.deleteTask("task1");
        assertThat(world.attachments("node1")).hasSize(2);
        world.deleteTask("task2");
        assertThat(world.attachments("node2")).hasSize(1);
        world.then(tx -> tx.delete(Tables.NODES, "node2"));
        world.create(net("bridge1", "bridge", false));
        world.create(Objects.task("task4", "", "node1", List.of(on(net("bridge1", "bridge", false)))));
        assertThat(world.attachments("node1")).hasSize(2);
    }

    @Test
    void tasksThatComeTogetherHaveTheirAddressesBeforeTheirNodeHas() {
        world.put(Node.of("node1", "node1"));
        world.start();
        world.create(net("net1"), World.service("web", List.of("net1")));
        world.then(tx -> World.put(
                tx,
                Objects.task("web.1", "web", "node1", List.of()),
                Objects.task("web.2", "web", "node1", List.of())));
        assertThat(world.addresses("web.1")).containsExactly("10.0.0.3/24");
        assertThat(world.addresses("web.2")).containsExactly("10.0.0.4/24");
        assertThat(world.attachments("node1")).containsExactly("net1=10.0.0.5/24");
        // others in their place: the node keeps what it has
        world.then(tx -> {
            tx.delete(Tables.TASKS, "web/web.1");
            tx.delete(Tables.TASKS, "web/web.2");
            World.put(tx, Objects.task("web.3", "web", "node1", List.of()));
        });
        assertThat(world.addresses("web.3")).containsExactly("10.0.0.6/24");
        assertThat(world.attachments("node1")).containsExactly("net1=10.0.0.5/24");
    }

    @Test
    void withoutNetworkSupportPortsAreAllocatedAndTasksOfNoNetworkArePending() {
        Map<String, List<String>> none = Map.of("network_support", List.of("false"));
        try (World inert = new World(none)) {
            inert.put(ingress(), net("net1"), Node.of("node1", "node1"));
            inert.put(World.service("web", List.of(), tcp(8080, 80)), Objects.task("web.1", "web"));
            inert.put(World.service("other", List.of("net1")), Objects.task("other.1", "other"));
            for (int start = 0; start < 2; start++) {
                inert.start();
                assertThat(inert.published("web")).containsExactly(8080);
                assertThat(inert.virtualIps("web")).containsExactly("ingress=");
                assertThat(inert.state("web.1")).isEqualTo(State.PENDING);
                assertThat(inert.addresses("web.1")).isEmpty();
                assertThat(inert.attachments("node1")).containsExactly("ingress=");
                assertThat(inert.state("other.1")).isEqualTo(State.NEW);
                assertThat(((SwarmPart) inert.replica.part()).waiting())
                        .containsEntry("network/net1", "network support is unavailable")
                        .containsEntry("service/other", "network support is unavailable")
                        .hasSize(3);
                inert.replica.crash();
            }
        }
    }

    @Test
    @DisplayName("D13 a node gets the networks that its tasks got while nobody led")
    void attachesNodesAfterAChangeOfLeaders() {
        Network net2 = net("net2");
        world.put(ingress(), net2, Node.of("node1", "node1"), ofNetworks("task", net2));
        world.start();
        assertThat(world.attachments("node1")).hasSize(1);
        world.replica.follow();
        world.put(world.task("task").on("node1"));
        world.replica.crash();
        world.start();
        assertThat(world.attachments("node1")).hasSize(2).anyMatch(each -> each.startsWith("net2="));
    }

    @Test
    @DisplayName("D15 a port goes to the service that comes in the transaction in which the other one is deleted")
    void handsAPortOver() {
        world.put(ingress());
        world.start();
        world.create(World.service("a", List.of(), tcp(1234, 1234)));
        world.then(tx -> {
            tx.delete(Tables.SERVICES, "a");
            World.put(tx, World.service("b", List.of(), tcp(1234, 1234)));
        });
        assertThat(world.published("b")).containsExactly(1234);
        assertThat(world.virtualIps("b")).hasSize(1);
    }

    @Test
    @DisplayName("D16 a service whose ports go and come has another address after that")
    void addsAndRemovesPorts() {
        world.put(net("ingress", "", true, subnet("10.0.0.0/24")));
        world.start();
        world.create(World.service("service", List.of(), tcp(1234, 1234)));
        List<String> first = world.virtualIps("service");
        assertThat(first).hasSize(1);
        world.update("service", spec -> new Endpoint.Spec(spec.mode(), List.of()));
        assertThat(world.ports("service")).isEmpty();
        assertThat(world.virtualIps("service")).isEmpty();
        world.update("service", spec -> new Endpoint.Spec(spec.mode(), List.of(tcp(1234, 1234))));
        assertThat(world.virtualIps("service")).hasSize(1).isNotEqualTo(first);
    }

    @Test
    @DisplayName("D18 the same store gets the same ports, whoever allocates")
    void allocatesPortsRepeatably() {
        List<List<Integer>> twice = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            try (World again = new World()) {
                again.put(ingress());
                for (int each = 0; each < 5; each++) {
                    again.put(World.service("service" + each, List.of(), tcp(0, 80), udp(0, 53), tcp(30_001, 81)));
                }
                again.start();
                twice.add(again.services().stream()
                        .flatMap(service -> service.endpoint().ports().stream().map(Port::published))
                        .toList());
            }
        }
        assertThat(twice.get(0)).isEqualTo(twice.get(1)).isNotEmpty();
    }

    /** The store of swarmkit's oracle run, before its task. */
    private void web() {
        world.start();
        world.create(
                ingress(),
                net("net1"),
                Node.of("node1", "node1"),
                World.service("web", List.of("net1"), tcp(8080, 80), tcp(0, 443)));
        world.create(Objects.task("web.1", "web"));
    }

    @Test
    @DisplayName("D19 a service on a network with two ports, and its task")
    void allocatesAService() {
        web();
        assertThat(world.network("ingress").ipam().subnets().get(0).gateway()).startsWith("10.255.0.1");
        assertThat(world.network("net1").ipam().subnets().get(0).subnet()).isEqualTo("10.0.0.0/24");
        assertThat(world.attachments("node1")).containsExactly("ingress=10.255.0.2/16");
        assertThat(world.virtualIps("web")).containsExactly("ingress=10.255.0.3/16", "net1=10.0.0.2/24");
        assertThat(world.ports("web")).containsExactly("tcp:8080->80", "tcp:30000->443");
        Task task = world.task("web.1");
        assertThat(task.status().state()).isEqualTo(State.PENDING);
        assertThat(task.status().message()).isEqualTo("pending task scheduling");
        assertThat(world.addresses("web.1")).containsExactly("10.255.0.4/16", "10.0.0.3/24");
        assertThat(task.endpoint()).isEqualTo(world.service("web").endpoint());
    }

    @Test
    @DisplayName("D21 a service whose port is taken has no endpoint, and its task stays NEW")
    void refusesAPortThatIsTaken() {
        web();
        world.create(World.service("web2", List.of("net1"), tcp(8080, 80)));
        world.create(Objects.task("web2.1", "web2"));
        assertThat(world.service("web2").endpoint()).isEqualTo(Endpoint.NONE);
        assertThat(world.state("web2.1")).isEqualTo(State.NEW);
    }

    @Test
    @DisplayName("D22 UDP 8080 and HOST 8080 are no conflict with TCP 8080")
    void allowsOtherProtocols() {
        web();
        world.create(World.service("udp", List.of(), udp(8080, 80), host(8080, 80)));
        assertThat(world.virtualIps("udp")).containsExactly("ingress=10.255.0.5/16");
        assertThat(world.published("udp")).containsExactly(8080, 8080);
    }

    @Test
    @DisplayName("D24 a task that has ended gives its addresses back, and its row still lists them")
    void endsATask() {
        web();
        world.then(tx -> World.put(tx, world.task("web.1").on("node1")));
        assertThat(world.attachments("node1")).hasSize(2);
        world.become("web.1", State.SHUTDOWN);
        assertThat(world.attachments("node1")).containsExactly("ingress=10.255.0.2/16");
        assertThat(world.addresses("web.1")).containsExactly("10.255.0.4/16", "10.0.0.3/24");
        assertThat(world.replica.ballots().all()).isEmpty();
    }

    @Test
    @DisplayName("D25 without ports a service has an address on its network alone, in mode DNSRR none")
    void takesPortsAndAddressesAway() {
        web();
        world.create(World.service("web2", List.of("net1"), tcp(8081, 80)));
        assertThat(world.virtualIps("web2")).hasSize(2);
        world.update("web2", spec -> new Endpoint.Spec(spec.mode(), List.of()));
        assertThat(world.virtualIps("web2")).singleElement().asString().startsWith("net1=");
        world.update("web2", spec -> new Endpoint.Spec(Endpoint.Mode.DNSRR, List.of()));
        assertThat(world.virtualIps("web2")).isEmpty();
    }

    @Test
    @DisplayName("D27 a task whose network has come waits until something is given back")
    void waitsForADeallocation() {
        web();
        world.create(World.service("udp", List.of(), udp(8080, 80)));
        Network late = net("late");
        world.create(ofNetworks("task", late));
        world.create(late);
        assertThat(world.network("late").ipam().subnets().get(0).subnet()).isEqualTo("10.0.1.0/24");
        assertThat(world.state("task")).isEqualTo(State.NEW);
        world.deleteService("udp");
        assertThat(world.state("task")).isEqualTo(State.PENDING);
        assertThat(world.addresses("task")).containsExactly("10.0.1.2/24");
    }

    @Test
    @DisplayName("D28 a second ingress network stays unallocated, and the reason is told")
    void refusesASecondIngressNetwork() {
        web();
        world.create(net("ingress2", "", true));
        assertThat(world.network("ingress2").driver()).isEqualTo(Network.Driver.NONE);
        assertThat(why("network/ingress2"))
                .startsWith("Cannot allocate ingress network ")
                .contains("because another ingress network is already present");
    }

    @Test
    @DisplayName("D30 a published port without an ingress network: the endpoint stays empty")
    void needsAnIngressNetwork() {
        world.start();
        world.create(World.service("web", List.of(), tcp(8080, 80)));
        assertThat(world.service("web").endpoint()).isEqualTo(Endpoint.NONE);
        assertThat(why("service/web")).isEqualTo("ingress network is missing");
        world.create(ingress()); // unlike swarmkit, it is tried again
        world.later();
        assertThat(world.virtualIps("web")).hasSize(1);
    }

    @Test
    @DisplayName("D31 a restart gives an ingress network that waits no subnet that another network has")
    void restoresBeforeItAllocates() {
        world.start();
        world.create(net("net1"));
        world.replica.follow();
        world.put(net("ingress", "", true));
        world.replica.crash();
        world.start();
        assertThat(world.network("net1").ipam().subnets().get(0).subnet()).isEqualTo("10.0.0.0/24");
        assertThat(world.network("ingress").ipam().subnets().get(0).subnet()).isNotIn("", "10.0.0.0/24");
    }

    @Test
    @DisplayName(
            "after a restart a subnet that lies over others by its range is restored behind them, whatever their ids are")
    void restoresSubnetsThatLieOverOthers() {
        world.start();
        world.create(net("b", subnet("172.23.1.0/24")), net("a", subnet("172.23.0.0/16", "172.23.7.0/24", "")));
        List<Network> before = world.networks();
        assertThat(before).allMatch(Network::isOverlay);
        world.replica.crash();
        world.start();
        assertThat(world.networks()).isEqualTo(before);
        world.create(net("c", subnet("172.23.1.0/25")), net("d", subnet("172.23.2.0/24")));
        assertThat(world.network("c").isOverlay()).isFalse();
        assertThat(world.network("d").isOverlay()).isFalse();
    }

    @Test
    @DisplayName("D33 with a second voter that never votes no task leaves NEW, and all do when it is removed")
    void waitsForEachVoter() {
        world.replica.registered.put("silent", Extension.voter("silent", Set.of(Role.CLUSTER), "swarm", host -> {
            throw new AssertionError("it is not asked");
        }));
        world.replica.hanging.add("silent");
        web();
        assertThat(world.addresses("web.1")).isNotEmpty();
        assertThat(world.state("web.1")).isEqualTo(State.NEW);
        world.later();
        assertThat(world.state("web.1")).isEqualTo(State.NEW);
        world.replica.registered.clear();
        world.replica.drain();
        assertThat(world.state("web.1")).isEqualTo(State.PENDING);
    }

    @Test
    @DisplayName(
            "D34 an update between read and commit: the newer specification with an endpoint of ours, and no state is lowered")
    void keepsWhatOthersWrite() {
        world.put(ingress());
        world.start();
        world.put(World.service("web", List.of(), tcp(8080, 80)), Objects.task("task", "web"));
        // between the read of the allocator and its commit
        world.store.failing(true);
        world.replica.due().forEach(world.replica::reconcile);
        world.store.failing(false);
        world.put(
                World.service("web", List.of(), tcp(9090, 80)),
                world.task("task").with(new Task.Status(State.RUNNING, "started", 7)));
        world.replica.drain();
        assertThat(world.service("web").spec().endpoint().ports()).containsExactly(tcp(9090, 80));
        assertThat(world.published("web")).containsExactly(9090);
        assertThat(world.task("task").status()).isEqualTo(new Task.Status(State.RUNNING, "started", 7));
        assertThat(world.addresses("task")).hasSize(1);
        world.create(World.service("other", List.of(), tcp(8080, 80)));
        assertThat(world.published("other")).containsExactly(8080);
    }

    // ---- deallocator

    private static Service pending(String id, String... networks) {
        return World.service(id, List.of(networks)).deleted();
    }

    private List<String> networkIds() {
        return world.networks().stream().map(Network::id).toList();
    }

    private List<String> serviceIds() {
        return world.services().stream().map(Service::id).toList();
    }

    @Test
    @DisplayName("E1 what is to be deleted and not in use goes at the start")
    void deletesAtTheStart() {
        world.put(
                net("network1").deleted(),
                net("network2"),
                net("network3").deleted(),
                net("network4").deleted(),
                net("network5"),
                pending("service1", "network1", "network2"),
                pending("service2", "network3"),
                Objects.task("task1", "service2"));
        world.start();
        assertThat(networkIds()).containsExactly("network2", "network3", "network5");
        assertThat(serviceIds()).containsExactly("service2");
    }

    @Test
    @DisplayName("E2 a service that is to be deleted goes with the last of its 1, 2, 5 or 10 tasks")
    void deletesAServiceWithItsLastTask() {
        world.start();
        for (int tasks : List.of(1, 2, 5, 10)) {
            String id = "service" + tasks;
            world.create(World.service(id, List.of()));
            for (int i = 0; i < tasks; i++) {
                world.create(Objects.task(id + "." + i, id));
            }
            world.then(tx -> World.put(tx, world.service(id).deleted()));
            for (int i = 0; i < tasks; i++) {
                assertThat(serviceIds()).containsExactly(id);
                world.deleteTask(id + "." + i);
            }
            assertThat(serviceIds()).isEmpty();
        }
    }

    @Test
    @DisplayName("E4 an update of an object that is not to be deleted writes nothing")
    void leavesTheOthers() {
        world.start();
        world.create(net("net1"), World.service("service1", List.of("net1")));
        Service service = world.service("service1");
        Network network = world.network("net1");
        List<Long> before = revisions();
        world.then(tx -> World.put(tx, service, network));
        world.replica.reconcile("service/service1");
        world.replica.reconcile("network/net1");
        world.replica.drain();
        assertThat(revisions())
                .isEqualTo(before.stream().map(revision -> before.get(0) + 1).toList());
    }

    /** Of the service first: the one change of the test is the last of both. */
    private List<Long> revisions() {
        return world.replica.journal().read(tx -> {
            long service = tx.get(Tables.SERVICES, "service1").orElseThrow().revision();
            long network = tx.get(Tables.NETWORKS, "net1").orElseThrow().revision();
            return List.of(Math.max(service, network), Math.max(service, network));
        });
    }

    @Test
    @DisplayName("E5 the networks that a service has in the old place count")
    void countsNetworksInTheOldPlace() {
        world.start();
        Service.Spec spec = new Service.Spec(
                "service",
                Map.of(),
                List.of(),
                List.of(AttachmentSpec.to("network1"), AttachmentSpec.to("network2")),
                Endpoint.Spec.NONE);
        world.create(net("network1"), net("network2"), Service.of("service", spec), Objects.task("task", "service"));
        world.then(tx -> World.put(
                tx,
                world.network("network1").deleted(),
                world.service("service").deleted()));
        assertThat(serviceIds()).containsExactly("service");
        world.deleteTask("task");
        assertThat(serviceIds()).isEmpty();
        assertThat(networkIds()).containsExactly("network2");
    }
}
