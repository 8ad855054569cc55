package io.enipam.shell.db;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
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
import io.enipam.v1.DbProblem;
import io.enipam.v1.DbRecord;
import io.enipam.v1.DbRestore;
import io.enipam.v1.Lease;
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
            Gson pretty =
                    new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create();
            return pretty.toJson(JsonParser.parseString(value));
        } catch (JsonParseException notJson) {
            return value;
        }
    }

    private static final int NAMED = 5;

    static List<String> verification(VerifyDbReply found, RenderContext look) {
        List<String> lines = new ArrayList<>();
        lines.addAll(Table.listed(look, found.getChecksList(), "CHECK  EXAMINED  UNIT  PROBLEMS", check -> {
            Object problems = check.getProblems() == 0 ? 0 : new Table.Cell(check.getProblems() + "", Tone.BAD);
            return Table.cells(check.getName(), check.getExamined(), check.getUnit(), problems);
        }));
        List<DbProblem> problems = found.getProblemsList();
        Table.section(lines, Table.listed(look, problems, "CHECK  WHERE  OFFSET  PROBLEM", problem -> {
            Object offset = problem.hasOffset() ? problem.getOffset() : "";
            return Table.cells(problem.getCheck(), problem.getWhere(), offset, problem.getMessage());
        }));
        if (found.getProblemsLeftOut() > 0) {
            lines.add("and " + found.getProblemsLeftOut() + " more");
        }
        lines.add((found.getSound() ? "sound" : "not sound") + " up to commit " + found.getGeneration() + ", in "
                + TimeFormat.took(found.getTook()));
        return lines;
    }

    static List<String> backup(BackupDbReply done, RenderContext look) {
        return List.of(
                "saved " + Table.counted(done.getRecords(), "record") + " of commit " + done.getGeneration() + " to "
                        + done.getPath() + ": " + size(done.getBytes()) + ", in " + TimeFormat.took(done.getTook())
                        + (done.getReplaced() ? "; it was there and is replaced" : ""));
    }

    /** An export. The shell wrote the file, so the protocol has no message for it; numbers are text, as its own. */
    static Struct export(String file, long bytes) {
        return Struct.newBuilder()
                .putFields("path", Values.of(file))
                .putFields("bytes", Values.of(Long.toString(bytes)))
                .build();
    }

    static List<String> exported(Struct done, RenderContext look) {
        String size = size(Long.parseLong(ListReply.text(done, "bytes")));
        return List.of(Palette.clean("exported to " + ListReply.text(done, "path") + ": " + size));
    }

    static List<String> compaction(CompactDbReply done, RenderContext look) {
        return List.of("wrote a checkpoint of " + Table.counted(done.getRecords(), "record") + " at commit "
                + done.getGeneration() + ": "
                + size(done.getBytesBefore()) + " in " + done.getFilesBefore() + " files before, "
                + size(done.getBytesAfter()) + " in " + done.getFilesAfter() + " now, in "
                + TimeFormat.took(done.getTook()));
    }

    /** What a restore would do, or has prepared. */
    static List<String> restore(DbRestore restore, RenderContext look) {
        boolean dry = restore.getDryRun();
        List<String> lines = new ArrayList<>();
        String backup =
                "a backup of commit " + restore.getGeneration() + ", " + look.age(restore.getTakenAt()) + " old";
        lines.add(Palette.clean((dry ? "would restore " : "restoring ")
                + Table.counted(restore.getRecords(), "record") + " from " + restore.getFile() + ": "
                + (restore.hasTakenAt() ? backup : "an export")));
        lines.add("leases: " + restore.getKeptLeases() + (restore.getKeptLeases() == 1 ? " stays, " : " stay, ")
                + restore.getLostLeasesCount() + (dry ? " would be lost, " : " lost, ")
                + restore.getReturningLeases() + (dry ? " would come back" : " back"));
        if (restore.getLeftOut() > 0) {
            lines.add("operations that were pending then and are over: " + restore.getLeftOut() + ", left out");
        }
        if (restore.getOtherNode()) {
            lines.add(Palette.clean("it is another node's: " + node(restore)));
        }
        lines.addAll(Table.listed(look, restore.getLostLeasesList(), "POD  ADDRESSES  SINCE  WHY", lost -> {
            Lease lease = lost.getLease();
            String addresses = String.join(",", lease.getResource().getAddressesList());
            return Table.cells(lease.getPod(), addresses, look.age(lease.getSince()), lost.getWhy());
        }));
        return lines;
    }

    /** What the operator has to agree to. */
    static String question(DbRestore would) {
        int lost = would.getLostLeasesCount();
        String some = would.getLostLeasesList().stream()
                .limit(NAMED)
                .map(DbLostLease::getLease)
                .map(lease -> lease.getPod() + " (" + PoolViews.addresses(lease.getResource()) + ")")
                .collect(Collectors.joining("; "));
        String loses = " " + lost + (lost == 1 ? " lease in force is lost: " : " leases in force are lost: ") + some
                + (lost > NAMED ? "; ..." : "") + ".";
        return "Replace the database by " + Table.counted(would.getRecords(), "record") + " of " + would.getFile() + "?"
                + (lost == 0 ? "" : loses)
                + (would.getOtherNode() ? " They are another node's: " + node(would) + "." : "");
    }

    private static String node(DbRestore restore) {
        return restore.getInstance().isEmpty()
                ? restore.getNode()
                : restore.getNode() + " (" + restore.getInstance() + ")";
    }

    private static String size(long bytes) {
        double kib = bytes / 1024.0;
        String size = String.format(Locale.ROOT, kib < 1024 ? "%.1f KiB" : "%.1f MiB", kib < 1024 ? kib : kib / 1024);
        return bytes < 1024 ? bytes + " bytes" : size;
    }
}
