package io.enipam.aliyun.eni;

import java.util.List;
import java.util.Map;

/**
 * What the factory makes, and how much of it.
 *
 * @param instanceId what ENIs are attached to
 * @param securityGroups 1 to 10, put on each ENI
 * @param tags put on each ENI, and what its own ENIs are known by; the creator and node tags are among them
 * @param ownTags the creator and node tags
 * @param maxEnis secondary ENIs at one time, at least 0
 * @param ipv4PerEni IPv4 addresses on each, the primary one included, at least 1
 * @param instanceEnis secondary ENIs that the instance can have, those of others included, at least 0
 */
public record FactorySettings(
        String instanceId,
        List<String> securityGroups,
        Map<String, String> tags,
        Map<String, String> ownTags,
        int maxEnis,
        int ipv4PerEni,
        int instanceEnis) {
    /** Tag key: who made the ENI. */
    public static final String CREATOR_TAG = "creator";
    /** Tag value: this program. */
    public static final String CREATOR = "enipam";
    /** Tag key: for which instance. */
    public static final String NODE_TAG = "node";

    /** An instance that can have as many as the factory may make. */
    public FactorySettings(
            String instanceId,
            List<String> securityGroups,
            Map<String, String> tags,
            Map<String, String> ownTags,
            int maxEnis,
            int ipv4PerEni) {
        this(instanceId, securityGroups, tags, ownTags, maxEnis, ipv4PerEni, maxEnis);
    }

    public FactorySettings {
        securityGroups = List.copyOf(securityGroups);
        tags = Map.copyOf(tags);
        ownTags = Map.copyOf(ownTags);
        if (maxEnis < 0 || ipv4PerEni < 1 || instanceEnis < 0) {
            throw new IllegalArgumentException("needs maxEnis >= 0, ipv4PerEni >= 1 and instanceEnis >= 0, got "
                    + maxEnis + ", " + ipv4PerEni + ", " + instanceEnis);
        }
    }
}
