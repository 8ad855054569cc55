package io.enipam.datapath.pair;

import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.engine.model.Wiring;
import io.enipam.sdk.Address;
import java.util.List;

/** How a pod is connected by a veth pair alone, in the words of a CNI result. */
public final class PairWiring {
    private PairWiring() {}

    public static Wiring of(AttachmentRecord record) {
        return new Wiring(
                List.of(
                        new Wiring.Link(record.hostLink(), record.hostMac(), record.mtu(), ""),
                        new Wiring.Link(record.podLink(), record.podMac(), record.mtu(), record.netns())),
                record.addresses().stream()
                        .map(address -> new Wiring.PodAddress(
                                Address.parse(address.alone()), VethPair.gateway(address.family()), 1))
                        .toList(),
                record.addresses().stream()
                        .map(address -> new Wiring.Route(address.everywhere(), VethPair.gateway(address.family())))
                        .toList());
    }
}
