package io.enipam.aliyun.eni;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * The tags on an ENI: who made it, for which node, in which cluster, and what the user wants beside these.
 *
 * <p>Creator and node alone identify an ENI: a cluster's id may be configured later or corrected, and an ENI made before
 * must be found all the same. Bounds are those of the ECS API reference, CreateNetworkInterface, {@code Tag.N}.
 */
public final class EniTags {
    public static final String CREATOR = "creator";
    public static final String NODE = "node";
    public static final String CLUSTER = "cluster";
    /** The id of the plugin that made it. */
    public static final String PLUGIN = "enipam-plugin";
    /** What that plugin calls it. */
    public static final String LABEL = "enipam-label";

    private static final String PLUGINS = "enipam-plugins";
    public static final int MOST = 20;
    private static final int LONGEST = 128;

    private EniTags() {}

    /** By which tags a factory knows its own. */
    public static Map<String, String> identity(EniUse use, String instanceId) {
        return Map.of(CREATOR, use.creator(), NODE, instanceId);
    }

    /** By which tags ENIs of a plugin are known. */
    public static Map<String, String> ofPlugin(String plugin, String instanceId) {
        return Map.of(CREATOR, PLUGINS, NODE, instanceId, PLUGIN, plugin);
    }

    /** By which tags ENIs of all plugins of a node are known. */
    public static Map<String, String> ofPlugins(String instanceId) {
        return Map.of(CREATOR, PLUGINS, NODE, instanceId);
    }

    /** These tags with the creator of another use. */
    static Map<String, String> by(EniUse use, Map<String, String> tags) {
        Map<String, String> changed = new HashMap<>(tags);
        changed.put(CREATOR, use.creator());
        return changed;
    }

    private static Map<String, String> ours(String cluster) {
        return all(identity(EniUse.ADDRESSES, ""), cluster, Map.of());
    }

    /**
     * All that is put on an ENI; ours win over the user's.
     *
     * @param cluster empty for no such tag
     */
    public static Map<String, String> all(Map<String, String> identity, String cluster, Map<String, String> users) {
        Map<String, String> all = new HashMap<>(users);
        all.putAll(identity);
        if (!cluster.isEmpty()) {
            all.put(CLUSTER, cluster);
        }
        return all;
    }

    /** The user's tags that ours win over, in order of their names. */
    public static List<String> overridden(Map<String, String> users, String cluster) {
        TreeSet<String> names = new TreeSet<>(ours(cluster).keySet());
        names.retainAll(users.keySet());
        return List.copyOf(names);
    }

    /** Why the cloud would refuse these tags, a line each; none if it would not. */
    public static List<String> problems(Map<String, String> users, String cluster) {
        List<String> problems = new ArrayList<>();
        users.forEach((key, value) -> check(key, value, problems));
        int ours = ours(cluster).size();
        int total = all(ours(cluster), cluster, users).size();
        if (total > MOST) {
            problems.add("with the " + ours + " tags of enipam's own there are " + total + ", and an ENI may have "
                    + MOST + "; take " + (total - MOST) + " away");
        }
        return problems;
    }

    private static void check(String key, String value, List<String> problems) {
        if (key.isEmpty() || key.length() > LONGEST) {
            problems.add("tag key '" + key + "' needs 1 to " + LONGEST + " characters");
        }
        if (key.startsWith("aliyun") || key.startsWith("acs:")) {
            problems.add("tag key '" + key + "' may not start with aliyun or acs:, which the cloud keeps for itself");
        }
        if (value.length() > LONGEST) {
            problems.add("the value of tag '" + key + "' has more than " + LONGEST + " characters");
        }
        if (isAddress(key) || isAddress(value)) {
            problems.add("tag '" + key + "' may not contain http:// or https://");
        }
    }

    private static boolean isAddress(String text) {
        return text.contains("http://") || text.contains("https://");
    }
}
