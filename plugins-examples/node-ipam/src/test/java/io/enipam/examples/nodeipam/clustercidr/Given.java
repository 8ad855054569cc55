package io.enipam.examples.nodeipam.clustercidr;

import io.enipam.sdk.Journal;
import io.enipam.sdk.Row;
import io.enipam.sdk.cluster.ClusterObject;
import io.enipam.sdk.cluster.ObjectRef;
import io.enipam.sdk.ranges.Subnet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Objects as a user writes them. */
public final class Given {
    private Given() {}

    /** Of the name {@code foo}; an empty text is a field that is not written. */
    static ClusterObject written(Object hostBits, String ipv4, String ipv6, Object selector) {
        Map<String, Object> spec = new LinkedHashMap<>();
        spec.put("perNodeHostBits", hostBits);
        spec.put("ipv4", ipv4);
        spec.put("ipv6", ipv6);
        spec.put("nodeSelector", selector.equals("") ? null : selector);
        return ClusterObject.of(ObjectRef.of(ClusterCidr.KIND, "foo"), Map.of("spec", spec));
    }

    /** A selector of one term. */
    static Map<String, ?> selector(Object... expressions) {
        return Map.of("nodeSelectorTerms", List.of(Map.of("matchExpressions", List.of(expressions))));
    }

    static Map<String, ?> expression(String key, String operator, String... values) {
        return Map.of("key", key, "operator", operator, "values", List.of(values));
    }

    /** One that is not checked: cases have blocks that are smaller than a user may have them. */
    static ClusterCidr cluster(String name, int hostBits, String ipv4, String ipv6, Map<String, String> labels) {
        return new ClusterCidr(
                name,
                Optional.of(labels).filter(all -> !all.isEmpty()).map(NodeSelector::ofLabels),
                hostBits,
                Optional.of(ipv4).filter(text -> !text.isEmpty()).map(Subnet::parse),
                Optional.of(ipv6).filter(text -> !text.isEmpty()).map(Subnet::parse));
    }

    static ClusterObject node(String name, Map<String, String> labels) {
        return ClusterObject.of(ObjectRef.node(name), Map.of("spec", Map.of())).withLabels(labels);
    }

    /** The names of the objects of which something is kept. */
    public static List<String> kept(Journal tables) {
        return tables.read(tx -> tx.scan(Kept.TABLE, "").map(Row::key).toList());
    }
}
