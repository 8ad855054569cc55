package io.enipam.frontends.cni.spec;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import inet.ipaddr.IPAddressString;
import io.enipam.engine.model.LinkRequest;
import io.enipam.engine.model.LinkRequest.Connector;
import io.enipam.engine.model.LinkRequest.LinkType;
import io.enipam.engine.model.OwnerKey;
import io.enipam.frontends.cni.spec.CniException.CniErrorCode;
import io.enipam.frontends.cni.spec.CniVariables.CniCommand;
import io.enipam.sdk.Address;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A network configuration: its head is read, the rest on demand. A DEL thus needs nothing but the name, whatever else
 * of the configuration is wrong: what a refused ADD left must be cleared away.
 */
public final class NetConf {
    private static final Pattern PREFIX = Pattern.compile("[A-Za-z][A-Za-z0-9_-]{0,3}");
    private static final int MOST_CIDRS = 1_000;

    /** What is valid in the eyes of a runtime, of GC. libcni sends the second name, too. */
    private static final Set<String> ATTACHMENTS = Set.of("cni.dev/valid-attachments", "cni.dev/attachments");

    private static final Set<String> KEYS = Set.of(
            "cniVersion",
            "name",
            "type",
            "args",
            "dns",
            "prevResult",
            "runtimeConfig",
            "veth_prefix",
            "eniip_virtual_type",
            "mtu",
            "host_stack_cidrs",
            "cni.dev/valid-attachments",
            "cni.dev/attachments");

    private final Map<String, JsonNode> values;
    private final SpecVersion version;
    private final String name;

    private NetConf(Map<String, JsonNode> values, SpecVersion version, String name) {
        this.values = values;
        this.version = version;
        this.name = name;
    }

    /**
     * Reads a configuration for a command.
     *
     * @throws CniException code 6 if it is no JSON object, 1 if it is of another version or one without this command, 7
     *     if its name is missing or malformed, or its type, which a DEL does without
     */
    public static NetConf read(byte[] text, CniCommand command) {
        Map<String, JsonNode> values = NetConfReader.read(text, KEYS);
        SpecVersion version = version(values);
        command.requireIn(version);
        String name = NetConfReader.text(node(values, "name"), "name").orElse("");
        if (name.isEmpty()) {
            throw CniException.config("name is missing: the network has none");
        }
        if (!CniVariables.isName(name)) {
            throw CniException.config("name is " + CniException.quoted(name)
                    + ", and 1 to 253 of [A-Za-z0-9_.-] are allowed, a letter or digit first");
        }
        if (command != CniCommand.DEL
                && NetConfReader.text(node(values, "type"), "type").orElse("").isEmpty()) {
            throw CniException.config("type is missing: which plugin is meant?");
        }
        return new NetConf(values, version, name);
    }

    /**
     * The version of the replies to VERSION and of errors.
     *
     * @return empty if the text says none that is spoken here; nothing is thrown
     */
    public static Optional<SpecVersion> versionIn(byte[] text) {
        if (text.length == 0) {
            return Optional.empty();
        }
        try {
            Map<String, JsonNode> values = NetConfReader.read(text, Set.of("cniVersion"));
            return values.isEmpty() ? Optional.empty() : Optional.of(version(values));
        } catch (CniException e) {
            return Optional.empty();
        }
    }

    private static SpecVersion version(Map<String, JsonNode> values) {
        JsonNode node = node(values, "cniVersion");
        if (!node.isMissingNode() && !node.isNull() && !node.isTextual()) {
            throw new CniException(CniErrorCode.DECODE_FAILURE, "cniVersion is no text", "such as \"1.0.0\"");
        }
        return SpecVersion.parse(node.isTextual() ? node.textValue() : "");
    }

    private static JsonNode node(Map<String, JsonNode> values, String key) {
        return values.getOrDefault(key, MissingNode.getInstance());
    }

    JsonNode known(String key) {
        return node(values, key);
    }

    /** The version of results. */
    public SpecVersion version() {
        return version;
    }

    /** The network's name. */
    public String name() {
        return name;
    }

    /**
     * What it says of the pod's link.
     *
     * @throws CniException code 7 naming key and value
     */
    public LinkRequest link(String netns) {
        return link(this, netns);
    }

    /**
     * The resolver's configuration for the results.
     *
     * @throws CniException code 7 naming key and value
     */
    public CniResult.Dns dns() {
        return ResultReader.dns(known("dns"), "dns");
    }

    /**
     * The result of the plugins before this one, or at the end of an ADD of all of them.
     *
     * @throws CniException code 7 naming key and value
     */
    public Optional<CniResult> previous() {
        return NetConfReader.object(known("prevResult"), "prevResult").map(node -> ResultReader.read(node, version));
    }

