package io.enipam.shell.status;

import io.enipam.shell.core.Table;
import io.enipam.shell.core.TableListing;
import io.enipam.shell.core.TimeFormat;
import io.enipam.shell.core.Tone;
import io.enipam.v1.LogRecord;

/** Log records, and below each what was thrown. */
public final class LogViews {
    private LogViews() {}

    /** In the order they were written; a record has no identifier, so its name is its logger. */
    public static final TableListing<LogRecord> LIST = TableListing.<LogRecord>of("records", LogRecord::getLogger)
            .none("nothing was logged", "")
            .by(
                    "time",
                    "TIME",
                    record -> TimeFormat.millis(record.getAt()),
                    (record, look) -> new Table.Cell(TimeFormat.clock(record.getAt(), look.zone()), Tone.LABEL))
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
