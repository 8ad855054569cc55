package io.enipam.examples.swarm.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.examples.swarm.errors.Refused;
import io.enipam.examples.swarm.errors.Refused.Code;
import io.enipam.examples.swarm.model.AttachmentSpec;
import io.enipam.examples.swarm.model.Endpoint;
import io.enipam.examples.swarm.model.Network;
import io.enipam.examples.swarm.model.Port;
import io.enipam.examples.swarm.model.Port.Mode;
import io.enipam.examples.swarm.model.Port.Protocol;
import io.enipam.examples.swarm.model.Service;
import io.enipam.sdk.Transaction;
import io.enipam.sdk.testkit.InMemoryJournal;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What the control API refuses, and with which words. */
public class ControlTest {
    private final InMemoryJournal journal = new InMemoryJournal();

    @BeforeEach
    void open() {
        Tables.open(journal);
    }

    private void does(Consumer<Transaction> change) {
        journal.update(change).toCompletableFuture().join();
    }

    private void refuses(Code code, String why, Consumer<Transaction> change) {
        assertThatThrownBy(() -> does(change))
                .isInstanceOf(CompletionException.class)
                .cause()
                .isInstanceOfSatisfying(Refused.class, refused -> {
                    assertThat(refused.code()).isEqualTo(code);
                    assertThat(refused).hasMessageContaining(why);
                });
    }

    private static Network.Spec network(
            String name, Network.Driver driver, boolean ingress, Network.Subnet... subnets) {
        return new Network.Spec(
                name, Map.of(), driver, new Network.Ipam(Network.Driver.NONE, List.of(subnets)), ingress, false);
    }

    private static Service.Spec service(String name, Endpoint.Mode mode, List<String> networks, Port... ports) {
        return new Service.Spec(
                name,
                Map.of(),
                networks.stream().map(AttachmentSpec::to).toList(),
                List.of(),
                new Endpoint.Spec(mode, List.of(ports)));
    }

    private static Port port(int published, Mode mode) {
        return new Port("", Protocol.TCP, 80, published, mode);
    }

    private static Network.Driver driver(String name) {
        return new Network.Driver(name, Map.of());
    }

    @Test
    @DisplayName("A26 a driver needs a name that there is, and an ingress network the driver overlay")
    void validatesDrivers() {
        does(tx -> Control.createNetwork("n1", network("n1", Network.Driver.NONE, false), tx));
        assertThatThrownBy(() -> Validation.driver(Network.Driver.NONE, false))
                .isInstanceOfSatisfying(
                        Refused.class, refused -> assertThat(refused.code()).isEqualTo(Code.INVALID_ARGUMENT));
        refuses(
                Code.INVALID_ARGUMENT,
                "plugin x not supported",
                tx -> Control.createNetwork("n2", network("n2", driver("x"), false), tx));
        refuses(
                Code.UNIMPLEMENTED,
                "only overlay driver is currently supported for ingress network",
                tx -> Control.createNetwork("n3", network("n3", driver("bridge"), true), tx));
    }

    @Test
    @DisplayName("A31 an IPAM configuration needs a subnet, with range and gateway inside")
    void validatesSubnets() {
        invalid("", "", "");
        invalid("bad", "", "");
        valid("192.168.0.0/16", "", "");
        invalid("192.168.0.0/16", "bad", "");
        invalid("192.168.0.0/16", "192.169.1.0/24", "");
        valid("192.168.0.0/16", "192.168.1.0/24", "");
        invalid("192.168.0.0/16", "192.168.1.0/24", "bad");
        invalid("192.168.0.0/16", "192.168.1.0/24", "192.169.1.1");
        valid("192.168.0.0/16", "192.168.1.0/24", "192.168.1.1");
    }

    private static void valid(String subnet, String range, String gateway) {
        assertThatCode(() -> Validation.subnet(new Network.Subnet(subnet, range, gateway)))
                .doesNotThrowAnyException();
    }

