package io.enipam.shell.bundle;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

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
public record CollectedPart(BundlePart part, Outcome outcome, String why, Duration took, boolean cut, byte[] content) {
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
