package io.enipam.kubernetes.cidr;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * An flock(2) on a file, held by a child process while its input is open: the locks of the JDK's channels are of
 * another kind, which the Go programs do not see. The child echoes its input once it has the lock. It dies with this
 * process, which releases the lock.
 */
final class Flock implements AddressFileStore.LockHandle {
    private static final byte SIGN = 'L';
    private static final int TAKEN_BY_ANOTHER = 75;
    private static final long END_SECONDS = 5;

    private final Process child;

    private Flock(Process child) {
        this.child = child;
    }

    /**
     * Waits for the lock.
     *
     * @throws IOException if the lock is not available within this time, or not at all
     */
    static Flock take(Path file, Duration patience) throws IOException {
        Process child;
        try {
            child = new ProcessBuilder(
                            "flock",
                            "-x",
                            "-F",
                            "-w",
                            String.valueOf(patience.toSeconds()),
                            "-E",
                            String.valueOf(TAKEN_BY_ANOTHER),
                            file.toString(),
                            "cat")
                    .start();
        } catch (IOException e) {
            throw new IOException(
                    file + " cannot be locked: " + e.getMessage() + "; the program flock is in the package util-linux",
                    e);
        }
        Flock flock = new Flock(child);
        try {
            child.getOutputStream().write(SIGN);
            child.getOutputStream().flush();
        } catch (IOException e) {
            // the child has ended before it read its input, and reports the reason
        }
        if (child.getInputStream().read() == SIGN) {
            return flock;
        }
        String said = new String(child.getErrorStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        flock.close();
        boolean another = !child.isAlive() && child.exitValue() == TAKEN_BY_ANOTHER;
        throw new IOException(
                another
                        ? file + " is locked by another for more than " + patience.toSeconds() + "s; 'fuser -v " + file
                                + "' says by whom"
                        : file + " cannot be locked: " + (said.isEmpty() ? "flock ended without a word" : said));
    }

    @Override
    public void close() {
        try {
            child.getOutputStream().close();
        } catch (IOException e) {
            // the child no longer reads: it has ended
        }
        boolean ended = false;
        try {
            ended = child.waitFor(END_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (!ended) {
            child.destroyForcibly();
        }
    }
}
