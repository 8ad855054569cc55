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
 * The latest log records in memory, for inspection: at most {@value #MOST} records and one mebibyte of text.
 * Thread-safe; logging holds the lock only while it adds one record to a queue.
 */
public final class LogRing extends UnsynchronizedAppenderBase<ILoggingEvent> {
    public static final int MOST = 4_000;

    private static final String NAME = "ring";
    private static final int MOST_CHARS = 1 << 20;
    private static final int LONGEST_MESSAGE = 4 << 10;
    private static final int LONGEST_THROWN = 8 << 10;
    private static final int MOST_CAUSES = 8;
    private static final int MOST_FRAMES = 12;

    /** One record, with likely secrets masked, and its exception with causes and stacks, or empty text. */
    public record Line(Instant at, String level, String logger, String thread, String message, String thrown) {
        private int chars() {
            return logger.length() + thread.length() + message.length() + thrown.length();
        }
    }

    @GuardedBy("ring")
    private final Deque<Line> ring = new ArrayDeque<>();

    @GuardedBy("ring")
    private int chars;

    /** A ring that gets records once it is started and added to a logger. */
    LogRing() {
        setName(NAME);
    }

    /** The ring of the process's logging; empty if logging was set up without one. */
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

    /** Each cause with the top of its stack: the causes matter most, and they come last. */
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

    /** Truncates first, since logging waits for the masking. A truncated secret is still masked. */
    private static String masked(String text, int most) {
        return SecretRedactor.redact(text.length() <= most ? text : text.substring(0, most) + "...");
    }

    /** The kept records, oldest first. */
    public List<Line> lines() {
        synchronized (ring) {
            return List.copyOf(ring);
        }
    }
}
