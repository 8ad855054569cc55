package io.enipam.frontends.rpc;

import io.enipam.store.DatabaseTools.Backup;
import io.enipam.store.DatabaseTools.Compaction;
import io.enipam.store.DatabaseTools.FileHeader;
import io.enipam.store.DatabaseTools.RestorePlan;
import io.enipam.store.Verification;
import io.enipam.v1.BackupDbReply;
import io.enipam.v1.CompactDbReply;
import io.enipam.v1.DbCheck;
import io.enipam.v1.DbLostLease;
import io.enipam.v1.DbProblem;
import io.enipam.v1.DbRestore;
import io.enipam.v1.VerifyDbReply;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

/** What the tools of the database answer, as messages. */
final class DatabaseMapper {
    /** More would say no more, and a reply has a bound. */
    private static final int MOST_PROBLEMS = 1000;

    private DatabaseMapper() {}

    static VerifyDbReply verification(Verification found, Duration took) {
        VerifyDbReply.Builder reply = VerifyDbReply.newBuilder()
                .setSound(found.sound())
                .setGeneration(found.generation())
                .setProblemsLeftOut(Math.max(0, found.problems().size() - MOST_PROBLEMS))
                .setTook(ProtoTime.duration(took));
        found.checks()
                .forEach(check -> reply.addChecks(DbCheck.newBuilder()
                        .setName(check.name())
                        .setExamined(check.examined())
                        .setUnit(check.unit())
                        .setProblems((int) found.problems().stream()
                                .filter(problem -> problem.check().equals(check.name()))
                                .count())));
        found.problems().stream().limit(MOST_PROBLEMS).forEach(problem -> {
            DbProblem.Builder each = DbProblem.newBuilder()
                    .setCheck(problem.check())
                    .setWhere(problem.where())
                    .setMessage(problem.message());
            problem.offset().ifPresent(each::setOffset);
            reply.addProblems(each);
        });
        return reply.build();
    }

    static BackupDbReply backup(Backup backup, Duration took) {
        BackupDbReply.Builder reply = BackupDbReply.newBuilder()
                .setPath(backup.file().toString())
                .setRecords(backup.records())
                .setBytes(backup.bytes())
                .setSha256(backup.sha256())
                .setReplaced(backup.replaced())
                .setTook(ProtoTime.duration(took));
        backup.header()
                .snapshot()
                .ifPresent(moment ->
                        reply.setGeneration(moment.generation()).setTakenAt(ProtoTime.timestamp(moment.taken())));
        return reply.build();
    }

    /** @param staged when it was made ready; empty in a dry run */
    static DbRestore restore(String file, RestorePlan plan, Optional<Instant> staged, Duration took) {
        FileHeader header = plan.header();
        DbRestore.Builder reply = DbRestore.newBuilder()
                .setFile(file)
                .setKind(header.kind().name().toLowerCase(Locale.ROOT))
                .setNode(header.node().node())
                .setInstance(header.node().instance())
                .setOtherNode(plan.otherNode())
                .setRecords(plan.records())
                .setKeptLeases(plan.kept())
                .setReturningLeases(plan.returning())
                .setLeftOut(plan.leftOut())
                .setDryRun(staged.isEmpty())
                .setTook(ProtoTime.duration(took));
        header.snapshot()
                .ifPresent(moment ->
                        reply.setTakenAt(ProtoTime.timestamp(moment.taken())).setGeneration(moment.generation()));
        plan.lost()
                .forEach(lost -> reply.addLostLeases(DbLostLease.newBuilder()
                        .setLease(LeaseMapper.lease(lost.lease()))
                        .setWhy(lost.why())));
        staged.ifPresent(at -> reply.setStagedAt(ProtoTime.timestamp(at)));
        return reply.build();
    }

    static CompactDbReply compaction(Compaction done, Duration took) {
        return CompactDbReply.newBuilder()
                .setGeneration(done.generation())
                .setRecords(done.records())
                .setBytesBefore(done.before().bytes())
                .setBytesAfter(done.after().bytes())
                .setFilesBefore(done.before().files())
                .setFilesAfter(done.after().files())
                .setTook(ProtoTime.duration(took))
                .build();
    }
}
