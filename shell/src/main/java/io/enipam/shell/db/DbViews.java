package io.enipam.shell.db;

import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.protobuf.Struct;
import com.google.protobuf.util.Values;
import io.enipam.shell.core.ListReply;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.Table;
import io.enipam.shell.core.TableListing;
import io.enipam.shell.core.TimeFormat;
import io.enipam.shell.core.Tone;
import io.enipam.shell.pool.PoolViews;
import io.enipam.v1.BackupDbReply;
import io.enipam.v1.CompactDbReply;
import io.enipam.v1.DbLostLease;
import io.enipam.v1.DbRecord;
import io.enipam.v1.DbRestore;
import io.enipam.v1.VerifyDbReply;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Records of the resource database, and what its tools did. */
final class DbViews {
    private DbViews() {}

    /** All records; their names are what 'db get' takes. */
    static final TableListing<DbRecord> DUMP = records("no records", "; try: cni add --pod default/web-0");

    /** Of a dump with conditions: that nothing meets them says nothing of the database. */
    static final TableListing<DbRecord> FOUND = records("no such records", "");

    private static TableListing<DbRecord> records(String none, String advice) {
        return TableListing.<DbRecord>of("records", record -> record.getBucket() + "/" + record.getKey())
                .none(none, advice)
                .text("bucket", "BUCKET", DbRecord::getBucket)
                .text("key", "KEY", DbRecord::getKey)
                .text("value", "VALUE", DbRecord::getValue)
                .build();
    }

    static List<String> one(DbRecord record, RenderContext look) {
        List<String> lines = new ArrayList<>(Table.details()
                .detail("bucket", record.getBucket())
                .detail("key", record.getKey())
                .lines(look.palette()));
        indented(record.getValue()).lines().map(Palette::clean).forEach(lines::add);
        return lines;
    }

    /** The value over several lines if it is JSON, as it should be, else as it is: a broken record is shown whole. */
    private static String indented(String value) {
        try {
            JsonElement json = JsonParser.parseString(value);
            return new GsonBuilder()
                    .setPrettyPrinting()
                    .disableHtmlEscaping()
                    .create()
                    .toJson(json);
        } catch (JsonParseException notJson) {
            return value;
        }
    }

    private static final int NAMED = 5;

    static List<String> verification(VerifyDbReply found, RenderContext look) {
        List<String> lines = new ArrayList<>(Table.listed(
                look,
                found.getChecksList(),
                check -> Table.cells(
                        check.getName(),
                        check.getExamined(),
                        check.getUnit(),
                        check.getProblems() == 0 ? 0 : new Table.Cell(check.getProblems() + "", Tone.BAD)),
                "CHECK",
                "EXAMINED",
                "UNIT",
                "PROBLEMS"));
        if (found.getProblemsCount() > 0) {
            lines.add("");
        }
        lines.addAll(Table.listed(
                look,
                found.getProblemsList(),
                problem -> Table.cells(
                        problem.getCheck(),
                        problem.getWhere(),
                        problem.hasOffset() ? problem.getOffset() : "",
                        problem.getMessage()),
                "CHECK",
                "WHERE",
                "OFFSET",
                "PROBLEM"));
        if (found.getProblemsLeftOut() > 0) {
            lines.add("and " + found.getProblemsLeftOut() + " more");
        }
        lines.add((found.getSound() ? "sound" : "not sound") + " up to commit " + found.getGeneration() + ", in "
                + TimeFormat.took(found.getTook()));
        return lines;
    }

    static List<String> backup(BackupDbReply done, RenderContext look) {
        return List.of("saved " + counted(done.getRecords()) + " of commit " + done.getGeneration() + " to "
                + done.getPath() + ": " + size(done.getBytes()) + ", in " + TimeFormat.took(done.getTook())
                + (done.getReplaced() ? "; it was there and is replaced" : ""));
    }

