package io.enipam.datapath.record;

import io.enipam.engine.model.OwnerKey;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * The names that a sandbox's links have: made of a hash of its key, never of its pod, so that the late DEL of an old sandbox does
 * not touch the new one's. The same owner has the same names on every day and in every daemon.
 */
public final class SandboxLinkNames {
    /** How many digits of the hash are in a link's name: with a prefix of 4 it has the 15 characters that the kernel allows. */
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

    /** The name of a file. */
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
}
