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
import io.enipam.frontends.cni.spec.NetConfReader.Value;
import io.enipam.sdk.Address;
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
            "ipam",
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
        String name = value(values, "name").text();
        if (name.isEmpty()) {
            throw CniException.config("name is missing: the network has none");
        }
        if (!CniVariables.isName(name)) {
            throw CniException.config("name is " + CniException.quoted(name)
                    + ", and 1 to 253 of [A-Za-z0-9_.-] are allowed, a letter or digit first");
        }
        if (command != CniCommand.DEL && value(values, "type").text().isEmpty()) {
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

    /**
     * What tells who answers a call, whatever else is in its text.
     *
     * @param name of the network; empty if there is none
     * @param allocator the extension that is named as {@code ipam.allocator}; empty if none is
     */
    public record Heading(Optional<String> name, Optional<String> allocator) {}

    /** The heading of a text; without anything if the text cannot be read: nothing is thrown. */
    public static Heading headingOf(byte[] text) {
        try {
            Map<String, JsonNode> values = NetConfReader.read(text, Set.of("name", "ipam"));
            return new Heading(
                    filled(value(values, "name")), filled(value(values, "ipam").at("allocator")));
        } catch (CniException e) {
            return new Heading(Optional.empty(), Optional.empty());
        }
    }

    private static Optional<String> filled(Value value) {
        return Optional.ofNullable(value.node().textValue()).filter(text -> !text.isEmpty());
    }

    private static SpecVersion version(Map<String, JsonNode> values) {
        Value version = value(values, "cniVersion");
        if (!version.isAbsent() && !version.node().isTextual()) {
            throw new CniException(CniErrorCode.DECODE_FAILURE, "cniVersion is no text", "such as \"1.0.0\"");
        }
        return SpecVersion.parse(version.text());
    }

    private static Value value(Map<String, JsonNode> values, String key) {
        return new Value(values.getOrDefault(key, MissingNode.getInstance()), key);
    }

    Value value(String key) {
        return value(values, key);
    }

    /** The version of results. */
    public SpecVersion version() {
        return version;
    }

    public String name() {
        return name;
    }

    /**
     * The extension that answers for this network, if it names one: {@code ipam.allocator}.
     *
     * @throws CniException code 7 if it is no text
     */
    public Optional<String> allocator() {
        Value ipam = value("ipam");
        return ipam.node().isObject()
                ? Optional.of(ipam.at("allocator").text()).filter(name -> !name.isEmpty())
                : Optional.empty();
    }

    /** @throws CniException code 7 naming key and value */
    public CniResult.Dns dns() {
        return ResultJson.dns(value("dns"));
    }

    /**
     * The result of the plugins before this one, or at the end of an ADD of all of them.
     *
     * @throws CniException code 7 naming key and value
     */
    public Optional<CniResult> previous() {
        return value("prevResult").object().map(result -> ResultJson.read(result, version));
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
            told |= value(key).node().isArray();
            value(key).elements().forEach(attachment -> valid.add(owner(attachment)));
        }
        return told ? Optional.of(valid) : Optional.empty();
    }

    private OwnerKey owner(Value element) {
        Value attachment = element.requiredObject();
        String container = attachment.at("containerID").text();
        String ifName = attachment.at("ifname").text();
        try {
            return new OwnerKey(name, container, ifName);
        } catch (IllegalArgumentException e) {
            // a list with a mistake in it must not end what it meant to keep
            throw CniException.config(element.key() + " names no sandbox: " + e.getMessage() + "; containerID is "
                    + CniException.quoted(container) + ", ifname is " + CniException.quoted(ifName));
        }
    }

    /** @throws CniException code 7 naming key and value */
    public LinkRequest link(String netns) {
        value("runtimeConfig").object();
        Value bandwidth = value("runtimeConfig").at("bandwidth");
        bandwidth.object();
        // looked at, and no more: the burst follows from the rate
        bits(bandwidth.at("ingressBurst"));
        bits(bandwidth.at("egressBurst"));
        return new LinkRequest(
                Connector.DAEMON,
                netns,
                mtu(value("mtu")),
                prefix(value("veth_prefix")),
                type(value("eniip_virtual_type")),
                bits(bandwidth.at("ingressRate")),
                bits(bandwidth.at("egressRate")),
                cidrs(value("host_stack_cidrs")));
    }

    /** Of bits, as the conventions of the CNI have it, to whole bytes; zero is no limit. */
    private static OptionalLong bits(Value value) {
        return value.number(0, Long.MAX_VALUE).stream()
                .filter(bits -> bits > 0)
                .map(bits -> Math.max(1, bits / 8))
                .findFirst();
    }

    private static OptionalInt mtu(Value value) {
        if (value.node().isIntegralNumber() && value.node().longValue() == 0) {
            return OptionalInt.empty();
        }
        return value.number(68, 65_535).stream().mapToInt(Math::toIntExact).findFirst();
    }

    private static String prefix(Value value) {
        String prefix = value.text();
        if (!prefix.isEmpty() && !PREFIX.matcher(prefix).matches()) {
            throw value.wrong("1 to 4 letters, digits, - or _, a letter first");
        }
        return prefix.isEmpty() ? LinkRequest.VETH_PREFIX : prefix;
    }

    /** In any case, as terway takes it. */
    private static LinkType type(Value value) {
        return switch (value.text().toLowerCase(Locale.ROOT)) {
            case "", "veth" -> LinkType.VETH;
            case "ipvlan" -> LinkType.IPVLAN;
            default -> throw value.wrong("Veth or IPVlan");
        };
    }

    private static List<String> cidrs(Value value) {
        List<Value> entries = value.elements();
        if (entries.size() > MOST_CIDRS) {
            throw CniException.config(
                    "host_stack_cidrs has " + entries.size() + " entries, and " + MOST_CIDRS + " are the most");
        }
        return entries.stream().map(NetConf::cidr).toList();
    }

    /** With the bits behind the prefix cleared, as terway does: a route has none. */
    private static String cidr(Value value) {
        String text = value.text();
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
        throw value.wrong("a CIDR such as 169.254.20.10/32");
    }
}
