package io.enipam.examples.swarm.ports;

import io.enipam.examples.swarm.errors.Refused;
import io.enipam.examples.swarm.model.Endpoint;
import io.enipam.examples.swarm.model.Port;
import io.enipam.examples.swarm.model.Port.Mode;
import io.enipam.examples.swarm.model.Port.Protocol;
import io.enipam.examples.swarm.model.Service;
import io.enipam.examples.swarm.pools.NumberPool;
import io.enipam.examples.swarm.pools.Turns;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Published ports of a cluster. A port in ingress mode has its number, with its protocol, for itself on all nodes; one in host mode is a
 * node's business and is only copied. An operation that fails changes nothing. Not thread-safe.
 */
public final class PortAllocator {
    private static final int FIRST_CHOSEN = 30_000;
    private static final int LAST_CHOSEN = 32_767;

    private final Map<Protocol, NumberPool> all = new EnumMap<>(Protocol.class);
    /** From which numbers are chosen; what is taken of them is taken of all, too. */
    private final Map<Protocol, NumberPool> chosen = new EnumMap<>(Protocol.class);

    private final Map<Port.Number, String> holders = new HashMap<>();

    /** What makes a port of a specification the same one as before. */
    private record Key(String name, Protocol protocol, int target) {
        static Key of(Port port) {
            return new Key(port.name(), port.protocol(), port.target());
        }
    }

    public PortAllocator() {
        this(new Turns());
    }

    public PortAllocator(Turns turns) {
        for (Protocol protocol : Protocol.values()) {
            all.put(protocol, new NumberPool(1, Port.LAST));
            chosen.put(protocol, new NumberPool(FIRST_CHOSEN, LAST_CHOSEN, turns));
        }
    }

    /** Goes on where another one is: with whose turn it is. */
    public void turnsOf(PortAllocator before) {
        chosen.forEach((protocol, pool) -> pool.turnOf(pool(before.chosen, protocol)));
    }

    /**
     * Gives a service the ports that it specifies; one whose number is left open keeps the number it has, as long as the service has as many
     * ports as before. A service that specifies no endpoint stays as it is.
     *
     * @throws Refused if one is taken, or none is free
     */
    public Service allocate(Service service) {
        if (!service.spec().endpoint().present()) {
            return service;
        }
        List<Port> wanted = reconcile(service);
        List<Port.Number> before = held(service);
        before.forEach(this::free);
        List<Port> ports = new ArrayList<>();
        try {
            for (Port port : wanted) {
                ports.add(port.mode() == Mode.HOST ? port : port.publishedAs(take(service.id(), port)));
            }
        } catch (Refused e) {
            ports.stream().filter(port -> port.mode() == Mode.INGRESS).forEach(port -> free(port.number()));
            before.forEach(port -> take(service.id(), port.protocol(), port.number()));
            throw e;
        }
        return service.with(service.endpoint().with(ports));
    }

    /** Takes the numbers that a service's row has. */
    public void restore(Service service) {
        List<Port.Number> taken = new ArrayList<>();
        try {
            for (Port port : ingress(service.endpoint().ports())) {
                take(service.id(), port.protocol(), port.published());
                taken.add(port.number());
            }
        } catch (Refused e) {
            taken.forEach(this::free);
            throw e;
        }
    }

    /** Frees what a service has, and returns it without ports. Has no effect on numbers that it does not have. */
    public Service deallocate(Service service) {
        held(service).forEach(this::free);
        return service.with(service.endpoint().with(List.of()));
    }

    private List<Port.Number> held(Service service) {
        return ingress(service.endpoint().ports()).stream()
                .map(Port::number)
                .filter(port -> service.id().equals(holders.get(port)))
                .toList();
    }

    private int take(String service, Port port) {
        if (port.published() != 0) {
            take(service, port.protocol(), port.published());
            return port.published();
        }
        int number = pool(chosen, port.protocol()).take();
        pool(all, port.protocol()).take(number);
        holders.put(new Port.Number(port.protocol(), number), service);
        return number;
    }

