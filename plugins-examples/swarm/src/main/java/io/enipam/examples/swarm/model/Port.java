package io.enipam.examples.swarm.model;

/**
 * A port of a service.
 *
 * @param target where the tasks listen, 1 to 65535
 * @param published 0 for one that is chosen
 */
public record Port(String name, Protocol protocol, int target, int published, Mode mode) {
    /** Of transport. */
    public enum Protocol {
        TCP,
        UDP,
        SCTP
    }

    /** Where it is published. */
    public enum Mode {
        /** On each node, by the routing mesh. */
        INGRESS,
        /** On the nodes of the tasks. */
        HOST
    }

    /** The highest that there is. */
    public static final int LAST = 65_535;

    /** What one service alone can have in ingress mode. */
    public record Number(Protocol protocol, int number) {}

    /** Where it is published; 0 for one that is chosen. */
    public Number number() {
        return new Number(protocol, published);
    }

    public Port publishedAs(int number) {
        return new Port(name, protocol, target, number, mode);
    }
}
