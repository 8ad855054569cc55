package io.enipam.shell.bundle;

import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;

/** One file of the bundle, before it is made; {@code what} is the command as it is typed, or the name of a file. */
public record BundlePart(String file, String what, boolean asksDaemon, Work work) {
    @FunctionalInterface
    public interface Work {
        /**
         * Writes the part, and returns what went wrong beside what was written. It ends soon after the gRPC context
         * that it runs in is cancelled, or it is left behind; {@code out} discards what exceeds a part's bound.
         */
        Failure write(OutputStream out) throws Exception;
    }

    /** What went wrong, empty if nothing did; {@code absent} if the thing does not exist here, which is no fault. */
    public record Failure(boolean absent, String why) {
        public static final Failure NONE = new Failure(false, "");

        public static Failure absent(String why) {
            return new Failure(true, why);
        }

        public static Failure because(String why) {
            return new Failure(false, why);
        }
    }

    /** A part when its time is over, without secrets; {@code cut} if there was more than a part may have. */
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

        String outcomeText() {
            return outcome.name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }

        /** The path in the archive: what is cut is no whole document any more, and is not named like one. */
        public String file() {
            return cut ? part.file() + ".cut" : part.file();
        }

        public String text() {
            return new String(content, StandardCharsets.UTF_8);
        }

        public boolean present() {
            return content.length > 0;
        }
    }
}
