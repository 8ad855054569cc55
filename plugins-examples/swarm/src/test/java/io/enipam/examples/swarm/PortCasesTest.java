package io.enipam.examples.swarm;

import static io.enipam.examples.swarm.Objects.changed;
import static io.enipam.examples.swarm.Objects.port;
import static io.enipam.examples.swarm.Objects.ports;
import static io.enipam.examples.swarm.Objects.service;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.examples.swarm.errors.Refused;
import io.enipam.examples.swarm.model.Endpoint;
import io.enipam.examples.swarm.model.Port;
import io.enipam.examples.swarm.model.Service;
import io.enipam.examples.swarm.pools.NumberPool;
import io.enipam.examples.swarm.ports.PortAllocator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Cases of the acceptance table, part C: published ports, and the sets of numbers that they come from. */
class PortCasesTest {
    private static final String TAKEN = "requested bit is already allocated";

    private final PortAllocator allocator = new PortAllocator();

    /** A service with ports. */
    private static Service with(String id, List<Port> has, String... wanted) {
        Service service = service(id, List.of(), wanted);
        return service.with(service.endpoint().with(has));
    }

    private static List<Integer> numbers(Service service) {
        return service.endpoint().ports().stream().map(Port::published).toList();
    }

    private Service allocate(Service service) {
        return allocator.allocate(service);
    }

    private Service allocate(String id, String... wanted) {
        return allocate(service(id, List.of(), wanted));
    }

    private void refused(String id, String... wanted) {
        int before = allocator.taken();
        assertThatThrownBy(() -> allocate(id, wanted))
                .isInstanceOf(Refused.class)
                .hasMessage(TAKEN);
        assertThat(allocator.taken()).isEqualTo(before);
    }

    @Test
    void c1WithoutPortsAServiceGetsWhatItSpecifies() {
        assertThat(allocate("s", "test1/tcp:10000->10000").endpoint().ports())
                .isEqualTo(ports("test1/tcp:10000->10000"));
    }

    @Test
    void c3APortOfAnotherNameIsAnotherPort() {
        Service service = with("s", ports("test2/tcp:10001->10000"), "test1/tcp:10000->10000");
        assertThat(allocate(service).endpoint().ports()).isEqualTo(ports("test1/tcp:10000->10000"));
    }

    @Test
    void c4ChosenNumbersStayWithTheirPortsInTheOrderOfTheSpecification() {
        Service service = with(
                "s",
                ports("test2/tcp:10001->10001", "test1/tcp:10000->10000"),
                "test1/tcp:0->10000",
                "test2/tcp:0->10001");
        assertThat(allocate(service).endpoint().ports())
                .isEqualTo(ports("test1/tcp:10000->10000", "test2/tcp:10001->10001"));
    }

    @Test
    void c6AnotherNumberReplacesTheOneBeforeAndIsItsOwn() {
        Service before = allocate("s", "tcp:10000->80");
        Service after = allocate(changed(before, Endpoint.Mode.VIP, "tcp:10001->80"));
        assertThat(numbers(after)).containsExactly(10_001);
        refused("other", "tcp:10001->80");
        assertThat(numbers(allocate("third", "tcp:10000->80"))).containsExactly(10_000);
    }

    @ParameterizedTest
    @CsvSource({"30000", "10000"})
    void c7ANumberIsGivenOnceToAProtocol(int number) {
        allocate("s1", "tcp:" + number + "->80");
        refused("s2", "tcp:" + number + "->80");
        allocate("s3", "udp:" + number + "->80");
    }

