package io.enipam.frontends.cni.spec;

import io.enipam.frontends.cni.spec.CniException.CniErrorCode;
import io.enipam.frontends.cni.spec.NetConfReader.Value;
import io.enipam.sdk.PodRef;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The pod that a runtime names in {@code CNI_ARGS}, or under {@code args.cni} of the configuration, which goes first
 * (CONVENTIONS.md of the CNI).
 *
 * @param uid its UID; empty text if it was not given
 */
public record CniArgs(PodRef pod, String uid) {
    static final String NAMESPACE = "K8S_POD_NAMESPACE";
    static final String NAME = "K8S_POD_NAME";
    private static final String UID = "K8S_POD_UID";
    private static final String IGNORE_UNKNOWN = "IgnoreUnknown";
    static final Set<String> KNOWN = Set.of(NAMESPACE, NAME, UID, "K8S_POD_INFRA_CONTAINER_ID", IGNORE_UNKNOWN);
    private static final int LONGEST_UID = 128;

    /**
     * @param args {@code CNI_ARGS}: {@code KEY=VALUE;KEY=VALUE}
     * @throws CniException code 4 naming the variable if the pod is missing or misnamed, or a key is unknown and
     *     nothing allows that; code 7 if the configuration's are malformed
     */
    public static CniArgs read(String args, NetConf conf) {
        return of(told(args, conf, KNOWN));
    }

    /** The pod that {@code CNI_ARGS} name; empty if they name none, or cannot be read. */
    public static Optional<CniArgs> in(String args) {
        try {
            Set<String> known = new TreeSet<>(KNOWN);
            known.add(CniClaim.IP);
            return Optional.of(of(pairs(args, known)));
        } catch (CniException e) {
            return Optional.empty();
        }
    }

    /** What the two say together, by key; the configuration takes precedence. */
    static Map<String, String> told(String args, NetConf conf, Set<String> known) {
        Map<String, String> told = pairs(args, known);
        told.putAll(ofConfig(conf.value("args")));
        return told;
    }

    static CniArgs of(Map<String, String> told) {
        List<String> missing = Stream.of(NAMESPACE, NAME)
                .filter(key -> told.getOrDefault(key, "").isEmpty())
                .toList();
        if (!missing.isEmpty()) {
            throw new CniException(
                    CniErrorCode.INVALID_ENVIRONMENT,
                    "CNI_ARGS names no pod: " + String.join(" and ", missing) + " missing",
                    "an address is lent to a pod of the cluster; a runtime without one names any, as in"
                            + " CNI_ARGS=\"IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME=test\"");
        }
        return new CniArgs(pod(told.get(NAMESPACE), told.get(NAME)), uid(told.getOrDefault(UID, "")));
    }

    private static Map<String, String> pairs(String args, Set<String> known) {
        Map<String, String> told = new TreeMap<>();
        int part = 0;
        for (String pair : args.split(";", -1)) {
            part++;
            int equals = pair.indexOf('=');
            if (equals > 0) {
                told.put(pair.substring(0, equals), pair.substring(equals + 1));
            } else if (!pair.isEmpty()) {
                throw CniException.environment("CNI_ARGS: part " + part + " is not KEY=VALUE");
            }
        }
        boolean lenient = isTrue(told.getOrDefault(IGNORE_UNKNOWN, "0"));
        told.keySet().stream()
                .filter(key -> !lenient && !known.contains(key))
                .findFirst()
                .ifPresent(key -> {
                    throw new CniException(
                            CniErrorCode.INVALID_ENVIRONMENT,
                            "CNI_ARGS: unknown key " + CniException.quoted(key),
                            "IgnoreUnknown=1 in CNI_ARGS lets it pass");
                });
        return told;
    }

    private static boolean isTrue(String text) {
        return switch (text) {
            case "1", "true", "True", "TRUE" -> true;
            case "0", "false", "False", "FALSE" -> false;
            default ->
                throw CniException.environment("CNI_ARGS: " + IGNORE_UNKNOWN + " is " + CniException.quoted(text)
                        + ", and 1, true, 0 or false is allowed");
        };
    }

    private static Map<String, String> ofConfig(Value args) {
        Map<String, String> told = new TreeMap<>();
        args.object();
        Value ours = args.at("cni");
        ours.object();
        for (String key : KNOWN) {
            if (!ours.at(key).isAbsent()) {
                told.put(key, ours.at(key).text());
            }
        }
        return told;
    }

    private static PodRef pod(String namespace, String name) {
        try {
            return new PodRef(namespace, name);
        } catch (IllegalArgumentException e) {
            throw new CniException(
                    CniErrorCode.INVALID_ENVIRONMENT,
                    "CNI_ARGS names no pod that there can be: " + NAMESPACE + " is " + CniException.quoted(namespace)
                            + ", " + NAME + " is " + CniException.quoted(name),
                    "");
        }
    }

    private static String uid(String text) {
        if (text.length() > LONGEST_UID || !text.chars().allMatch(c -> c > ' ' && c < 127)) {
            throw CniException.environment(
                    "CNI_ARGS: " + UID + " is " + CniException.quoted(text) + ", which is no UID");
        }
        return text;
    }
}
