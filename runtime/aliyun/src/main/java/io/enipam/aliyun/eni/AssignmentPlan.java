package io.enipam.aliyun.eni;

import io.enipam.aliyun.api.EcsApi;
import io.enipam.aliyun.api.EcsApi.AssignedAddresses;
import io.enipam.aliyun.api.EcsException;
import io.enipam.aliyun.eni.EniAddress.Holder;
import java.util.List;
import java.util.Optional;

/**
 * How many addresses of each family an ENI is to get, so that the requests at the head of its backlog can be served.
 *
 * @param wishes how many of them can be served then
 * @param ips IPv4 addresses to be assigned, 0 to 10
 * @param ipv6s IPv6 addresses to be assigned, 0 to 10
 */
record AssignmentPlan(int wishes, int ips, int ipv6s) {
    private static final AssignedAddresses NOTHING = new AssignedAddresses(List.of(), "");

    /**
     * What came of it.
     *
     * @param failure why there is no IPv6 address where some were asked for; the IPv4 ones came before it was asked
     */
    record Outcome(AssignedAddresses ips, AssignedAddresses ipv6s, Optional<EcsException> failure) {
        String requestId() {
            return ips.requestId().isEmpty() ? ipv6s.requestId() : ips.requestId();
        }
    }

    /**
     * What an idle worker asks for.
     *
     * @param batch how many addresses its vSwitch may be asked for
     */
    static AssignmentPlan of(Eni eni, FactorySettings settings, int batch) {
        int free = settings.limits().ipv4PerEni() - eni.addresses().size();
        if (!settings.dual()) {
            int count = Math.max(0, Math.min(Math.min(batch, free), eni.backlog.size()));
            return new AssignmentPlan(count, count, 0);
        }
        // what is spare here has no partner: pairs were lent before
        int wanted = Math.min(eni.backlog.size(), AddressBatcher.BATCH);
        int halves = eni.count(Holder.SPARE);
        int loose = eni.countIpv6(Holder.SPARE);
        int ips = clamp(Math.min(Math.min(batch, free), wanted - halves));
        int reach = Math.min(wanted, halves + ips);
        int freeIpv6 = settings.limits().ipv6PerEni() - eni.ipv6s().size();
        int ipv6s = clamp(Math.min(Math.min(batch, freeIpv6), reach - loose));
        return new AssignmentPlan(Math.min(reach, loose + ipv6s), ips, ipv6s);
    }

    private static int clamp(int count) {
        return Math.max(0, Math.min(AddressBatcher.BATCH, count));
    }

    boolean isEmpty() {
        return wishes == 0 || (ips == 0 && ipv6s == 0);
    }

    /**
     * Asks the cloud: IPv4 first, and IPv6 for as many as came.
     *
     * @throws EcsException if no IPv4 address came where some were asked for
     */
    Outcome execute(EcsApi api, String eni, String token) {
        AssignedAddresses four = ips == 0 ? NOTHING : api.assignPrivateIpAddresses(eni, ips, token);
        int six = ipv6s - Math.max(0, ips - four.ips().size());
        if (six <= 0) {
            return new Outcome(four, NOTHING, Optional.empty());
        }
        try {
            return new Outcome(four, api.assignIpv6Addresses(eni, six, token + "-6"), Optional.empty());
        } catch (EcsException e) {
            return new Outcome(four, NOTHING, Optional.of(e));
        }
    }
}