    @Test
    void c9WithoutPortsAServiceIsAllocatedIfItSpecifiesNone() {
        Service none = service("s", List.of(), Endpoint.Spec.NONE);
        assertThat(PortAllocator.isAllocated(none, false)).isTrue();
        assertThat(PortAllocator.isAllocated(none.with(Endpoint.NONE.with(ports("tcp:80->80"))), false))
                .isFalse();
        assertThat(PortAllocator.isAllocated(service("s", List.of(), "tcp:80->80"), false))
                .isFalse();
        assertThat(PortAllocator.isAllocated(with("s", ports("tcp:80->80"), "tcp:80->80", "tcp:81->80"), false))
                .isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "tcp:80->81, tcp:80->80, false",
        "tcp:81->80, tcp:80->80, false",
        "tcp:0->80, tcp:0->80, false",
        "tcp:10000->80, tcp:10000->80, true",
        "tcp:0->80, tcp:10000->80, true"
    })
    void c10AServiceIsAllocatedIfItsPortsAreThoseItSpecifies(String wanted, String has, boolean allocated) {
        assertThat(PortAllocator.isAllocated(with("s", ports(has), wanted), false))
                .isEqualTo(allocated);
    }

    @Test
    void c12OneTargetMayHaveSeveralNumbers() {
        Service service = with(
                "s",
                ports("tcp:5000->80", "tcp:5001->80", "tcp:30000->80", "tcp:30001->80"),
                "tcp:5000->80",
                "tcp:5001->80",
                "tcp:0->80",
                "tcp:0->80");
        assertThat(PortAllocator.isAllocated(service, false)).isTrue();
    }

    @Test
    void c13APortInHostModeWithAnotherTargetIsAnotherPort() {
        Service service = with("s", ports("tcp:0->77(host)"), "tcp:0->99(host)");
        assertThat(PortAllocator.isAllocated(service, false)).isFalse();
    }

    @Test
    void c15NumbersOfASetAreGivenOnce() {
        NumberPool numbers = new NumberPool(50, 52);
        assertThatThrownBy(() -> numbers.take(49)).hasMessage("requested id does not belong to the set");
        assertThatThrownBy(() -> numbers.take(53)).hasMessage("requested id does not belong to the set");
        assertThat(numbers.take()).isEqualTo(50);
        assertThatThrownBy(() -> numbers.take(50)).hasMessage(TAKEN);
        assertThat(numbers.take()).isEqualTo(51);
        assertThat(numbers.take()).isEqualTo(52);
        assertThatThrownBy(numbers::take).hasMessage("no bit available");
        numbers.release(50);
        assertThat(numbers.take()).isEqualTo(50);
        numbers.release(52);
        numbers.take(52);
        assertThat(numbers.taken()).isEqualTo(3);
    }

    @Test
    void c16ANumberThatCameBackWaitsItsTurn() {
        NumberPool numbers = new NumberPool(50, 55);
        assertThat(List.of(numbers.take(), numbers.take(), numbers.take())).containsExactly(50, 51, 52);
        numbers.release(50);
        assertThat(numbers.take()).isEqualTo(53);
        numbers.release(52);
        numbers.take(52);
        assertThat(List.of(numbers.take(), numbers.take(), numbers.take())).containsExactly(54, 55, 50);
    }

    @Test
    void c18ANumberThatIsAskedForIsPassedOverWhenOneIsChosen() {
        assertThat(numbers(allocate("s1", "a/tcp:0->80", "b/tcp:0->81"))).containsExactly(30_000, 30_001);
        assertThat(numbers(allocate("s2", "tcp:30002->80"))).containsExactly(30_002);
        assertThat(numbers(allocate("s3", "tcp:0->80"))).containsExactly(30_003);
        assertThat(numbers(allocate("s4", "udp:0->80"))).containsExactly(30_000);
    }

    @Test
    void c19OfAServiceThatCannotHaveAllItsPortsNoneIsTaken() {
        allocate("s1", "tcp:30000->80");
        refused("s2", "tcp:8080->80", "tcp:30000->81");
        assertThat(numbers(allocate("s3", "tcp:8080->80"))).containsExactly(8_080);
    }

    @Test
    void c19AServiceThatCannotHaveOtherPortsKeepsThoseItHas() {
        allocate("s1", "tcp:8080->80");
        Service before = allocate("s2", "tcp:0->80");
        Service wanted = changed(before, Endpoint.Mode.VIP, "tcp:8080->80");
        assertThatThrownBy(() -> allocate(wanted)).hasMessage(TAKEN);
        refused("s3", "tcp:" + numbers(before).get(0) + "->80");
    }

    @Test
    void c21APortInHostModeIsTheNodesBusiness() {
        allocate("s1", "tcp:8080->80");
        assertThat(allocate("s2", "tcp:8080->80(host)").endpoint().ports()).isEqualTo(ports("tcp:8080->80(host)"));
    }

    @Test
    void c22ChosenNumbersAreLostWhenTheNumberOfPortsOrATargetChanges() {
        Service four = allocate("s", "tcp:0->80", "tcp:0->81", "udp:0->82", "sctp:0->83");
        allocate("o", "tcp:0->1", "tcp:0->2");
        assertThat(numbers(four)).containsExactly(30_000, 30_001, 30_000, 30_000);
        Service five = allocate(
                changed(four, Endpoint.Mode.VIP, "tcp:0->80", "tcp:0->81", "udp:0->82", "sctp:0->83", "tcp:0->84"));
        assertThat(numbers(five)).containsExactly(30_004, 30_005, 30_001, 30_001, 30_006);
        Service one = allocate(changed(five, Endpoint.Mode.VIP, "tcp:0->80"));
        assertThat(numbers(one)).containsExactly(30_007);
        assertThat(numbers(allocate(changed(one, Endpoint.Mode.VIP, "tcp:0->90"))))
                .containsExactly(30_008);
    }

    @Test
    void c24AnExplicitNumberComesBeforeThoseThatAreChosen() {
        assertThat(numbers(allocate("s", "tcp:5000->80", "tcp:0->80", "tcp:0->80")))
                .containsExactly(5_000, 30_000, 30_001);
    }

    @Test
    void c25AChosenNumberHasToBeTakenAgainAfterARestart() {
        Service service = allocate("s", "tcp:0->80");
        assertThat(PortAllocator.isAllocated(service, true)).isFalse();
        assertThat(PortAllocator.isAllocated(service, false)).isTrue();
        PortAllocator second = new PortAllocator();
        second.restore(service);
        assertThatThrownBy(() -> second.allocate(service("o", List.of(), "tcp:30000->80")))
                .hasMessage(TAKEN);
        assertThat(numbers(second.allocate(service("p", List.of(), "tcp:0->80"))))
                .containsExactly(30_001);
    }

    @Test
    void hostPortsOfAServiceAreUpdatedByThemselves() {
        Service service = allocate("s", "tcp:0->80", "tcp:8080->81(host)");
        assertThat(PortAllocator.hostPortsNeedUpdate(service)).isFalse();
        Service wanted = changed(service, Endpoint.Mode.VIP, "tcp:0->80", "tcp:9090->81(host)");
        assertThat(PortAllocator.hostPortsNeedUpdate(wanted)).isTrue();
        Service updated = PortAllocator.updateHostPorts(wanted);
        assertThat(updated.endpoint().ports()).containsExactly(port("tcp:30000->80"), port("tcp:9090->81(host)"));
        assertThat(PortAllocator.hostPortsNeedUpdate(changed(updated, Endpoint.Mode.VIP, "tcp:0->80")))
                .isFalse();
    }
}
