package io.enipam.examples.swarm.operate;

import io.enipam.examples.swarm.errors.Refused;
import io.enipam.examples.swarm.model.Attachment;
import io.enipam.examples.swarm.model.AttachmentSpec;
import io.enipam.examples.swarm.model.Endpoint;
import io.enipam.examples.swarm.model.Network;
import io.enipam.examples.swarm.model.Node;
import io.enipam.examples.swarm.model.Port;
import io.enipam.examples.swarm.model.Service;
import io.enipam.examples.swarm.model.Task;
import io.enipam.sdk.Row;
import io.enipam.swarm.v1.SwarmProto;
import java.util.List;
import java.util.function.Function;

/** Objects as messages of {@code swarm.proto}, and specifications of messages. What a message leaves out is empty, as proto3 has it. */
final class Messages {
    private Messages() {}

    static SwarmProto.Network network(Row<Network> row) {
        Network network = row.value();
        Network.Spec spec = network.spec();
        return SwarmProto.Network.newBuilder()
                .setId(network.id())
                .setVersion(row.revision())
                .setSpec(SwarmProto.NetworkSpec.newBuilder()
                        .setName(spec.name())
                        .putAllLabels(spec.labels())
                        .setDriver(driver(spec.driver()))
                        .setIpam(driver(spec.ipam().driver()))
                        .addAllSubnets(each(spec.ipam().subnets(), Messages::subnet))
                        .setIngress(spec.ingress())
                        .setAttachable(spec.attachable()))
                .addAllSubnets(each(network.ipam().subnets(), Messages::subnet))
                .setDriver(driver(network.driver()))
                .build();
    }

    private static SwarmProto.Driver driver(Network.Driver driver) {
        return SwarmProto.Driver.newBuilder()
                .setName(driver.name())
                .putAllOptions(driver.options())
                .build();
    }

    private static SwarmProto.Subnet subnet(Network.Subnet subnet) {
        return SwarmProto.Subnet.newBuilder()
                .setSubnet(subnet.subnet())
                .setRange(subnet.range())
                .setGateway(subnet.gateway())
                .build();
    }

    /** @param ingressSubnet of an ingress network that names none; empty for any */
    static Network.Spec network(SwarmProto.NetworkSpec spec, String ingressSubnet) {
        List<Network.Subnet> subnets = each(
                spec.getSubnetsList(),
                each -> new Network.Subnet(each.getSubnet(), each.getRange(), each.getGateway()));
        boolean usual = spec.getIngress() && subnets.isEmpty() && !ingressSubnet.isEmpty();
        return new Network.Spec(
                spec.getName(),
                spec.getLabelsMap(),
                driver(spec.getDriver()),
                new Network.Ipam(
                        driver(spec.getIpam()), usual ? List.of(new Network.Subnet(ingressSubnet, "", "")) : subnets),
                spec.getIngress(),
                spec.getAttachable());
    }

    private static Network.Driver driver(SwarmProto.Driver driver) {
        return new Network.Driver(driver.getName(), driver.getOptionsMap());
    }

    static SwarmProto.Service service(Row<Service> row) {
        Service service = row.value();
        Service.Spec spec = service.spec();
        return SwarmProto.Service.newBuilder()
                .setId(service.id())
                .setVersion(row.revision())
                .setSpec(SwarmProto.ServiceSpec.newBuilder()
                        .setName(spec.name())
                        .putAllLabels(spec.labels())
                        .addAllNetworks(each(
                                spec.attached(),
                                each -> SwarmProto.AttachmentSpec.newBuilder()
                                        .setNetwork(each.target())
                                        .addAllAliases(each.aliases())
                                        .addAllAddresses(each.addresses())
                                        .putAllOptions(each.options())
                                        .build()))
                        .setModeValue(spec.endpoint().mode().ordinal())
                        .addAllPorts(each(spec.endpoint().ports(), Messages::port)))
                .addAllPorts(each(service.endpoint().ports(), Messages::port))
                .addAllVirtualIps(each(
                        service.endpoint().virtualIps(),
                        each -> SwarmProto.VirtualIp.newBuilder()
                                .setNetwork(each.network())
                                .setAddress(each.address())
                                .build()))
                .setRemoving(service.pendingDelete())
                .build();
    }

    private static SwarmProto.Port port(Port port) {
        return SwarmProto.Port.newBuilder()
                .setName(port.name())
                .setProtocolValue(port.protocol().ordinal())
                .setTarget(port.target())
                .setPublished(port.published())
                .setModeValue(port.mode().ordinal())
                .build();
    }

    static Service.Spec service(SwarmProto.ServiceSpec spec) {
        List<Port> ports = each(
                spec.getPortsList(),
                each -> new Port(
                        each.getName(),
                        constant("protocol", Port.Protocol.values(), each.getProtocolValue()),
                        each.getTarget(),
                        each.getPublished(),
                        constant("publish mode", Port.Mode.values(), each.getModeValue())));
        return new Service.Spec(
                spec.getName(),
                spec.getLabelsMap(),
                attached(spec.getNetworksList()),
                List.of(),
                new Endpoint.Spec(constant("endpoint mode", Endpoint.Mode.values(), spec.getModeValue()), ports));
    }

    static List<AttachmentSpec> attached(List<SwarmProto.AttachmentSpec> networks) {
        return each(
                networks,
                each -> new AttachmentSpec(
                        each.getNetwork(), each.getAliasesList(), each.getAddressesList(), each.getOptionsMap()));
    }

    /** The constants of the messages have the order of the model's. */
    private static <E> E constant(String what, E[] all, int number) {
        if (number < 0 || number >= all.length) {
            throw Refused.invalid(what + ": there is no " + number);
        }
        return all[number];
    }

    static SwarmProto.Task task(Row<Task> row) {
        Task task = row.value();
        return SwarmProto.Task.newBuilder()
                .setId(task.id())
                .setVersion(row.revision())
                .setService(task.service())
                .setName(task.name())
                .setNode(task.node())
                .setState(task.status().state().name())
                .setMessage(task.status().message())
                .addAllAttachments(each(task.networks(), Messages::attachment))
                .build();
    }

    static SwarmProto.Node node(Row<Node> row) {
        Node node = row.value();
        return SwarmProto.Node.newBuilder()
                .setId(node.id())
                .setVersion(row.revision())
                .setName(node.name())
                .addAllAttachments(each(node.attachments(), Messages::attachment))
                .build();
    }

    private static SwarmProto.Attachment attachment(Attachment attachment) {
        return SwarmProto.Attachment.newBuilder()
                .setNetwork(attachment.network().id())
                .addAllAddresses(attachment.addresses())
                .build();
    }

    private static <T, R> List<R> each(List<T> all, Function<T, R> mapped) {
        return all.stream().map(mapped).toList();
    }
}
