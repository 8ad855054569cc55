package io.enipam.cni;

import java.nio.charset.StandardCharsets;

/**
 * What the front prints, and how it ends.
 *
 * @param exit its exit status, 0 to 255
 * @param stdout a result, an error, or nothing, in UTF-8
 * @param stderr for people, in UTF-8
 */
public record CniResponse(int exit, byte[] stdout, byte[] stderr) {
    static CniResponse of(int exit, String stdout) {
        return new CniResponse(exit, stdout.getBytes(StandardCharsets.UTF_8), new byte[0]);
    }
}
