package io.enipam.emulator.http;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.enipam.emulator.api.Account;
import io.enipam.emulator.api.RoleCredentials;
import io.enipam.emulator.cloud.CloudState;
import io.enipam.emulator.cloud.CloudState.Instance;
import io.enipam.emulator.cloud.EmulatedEni;
import io.enipam.emulator.cloud.EmulatedEni.EniKind;
import io.enipam.emulator.cloud.EniStatus;
import io.enipam.emulator.cloud.VSwitch;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The metadata of an instance as a tree of values: {@code meta-data/instance-id} and so on. A path that has paths
 * below it reads as their names, one a line, directories with a slash. Immutable.
 */
final class MetadataTree {
    private static final String ROLE_PATH = "meta-data/ram/";
    /** As clients of 2016 to 2020 spell it. */
    private static final String OLD_ROLE_PATH = "meta-data/Ram/";

    private final TreeMap<String, String> leaves = new TreeMap<>();

    private MetadataTree() {}

    /** The tree of an instance. ENIs are in it while they are InUse. */
    static MetadataTree of(Instance instance, CloudState state, RoleCredentials role) {
        MetadataTree tree = new MetadataTree();
        tree.put("instance-id", instance.id());
        tree.put("instance/instance-type", instance.type());
        tree.put("instance/instance-name", instance.hostname());
        tree.put("hostname", instance.hostname());
        tree.put("region-id", state.layout().regionId());
        tree.put("zone-id", state.zoneOf(instance));
        tree.put("vpc-id", state.layout().vpc().id());
        tree.put("vpc-cidr-block", state.layout().vpc().cidr());
        tree.put("network-type", "vpc");
        tree.put("ram/security-credentials/" + Account.ROLE, json(role));
        List<EmulatedEni> enis = state.enisOn(instance.id()).stream()
                .filter(eni -> eni.attachment().status() == EniStatus.IN_USE)
                .toList();
        for (EmulatedEni eni : enis) {
            state.vswitch(eni.ips().vswitchId()).ifPresent(vswitch -> tree.putEni(eni, vswitch, state));
        }
        return tree;
    }

    /** What a path below {@code latest/} reads as, or empty if there is no such path. */
    Optional<String> read(String path) {
        String plain = path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
        if (plain.startsWith(OLD_ROLE_PATH)) {
            plain = ROLE_PATH + plain.substring(OLD_ROLE_PATH.length());
        }
        String leaf = leaves.get(plain);
        if (leaf != null) {
            return Optional.of(leaf);
        }
        String prefix = plain.isEmpty() ? "" : plain + "/";
        String listing = leaves.tailMap(prefix).keySet().stream()
                .takeWhile(key -> key.startsWith(prefix))
                .map(key -> key.substring(prefix.length()))
                .map(rest -> rest.indexOf('/') < 0 ? rest : rest.substring(0, rest.indexOf('/') + 1))
                .distinct()
                .collect(Collectors.joining("\n"));
        return Optional.of(listing).filter(text -> !text.isEmpty());
    }

    private void putEni(EmulatedEni eni, VSwitch vswitch, CloudState state) {
        String base = "network/interfaces/macs/" + eni.mac() + "/";
        put(base + "network-interface-id", eni.id());
        put(base + "primary-ip-address", eni.ips().primaryIp());
        ArrayNode ips = JsonNodeFactory.instance.arrayNode();
        eni.addresses().forEach(ips::add);
        put(base + "private-ipv4s", ips.toString());
        if (!eni.ips().ipv6s().isEmpty()) {
            // no JSON: the service writes these without quotes
            put(base + "ipv6s", "[" + String.join(",", eni.ips().ipv6s()) + "]");
        }
        if (!eni.ips().ipv4Prefixes().isEmpty()) {
            ArrayNode prefixes = JsonNodeFactory.instance.arrayNode();
            eni.ips().ipv4Prefixes().forEach(prefixes::add);
            put(base + "ipv4-prefixes", prefixes.toString());
        }
        vswitch.ipv6().ifPresent(block -> {
            put(base + "ipv6-gateway", block.gateway());
            put(base + "vswitch-ipv6-cidr-block", block.cidr());
        });
        put(base + "netmask", vswitch.netmask());
        put(base + "gateway", vswitch.ipv4().gateway());
        put(base + "vswitch-id", vswitch.id());
        put(base + "vswitch-cidr-block", vswitch.cidr());
        put(base + "vpc-id", state.layout().vpc().id());
        put(base + "vpc-cidr-block", state.layout().vpc().cidr());
        if (eni.kind() == EniKind.PRIMARY) {
            put("mac", eni.mac());
            put("private-ipv4", eni.ips().primaryIp());
            put("vswitch-id", vswitch.id());
            put("vswitch-cidr-block", vswitch.cidr());
        }
    }

    private void put(String path, String value) {
        leaves.put("meta-data/" + path, value);
    }

    private static String json(RoleCredentials role) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("AccessKeyId", role.accessKeyId())
                .put("AccessKeySecret", role.accessKeySecret())
                .put("SecurityToken", role.securityToken())
                .put(
                        "Expiration",
                        role.expires().truncatedTo(ChronoUnit.SECONDS).toString())
                .put(
                        "LastUpdated",
                        role.issued().truncatedTo(ChronoUnit.SECONDS).toString())
                .put("Code", "Success")
                .toPrettyString();
    }
}
