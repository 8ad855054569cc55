package io.enipam.examples.swarm.ports;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.examples.swarm.errors.Refused;
import io.enipam.examples.swarm.model.Endpoint;
import io.enipam.examples.swarm.model.Port;
import io.enipam.examples.swarm.model.Port.Mode;
import io.enipam.examples.swarm.model.Port.Protocol;
import io.enipam.examples.swarm.model.Service;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Services that come, change and go, with few numbers to ask for: {@code -Denipam.swarm.seeds=N} is for a long run. */
class PortsModelTest {
    static LongStream seeds() {
        return LongStream.rangeClosed(1, Integer.getInteger("enipam.swarm.seeds", 20));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void noNumberIsHeldTwiceAndNoneIsLost(long seed) {
        Random random = new Random(seed);
        PortAllocator allocator = new PortAllocator();
        Map<String, Service> services = new TreeMap<>();
        for (int step = 0; step < 600; step++) {
            String id = "s" + random.nextInt(12);
            Endpoint.Spec endpoint = new Endpoint.Spec(Endpoint.Mode.VIP, wanted(random));
            Service now = services.getOrDefault(id, Service.of(id, spec(id, endpoint)))
                    .with(spec(id, endpoint));
            if (random.nextInt(4) == 0) {
                services.computeIfPresent(id, (same, has) -> {
                    assertThat(allocator.deallocate(has).endpoint().ports()).isEmpty();
                    return null;
                });
            } else {
                TreeSet<String> others = held(services, id);
                boolean conflicts = now.spec().endpoint().ports().stream()
                        .filter(port -> port.mode() == Mode.INGRESS && port.published() != 0)
                        .anyMatch(port -> others.contains(number(port)));
                try {
                    Service allocated = allocator.allocate(now);
                    assertThat(conflicts).isFalse();
                    assertThat(PortAllocator.isAllocated(allocated, false)).isTrue();
                    services.put(id, allocated);
                } catch (Refused e) {
                    assertThat(e).hasMessage("requested bit is already allocated");
                }
            }
            assertThat(allocator.taken()).isEqualTo(held(services, "").size());
            if (step % 50 == 0) {
                PortAllocator restored = new PortAllocator();
                services.values().forEach(restored::restore);
                assertThat(restored.taken()).isEqualTo(allocator.taken());
            }
        }
    }

    private static Service.Spec spec(String id, Endpoint.Spec endpoint) {
        return new Service.Spec(id, Map.of(), List.of(), List.of(), endpoint);
    }

    /** Ports of which no two have one number. */
    private static List<Port> wanted(Random random) {
        Map<String, Port> ports = new TreeMap<>();
        for (int i = random.nextInt(5); i > 0; i--) {
            Protocol protocol = Protocol.values()[random.nextInt(3)];
            int published = random.nextBoolean()
                    ? 0
                    : random.nextBoolean() ? 8_000 + random.nextInt(10) : 30_000 + random.nextInt(10);
            Mode mode = random.nextInt(4) == 0 ? Mode.HOST : Mode.INGRESS;
            Port port = new Port("p" + random.nextInt(3), protocol, 80 + random.nextInt(3), published, mode);
            ports.put(published == 0 ? "any " + i : number(port), port);
        }
        return List.copyOf(ports.values());
    }

    private static String number(Port port) {
        return port.protocol() + " " + port.published();
    }

    /** What all services but one have in ingress mode. */
    private static TreeSet<String> held(Map<String, Service> services, String but) {
        List<String> all = new ArrayList<>();
        services.forEach((id, service) -> service.endpoint().ports().stream()
                .filter(port -> port.mode() == Mode.INGRESS && !id.equals(but))
                .map(PortsModelTest::number)
                .forEach(all::add));
        assertThat(all).doesNotHaveDuplicates();
        return new TreeSet<>(all);
    }
}
