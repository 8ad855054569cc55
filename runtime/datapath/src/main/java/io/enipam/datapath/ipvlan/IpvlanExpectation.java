package io.enipam.datapath.ipvlan;

import io.enipam.datapath.link.Expectation;
import io.enipam.datapath.link.Forwarding;
import io.enipam.datapath.link.TokenBucket;
import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.datapath.record.AttachmentRecord.PodAddress;
import io.enipam.engine.model.DatapathResult;
import io.enipam.sdk.Address;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A pod that is well connected, as the kernel shows it and as a CNI result tells it. */
final class IpvlanExpectation {
    private IpvlanExpectation() {}

    static Expectation expectation(AttachmentRecord record) {
        String slave = IpvlanKind.slave(record);
        List<Expectation.Route> here = new ArrayList<>();
        List<Expectation.OnLink> addresses = new ArrayList<>();
        List<Expectation.Route> routes = new ArrayList<>();
        for (PodAddress address : record.addresses()) {
            here.add(new Expectation.Route("main", "unicast", address.ip(), "", slave));
            addresses.add(new Expectation.OnLink(record.podLink(), address.inSubnet()));
            routes.add(new Expectation.Route("main", "unicast", "default", address.gateway(), record.podLink()));
        }
        return new Expectation(
                new Expectation.Side(
                        List.of(new Expectation.Link(slave, "")), List.of(), List.of(), here, Optional.empty()),
                new Expectation.Side(
                        List.of(new Expectation.Link(record.podLink(), record.eniMac())),
                        addresses,
                        List.of(),
                        routes,
                        TokenBucket.shown(record.egress(), record.mtu())),
                List.of(),
                Forwarding.sysctls(record));
    }

    static DatapathResult wiring(AttachmentRecord record) {
        return new DatapathResult(
                List.of(new DatapathResult.Link(record.podLink(), record.podMac(), record.mtu(), record.netns())),
                record.addresses().stream()
                        .map(address -> new DatapathResult.PodAddress(Address.parse(address.inSubnet()), address.gateway(), 0))
                        .toList(),
                record.addresses().stream()
                        .map(address -> new DatapathResult.Route(address.everywhere(), address.gateway()))
                        .toList());
    }
}
