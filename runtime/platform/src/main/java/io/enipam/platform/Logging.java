package io.enipam.platform;

import ch.qos.logback.classic.AsyncAppender;
import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.joran.spi.ConsoleTarget;
import ch.qos.logback.core.spi.ContextAwareBase;
import io.enipam.platform.Logging.LogFormat;
import org.slf4j.bridge.SLF4JBridgeHandler;

/**
 * Sets logging up: to standard error, as lines or as JSON, enipam's own records from a level on, those of other
 * libraries from WARN on; the latest records are also kept in memory. Writing is asynchronous and drops records while
 * standard error blocks: no thread waits for the log.
 */
public final class Logging {
    private static final String OWN = "io.enipam";

    private Logging() {}

    /** Replaces any former set-up. */
    public static void configure(LoggerContext context, LogFormat format, String level) {
        context.reset();
        SLF4JBridgeHandler.uninstall();
        Encoder<ILoggingEvent> encoder = switch (format) {
            case LINE -> lines(context);
            case JSON -> json(context);
        };
        encoder.start();

        ConsoleAppender<ILoggingEvent> console = new ConsoleAppender<>();
        console.setContext(context);
        console.setTarget(ConsoleTarget.SystemErr.getName());
        console.setEncoder(encoder);
        console.start();

        AsyncAppender async = new AsyncAppender();
        async.setContext(context);
        async.setQueueSize(4096);
        async.setDiscardingThreshold(0);
        async.setNeverBlock(true);
        async.addAppender(console);
        async.start();

        var root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        root.setLevel(Level.WARN);
        root.addAppender(async);
        LogRing ring = new LogRing();
        ring.setContext(context);
        ring.start();
        root.addAppender(ring);
        // gRPC and picocli write to java.util.logging; records below WARN are dropped there, where it costs least
        SLF4JBridgeHandler.removeHandlersForRootLogger();
        SLF4JBridgeHandler.install();
        java.util.logging.Logger.getLogger("").setLevel(java.util.logging.Level.WARNING);
        context.getLogger(OWN).setLevel(Level.toLevel(level, Level.INFO));
    }

    private static Encoder<ILoggingEvent> lines(LoggerContext context) {
        PatternLayoutEncoder encoder = new PatternLayoutEncoder();
        encoder.setContext(context);
        encoder.setPattern("%d{yyyy-MM-dd'T'HH:mm:ss.SSSXXX} %-5level %logger{24} %msg%n");
        return encoder;
    }

    private static Encoder<ILoggingEvent> json(LoggerContext context) {
        JsonEncoder encoder = new JsonEncoder();
        encoder.setContext(context);
        encoder.setWithSequenceNumber(false);
        encoder.setWithNanoseconds(false);
        encoder.setWithContext(false);
        encoder.setWithMessage(false);
        encoder.setWithArguments(false);
        encoder.setWithFormattedMessage(true);
        return encoder;
    }

    public enum LogFormat {
        /** One readable line. */
        LINE,
        /** One JSON object a line. */
        JSON
    }

    /** Logback's initial configuration: ours, instead of its search for files and its DEBUG lines on standard output. */
    public static final class LogbackConfigurator extends ContextAwareBase implements Configurator {
        @Override
        public ExecutionStatus configure(LoggerContext context) {
            Logging.configure(context, LogFormat.LINE, "info");
            return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
        }
    }
}
