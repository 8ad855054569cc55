package io.enipam.sdk.cluster;

/**
 * A kind of objects, as their URL names it.
 *
 * @param group {@code networking.x-k8s.io}; empty text for the core group
 * @param kind {@code ClusterCIDR}
 * @param plural {@code clustercidrs}
 * @param namespaced whether each object is in a namespace
 */
public record ObjectKind(String group, String version, String kind, String plural, boolean namespaced) {
    /** Nodes. The local copy is without images and volumes, which are most of a node's size. */
    public static final ObjectKind NODE = new ObjectKind("", "v1", "Node", "nodes", false);

    public ObjectKind {
        require("group", group, "|[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?");
        require("version", version, "[a-z][a-z0-9]{0,62}");
        require("kind", kind, "[A-Z][A-Za-z0-9]{0,62}");
        require("plural", plural, "[a-z][a-z0-9-]{0,62}");
    }

    /** A kind whose objects are in no namespace. */
    public static ObjectKind ofCluster(String group, String version, String kind, String plural) {
        return new ObjectKind(group, version, kind, plural, false);
    }

    /** A kind whose objects are in namespaces. */
    public static ObjectKind ofNamespaces(String group, String version, String kind, String plural) {
        return new ObjectKind(group, version, kind, plural, true);
    }

    /** {@code networking.x-k8s.io/v1}, or {@code v1}. */
    public String apiVersion() {
        return group.isEmpty() ? version : group + "/" + version;
    }

    /** They become parts of a URL. */
    static void require(String what, String value, String pattern) {
        if (!value.matches(pattern)) {
            throw new IllegalArgumentException(what + " does not match " + pattern + ", got '"
                    + value.substring(0, Math.min(64, value.length())).replaceAll("\\p{Cntrl}", "?") + "'");
        }
    }
}
