package io.enipam.aliyun;

import io.enipam.aliyun.EniConfig.EniBounds;
import io.enipam.aliyun.api.EcsApi.InstanceTypeLimits;
import io.enipam.aliyun.api.EcsApi.VSwitch;
import io.enipam.aliyun.api.EcsException;
import io.enipam.aliyun.credentials.CredentialsProvider.CloudCredentials;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Asks the cloud, now, about what this node depends on; changes nothing. Thread-safe. */
public final class CloudProbe {
    private static final String NO_SUCH_VSWITCH = "InvalidVSwitchId.NotFound";

    private final CloudConnection cloud;
    private final VSwitchSelector places;
    private final Limits limits;
    private final boolean dual;

    /** @param dual whether pods have addresses of both families */
    CloudProbe(
            CloudConnection cloud,
            VSwitchSelector places,
            InstanceTypeLimits type,
            EniBounds.Outcome bounds,
            boolean dual) {
        this.dual = dual;
        this.cloud = cloud;
        this.places = places;
        int perEni = dual ? Math.min(type.ipv4PerEni(), type.ipv6PerEni()) : type.ipv4PerEni();
        this.limits = new Limits(cloud.host().instanceType(), Math.max(0, type.enis() - 1), bounds.max(), perEni);
    }

    /**
     * @param typeEnis how many ENIs the type allows beside the primary one
     * @param maxEnis what the configuration makes of it
     * @param ipv4PerEni addresses on each that pods can have, the primary one included; where they have two, as many as
     *     the scarcer family allows
     */
    public record Limits(String instanceType, int typeEnis, int maxEnis, int ipv4PerEni) {}

    /**
     * A vSwitch that ENIs are made in.
     *
     * @param zone its zone, or empty text if the cloud did not say
     * @param cidr its range, or empty text if there is no such vSwitch
     * @param problem why no ENI can be made in it, whatever is free; empty text if one can
     */
    public record VSwitchRoom(String id, String zone, String cidr, long available, String problem) {
        /** Whether ENIs can be made in it as long as addresses are free. */
        public boolean usable() {
            return problem.isEmpty();
        }
    }

    /** @param place where the keys come that calls are signed with, as the end of "check ..." */
    public record KeyLife(String place, Optional<Instant> expires) {}

    public Limits limits() {
        return limits;
    }

    /**
     * The vSwitches of this node's zone, in the order of the configuration, or the instance's own. Blocks.
     *
     * @throws EcsException if the cloud does not answer
     */
    public List<VSwitchRoom> vswitches() {
        return VSwitchSelector.candidates(places.current().configured(), cloud.host())
                .map(this::room)
                .toList();
    }

    private VSwitchRoom room(String id) {
        try {
            VSwitch found = cloud.api().describeVSwitch(id);
            String problem = "";
            if (!found.zoneId().isEmpty() && !found.zoneId().equals(cloud.host().zoneId())) {
                problem = "it is in zone " + found.zoneId() + ", this instance in "
                        + cloud.host().zoneId();
            } else if (dual && found.ipv6Cidr().isEmpty()) {
                problem = "it has no IPv6 block, and 'ip_stack' is 'dual'";
            }
            return new VSwitchRoom(id, found.zoneId(), found.cidr(), found.available(), problem);
        } catch (EcsException e) {
            if (!e.code().equals(NO_SUCH_VSWITCH)) {
                throw e;
            }
            return new VSwitchRoom(
                    id, "", "", 0, "it does not exist in region " + cloud.host().regionId());
        }
    }

    /** What calls are signed with now, without the keys; throws if there is nothing. May wait for seconds. */
    public KeyLife keys() {
        CloudCredentials current = cloud.keys().current();
        return new KeyLife(cloud.keys().location(), current.expires());
    }

    /** How far the cloud's clock is ahead, by its last answer; empty if no answer had a date. Does not call. */
    public Optional<Duration> clockAhead() {
        return cloud.api().clockAhead();
    }

    /** The instance that the metadata service says this is; throws a FactoryException if it does not answer. Blocks. */
    public String metadataInstance() {
        return cloud.metadata().identity().instanceId();
    }

    public String instanceId() {
        return cloud.host().instanceId();
    }
}
