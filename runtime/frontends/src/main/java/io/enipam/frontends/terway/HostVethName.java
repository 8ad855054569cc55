package io.enipam.frontends.terway;

import io.enipam.sdk.PodRef;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** The node's end of the veth by which terway's plugin connects a pod: it is named by the pod, whichever sandbox the pod has. */
final class HostVethName {
    private static final int HASH_LENGTH = 11;

    private HostVethName() {}

    /** @param prefix the plugin's; {@code cali} in 2020 */
    static String name(String prefix, PodRef pod) {
        return prefix + hash(pod);
    }

    static String hash(PodRef pod) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-1")
                    .digest((pod.namespace() + "." + pod.name()).getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest).substring(0, HASH_LENGTH);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-1", e);
        }
    }
}
