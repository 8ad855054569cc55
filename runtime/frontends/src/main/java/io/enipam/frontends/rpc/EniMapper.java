package io.enipam.frontends.rpc;

import io.enipam.engine.pool.PoolView;
import io.enipam.engine.port.EniDirectory;
import io.enipam.sdk.Address;
import io.enipam.sdk.Resource;
import io.enipam.v1.Eni;
import io.enipam.v1.EniAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** ENIs on the wire, each address joined with what the pool knows of it. */
final class EniMapper {
    private EniMapper() {}

    static List<Eni> enis(List<EniDirectory.Eni> enis, PoolView pool) {
        Map<String, PoolView.Entry> byPlace = new HashMap<>();
        pool.entries()
                .forEach(entry -> entry.resource()
                        .addresses()
                        .forEach(address -> byPlace.put(place(eniOf(entry.resource()), address.host()), entry)));
        return enis.stream().map(eni -> eni(eni, byPlace)).toList();
    }

    private static Eni eni(EniDirectory.Eni eni, Map<String, PoolView.Entry> byPlace) {
        return Eni.newBuilder()
                .setId(eni.id())
                .setMac(eni.mac())
                .setState(eni.state())
                .setPrimaryIp(eni.primaryIp())
                .setVswitch(eni.vswitch())
                .setAddressLimit(eni.addressLimit())
                .addAllAddresses(eni.addresses().stream()
                        .map(a -> address(eni, a, byPlace))
                        .toList())
                .addAllIpv6Addresses(
                        eni.ipv6s().stream().map(a -> address(eni, a, byPlace)).toList())
                .setQueued(eni.queued())
                .setSince(ProtoTime.timestamp(eni.since()))
                .build();
    }

    private static EniAddress address(EniDirectory.Eni eni, String text, Map<String, PoolView.Entry> byPlace) {
        String host = Address.parse(text).host();
        EniAddress.Builder wire = EniAddress.newBuilder()
                .setAddress(text)
                .setPrimary(!eni.primaryIp().isEmpty()
                        && host.equals(Address.parse(eni.primaryIp()).host()));
        PoolView.Entry entry = byPlace.get(place(eni.id(), host));
        if (entry != null) {
            wire.setState(entry.state().name());
            entry.pod().ifPresent(pod -> wire.setPod(pod.toString()));
        }
        return wire.build();
    }

    /** What stands alone may be an ENI itself. */
    private static String eniOf(Resource resource) {
        return resource.parent().isEmpty() ? resource.id().value() : resource.parent();
    }

    private static String place(String eni, String host) {
        return eni + " " + host;
    }
}
