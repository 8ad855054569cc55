package io.enipam.platform;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.core.spi.ContextAwareBase;
import io.enipam.config.LogFormat;

/**
 * What logback finds when nobody has set it up: our own set-up with its defaults, in place of its search for files and
 * its DEBUG lines on standard output.
 */
public final class LogbackConfigurator extends ContextAwareBase implements Configurator {
    @Override
    public ExecutionStatus configure(LoggerContext context) {
        Logging.configure(context, LogFormat.LINE, "info");
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }
}
