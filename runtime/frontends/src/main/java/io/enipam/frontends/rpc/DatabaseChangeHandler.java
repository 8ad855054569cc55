package io.enipam.frontends.rpc;

import com.google.protobuf.Message;
import io.enipam.engine.port.TimeSource;
import io.enipam.frontends.grpc.GrpcFailures;
import io.enipam.recovery.DatabaseService;
import io.enipam.store.DatabaseTools.FileHeader;
import io.enipam.store.DatabaseTools.RestorePlan;
import io.enipam.v1.BackupDbReply;
import io.enipam.v1.BackupDbRequest;
import io.enipam.v1.CompactDbReply;
import io.enipam.v1.DbConsent;
import io.enipam.v1.DbRestore;
import io.enipam.v1.ImportDbRequest;
import io.enipam.v1.RestoreDbRequest;
import io.grpc.stub.StreamObserver;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
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
        return tools.backup(path(request.getPath()), request.getReplace())
                .thenApply(backup -> moment(
                                Proto.fill(BackupDbReply.newBuilder(), backup)
                                        .setPath(backup.file().toString()),
                                backup.header())
                        .build());
    }

    CompletionStage<CompactDbReply> compact() {
        return tools.compact()
                .thenApply(done -> Proto.fill(CompactDbReply.newBuilder(), done)
                        .setBytesBefore(done.before().bytes())
                        .setBytesAfter(done.after().bytes())
                        .setFilesBefore(done.before().files())
                        .setFilesAfter(done.after().files())
                        .build());
    }

    CompletionStage<DbRestore> restore(RestoreDbRequest request) {
        Path file = path(request.getPath());
        if (!file.isAbsolute()) {
            throw GrpcFailures.invalid(
                    file + " is no absolute path", "name it from the root of the node: /var/backups/FILE");
        }
        return restore(file, file.toString(), request.getDryRun(), request.getConsent());
    }

    /** Receives a file and restores from it. One at a time: a file takes space. */
    StreamObserver<ImportDbRequest> receive(CompletableFuture<Object> reply) {
        return new ImportReceiver(
                tools.spool(),
                receiving,
                reply,
                (file, request) -> restore(file, request.getName(), request.getDryRun(), request.getConsent()));
    }

    private CompletableFuture<DbRestore> restore(Path file, String shown, boolean dryRun, DbConsent consent) {
        long begun = time.nanoTime();
        return tools.restore(new DatabaseService.Wish(
                        file,
                        shown,
                        dryRun,
                        Set.copyOf(consent.getMayLoseList()),
                        consent.getMayLoseAny(),
                        consent.getOtherNode()))
                .thenApply(plan -> restore(shown, plan, dryRun, time.nanoTime() - begun));
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

    private DbRestore restore(String file, RestorePlan plan, boolean dryRun, long nanos) {
        FileHeader header = plan.header();
        DbRestore.Builder reply = DbRestore.newBuilder()
                .setFile(file)
                .setKind(header.kind().name().toLowerCase(Locale.ROOT))
                .setKeptLeases(plan.kept())
                .setReturningLeases(plan.returning())
                .setDryRun(dryRun)
                .setTook(Proto.duration(Duration.ofNanos(nanos)));
        plan.lost().forEach(lost -> Proto.fill(reply.addLostLeasesBuilder(), lost));
        if (!dryRun) {
            reply.setStagedAt(Proto.timestamp(time.now()));
        }
        return moment(Proto.fill(reply, plan, header.node()), header).build();
    }

    /** The moment that a backup shows, in fields of the same names. */
    private static <B extends Message.Builder> B moment(B reply, FileHeader header) {
        header.snapshot()
                .ifPresent(moment -> Proto.fill(reply, moment)
                        .setField(
                                reply.getDescriptorForType().findFieldByName("taken_at"),
                                Proto.timestamp(moment.taken())));
        return reply;
    }
}
