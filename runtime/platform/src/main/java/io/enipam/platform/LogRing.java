package io.enipam.platform;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.StackTraceElementProxy;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.enipam.security.SecretRedactor;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * The last log records in memory, for whoever comes to look: at most {@value #MOST} of them and a mebibyte of text. Thread-safe;
 * who logs holds the lock for as long as it takes to put one record on a queue.
 */
public final class LogRing extends UnsynchronizedAppenderBase<ILoggingEvent> {
    /** How many records are kept. */
    public static final int MOST = 4_000;

    private static final String NAME = "ring";
    private static final int MOST_CHARS = 1 << 20;
    private static final int LONGEST_MESSAGE = 4 << 10;
    private static final int LONGEST_THROWN = 8 << 10;
    private static final int MOST_CAUSES = 8;
    private static final int MOST_FRAMES = 12;

    /**
     * One record, with what looks like a secret taken out of it.
     *
     * @param thrown what was thrown, with causes and stacks; empty text if nothing was
     */
    public record Line(Instant at, String level, String logger, String thread, String message, String thrown) {
        private int chars() {
            return logger.length() + thread.length() + message.length() + thrown.length();
        }
    }

    @GuardedBy("ring")
    private final Deque<Line> ring = new ArrayDeque<>();

    @GuardedBy("ring")
    private int chars;

    /** A ring that records go to once it is started and added to a logger. */
    LogRing() {
        setName(NAME);
    }

    /** The one that the process's logging was set up with; empty if it was set up without. */
    public static Optional<LogRing> ofThisProcess() {
        return LoggerFactory.getILoggerFactory() instanceof LoggerContext context
                        && context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME).getAppender(NAME)
                                instanceof LogRing found
                ? Optional.of(found)
                : Optional.empty();
    }

    @Override
    protected void append(ILoggingEvent event) {
        Line line = new Line(
                event.getInstant(),
                event.getLevel().toString(),
                event.getLoggerName(),
                String.valueOf(event.getThreadName()),
                masked(String.valueOf(event.getFormattedMessage()), LONGEST_MESSAGE),
                thrown(event.getThrowableProxy()));
        synchronized (ring) {
            ring.addLast(line);
            chars += line.chars();
            while (ring.size() > MOST || chars > MOST_CHARS) {
                chars -= ring.removeFirst().chars();
            }
        }
    }

    /** Each cause with the top of its stack: of a long stack the causes matter, and they come last. */
    private static String thrown(@Nullable IThrowableProxy thrown) {
        StringBuilder text = new StringBuilder();
        IThrowableProxy cause = thrown;
        for (int depth = 0; cause != null && depth < MOST_CAUSES; depth++) {
            text.append(depth == 0 ? "" : "Caused by: ")
                    .append(cause.getClassName())
                    .append(": ")
                    .append(cause.getMessage())
                    .append('\n');
            StackTraceElementProxy[] frames = cause.getStackTraceElementProxyArray();
            for (int i = 0; i < Math.min(frames.length, MOST_FRAMES); i++) {
                text.append('\t').append(frames[i].getSTEAsString()).append('\n');
            }
            cause = cause.getCause();
        }
        return masked(text.toString(), LONGEST_THROWN);
    }

    /** Cut first: who logs waits for the masking. A secret at the cut may lose its end, and is masked all the same. */
    private static String masked(String text, int most) {
        return SecretRedactor.redact(text.length() <= most ? text : text.substring(0, most) + "...");
    }

    /** What is kept, the oldest first. */
    public List<Line> lines() {
        synchronized (ring) {
            return List.copyOf(ring);
        }
    }
}