    private void take(String service, Protocol protocol, int number) {
        pool(all, protocol).take(number);
        if (pool(chosen, protocol).contains(number)) {
            pool(chosen, protocol).take(number);
        }
        holders.put(new Port.Number(protocol, number), service);
    }

    private void free(Port.Number port) {
        holders.remove(port);
        pool(all, port.protocol()).release(port.number());
        pool(chosen, port.protocol()).release(port.number());
    }

    private static NumberPool pool(Map<Protocol, NumberPool> pools, Protocol protocol) {
        return Optional.ofNullable(pools.get(protocol)).orElseThrow();
    }

    private static List<Port> ingress(List<Port> ports) {
        return ports.stream().filter(port -> port.mode() == Mode.INGRESS).toList();
    }

    /** What a service is to have: its specification, with the numbers that it has for those that it leaves open. */
    static List<Port> reconcile(Service service) {
        List<Port> wanted = service.spec().endpoint().ports();
        List<Port> has = service.endpoint().ports();
        if (wanted.size() != has.size()) {
            return wanted;
        }
        Kept kept = new Kept(has);
        List<Port> result = new ArrayList<>();
        for (Port port : wanted) {
            if (!open(port)) {
                result.add(port);
                kept.take(port);
            }
        }
        for (Port port : wanted) {
            if (open(port)) {
                result.add(kept.take(port).orElse(port));
            }
        }
        return result;
    }

    private static boolean open(Port port) {
        return port.mode() == Mode.INGRESS && port.published() == 0;
    }

    /** Ports that a service has in ingress mode; each is taken once. */
    private static final class Kept {
        private final List<Port> left;

        Kept(List<Port> has) {
            left = new ArrayList<>(ingress(has));
        }

        /** One with the key of another, and with its number if it has one. */
        Optional<Port> take(Port like) {
            Predicate<Port> same = port -> Key.of(port).equals(Key.of(like))
                    && port.mode() == like.mode()
                    && (like.published() == 0 || like.published() == port.published());
            Optional<Port> found = left.stream().filter(same).findFirst();
            found.ifPresent(left::remove);
            return found;
        }
    }

    /**
     * Whether a service has the ports that it specifies.
     *
     * @param restoring numbers that were chosen do not count then: they have to be taken again
     */
    public static boolean isAllocated(Service service, boolean restoring) {
        Endpoint.Spec spec = service.spec().endpoint();
        List<Port> has = service.endpoint().ports();
        if (spec.ports().size() != has.size()) {
            return false;
        }
        Kept kept = new Kept(has);
        Stream<Port> explicit = spec.ports().stream().filter(port -> !open(port));
        boolean all = explicit.allMatch(port -> port.mode() == Mode.HOST
                ? has.stream().anyMatch(each -> each.mode() == Mode.HOST && each.target() == port.target())
                : kept.take(port).isPresent());
        return all
                && spec.ports().stream()
                        .filter(PortAllocator::open)
                        .allMatch(port -> !restoring
                                && kept.take(port)
                                        .filter(each -> each.published() != 0)
                                        .isPresent());
    }

    /** Whether a port in host mode is specified that the service has not. One that is left out does not count. */
    public static boolean hostPortsNeedUpdate(Service service) {
        return service.spec().endpoint().ports().stream()
                .filter(port -> port.mode() == Mode.HOST && port.published() != 0)
                .anyMatch(port -> !service.endpoint().ports().contains(port));
    }

    /** The service with the ports in host mode that it specifies, in place of those that it has. */
    public static Service updateHostPorts(Service service) {
        Endpoint.Spec spec = service.spec().endpoint();
        Stream<Port> host = spec.ports().stream().filter(port -> port.mode() == Mode.HOST);
        List<Port> ports = Stream.concat(ingress(service.endpoint().ports()).stream(), host)
                .toList();
        return service.with(service.endpoint().of(spec).with(ports));
    }

    /** How many numbers are taken. */
    public int taken() {
        return holders.size();
    }
}
