package io.enipam.cni;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** The variables of this process that begin with CNI_, byte by byte: the JDK's own map of them loses what is no text. */
final class CniVariables {
    private static final byte[] PREFIX = "CNI_".getBytes(StandardCharsets.US_ASCII);

    private CniVariables() {}

    static byte[] ofThisProcess() throws IOException {
        try {
            return chosen(Files.readAllBytes(Path.of("/proc/self/environ")));
        } catch (NoSuchFileException noProc) {
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            System.getenv()
                    .forEach((name, value) ->
                            all.writeBytes((name + "=" + value + "\0").getBytes(StandardCharsets.UTF_8)));
            return chosen(all.toByteArray());
        }
    }

    /**
     * Picks those that begin with CNI_.
     *
     * @param all variables, each with a NUL behind it
     */
    static byte[] chosen(byte[] all) {
        ByteArrayOutputStream some = new ByteArrayOutputStream();
        int from = 0;
        for (int at = 0; at < all.length; at++) {
            if (all[at] == 0) {
                if (startsWithPrefix(all, from)) {
                    some.write(all, from, at + 1 - from);
                }
                from = at + 1;
            }
        }
        return some.toByteArray();
    }

    private static boolean startsWithPrefix(byte[] all, int from) {
        for (int i = 0; i < PREFIX.length; i++) {
            if (from + i >= all.length || all[from + i] != PREFIX[i]) {
                return false;
            }
        }
        return true;
    }
}
