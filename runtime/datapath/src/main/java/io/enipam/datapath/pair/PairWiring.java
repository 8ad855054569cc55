package io.enipam.datapath.pair;

import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.engine.model.DatapathResult;
import io.enipam.sdk.Address;
import java.util.List;

/** How a pod is connected by a veth pair alone, in the words of a CNI result. */
public final class PairWiring {
    private PairWiring() {}

    public static DatapathResult of(AttachmentRecord record) {
        return new DatapathResult(
                List.of(
                        new DatapathResult.Link(record.hostLink(), record.hostMac(), record.mtu(), ""),
                        new DatapathResult.Link(record.podLink(), record.podMac(), record.mtu(), record.netns())),
                record.addresses().stream()
                        .map(address -> new DatapathResult.PodAddress(
                                Address.parse(address.alone()), VethPair.gateway(address.family()), 1))
                        .toList(),
                record.addresses().stream()
                        .map(address -> new DatapathResult.Route(address.everywhere(), VethPair.gateway(address.family())))
                        .toList());
    }
}
