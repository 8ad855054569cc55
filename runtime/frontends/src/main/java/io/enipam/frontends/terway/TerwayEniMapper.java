package io.enipam.frontends.terway;

import io.enipam.engine.lease.AddProcedure.AddOutcome;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.Lease;
import io.enipam.sdk.Address;
import io.enipam.sdk.Family;
import io.enipam.sdk.Resource;
import io.enipam.terway.rpc.ENI;
import io.enipam.terway.rpc.IPType;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/**
 * Describes an ENI as terway's plugin of 2020 reads it: what that plugin would fail on is refused with a reason instead.
 */
record TerwayEniMapper(TerwayContext context) {
    /** An ENI's link appears some seconds after the cloud says that it is attached. */
    private static final Duration FOR_THE_LINK = Duration.ofSeconds(15);

    /** The plugin takes a link of this index for the table main, and sets up no rules. */
    private static final int MISREAD = 254;

    private static final long LOOK_MILLIS = 100;

    /**
     * @param left how long it may take
     * @return fails with {@link IpamException}
     */
    CompletionStage<ENI> of(AddOutcome outcome, Duration left) {
        Lease lease = outcome.lease();
        Resource resource = lease.resource();
        boolean whole = IpTypes.of(resource) == IPType.TypeVPCENI;
        ENI.Builder eni;
        try {
            eni = described(resource, whole);
        } catch (IpamException e) {
            return CompletableFuture.failedStage(e);
        }
        // an ENI of the pod's own has gone into the pod by the time its ADD is repeated
        boolean gone = whole && outcome.repeated();
        Duration patience = gone ? Duration.ZERO : left.compareTo(FOR_THE_LINK) < 0 ? left : FOR_THE_LINK;
        return linkIndex(eni.getMacAddr(), patience).thenApply(index -> {
            if (index.isEmpty() && !gone) {
                throw noLink(resource, eni.getMacAddr(), patience);
            }
            if (!whole && index.orElse(0) == MISREAD) {
                throw datapath(
                        "the link of " + hangsOn(resource)
                                + " has index 254, which terway's plugin takes for table main",
                        "detach and attach the ENI anew, or let enipam-cni connect pods");
            }
            return eni.setDeviceNumber(index.orElse(0)).build();
        });
    }

    private ENI.Builder described(Resource resource, boolean whole) {
        Address address = IpTypes.ipv4(resource)
                .orElseThrow(() -> untellable(resource, "has no IPv4 address, and the contract no other"));
        String mac = attribute(resource, Resource.MAC).toLowerCase(Locale.ROOT);
        String gateway = attribute(resource, Resource.GATEWAY);
        Optional<InetAddress> node = context.node().address(Family.IPV4);
        if (node.isEmpty() && !whole) {
            throw datapath(
                    "the node's own IPv4 address is not known: no default route leads to a link that has one",
                    "run the daemon in the node's network namespace; 'ip route show default' shows what is missing");
        }
        if (context.serviceCidr().isEmpty() && whole) {
            throw datapath(
                    "the CIDR of the cluster's services is not known, and a pod with an ENI of its own needs it",
                    "set service_cidr in eni.json; 'config show' says where it would come from");
        }
        return ENI.newBuilder()
                .setIPv4Addr(address.host())
                .setIPv4Subnet(IpTypes.subnet(address))
                .setMacAddr(mac)
                .setGateway(gateway)
                .setPrimaryIPv4Addr(node.map(InetAddress::getHostAddress).orElse(""));
    }

    private static String attribute(Resource resource, String name) {
        String value = resource.attributes().getOrDefault(name, "");
        if (value.isEmpty()) {
            throw untellable(resource, "hangs on no ENI: its factory tells no " + name);
        }
        return value;
    }

    private static IpamException untellable(Resource resource, String why) {
        return new IpamException(
                ErrorCode.PLUGIN_FAILED,
                "resource " + resource.id().value() + " cannot be told to terway's plugin: it " + why,
                "let enipam-cni connect pods, or set pool.factory to eni-ip or eni");
    }

    private IpamException noLink(Resource resource, String mac, Duration waited) {
        if (!context.node().showsLinks()) {
            return datapath(
                    hangsOn(resource) + " has no link with MAC " + mac
                            + " in /sys/class/net, which shows another network namespace than the daemon's",
                    "mount a sysfs in the daemon's network namespace ('ip netns exec' does), or run the daemon in the"
                            + " node's");
        }
        return datapath(
                hangsOn(resource) + " has no link with MAC " + mac + " in the node's network namespace after "
                        + waited.toSeconds() + " s",
                "see 'ip link' and whether the ENI is attached ('eni list'); the daemon must run in the node's network"
                        + " namespace");
    }

    private static String hangsOn(Resource resource) {
        return "ENI " + (resource.parent().isEmpty() ? resource.id().value() : resource.parent());
    }

    private static IpamException datapath(String message, String hint) {
        return new IpamException(ErrorCode.DATAPATH_FAILED, message, hint);
    }

    /** Waits for a link that is about to appear: its index, or empty if there is none by the end of the time. */
    private CompletableFuture<OptionalInt> linkIndex(String mac, Duration patience) {
        CompletableFuture<OptionalInt> found = new CompletableFuture<>();
        context.threads().execute(() -> look(mac, System.nanoTime() + patience.toNanos(), found));
        return found;
    }

    private void look(String mac, long until, CompletableFuture<OptionalInt> found) {
        try {
            OptionalInt index = context.node().linkOf(mac);
            if (index.isPresent() || System.nanoTime() - until >= 0) {
                found.complete(index);
            } else {
                context.threads().schedule(() -> look(mac, until, found), LOOK_MILLIS, TimeUnit.MILLISECONDS);
            }
        } catch (IOException e) {
            found.completeExceptionally(new IpamException(
                    ErrorCode.DATAPATH_FAILED,
                    "the node's links cannot be read: " + e.getMessage(),
                    "see that proc and sysfs are mounted where the daemon runs",
                    e));
        } catch (RuntimeException e) {
            found.completeExceptionally(e);
        }
    }
}
