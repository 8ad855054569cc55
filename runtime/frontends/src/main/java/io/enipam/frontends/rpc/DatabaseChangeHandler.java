package io.enipam.frontends.rpc;

import io.enipam.engine.port.TimeSource;
import io.enipam.frontends.grpc.GrpcFailures;
import io.enipam.recovery.DatabaseService;
import io.enipam.store.DatabaseTools.Backup;
import io.enipam.store.DatabaseTools.Compaction;
import io.enipam.store.DatabaseTools.FileHeader;
import io.enipam.store.DatabaseTools.RestorePlan;
import io.enipam.store.DatabaseTools.RestoreRequest;
import io.enipam.v1.BackupDbReply;
import io.enipam.v1.BackupDbRequest;
import io.enipam.v1.CompactDbReply;
import io.enipam.v1.DbConsent;
import io.enipam.v1.DbLostLease;
import io.enipam.v1.DbRestore;
import io.enipam.v1.ImportDbReply;
import io.enipam.v1.ImportDbRequest;
import io.enipam.v1.RestoreDbReply;
import io.enipam.v1.RestoreDbRequest;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

/** The calls of Control that are about the database. Thread-safe. */
final class DatabaseChangeHandler {
    private final DatabaseService tools;
    private final TimeSource time;
    private final AtomicBoolean receiving = new AtomicBoolean();

    DatabaseChangeHandler(DatabaseService tools, TimeSource time) {
        this.tools = tools;
        this.time = time;
    }

    CompletionStage<BackupDbReply> backup(BackupDbRequest request) {
        long begun = time.nanoTime();
        return tools.backup(path(request.getPath()), request.getReplace())
                .thenApply(backup -> backup(backup, since(begun)));
    }

    CompletionStage<CompactDbReply> compact() {
        long begun = time.nanoTime();
        return tools.compact().thenApply(done -> compaction(done, since(begun)));
    }

    CompletionStage<RestoreDbReply> restore(RestoreDbRequest request) {
        Path file = path(request.getPath());
        if (!file.isAbsolute()) {
            throw GrpcFailures.invalid(
                    file + " is no absolute path", "name it from the root of the node: /var/backups/FILE");
        }
        return restore(file, file.toString(), request.getDryRun(), request.getConsent())
                .thenApply(restore ->
                        RestoreDbReply.newBuilder().setRestore(restore).build());
    }

    /** Receives a file and restores from it. One at a time: a file takes space. */
    StreamObserver<ImportDbRequest> receive(ServerCallStreamObserver<ImportDbReply> observer) {
        return new ImportReceiver(
                tools.spool(),
                receiving,
                observer,
                (file, request) -> restore(file, request.getName(), request.getDryRun(), request.getConsent()));
    }

    private CompletableFuture<DbRestore> restore(Path file, String shown, boolean dryRun, DbConsent consent) {
        long begun = time.nanoTime();
        return tools.restore(node -> new RestoreRequest(
                        file,
                        shown,
                        node,
                        dryRun,
                        Set.copyOf(consent.getMayLoseList()),
                        consent.getMayLoseAny(),
                        consent.getOtherNode()))
                .thenApply(plan ->
                        restore(shown, plan, dryRun ? Optional.empty() : Optional.of(time.now()), since(begun)));
    }

    private static Path path(String text) {
        if (text.isEmpty()) {
            throw GrpcFailures.invalid("no file is named", "name one: /var/backups/FILE");
        }
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            throw GrpcFailures.invalid(e);
        }
    }

    private Duration since(long begun) {
        return Duration.ofNanos(time.nanoTime() - begun);
    }

    static BackupDbReply backup(Backup backup, Duration took) {
        BackupDbReply.Builder reply = BackupDbReply.newBuilder()
                .setPath(backup.file().toString())
                .setRecords(backup.records())
                .setBytes(backup.bytes())
                .setSha256(backup.sha256())
                .setReplaced(backup.replaced())
                .setTook(Proto.duration(took));
        backup.header()
                .snapshot()
                .ifPresent(
                        moment -> reply.setGeneration(moment.generation()).setTakenAt(Proto.timestamp(moment.taken())));
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
                .setTook(Proto.duration(took));
        header.snapshot()
                .ifPresent(moment ->
                        reply.setTakenAt(Proto.timestamp(moment.taken())).setGeneration(moment.generation()));
        plan.lost()
                .forEach(lost -> reply.addLostLeases(DbLostLease.newBuilder()
                        .setLease(PoolMapper.lease(lost.lease()))
                        .setWhy(lost.why())));
        staged.ifPresent(at -> reply.setStagedAt(Proto.timestamp(at)));
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
                .setTook(Proto.duration(took))
                .build();
    }
}
