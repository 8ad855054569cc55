package io.enipam.observability.metrics;

import io.enipam.observability.history.Meters;
import io.enipam.engine.port.ResourceDb;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The database and its disk.
 *
 * @param directory of its files
 */
record DatabasePart(ResourceDb db, Meters meters, Path directory, DatabaseSize size) implements Part {
    private static final Metric WRITABLE =
            Metric.gauge("enipam_db_writable", "1 while the database can be written, else 0: then no lease is given.");
    private static final Metric COMMIT = Metric.histogram(
            "enipam_db_commit_duration_seconds", "From the call until the changes were durable.", "outcome");
    private static final Metric FSYNC = Metric.histogram(
            "enipam_db_fsync_duration_seconds", "How long the disk took to force a file, whether it worked or not.");
    private static final Metric BYTES = Metric.gauge("enipam_db_size_bytes", "Bytes of the database's files.");
    private static final Metric FREE = Metric.gauge(
            "enipam_db_filesystem_free_bytes", "Bytes that the daemon may still write on the database's file system.");

    @Override
    public String name() {
        return "database";
    }

    @Override
    public List<Metric> metrics() {
        return List.of(WRITABLE, COMMIT, FSYNC, BYTES, FREE);
    }

    @Override
    public void collect(Sheet sheet, Moment moment) throws IOException {
        sheet.put(WRITABLE, db.trouble().isEmpty());
        sheet.put(COMMIT, meters.timingOfCommits().worked(), Sheet.Unit.SECONDS, "ok");
        sheet.put(COMMIT, meters.timingOfCommits().failed(), Sheet.Unit.SECONDS, "error");
        sheet.put(FSYNC, meters.forces().timing(), Sheet.Unit.SECONDS);
        // last: a broken disk throws here
        sheet.put(BYTES, size.of(directory));
        sheet.put(FREE, Files.getFileStore(directory).getUsableSpace());
    }
}
