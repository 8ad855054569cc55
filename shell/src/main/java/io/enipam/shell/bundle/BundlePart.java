package io.enipam.shell.bundle;

import java.io.OutputStream;

/**
 * One file of the bundle, before it is made.
 *
 * @param file its path in the archive
 * @param what where it comes from: a command as it is typed, or the name of a file
 * @param asksDaemon whether it needs the daemon's answer
 * @param work makes it
 */
public record BundlePart(String file, String what, boolean asksDaemon, Work work) {
    /** What makes a part. */
    @FunctionalInterface
    public interface Work {
        /**
         * Writes the part. It ends soon after the gRPC context that it runs in is cancelled, or it is left behind.
         *
         * @param out takes as much as a part may have, and swallows the rest
         * @return what went wrong beside what was written; {@link Failure#NONE} if nothing did
         * @throws Exception if there is nothing to write
         */
        Failure write(OutputStream out) throws Exception;
    }

    /**
     * What went wrong.
     *
     * @param absent whether the thing asked for does not exist here, which is no fault
     * @param why in a sentence; empty text if nothing went wrong
     */
    public record Failure(boolean absent, String why) {
        public static final Failure NONE = new Failure(false, "");

        public static Failure absent(String why) {
            return new Failure(true, why);
        }

        public static Failure because(String why) {
            return new Failure(false, why);
        }
    }
}
