package io.enipam.frontends.rpc;

import ch.qos.logback.classic.Level;
import io.enipam.frontends.grpc.GrpcFailures;
import io.enipam.platform.LogRing;
import io.enipam.v1.GetLogRequest;
import io.enipam.v1.LogRecord;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** The last lines of the daemon's own log. */
final class LogHandler {
    private static final Set<String> LEVELS = Set.of("", "DEBUG", "INFO", "WARN", "ERROR");

    private LogHandler() {}

    static List<LogRecord> records(GetLogRequest request) {
        String name = request.getLevel().toUpperCase(Locale.ROOT);
        if (!LEVELS.contains(name)) {
            throw GrpcFailures.invalid(
                    "'" + request.getLevel() + "' is no level of the log", "use DEBUG, INFO, WARN or ERROR");
        }
        Level least = Level.toLevel(name, Level.ALL);
        List<LogRing.Line> lines = LogRing.ofThisProcess().map(LogRing::lines).orElse(List.of()).stream()
                .filter(line -> Level.toLevel(line.level()).isGreaterOrEqual(least))
                .toList();
        int most = request.getLimit() > 0 ? request.getLimit() : lines.size();
        return Proto.all(lines.subList(Math.max(0, lines.size() - most), lines.size()), LogHandler::record);
    }

    private static LogRecord record(LogRing.Line line) {
        return Proto.fill(LogRecord.newBuilder(), line)
                .addAllThrown(line.thrown().lines().toList())
                .build();
    }
}
