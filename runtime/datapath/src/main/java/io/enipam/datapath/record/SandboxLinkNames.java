package io.enipam.datapath.record;

import io.enipam.engine.model.OwnerKey;
import io.enipam.sdk.PodRef;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The names that a sandbox's links have: made of a hash of its key, never of its pod, so that the late DEL of an old
 * sandbox does not touch the new one's. The same owner has the same names on every day and in every daemon.
 */
public final class SandboxLinkNames {
    /**
     * How many digits of the hash are in a link's name: with a prefix of 4 it has the 15 characters that the kernel
     * allows.
     */
    public static final int DIGITS = 11;

    private final byte[] hash;

    public SandboxLinkNames(OwnerKey owner) {
        try {
            hash = MessageDigest.getInstance("SHA-256").digest(owner.toString().getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    /** The end of every link's name on the node's side. */
    public String digits() {
        return HexFormat.of().formatHex(hash).substring(0, DIGITS);
    }

    /** The name of a link on the node's side. */
    public String link(String prefix) {
        return prefix + digits();
    }

    /** Whether a link on the node's side is the owner's, by its name and its hardware address. */
    public boolean areOf(String link, String mac) {
        return link.endsWith(digits()) && mac.equals(mac(0));
    }

    public String file() {
        return HexFormat.of().formatHex(hash).substring(0, 32) + ".json";
    }

    /** A hardware address, locally administered; another for each {@code end} of a pair. */
    public String mac(int end) {
        byte[] mac = new byte[6];
        System.arraycopy(hash, 8 + 6 * end, mac, 0, 6);
        mac[0] = (byte) (mac[0] & 0xfc | 0x02);
        return HexFormat.ofDelimiter(":").formatHex(mac);
    }

    /**
     * What the kernel itself remembers of a link, so that it is known whose it is when all files are lost: {@code
     * enipam:NETWORK/CONTAINER/IFNAME}, then {@code ,NAMESPACE/NAME,UID} of the pod if it fits.
     */
    public record LinkAlias(OwnerKey owner, Optional<PodRef> pod, String podUid) {
        /** How many bytes the kernel keeps (IFALIASZ, less the one that ends the text). */
        public static final int MOST = 255;

        private static final String OURS = "enipam:";
        private static final Pattern UID = Pattern.compile("[A-Za-z0-9-]{1,64}");

        /** The text; without the pod if that is too long with it. */
        public String text() {
            String alone = OURS + owner;
            String uid = UID.matcher(podUid).matches() ? podUid : "";
            String whole = pod.map(of -> alone + "," + of + "," + uid).orElse(alone);
            return whole.length() <= MOST ? whole : alone;
        }

        /** Whether the kernel can remember the owner at all. */
        public boolean fits() {
            return OURS.length() + owner.toString().length() <= MOST;
        }

        /** Reads an alias; empty for one that is not ours. */
        public static Optional<LinkAlias> parse(String text) {
            if (!text.startsWith(OURS)) {
                return Optional.empty();
            }
            String[] parts = text.substring(OURS.length()).split(",", -1);
            try {
                OwnerKey owner = OwnerKey.parse(parts[0]);
                if (parts.length < 3) {
                    return Optional.of(new LinkAlias(owner, Optional.empty(), ""));
                }
                return Optional.of(new LinkAlias(owner, Optional.of(PodRef.parse(parts[1])), parts[2]));
            } catch (IllegalArgumentException e) {
                return Optional.empty();
            }
        }
    }
}
