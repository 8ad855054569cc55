package io.enipam.shell.render;

import io.enipam.v1.LogRecord;

/** Log records, and below each what was thrown. */
public final class LogViews {
    private LogViews() {}

    /** In the order they were written; a record has no identifier, so its name is its logger. */
    public static final Listing<LogRecord> LIST = Listing.<LogRecord>of("records", LogRecord::getLogger)
            .none("nothing was logged", "")
            .by(
                    "time",
                    "TIME",
                    record -> Times.millis(record.getAt()),
                    (record, look) -> new Table.Cell(Times.clock(record.getAt(), look.zone()), Tone.LABEL))
            .shown(
                    "level",
                    "LEVEL",
                    LogRecord::getLevel,
                    (record, look) -> new Table.Cell(record.getLevel(), tone(record.getLevel())))
            .shown(
                    "logger",
                    "LOGGER",
                    LogRecord::getLogger,
                    (record, look) -> new Table.Cell(record.getLogger(), Tone.LABEL))
            .wideText("thread", "THREAD", LogRecord::getThread)
            .text("message", "MESSAGE", record -> record.getMessage().replaceAll("\\R", " / "))
            .under(LogRecord::getThrownList)
            .flowing()
            .build();

    private static Tone tone(String level) {
        return Tone.ofState(level.equals("WARN") ? "WARNING" : level);
    }
}
