package io.enipam.shell.db;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.protobuf.Struct;
import com.google.protobuf.util.Values;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.AtomicOutputFile;
import io.enipam.shell.core.Completes;
import io.enipam.shell.core.CompletionKind;
import io.enipam.shell.core.ConfirmationOption;
import io.enipam.shell.core.ControlCommand;
import io.enipam.shell.core.DaemonCommand;
import io.enipam.shell.core.ListCommand;
import io.enipam.shell.core.ListPrinter.Listed;
import io.enipam.shell.core.ListReply;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.PodNameConverter;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.Table;
import io.enipam.shell.core.TableListing;
import io.enipam.shell.core.TimeFormat;
import io.enipam.shell.core.Tone;
import io.enipam.shell.pool.PoolViews;
import io.enipam.v1.BackupDbReply;
import io.enipam.v1.BackupDbRequest;
import io.enipam.v1.CompactDbReply;
import io.enipam.v1.CompactDbRequest;
import io.enipam.v1.DbLostLease;
import io.enipam.v1.DbProblem;
import io.enipam.v1.DbRecord;
import io.enipam.v1.DbRestore;
import io.enipam.v1.DumpDbReply;
import io.enipam.v1.DumpDbRequest;
import io.enipam.v1.ExportDbReply;
import io.enipam.v1.ExportDbRequest;
import io.enipam.v1.GetDbRecordRequest;
import io.enipam.v1.Lease;
import io.enipam.v1.VerifyDbReply;
import io.enipam.v1.VerifyDbRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "db",
        description = "The resource database.",
        subcommands = {
            DbCommands.Dump.class,
            DbCommands.Get.class,
            DbCommands.Verify.class,
            DbCommands.Backup.class,
            DbRestoreCommands.Restore.class,
            DbCommands.Export.class,
            DbRestoreCommands.Import.class,
            DbCommands.Compact.class
        })
public final class DbCommands {
    /** All of its files are read or written; a large database on a slow disk takes its time. */
    static final Duration WORK = Duration.ofMinutes(10);

    private DbCommands() {}

    @Command(name = "dump", description = "The records of the resource database.")
    public static final class Dump extends ListCommand<DbRecord> {
        @Completes(CompletionKind.DB_BUCKETS)
        @Option(
                names = "--bucket",
                paramLabel = "BUCKET",
                description =
                        "Only this bucket: leases, reservations, quarantine, intents, operations, pods, tables or meta.")
        String bucket = "";

        @Completes(CompletionKind.PODS)
        @Option(
                names = "--pod",
                paramLabel = "NS/NAME",
                converter = PodNameConverter.class,
                description = "Only records of this pod.")
        String pod = "";

        @Completes(CompletionKind.ADDRESSES)
        @Option(names = "--ip", paramLabel = "IP", description = "Only records with this address.")
        String ip = "";

        @Override
        protected Listed<DbRecord> listed() {
            DumpDbRequest.Builder request = DumpDbRequest.newBuilder().setBucket(bucket);
            request.setPod(pod).setIp(ip);
            return parts(
                    bucket.isEmpty() && pod.isEmpty() && ip.isEmpty() ? DbCommands.DUMP : DbCommands.FOUND,
                    stub -> stub.dumpDb(request.build()),
                    DumpDbReply::getRecordsList);
        }
    }

    @Command(name = "get", description = "One record of the resource database.")
    public static final class Get extends DaemonCommand {
        @Completes(CompletionKind.DB_KEYS)
        @Parameters(
                paramLabel = "KEY",
                description = "BUCKET/KEY, or a key that is unique over all buckets; see: db dump")
        String key = "";

        @Override
        public void run() {
            GetDbRecordRequest.Builder request = GetDbRecordRequest.newBuilder().setKey(key);
            show(
                    inspect(stub -> stub.getDbRecord(request.build())),
                    (reply, look) -> DbCommands.one(reply.getRecord(), look),
                    reply -> List.of(DbCommands.DUMP.name(reply.getRecord())));
        }
    }