    /**
     * What became of an export. The shell wrote the file, so the protocol has no message for it; numbers are text, as
     * its own.
     */
    static Struct export(String file, long bytes) {
        return Struct.newBuilder()
                .putFields("path", Values.of(file))
                .putFields("bytes", Values.of(Long.toString(bytes)))
                .build();
    }

    static List<String> exported(Struct done) {
        return List.of(Palette.clean("exported to " + ListReply.text(done, "path") + ": "
                + size(Long.parseLong(ListReply.text(done, "bytes")))));
    }

    static List<String> compaction(CompactDbReply done, RenderContext look) {
        return List.of(
                "wrote a checkpoint of " + counted(done.getRecords()) + " at commit " + done.getGeneration() + ": "
                        + size(done.getBytesBefore()) + " in " + done.getFilesBefore() + " files before, "
                        + size(done.getBytesAfter()) + " in " + done.getFilesAfter() + " now, in "
                        + TimeFormat.took(done.getTook()));
    }

    /** What a restore would do, or has prepared. */
    static List<String> restore(DbRestore restore, RenderContext look) {
        boolean dry = restore.getDryRun();
        List<String> lines = new ArrayList<>();
        lines.add(Palette.clean((dry ? "would restore " : "restoring ") + counted(restore.getRecords()) + " from "
                + restore.getFile() + ": " + origin(restore, look)));
        lines.add("leases: " + restore.getKeptLeases() + (restore.getKeptLeases() == 1 ? " stays, " : " stay, ")
                + restore.getLostLeasesCount() + (dry ? " would be lost, " : " lost, ")
                + restore.getReturningLeases() + (dry ? " would come back" : " back"));
        if (restore.getLeftOut() > 0) {
            lines.add("operations that were pending then and are over: " + restore.getLeftOut() + ", left out");
        }
        if (restore.getOtherNode()) {
            lines.add(Palette.clean("it is another node's: " + node(restore)));
        }
        lines.addAll(Table.listed(
                look,
                restore.getLostLeasesList(),
                lost -> Table.cells(
                        lost.getLease().getPod(),
                        String.join(",", lost.getLease().getResource().getAddressesList()),
                        TimeFormat.age(lost.getLease().getSince(), look.now()),
                        lost.getWhy()),
                "POD",
                "ADDRESSES",
                "SINCE",
                "WHY"));
        return lines;
    }

    /** What the operator has to agree to. */
    static String question(DbRestore would) {
        int lost = would.getLostLeasesCount();
        String loses = lost == 0
                ? ""
                : " " + lost + (lost == 1 ? " lease in force is lost: " : " leases in force are lost: ")
                        + would.getLostLeasesList().stream()
                                .limit(NAMED)
                                .map(DbLostLease::getLease)
                                .map(lease -> lease.getPod() + " (" + PoolViews.addresses(lease.getResource()) + ")")
                                .collect(Collectors.joining("; "))
                        + (lost > NAMED ? "; ..." : "") + ".";
        return "Replace the database by " + counted(would.getRecords()) + " of " + would.getFile() + "?" + loses
                + (would.getOtherNode() ? " They are another node's: " + node(would) + "." : "");
    }

    private static String origin(DbRestore restore, RenderContext look) {
        return restore.hasTakenAt()
                ? "a backup of commit " + restore.getGeneration() + ", "
                        + TimeFormat.age(restore.getTakenAt(), look.now()) + " old"
                : "an export";
    }

    private static String node(DbRestore restore) {
        return restore.getInstance().isEmpty()
                ? restore.getNode()
                : restore.getNode() + " (" + restore.getInstance() + ")";
    }

    private static String counted(long records) {
        return records + (records == 1 ? " record" : " records");
    }

    private static String size(long bytes) {
        if (bytes < 1024) {
            return bytes + " bytes";
        }
        double kib = bytes / 1024.0;
        return kib < 1024
                ? String.format(Locale.ROOT, "%.1f KiB", kib)
                : String.format(Locale.ROOT, "%.1f MiB", kib / 1024);
    }
}
