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
final class TarWriter {
    private static final int BLOCK = 512;
    private static final int LONGEST_NAME = 100;
    private static final int LONGEST_PREFIX = 155;

    private final OutputStream out;
    private final Instant at;

    /** @param at the time of all files */
    TarWriter(OutputStream out, Instant at) {
        this.out = out;
        this.at = at;
    }

    /**
     * Adds a file, for its owner alone.
     *
     * @param name ASCII; of what is longer than 100 bytes the directories go into a field of their own, of 155 bytes at most
     */
    void file(String name, byte[] content) throws IOException {
        byte[] header = new byte[BLOCK];
        int cut = cut(name);
        text(header, 0, LONGEST_NAME, name.substring(cut));
        text(header, 345, LONGEST_PREFIX, cut == 0 ? "" : name.substring(0, cut - 1));
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

    /** Where the last part of a name begins that has room; 0 if all of it has. */
    private static int cut(String name) {
        return name.length() <= LONGEST_NAME ? 0 : name.indexOf('/', name.length() - LONGEST_NAME - 1) + 1;
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
