package io.enipam.aliyun.eni;

import io.enipam.sdk.Family;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a factory makes, and how much of it.
 *
 * @param vswitchPolicy which vSwitch the next ENI is made in
 * @param seed where the random choices start
 */
public record FactorySettings(EniSpec spec, Limits limits, EniUse use, VSwitchPolicy vswitchPolicy, long seed) {
    /** Which of the vSwitches that have addresses the next ENI is made in: terway's {@code vswitch_selection_policy}. */
    public enum VSwitchPolicy {
        /** The first in the configured order. */
        ORDERED,
        /** Any, with equal chances, so that nodes that start together spread. */
        RANDOM,
        /** The one with most free addresses, as the cloud counted them some minutes ago at most. */
        MOST
    }

    public enum LostEniPolicy {
        /** It is attached again; if that fails, it is kept until its addresses are given back. */
        REATTACH,
        /** It stays off the instance, is kept until its addresses are given back, and is deleted then. */
        RELEASE
    }

    /**
     * @param securityGroups 1 to 10
     * @param tags the creator and node tags are among them
     * @param ownTags the creator and node tags, by which the factory's own ENIs are known
     */
    public record EniSpec(
            String instanceId, List<String> securityGroups, Map<String, String> tags, Map<String, String> ownTags) {
        public EniSpec {
            securityGroups = List.copyOf(securityGroups);
            tags = Map.copyOf(tags);
            ownTags = Map.copyOf(ownTags);
        }
    }

    /**
     * @param maxEnis secondary ENIs at one time, at least 0
     * @param minEnis ENIs kept attached though no pod needs them, 0 to {@code maxEnis}
     * @param ipv4PerEni IPv4 addresses on each, the primary one included, at least 1
     * @param ipv6PerEni IPv6 addresses on each, at least 1, if each resource has one of both families; 0 for IPv4 alone
     */
    public record Limits(int maxEnis, int minEnis, int ipv4PerEni, int ipv6PerEni) {
        public Limits {
            if (maxEnis < 0 || ipv4PerEni < 1 || ipv6PerEni < 0 || minEnis < 0 || minEnis > maxEnis) {
                throw new IllegalArgumentException("needs ipv4PerEni >= 1 and 0 <= minEnis <= maxEnis, got "
                        + ipv4PerEni + ", " + minEnis + ", " + maxEnis);
            }
        }
    }

    /** For addresses; the vSwitches come in their order. */
    public FactorySettings(EniSpec spec, Limits limits) {
        this(spec, limits, EniUse.ADDRESSES, VSwitchPolicy.ORDERED, 0);
    }

    /** Whether each resource has an address of both families. */
    public boolean dual() {
        return limits.ipv6PerEni > 0;
    }

    /** How many resources an ENI can bear: what the scarcer family allows. */
    public int perEni() {
        return dual() ? Math.min(limits.ipv4PerEni, limits.ipv6PerEni) : limits.ipv4PerEni;
    }

    public Set<Family> families() {
        return dual() ? Set.of(Family.IPV4, Family.IPV6) : Set.of(Family.IPV4);
    }

    /** The same, with vSwitches chosen in another way. */
    public FactorySettings withVSwitchPolicy(VSwitchPolicy policy, long start) {
        return new FactorySettings(spec, limits, use, policy, start);
    }

    /** The same for ENIs that are lent as a whole: one address of each, and a creator tag of their own. */
    public FactorySettings forWholeEnis() {
        Map<String, String> tags = EniTags.by(EniUse.WHOLE, spec.tags);
        EniSpec whole = new EniSpec(spec.instanceId, spec.securityGroups, tags, EniTags.by(EniUse.WHOLE, spec.ownTags));
        Limits one = new Limits(limits.maxEnis, limits.minEnis, 1, dual() ? 1 : 0);
        return new FactorySettings(whole, one, EniUse.WHOLE, vswitchPolicy, seed);
    }
}
