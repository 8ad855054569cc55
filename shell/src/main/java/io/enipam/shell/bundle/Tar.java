package io.enipam.shell.bundle;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;

/**
 * Writes regular files as a tar archive of the format ustar (POSIX.1-1988), which is two kinds of blocks of 512 bytes: less
 * than any library of archives would bring into a program that starts in a fraction of a second.
 */
final class Tar {
    private static final int BLOCK = 512;
    private static final int LONGEST_NAME = 100;

    private final OutputStream out;
    private final Instant at;

    /** @param at the time of all files */
    Tar(OutputStream out, Instant at) {
        this.out = out;
        this.at = at;
    }

    /** Adds a file, for its owner alone. Its name is at most 100 bytes of ASCII. */
    void file(String name, byte[] content) throws IOException {
        byte[] header = new byte[BLOCK];
        text(header, 0, LONGEST_NAME, name);
        octal(header, 100, 8, 0600);
        octal(header, 108, 8, 0);
        octal(header, 116, 8, 0);
        octal(header, 124, 12, content.length);
        octal(header, 136, 12, at.getEpochSecond());
        header[156] = '0';
        text(header, 257, 6, "ustar");
        text(header, 263, 2, "00");
        // the sum is counted with its own field as blanks
        Arrays.fill(header, 148, 156, (byte) ' ');
        int sum = 0;
        for (byte b : header) {
            sum += b & 0xff;
        }
        octal(header, 148, 7, sum);
        out.write(header);
        out.write(content);
        out.write(new byte[(BLOCK - content.length % BLOCK) % BLOCK]);
    }

    /** Two empty blocks are the end. */
    void end() throws IOException {
        out.write(new byte[2 * BLOCK]);
    }

    private static void text(byte[] header, int at, int length, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        if (bytes.length > length) {
            throw new IOException("the name is too long for the archive: " + text);
        }
        System.arraycopy(bytes, 0, header, at, bytes.length);
    }

    private static void octal(byte[] header, int at, int length, long number) throws IOException {
        String digits = Long.toOctalString(number);
        if (digits.length() > length - 1) {
            throw new IOException("the number is too large for the archive: " + number);
        }
        text(header, at, length, "0".repeat(length - 1 - digits.length()) + digits);
    }
}
