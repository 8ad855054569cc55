package io.enipam.shell;

import com.google.protobuf.ByteString;
import com.google.protobuf.util.Durations;
import io.enipam.v1.BackupDbReply;
import io.enipam.v1.CompactDbReply;
import io.enipam.v1.DbCheck;
import io.enipam.v1.DbLostLease;
import io.enipam.v1.DbProblem;
import io.enipam.v1.DbRecord;
import io.enipam.v1.DbRestore;
import io.enipam.v1.ExportDbReply;
import io.enipam.v1.VerifyDbReply;
import java.util.stream.Stream;

/** What the fake daemon says of its database. */
final class CannedDb {
    static final String FIRST = "{\"enipam\":\"database\",\"format\":1,\"kind\":\"export\"}\n";
    static final String LAST = "{\"end\":true,\"records\":0}\n";

    private CannedDb() {}

    static Stream<DbRecord> records() {
        return Stream.of(
                CannedReplies.record("leases", "enipam/sim-3/eth0", "{\"pod\":\"default/web-0\"}"),
                CannedReplies.record("quarantine", "eni-1:10.0.1.8", "{\"until\":\"08:00:20\"}"));
    }

    static VerifyDbReply sound() {
        return VerifyDbReply.newBuilder()
                .setSound(true)
                .setGeneration(812)
                .addChecks(check("checkpoints", 2, "files", 0))
                .addChecks(check("journal", 300, "commits", 0))
                .addChecks(check("leases", 38, "leases", 0))
                .setTook(Durations.fromMillis(41))
                .build();
    }

    static VerifyDbReply damaged() {
        return sound().toBuilder()
                .setSound(false)
                .setChecks(1, check("journal", 299, "commits", 1))
                .setChecks(2, check("leases", 38, "leases", 1))
                .addProblems(DbProblem.newBuilder()
                        .setCheck("journal")
                        .setWhere("/var/lib/enipam/db/journal-7.log")
                        .setOffset(4096)
                        .setMessage("the content of commit 8 was changed after it was written"))
                .addProblems(DbProblem.newBuilder()
                        .setCheck("leases")
                        .setWhere("leases/enipam/sim-3/eth0")
                        .setMessage("its resource eni-1:10.0.1.3 is not in the pool\u001b[2J"))
                .build();
    }

    private static DbCheck check(String name, long examined, String unit, int problems) {
        return DbCheck.newBuilder()
                .setName(name)
                .setExamined(examined)
                .setUnit(unit)
                .setProblems(problems)
                .build();
    }

    static BackupDbReply backup(String path) {
        return BackupDbReply.newBuilder()
                .setPath(path)
                .setGeneration(812)
                .setRecords(40)
                .setBytes(21_800)
                .setSha256("ab".repeat(32))
                .setTakenAt(CannedReplies.ago(0))
                .setTook(Durations.fromMillis(12))
                .build();
    }

    static DbRestore restore(String file, boolean dry) {
        DbRestore.Builder restore = DbRestore.newBuilder()
                .setFile(file)
                .setKind("backup")
                .setNode("cn-hangzhou.10.0.0.1")
                .setInstance("i-1")
                .setTakenAt(CannedReplies.ago(190))
                .setGeneration(812)
                .setRecords(40)
                .setKeptLeases(36)
                .addLostLeases(DbLostLease.newBuilder()
                        .setLease(CannedReplies.lease("default/web-9", 12, 130))
                        .setWhy("not in the file"))
                .setReturningLeases(2)
                .setLeftOut(1)
                .setDryRun(dry)
                .setTook(Durations.fromMillis(30));
        return dry
                ? restore.build()
                : restore.setStagedAt(CannedReplies.ago(3800)).build();
    }

    static CompactDbReply compaction() {
        return CompactDbReply.newBuilder()
                .setGeneration(812)
                .setRecords(40)
                .setBytesBefore(50_400_000)
                .setBytesAfter(16_900_000)
                .setFilesBefore(6)
                .setFilesAfter(4)
                .setTook(Durations.fromMillis(25))
                .build();
    }

    static ExportDbReply[] export() {
        return new ExportDbReply[] {part(FIRST), part(LAST)};
    }

    private static ExportDbReply part(String text) {
        return ExportDbReply.newBuilder().setData(ByteString.copyFromUtf8(text)).build();
    }
}