    @Command(name = "verify", description = "Check the resource database, and whether the pool agrees with it.")
    public static final class Verify extends DaemonCommand {
        @Override
        public void run() {
            VerifyDbReply found = waiting(
                    () -> session.daemon().inspect(WORK, stub -> stub.verifyDb(VerifyDbRequest.getDefaultInstance())));
            List<String> places =
                    found.getProblemsList().stream().map(DbProblem::getWhere).toList();
            show(found, DbCommands::verification, reply -> places);
            if (!found.getSound()) {
                int problems = found.getProblemsCount() + found.getProblemsLeftOut();
                throw ShellException.verdict(
                        "",
                        "the database has " + Table.counted(problems, "problem"),
                        "Take a backup and keep a copy of its directory before anything else");
            }
        }
    }

    @Command(name = "backup", description = "Save the resource database to a file on the node.")
    public static final class Backup extends ControlCommand {
        @Completes(CompletionKind.FILES)
        @Parameters(paramLabel = "FILE", description = "Where to; a relative path begins where the shell runs.")
        Path file = Path.of("");

        @Mixin
        ConfirmationOption consent = new ConfirmationOption();

        @Override
        public void run() {
            String path = file.toAbsolutePath().normalize().toString();
            BackupDbRequest.Builder request =
                    BackupDbRequest.newBuilder().setPath(path).setReplace(consent.yes);
            show(
                    control(WORK, stub -> stub.backupDb(request.build())),
                    DbCommands::backup,
                    reply -> List.of(reply.getPath()));
        }
    }

    @Command(name = "export", description = "Write the records of the resource database as JSON lines.")
    public static final class Export extends DaemonCommand {
        @Completes(CompletionKind.FILES)
        @Parameters(paramLabel = "FILE", arity = "0..1", description = "A file that is made, or replaced with --yes.")
        @Nullable
        Path file;

        @Mixin
        ConfirmationOption consent = new ConfirmationOption();

        @Override
        public boolean writesLocalFile() {
            return file != null;
        }

        /** {@code db dump} has the same records. */
        @Override
        public List<String> inBundle() {
            return List.of();
        }

        @Override
        public void run() {
            Path to = file;
            if (to == null) {
                Iterator<ExportDbReply> parts = parts();
                while (parts.hasNext()) {
                    byte[] data = parts.next().getData().toByteArray();
                    out().write(data, 0, data.length);
                }
                out().flush();
                return;
            }
            AtomicOutputFile saved = AtomicOutputFile.begin(to, consent.yes, "--yes");
            try (saved) {
                Iterator<ExportDbReply> parts = parts();
                while (parts.hasNext()) {
                    saved.write(parts.next().getData().toByteArray());
                }
                show(
                        DbCommands.export(to.toString(), saved.finish()),
                        DbCommands::exported,
                        done -> List.of(to.toString()));
            } catch (IOException e) {
                throw saved.failed(e);
            }
        }

        private Iterator<ExportDbReply> parts() {
            return waiting(() -> {
                Iterator<ExportDbReply> parts =
                        session.daemon().stream(WORK, stub -> stub.exportDb(ExportDbRequest.getDefaultInstance()));
                return parts.hasNext() ? parts : Collections.emptyIterator();
            });
        }
    }

    @Command(name = "compact", description = "Write a checkpoint now, and remove old journal files.")
    public static final class Compact extends ControlCommand {
        @Override
        public void run() {
            show(
                    control(WORK, stub -> stub.compactDb(CompactDbRequest.getDefaultInstance())),
                    DbCommands::compaction,
                    reply -> List.of(Long.toString(reply.getGeneration())));
        }
    }

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
                .lines(look));
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
        boolean grew = done.getBytesAfter() > done.getBytesBefore();
        String why =
                "it grew by the new checkpoint and its journal file: the checkpoint before it, and the journal since"
                        + " that one, stay until the next";
        String wrote = "wrote a checkpoint of " + Table.counted(done.getRecords(), "record") + " at commit "
                + done.getGeneration() + ": "
                + size(done.getBytesBefore()) + " in " + Table.counted(done.getFilesBefore(), "file") + " before, "
                + size(done.getBytesAfter()) + " in " + done.getFilesAfter() + " now, in "
                + TimeFormat.took(done.getTook());
        return grew ? List.of(wrote, why) : List.of(wrote);
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
