package io.enipam.frontends.rpc;

import io.enipam.engine.port.TimeSource;
import java.time.Duration;
import org.slf4j.Logger;

/**
 * Tells of audit lines that the disk refused: of the first with its words, and of those after it with their number, at most once
 * a minute. A full disk takes none for hours, and a line of the log for each of them would be on the same disk. Not thread-safe.
 */
final class FailedAuditLines {
    private static final Duration PAUSE = Duration.ofMinutes(1);

    private final Logger log;
    private final TimeSource time;
    private boolean told;
    private long toldNanos;
    private long untold;

    FailedAuditLines(Logger log, TimeSource time) {
        this.log = log;
        this.time = time;
    }

    /** One more was refused. */
    void add(String line, Exception why) {
        if (isTooSoon()) {
            untold++;
        } else if (untold == 0) {
            log.error("the audit log cannot be written ({}); the line was {}", why.toString(), line);
            begin();
        } else {
            log.error(
                    "the audit log cannot be written ({}): it lacks {} more lines; the last was {}",
                    why.toString(),
                    untold + 1,
                    line);
            begin();
        }
    }

    /** One was written. */
    void written() {
        if (untold > 0 && !isTooSoon()) {
            tellTheRest();
        }
    }

    /** Tells at once of those that were not told. */
    void tellTheRest() {
        if (untold > 0) {
            log.warn("the audit log lacks {} more lines that could not be written", untold);
            begin();
        }
    }

    private boolean isTooSoon() {
        return told && time.nanoTime() - toldNanos < PAUSE.toNanos();
    }

    private void begin() {
        told = true;
        toldNanos = time.nanoTime();
        untold = 0;
    }
}
