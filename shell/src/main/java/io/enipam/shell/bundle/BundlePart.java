package io.enipam.shell.bundle;

import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

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

    /**
     * A part, when its time is over.
     *
     * @param part what was to be made
     * @param outcome how it went
     * @param why what went wrong; empty text if nothing did
     * @param took how long it took
     * @param cut whether there was more than a part may have
     * @param content what was written, without secrets
     */
    public record CollectedPart(
            BundlePart part, Outcome outcome, String why, Duration took, boolean cut, byte[] content) {
        /** How it went. The names are in the manifest. */
        public enum Outcome {
            OK,
            /** The thing does not exist here. */
            ABSENT,
            /** It went wrong; there may be something all the same. */
            FAILED,
            /** It took longer than it may; there may be a beginning. */
            TIMED_OUT,
            /** The bundle's own time or size was over before it began. */
            LEFT_OUT
        }

        /** The path in the archive: what is cut is no whole document any more, and is not named like one. */
        public String file() {
            return cut ? part.file() + ".cut" : part.file();
        }

        public String text() {
            return new String(content, StandardCharsets.UTF_8);
        }

        /** Whether there is a file of it. */
        public boolean present() {
            return content.length > 0;
        }
    }
}
