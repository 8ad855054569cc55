package io.enipam.examples.hostlocal;

import io.enipam.examples.hostlocal.NetConf.Pod;
import io.enipam.sdk.ranges.Ip;
import io.enipam.sdk.ranges.Subnet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** {@code CNI_ARGS}: {@code KEY=VALUE;KEY=VALUE}, of which {@code IP} and {@code IgnoreUnknown} are known. */
final class CniArgs {
    private CniArgs() {}

    /** The address that is asked for. */
    static Optional<Ip> ip(String args) throws Refused {
        if (args.isEmpty()) {
            return Optional.empty();
        }
        Optional<Ip> ip = Optional.empty();
        boolean ignores = false;
        List<String> unknown = new ArrayList<>();
        for (String pair : args.split(";", -1)) {
            String[] parts = pair.split("=", -1);
            if (parts.length != 2) {
                throw Refused.of("ARGS: invalid pair " + quoted(pair));
            }
            if (parts[0].equals("IP")) {
                ip = parts[1].isEmpty() ? Optional.empty() : Optional.of(address(parts[1], pair));
            } else if (parts[0].equals("IgnoreUnknown")) {
                ignores = truth(parts[1], pair);
            } else {
                unknown.add(pair);
            }
        }
        if (!unknown.isEmpty() && !ignores) {
            throw Refused.of("ARGS: unknown args "
                    + unknown.stream().map(CniArgs::quoted).collect(Collectors.joining(" ", "[", "]")));
        }
        return ip;
    }

    /** The pod that is named, whatever else is wrong; of a name that is none, too: it is shown, and looked up. */
    static Optional<Pod> pod(String args) {
        Map<String, String> told = new HashMap<>();
        for (String pair : args.split(";", -1)) {
            int equals = pair.indexOf('=');
            if (equals > 0) {
                told.put(pair.substring(0, equals), pair.substring(equals + 1));
            }
        }
        String namespace = told.getOrDefault("K8S_POD_NAMESPACE", "");
        String name = told.getOrDefault("K8S_POD_NAME", "");
        return namespace.isEmpty() || name.isEmpty()
                ? Optional.empty()
                : Optional.of(new Pod(namespace + "/" + name, told.getOrDefault("K8S_POD_UID", "")));
    }

    private static Ip address(String text, String pair) throws Refused {
        try {
            return withoutLength(text);
        } catch (Refused e) {
            throw Refused.of("ARGS: error parsing value of pair " + quoted(pair) + ": " + e.text());
        }
    }

    /** An address, or one with a prefix, whose length is ignored. */
    static Ip withoutLength(String text) throws Refused {
        try {
            Ip ip = text.contains("/") ? Subnet.parse(text).address() : Ip.parse(text);
            return ip.unmapped();
        } catch (IllegalArgumentException e) {
            throw Refused.of("invalid IP address " + text);
        }
    }

    private static boolean truth(String text, String pair) throws Refused {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "1", "true" -> true;
            case "0", "false" -> false;
            default ->
                throw Refused.of("ARGS: error parsing value of pair " + quoted(pair)
                        + ": boolean unmarshal error: invalid input " + text);
        };
    }

    private static String quoted(String text) {
        return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
    }
}
