package io.enipam.frontends.cni;

import io.enipam.datapath.KernelDatapath.KernelFault;
import io.enipam.engine.EngineStatus.Phase;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.frontends.cni.CniHandler.CniContext;
import io.enipam.frontends.cni.spec.CniException;
import io.enipam.frontends.cni.spec.CniException.CniErrorCode;
import io.enipam.frontends.cni.spec.CniResult;
import io.enipam.frontends.cni.spec.CniVariables;
import io.enipam.frontends.cni.spec.NetConf;
import io.enipam.sdk.Address;
import io.enipam.sdk.ResourceState;
import java.net.InetAddress;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * CHECK: the lease exists and has the addresses that the ADD returned, the cloud has them, and the kernel is as the ADD left it. What
 * other plugins have added is not examined. Changes nothing. Thread-safe.
 */
record CheckHandler(CniContext context) {
    /** The kernel may be on its way: an ENI that comes up takes its routes along. */
    private static final int LOOKS = 4;

    private static final long BETWEEN_MILLIS = 250;

    void run(CniVariables variables, NetConf conf) {
        CniResult told = conf.previous()
                .orElseThrow(() -> new CniException(
                        CniErrorCode.INVALID_CONFIG,
                        "prevResult is missing: CHECK compares with what ADD has told",
                        "a runtime keeps the result of an ADD and passes it on"));
        NetnsGuard.check(variables.netns(), variables.anyNetns());
        Deadline deadline = new Deadline(CniHandler.LONGEST);
        deadline.awaitPhase(context.engine(), Set.of(Phase.READY));
        OwnerKey owner = new OwnerKey(conf.name(), variables.containerId(), variables.ifName());
        Lease lease = context.engine()
                .lease(owner)
                .orElseThrow(() -> new CniException(
                        CniErrorCode.UNKNOWN_CONTAINER,
                        "container " + owner.containerId() + " has no address on interface " + owner.ifName()
                                + " of network " + owner.network(),
                        "'enipam trace " + owner.containerId() + "' tells what became of it"));
        NetnsGuard.requireSame(context.connected(owner), variables.netns(), owner.containerId());
        compare(lease, told);
        kernel(owner, deadline);
    }

    private void compare(Lease lease, CniResult told) {
        Set<InetAddress> theirs = told.addresses().stream()
                .map(ip -> Address.parse(ip.address()).ip())
                .collect(Collectors.toSet());
        for (Address address : lease.resource().addresses()) {
            if (!theirs.contains(address.ip())) {
                throw wrong("address " + address.host() + " of container "
                        + lease.owner().containerId() + " is not among the ips of prevResult");
            }
        }
        boolean lost = context.engine().pool().entries().stream()
                .filter(entry -> entry.resource().id().equals(lease.resource().id()))
                .anyMatch(entry -> entry.state() == ResourceState.INVALID);
        if (lost) {
            throw wrong(
                    "the cloud has taken " + lease.resource().addresses().get(0).host() + " from pod " + lease.pod());
        }
    }

    private void kernel(OwnerKey owner, Deadline deadline) {
        if (context.kernel().real().isEmpty()) {
            return;
        }
        context.kernel().unusable().ifPresent(why -> {
            throw new CniException(
                    CniErrorCode.TRY_AGAIN,
                    "container " + owner.containerId() + " cannot be checked: " + why,
                    "nothing is known to be wrong with it");
        });
        List<KernelFault> faults = List.of();
        for (int look = 0; look < LOOKS; look++) {
            if (look > 0) {
                Deadline.pause(BETWEEN_MILLIS);
            }
            faults = deadline.outcome(
                    context.kernel().real().get().faults(owner).toCompletableFuture(), "the look at the kernel");
            if (faults.isEmpty()) {
                return;
            }
        }
        throw wrong(faults.stream().map(KernelFault::what).collect(Collectors.joining("; ")));
    }

    private static CniException wrong(String what) {
        return new CniException(
                CniErrorCode.KERNEL,
                what,
                "'enipam doctor' says whether it can be mended; a new sandbox is set up afresh");
    }
}