    /**
     * The sandboxes that are valid in the eyes of the runtime; empty if it does not say, which is no reason to do
     * anything.
     *
     * @throws CniException code 7 naming key and value
     */
    public Optional<Set<OwnerKey>> attachments() {
        Set<OwnerKey> valid = new LinkedHashSet<>();
        boolean told = false;
        for (String key : ATTACHMENTS) {
            JsonNode list = known(key);
            told |= list.isArray();
            int index = 0;
            for (JsonNode attachment : NetConfReader.array(list, key)) {
                valid.add(owner(attachment, key + "[" + index + "]"));
                index++;
            }
        }
        return told ? Optional.of(valid) : Optional.empty();
    }

    private OwnerKey owner(JsonNode attachment, String key) {
        JsonNode found = NetConfReader.object(attachment, key)
                .orElseThrow(() -> NetConfReader.wrong(attachment, key, "an object"));
        String container = NetConfReader.text(found.path("containerID"), key + ".containerID")
                .orElse("");
        String ifName =
                NetConfReader.text(found.path("ifname"), key + ".ifname").orElse("");
        try {
            return new OwnerKey(name, container, ifName);
        } catch (IllegalArgumentException e) {
            // a list with a mistake in it must not end what it meant to keep
            throw CniException.config(key + " names no sandbox: " + e.getMessage() + "; containerID is "
                    + CniException.quoted(container) + ", ifname is " + CniException.quoted(ifName));
        }
    }

    private static LinkRequest link(NetConf conf, String netns) {
        NetConfReader.object(conf.known("runtimeConfig"), "runtimeConfig");
        JsonNode bandwidth = conf.known("runtimeConfig").path("bandwidth");
        NetConfReader.object(bandwidth, "runtimeConfig.bandwidth");
        // looked at, and no more: the burst follows from the rate
        bits(bandwidth, "ingressBurst");
        bits(bandwidth, "egressBurst");
        return new LinkRequest(
                Connector.DAEMON,
                netns,
                mtu(conf.known("mtu")),
                prefix(conf.known("veth_prefix")),
                type(conf.known("eniip_virtual_type")),
                bits(bandwidth, "ingressRate"),
                bits(bandwidth, "egressRate"),
                cidrs(conf.known("host_stack_cidrs")));
    }

    /** Of bits, as the conventions of the CNI have it, to whole bytes; zero is no limit. */
    private static OptionalLong bits(JsonNode bandwidth, String key) {
        OptionalLong bits =
                NetConfReader.number(bandwidth.path(key), "runtimeConfig.bandwidth." + key, 0, Long.MAX_VALUE);
        return bits.isEmpty() || bits.getAsLong() == 0
                ? OptionalLong.empty()
                : OptionalLong.of(Math.max(1, bits.getAsLong() / 8));
    }

    private static OptionalInt mtu(JsonNode node) {
        if (node.isIntegralNumber() && node.longValue() == 0) {
            return OptionalInt.empty();
        }
        OptionalLong mtu = NetConfReader.number(node, "mtu", 68, 65_535);
        return mtu.isPresent() ? OptionalInt.of((int) mtu.getAsLong()) : OptionalInt.empty();
    }

    private static String prefix(JsonNode node) {
        String prefix = NetConfReader.text(node, "veth_prefix").orElse("");
        if (prefix.isEmpty()) {
            return LinkRequest.VETH_PREFIX;
        }
        if (!PREFIX.matcher(prefix).matches()) {
            throw NetConfReader.wrong(node, "veth_prefix", "1 to 4 letters, digits, - or _, a letter first");
        }
        return prefix;
    }

    /** In any case, as terway takes it. */
    private static LinkType type(JsonNode node) {
        return switch (NetConfReader.text(node, "eniip_virtual_type").orElse("").toLowerCase(Locale.ROOT)) {
            case "", "veth" -> LinkType.VETH;
            case "ipvlan" -> LinkType.IPVLAN;
            default -> throw NetConfReader.wrong(node, "eniip_virtual_type", "Veth or IPVlan");
        };
    }

    private static List<String> cidrs(JsonNode node) {
        List<JsonNode> nodes = NetConfReader.array(node, "host_stack_cidrs");
        if (nodes.size() > MOST_CIDRS) {
            throw CniException.config(
                    "host_stack_cidrs has " + nodes.size() + " entries, and " + MOST_CIDRS + " are the most");
        }
        List<String> cidrs = new ArrayList<>();
        for (JsonNode entry : nodes) {
            cidrs.add(cidr(entry, "host_stack_cidrs[" + cidrs.size() + "]"));
        }
        return cidrs;
    }

    /** With the bits behind the prefix cleared, as terway does: a route has none. */
    private static String cidr(JsonNode node, String key) {
        String text = NetConfReader.text(node, key).orElse("");
        try {
            Address parsed = Address.parse(text);
            if (text.contains("/")) {
                return new IPAddressString(parsed.toString())
                        .getAddress()
                        .toPrefixBlock()
                        .toCanonicalString();
            }
        } catch (IllegalArgumentException e) {
            // reported below, with the key
        }
        throw NetConfReader.wrong(node, key, "a CIDR such as 169.254.20.10/32");
    }
}
