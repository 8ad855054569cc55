package io.enipam.examples.swarm.state;

import io.enipam.examples.swarm.errors.Refused;
import io.enipam.examples.swarm.model.AttachmentSpec;
import io.enipam.examples.swarm.model.Endpoint;
import io.enipam.examples.swarm.model.Network;
import io.enipam.examples.swarm.model.Port;
import io.enipam.examples.swarm.model.Service;
import io.enipam.sdk.Row;
import io.enipam.sdk.Transaction;
import io.enipam.sdk.ranges.Ip;
import io.enipam.sdk.ranges.Subnet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What swarmkit's control API checks before it writes an object, in its words.
 *
 * @see <a href="https://github.com/moby/swarmkit/tree/master/manager/controlapi">network.go, service.go</a>
 */
public final class Validation {
    private static final Set<String> IPAM_DRIVERS = Set.of("default", "null");
    private static final Pattern NAME = Pattern.compile("[a-zA-Z0-9](?:[-_.]*[A-Za-z0-9]+)*");
    private static final int LONGEST_NAME = 63;

    private Validation() {}

    /** @throws Refused if it cannot be written */
    static void network(Network.Spec spec) {
        name(spec.name());
        if (spec.ingress() && spec.attachable()) {
            throw Refused.invalid("ingress network cannot be attachable");
        }
        if (!spec.driver().equals(Network.Driver.NONE)) {
            driver(spec.driver(), spec.ingress());
        }
        String ipam = spec.ipam().driver().name();
        if (!ipam.isEmpty() && !IPAM_DRIVERS.contains(ipam)) {
            throw Refused.invalid("ipam driver " + ipam + " not supported");
        }
        spec.ipam().subnets().forEach(Validation::subnet);
    }

    /** @throws Refused if it cannot be written */
    public static void name(String name) {
        if (name.length() > LONGEST_NAME || !NAME.matcher(name).matches()) {
            throw Refused.invalid("name must be valid as a DNS name component");
        }
    }

    /**
     * A driver that is named in a specification; one that is left out is the default.
     *
     * @throws Refused if it cannot be written
     */
    public static void driver(Network.Driver driver, boolean ingress) {
        if (driver.name().isEmpty()) {
            throw Refused.invalid("driver name: if driver is specified name is required");
        }
        if (!driver.name().equals(Network.OVERLAY) && !Network.NODE_LOCAL.contains(driver.name())) {
            throw Refused.invalid("plugin " + driver.name() + " not supported");
        }
        if (ingress && !driver.name().equals(Network.OVERLAY)) {
            throw new Refused(
                    Refused.Code.UNIMPLEMENTED, "only overlay driver is currently supported for ingress network");
        }
    }

    /** @throws Refused if it cannot be written */
    public static void subnet(Network.Subnet config) {
        Subnet subnet = cidr("subnet", config.subnet());
        if (!config.range().isEmpty()) {
            Subnet range = cidr("range", config.range());
            if (!subnet.network().contains(range.network().first())) {
                throw Refused.invalid(
                        "ipam configuration: subnet " + config.subnet() + " does not contain range " + config.range());
            }
        }
        if (!config.gateway().isEmpty() && !subnet.network().contains(gateway(config.gateway()))) {
            throw Refused.invalid(
                    "ipam configuration: subnet " + config.subnet() + " does not contain gateway " + config.gateway());
        }
    }

    private static Subnet cidr(String what, String text) {
        try {
            return Subnet.parse(text);
        } catch (IllegalArgumentException e) {
            throw Refused.invalid("ipam configuration: invalid " + what + " " + text);
        }
    }

    private static Ip gateway(String text) {
        try {
            return Ip.parse(text);
        } catch (IllegalArgumentException e) {
            throw Refused.invalid("ipam configuration: invalid gateway " + text);
        }
    }

    /**
     * A service as it is to be.
     *
     * @param id its own, empty if it is to be created
     * @throws Refused if it cannot be written
     */
    static void service(String id, Service.Spec spec, Transaction tx) {
        name(spec.name());
        endpoint(spec.endpoint());
        for (AttachmentSpec attached : spec.attached()) {
            tx.get(Tables.NETWORKS, attached.target()).map(Row::value).ifPresent(network -> {
                if (network.isIngress()) {
                    throw Refused.invalid("Service cannot be explicitly attached to the ingress network \""
                            + network.spec().name() + "\"");
                }
            });
        }
        ports(id, spec.endpoint().ports(), tx);
        if (spec.endpoint().needsIngress()
                && tx.scan(Tables.NETWORKS, "").noneMatch(row -> row.value().isIngress())) {
            throw Refused.conflict("service needs ingress network, but no ingress network is present;"
                    + " 'swarm network create ingress --ingress' makes one");
        }
    }

    /** @throws Refused if it cannot be written */
    public static void endpoint(Endpoint.Spec spec) {
        Set<Port.Number> published = new HashSet<>();
        for (Port port : spec.ports()) {
            if (port.target() < 1
                    || port.target() > Port.LAST
                    || port.published() < 0
                    || port.published() > Port.LAST) {
                throw Refused.invalid(
                        "EndpointSpec: a port is 1 to 65535, got " + port.published() + ":" + port.target());
            }
            if (spec.mode() == Endpoint.Mode.DNSRR && port.mode() == Port.Mode.INGRESS) {
                throw Refused.invalid("EndpointSpec: port published with ingress mode can't be used with dnsrr mode");
            }
            if (port.published() != 0 && !published.add(port.number())) {
                throw Refused.invalid("EndpointSpec: duplicate published ports provided");
            }
        }
    }

    /** Ports of a service that another one has; those that were chosen for the other one count as well. */
    private static void ports(String id, List<Port> wanted, Transaction tx) {
        if (wanted.stream().noneMatch(port -> port.published() != 0)) {
            return;
        }
        tx.scan(Tables.SERVICES, "")
                .map(Row::value)
                .filter(other -> !other.id().equals(id))
                .forEach(other -> {
                    List<Port> taken = other.endpoint().ports().isEmpty()
                            ? other.spec().endpoint().ports()
                            : Stream.concat(other.spec().endpoint().ports().stream(), other.endpoint().ports().stream())
                                    .toList();
                    wanted.forEach(port -> port(port, other, taken));
                });
    }

    private static void port(Port wanted, Service other, List<Port> taken) {
        for (Port port : taken) {
            if (wanted.published() == 0
                    || wanted.published() != port.published()
                    || wanted.protocol() != port.protocol()
                    || (wanted.mode() == Port.Mode.HOST && port.mode() == Port.Mode.HOST)) {
                continue;
            }
            throw Refused.invalid("port '" + wanted.published() + "' is already in use by service '"
                    + other.spec().name() + "' (" + other.id() + ") as "
                    + (port.mode() == Port.Mode.INGRESS ? "an ingress port" : "a host-published port"));
        }
    }
}
