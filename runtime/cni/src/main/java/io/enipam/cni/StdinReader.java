package io.enipam.cni;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.TimeoutException;

/** Standard input, which is not waited for without end. */
final class StdinReader {
    /** The longest that is passed on. */
    static final int MOST = 16 << 20;

    /** VERSION needs no input: how long it is waited for. */
    private static final long QUIET_MILLIS = 2_000;

    private final ByteArrayOutputStream read = new ByteArrayOutputStream();

    private StdinReader() {}

    /**
     * Reads it to its end, within the milliseconds that are left. VERSION takes what has come, also where it cannot be
     * read.
     */
    static byte[] read(PluginInvocation caller, InputStream in, long left)
            throws CallFailedException, InterruptedException {
        if (caller.stdinClosed() && !caller.asksVersion()) {
            throw unreadable("Bad file descriptor");
        }
        StdinReader input = new StdinReader();
        try {
            TimeLimiter.call(caller.asksVersion() ? Math.min(QUIET_MILLIS, left) : left, () -> input.readFrom(in));
        } catch (IOException e) {
            if (!caller.asksVersion()) {
                throw unreadable(String.valueOf(e.getMessage()));
            }
        } catch (TimeoutException e) {
            if (!caller.asksVersion()) {
                throw new CallFailedException(
                        5,
                        "standard input did not end within " + caller.timeoutMillis() + " ms",
                        "the runtime has to close it behind the configuration");
            }
        }
        return input.bytes();
    }

    private Void readFrom(InputStream in) throws IOException, CallFailedException {
        byte[] some = new byte[1 << 16];
        int count;
        while ((count = in.read(some)) >= 0) {
            synchronized (read) {
                read.write(some, 0, count);
                if (read.size() > MOST) {
                    throw new CallFailedException(
                            6,
                            "standard input is longer than " + MOST + " bytes",
                            "a configuration of that size is not taken");
                }
            }
        }
        return null;
    }

    private byte[] bytes() {
        synchronized (read) {
            return read.toByteArray();
        }
    }

    private static CallFailedException unreadable(String why) {
        return new CallFailedException(
                5, "standard input cannot be read: " + why, "the runtime has to write the configuration to it");
    }
}
