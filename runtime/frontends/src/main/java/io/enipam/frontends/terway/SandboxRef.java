package io.enipam.frontends.terway;

import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.OwnerKey;
import io.enipam.sdk.PodRef;
import io.enipam.terway.rpc.AllocIPRequest;
import io.enipam.terway.rpc.GetInfoRequest;
import io.enipam.terway.rpc.ReleaseIPRequest;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.function.Supplier;

/** A sandbox as the contract names it: every request has these three fields, not validated before. */
record SandboxRef(PodRef pod, String container) {
    private static final int HASH_LENGTH = 11;

    /** PATH_MAX of Linux. */
    private static final int LONGEST_PATH = 4096;

    private static final int LONGEST_NAME = 253;

    static SandboxRef of(AllocIPRequest request) {
        return of(request.getK8SPodName(), request.getK8SPodNamespace(), request.getK8SPodInfraContainerId());
    }

    static SandboxRef of(ReleaseIPRequest request) {
        return of(request.getK8SPodName(), request.getK8SPodNamespace(), request.getK8SPodInfraContainerId());
    }

    static SandboxRef of(GetInfoRequest request) {
        return of(request.getK8SPodName(), request.getK8SPodNamespace(), request.getK8SPodInfraContainerId());
    }

    /** @throws IpamException if a field is of no use, naming it as the contract does */
    private static SandboxRef of(String pod, String namespace, String container) {
        present("K8sPodName", pod);
        present("K8sPodNamespace", namespace);
        present("K8sPodInfraContainerId", container);
        checked("K8sPodName", () -> new PodRef("default", pod));
        PodRef ref = checked("K8sPodNamespace", () -> new PodRef(namespace, pod));
        checked("K8sPodInfraContainerId", () -> new OwnerKey("network", container, "eth0"));
        return new SandboxRef(ref, container);
    }

    /** The interface that is asked for. */
    OwnerKey owner(String network, String ifName) {
        present("IfName", ifName);
        return checked("IfName", () -> new OwnerKey(network, container, ifName));
    }

    /** A path of a network namespace; empty text is one that the plugin keeps to itself. */
    static String netns(String path) {
        if (path.length() > LONGEST_PATH || path.chars().anyMatch(Character::isISOControl)) {
            throw refused("Netns", "is no path: " + path.length() + " characters, or one that is not printable");
        }
        return path;
    }

    private static void present(String field, String value) {
        if (value.isEmpty()) {
            throw refused(field, "is empty");
        }
        if (value.length() > LONGEST_NAME) {
            throw refused(field, "has " + value.length() + " characters, and " + LONGEST_NAME + " are the most");
        }
    }

    private static <T> T checked(String field, Supplier<T> value) {
        try {
            return value.get();
        } catch (IllegalArgumentException e) {
            throw refused(field, "is refused: " + e.getMessage());
        }
    }

    private static IpamException refused(String field, String why) {
        return new IpamException(
                ErrorCode.INVALID_ARGUMENT,
                "field " + field + " " + why,
                "the plugin takes it from CNI_ARGS and its environment; see what the container runtime sets");
    }

    /** @param prefix the plugin's; {@code cali} in 2020 */
    static String vethName(String prefix, PodRef pod) {
        return prefix + podHash(pod);
    }

    static String podHash(PodRef pod) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-1")
                    .digest((pod.namespace() + "." + pod.name()).getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest).substring(0, HASH_LENGTH);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-1", e);
        }
    }
}
