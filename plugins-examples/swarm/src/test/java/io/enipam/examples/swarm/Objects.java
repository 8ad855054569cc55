package io.enipam.examples.swarm;

import io.enipam.examples.swarm.model.Attachment;
import io.enipam.examples.swarm.model.AttachmentSpec;
import io.enipam.examples.swarm.model.Endpoint;
import io.enipam.examples.swarm.model.Network;
import io.enipam.examples.swarm.model.Network.Driver;
import io.enipam.examples.swarm.model.Network.Ipam;
import io.enipam.examples.swarm.model.Network.Subnet;
import io.enipam.examples.swarm.model.Port;
import io.enipam.examples.swarm.model.Port.Mode;
import io.enipam.examples.swarm.model.Port.Protocol;
import io.enipam.examples.swarm.model.Service;
import io.enipam.examples.swarm.model.Task;
import io.enipam.examples.swarm.networks.NetworkAllocator;
import io.enipam.examples.swarm.pools.AddressSpace;
import io.enipam.examples.swarm.pools.PoolSource;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/** Networks, services and tasks of tests, and an allocator with the default pools. */
public final class Objects {
    private Objects() {}

    static NetworkAllocator allocator() {
        return new NetworkAllocator(
                Map.of("default", new AddressSpace(List.of("10.0.0.0/8"), 24), "null", PoolSource.NONE));
    }

    static Network net(String id, Subnet... subnets) {
        return net(id, Driver.NONE, subnets);
    }

    static Network net(String id, Driver driver, Subnet... subnets) {
        return net(id, driver, false, subnets);
    }

    static Network net(String id, String driver, boolean ingress, Subnet... subnets) {
        return net(id, new Driver(driver, Map.of()), ingress, subnets);
    }

    private static Network net(String id, Driver driver, boolean ingress, Subnet... subnets) {
        Ipam ipam = new Ipam(Driver.NONE, List.of(subnets));
        return Network.of(id, new Network.Spec(id, Map.of(), driver, ipam, ingress, false));
    }

    static Network ingress() {
        return ingress("10.255.0.0/16");
    }

    static Network ingress(String subnet) {
        return net("ingress", Driver.NONE, true, subnet(subnet));
    }

    static Subnet subnet(String subnet) {
        return new Subnet(subnet, "", "");
    }

    static Subnet subnet(String subnet, String range, String gateway) {
        return new Subnet(subnet, range, gateway);
    }

    /** @param text {@code [NAME/]PROTOCOL:PUBLISHED->TARGET}, with 0 for a number that is chosen, and {@code (host)} behind it */
    static Port port(String text) {
        String[] named = text.replace("(host)", "").split("/", 2);
        String[] parts = named[named.length - 1].split(":|->");
        return new Port(
                named.length == 2 ? named[0] : "",
                Protocol.valueOf(parts[0].toUpperCase(Locale.ROOT)),
                Integer.parseInt(parts[2]),
                Integer.parseInt(parts[1]),
                text.endsWith("(host)") ? Mode.HOST : Mode.INGRESS);
    }

    static List<Port> ports(String... texts) {
        return Stream.of(texts).map(Objects::port).toList();
    }

    /** A service in mode VIP. */
    static Service service(String id, List<String> networks, String... ports) {
        return service(id, networks, new Endpoint.Spec(Endpoint.Mode.VIP, ports(ports)));
    }

    static Service service(String id, List<String> networks, Endpoint.Spec endpoint) {
        List<AttachmentSpec> attached =
                networks.stream().map(AttachmentSpec::to).toList();
        return Service.of(id, new Service.Spec(id, Map.of(), attached, List.of(), endpoint));
    }

    /** The same service with other wishes. */
    static Service changed(Service service, Endpoint.Mode mode, String... ports) {
        Service.Spec spec = service.spec();
        return service.with(new Service.Spec(
                spec.name(),
                spec.labels(),
                spec.taskNetworks(),
                spec.networks(),
                new Endpoint.Spec(mode, ports(ports))));
    }

    static Task task(String id, Attachment... networks) {
        return task(id, "", "", List.of(networks));
    }

    /** A task of a service, on no node. */
    static Task task(String id, String service) {
        return task(id, service, "", List.of());
    }

    static Task task(String id, String service, String node, List<Attachment> networks) {
        return new Task(
                id, service, id, node, List.of(), networks, Endpoint.NONE, new Task.Status(Task.State.NEW, "", 0));
    }

    static Attachment on(Network network, String... addresses) {
        return Attachment.of(network).with(List.of(addresses));
    }

    static List<String> addresses(Task task) {
        return task.networks().stream()
                .flatMap(each -> each.addresses().stream())
                .toList();
    }

    static List<String> virtualIps(Service service) {
        return service.endpoint().virtualIps().stream()
                .map(Endpoint.VirtualIp::address)
                .toList();
    }
}
