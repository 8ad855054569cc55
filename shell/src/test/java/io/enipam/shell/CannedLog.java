package io.enipam.shell;

import io.enipam.v1.LogRecord;
import java.util.List;

/** The end of a log. */
final class CannedLog {
    private CannedLog() {}

    static List<LogRecord> records() {
        return List.of(
                LogRecord.newBuilder()
                        .setAt(CannedReplies.ago(30))
                        .setLevel("INFO")
                        .setLogger("io.enipam.daemon.Daemon")
                        .setThread("main")
                        .setMessage("serving on /var/run/enipam/enipam.sock")
                        .build(),
                LogRecord.newBuilder()
                        .setAt(CannedReplies.ago(3))
                        .setLevel("ERROR")
                        .setLogger("io.enipam.events")
                        .setThread("engine-1")
                        .setMessage("it broke\nin two")
                        .addThrown("java.io.IOException: gone")
                        .addThrown("\tat io.enipam.Some.where(Some.java:1)")
                        .build());
    }
}
