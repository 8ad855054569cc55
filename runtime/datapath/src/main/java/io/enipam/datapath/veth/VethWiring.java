package io.enipam.datapath.veth;

import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.engine.model.Wiring;
import io.enipam.sdk.Address;
import io.enipam.sdk.Family;
import java.util.List;

/** How a pod is connected by a veth pair, in the words of a CNI result. */
final class VethWiring {
    private VethWiring() {}

    static Wiring of(AttachmentRecord record) {
        return new Wiring(
                List.of(
                        new Wiring.Link(record.hostLink(), record.hostMac(), record.mtu(), ""),
                        new Wiring.Link(record.podLink(), record.podMac(), record.mtu(), record.netns())),
                record.addresses().stream()
                        .map(address -> new Wiring.PodAddress(
                                Address.parse(address.alone()), VethFacts.gateway(address.family()), 1))
                        .toList(),
                record.addresses().stream()
                        .map(address -> new Wiring.Route(
                                address.family() == Family.IPV4 ? "0.0.0.0/0" : "::/0",
                                VethFacts.gateway(address.family())))
                        .toList());
    }
}
