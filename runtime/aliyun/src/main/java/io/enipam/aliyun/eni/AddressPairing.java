package io.enipam.aliyun.eni;

import io.enipam.aliyun.eni.CloudFactory.KnownAddressPairs;
import io.enipam.aliyun.eni.EniAddress.Holder;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Which IPv4 and which IPv6 address of an ENI are lent together. Guarded by the fleet's lock.
 *
 * <p>Within one run the registry remembers. What a reading of the cloud brings into the registry is first compared with what the node
 * {@linkplain KnownAddressPairs knows}: a pod's addresses stay together, and an address that a pod has, and whose other one is gone, is
 * neither lent nor taken off until the engine gives it back. All others are spare, and are paired in the order in
 * which the cloud names them.
 */
final class AddressPairing {
    private final Map<String, Optional<String>> known = new HashMap<>();
    private final Set<String> claimed = new HashSet<>();
    private boolean read;

    void learn(List<KnownAddressPairs.Pair> pairs) {
        known.clear();
        claimed.clear();
        for (KnownAddressPairs.Pair pair : pairs) {
            known.putIfAbsent(pair.ipv4(), pair.ipv6());
            pair.ipv6().ifPresent(claimed::add);
        }
        read = true;
    }

    /** Puts together what a reading of the cloud has brought into the registry of an ENI. */
    void settle(Eni eni) {
        if (!eni.dual()) {
            return;
        }
        if (read) {
            recall(eni);
            eni.understood = true;
        }
        join(eni);
    }

    private void recall(Eni eni) {
        eni.addresses().forEach((ip, address) -> {
            Optional<String> partner = known.get(ip);
            if (partner == null || address.partner().isPresent() || address.is(Holder.LEAVING)) {
                return;
            }
            Optional<EniAddress> six =
                    partner.map(eni.ipv6s()::get).filter(it -> it.partner().isEmpty() && !it.is(Holder.LEAVING));
            if (six.isPresent()) {
                address.join(six.get());
                if (address.is(Holder.ENGINE)) {
                    address.markDelivered();
                }
            } else {
                // lent with IPv4 alone: as it is; lent with an IPv6 address that is gone: lent to no other pod
                address.setLentWithoutPartner(partner.isEmpty());
                address.become(Holder.ENGINE);
            }
        });
        eni.ipv6s().forEach((ip, six) -> {
            if (six.partner().isEmpty() && !six.is(Holder.LEAVING)) {
                six.become(claimed.contains(ip) ? Holder.ENGINE : Holder.SPARE);
            }
        });
    }

    /** Pairs the spare addresses of an ENI, as far as there are some of both families. */
    static void join(Eni eni) {
        if (!eni.dual() || !eni.understood) {
            return;
        }
        Iterator<EniAddress> loose = eni.ipv6s().values().stream()
                .filter(six -> six.is(Holder.SPARE) && six.partner().isEmpty())
                .toList()
                .iterator();
        for (EniAddress address : eni.addresses().values()) {
            if (loose.hasNext() && address.is(Holder.SPARE) && address.partner().isEmpty()) {
                address.join(loose.next());
            }
        }
    }
}