    private static void invalid(String subnet, String range, String gateway) {
        assertThatThrownBy(() -> Validation.subnet(new Network.Subnet(subnet, range, gateway)))
                .isInstanceOfSatisfying(
                        Refused.class, refused -> assertThat(refused.code()).isEqualTo(Code.INVALID_ARGUMENT));
    }

    @Test
    @DisplayName("C27 a port of another service is refused unless both are in mode HOST")
    void refusesPortsOfOtherServices() {
        does(tx -> {
            Control.createNetwork("ingress", network("ingress", Network.Driver.NONE, true), tx);
            Control.createService("a", service("a", Endpoint.Mode.VIP, List.of(), port(8080, Mode.INGRESS)), tx);
            Control.createService("b", service("b", Endpoint.Mode.VIP, List.of(), port(9090, Mode.HOST)), tx);
        });
        String asIngress = "port '8080' is already in use by service 'a' (a) as an ingress port";
        for (Mode mode : Mode.values()) {
            refuses(
                    Code.INVALID_ARGUMENT,
                    asIngress,
                    tx -> Control.createService("c", service("c", Endpoint.Mode.VIP, List.of(), port(8080, mode)), tx));
        }
        does(tx -> Control.createService("d", service("d", Endpoint.Mode.VIP, List.of(), port(9090, Mode.HOST)), tx));
        refuses(
                Code.INVALID_ARGUMENT,
                "port '9090' is already in use by service 'b' (b) as a host-published port",
                tx -> Control.createService(
                        "e", service("e", Endpoint.Mode.VIP, List.of(), port(9090, Mode.INGRESS)), tx));
    }

    @Test
    void refusesEndpointsThatCannotBe() {
        refuses(
                Code.INVALID_ARGUMENT,
                "port published with ingress mode can't be used with dnsrr mode",
                tx -> Control.createService(
                        "a", service("a", Endpoint.Mode.DNSRR, List.of(), port(80, Mode.INGRESS)), tx));
        refuses(
                Code.INVALID_ARGUMENT,
                "duplicate published ports provided",
                tx -> Control.createService(
                        "a",
                        service("a", Endpoint.Mode.VIP, List.of(), port(80, Mode.INGRESS), port(80, Mode.HOST)),
                        tx));
        refuses(
                Code.FAILED_PRECONDITION,
                "service needs ingress network, but no ingress network is present",
                tx -> Control.createService(
                        "a", service("a", Endpoint.Mode.VIP, List.of(), port(80, Mode.INGRESS)), tx));
        does(tx -> Control.createNetwork("ingress", network("mesh", Network.Driver.NONE, true), tx));
        refuses(
                Code.INVALID_ARGUMENT,
                "Service cannot be explicitly attached to the ingress network \"mesh\"",
                tx -> Control.createService("a", service("a", Endpoint.Mode.VIP, List.of("ingress")), tx));
    }

    @Test
    void refusesAnUpdateOfAVersionThatIsOld() {
        does(tx -> Control.createService("a", service("a", Endpoint.Mode.VIP, List.of()), tx));
        long version = journal.read(tx -> Control.service("a", tx).revision());
        Service.Spec changed = service("a", Endpoint.Mode.DNSRR, List.of());
        does(tx -> Control.updateService("a", version, changed, tx));
        refuses(
                Code.SEQUENCE_CONFLICT,
                "update out of sequence",
                tx -> Control.updateService("a", version, changed, tx));
    }

    @Test
    void refusesToRemoveANetworkInUse() {
        does(tx -> {
            Control.createNetwork("net", network("net", Network.Driver.NONE, false), tx);
            Control.createService("a", service("a", Endpoint.Mode.VIP, List.of("net")), tx);
        });
        refuses(Code.FAILED_PRECONDITION, "network net is in use by service a", tx -> Control.removeNetwork("net", tx));
    }
}
