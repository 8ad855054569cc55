package io.enipam.frontends.rpc;

import io.enipam.engine.port.TimeSource;
import io.enipam.recovery.DatabaseService;
import io.enipam.v1.BackupDbReply;
import io.enipam.v1.BackupDbRequest;
import io.enipam.v1.CompactDbReply;
import io.enipam.v1.DbConsent;
import io.enipam.v1.DbRestore;
import io.enipam.v1.ImportDbReply;
import io.enipam.v1.ImportDbRequest;
import io.enipam.v1.RestoreDbReply;
import io.enipam.v1.RestoreDbRequest;
import io.grpc.stub.StreamObserver;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/** The calls of Control that are about the database. Thread-safe. */
final class DatabaseChangeHandler {
    private final DatabaseService desk;
    private final TimeSource time;
    private final AtomicBoolean receiving = new AtomicBoolean();

    DatabaseChangeHandler(DatabaseService desk, TimeSource time) {
        this.desk = desk;
        this.time = time;
    }

    void backup(BackupDbRequest request, StreamObserver<BackupDbReply> observer) {
        long begun = time.nanoTime();
        UnaryReplies.async(
                observer,
                () -> desk.backup(path(request.getPath()), request.getReplace()),
                backup -> DatabaseMapper.backup(backup, since(begun)));
    }

    void compact(StreamObserver<CompactDbReply> observer) {
        long begun = time.nanoTime();
        UnaryReplies.async(observer, desk::compact, done -> DatabaseMapper.compaction(done, since(begun)));
    }

    void restore(RestoreDbRequest request, StreamObserver<RestoreDbReply> observer) {
        UnaryReplies.async(
                observer,
                () -> {
                    Path file = path(request.getPath());
                    if (!file.isAbsolute()) {
                        throw GrpcFailures.invalid(
                                file + " is no absolute path", "name it from the root of the node: /var/backups/FILE");
                    }
                    return restore(file, file.toString(), request.getDryRun(), request.getConsent());
                },
                restore -> RestoreDbReply.newBuilder().setRestore(restore).build());
    }

    /** Takes a file that is sent, and restores from it. One at a time: a file takes room. */
    StreamObserver<ImportDbRequest> receive(StreamObserver<ImportDbReply> observer) {
        return new ImportReceiver(
                desk.spool(),
                receiving,
                observer,
                (file, wish) -> restore(file, wish.getName(), wish.getDryRun(), wish.getConsent()));
    }

    private CompletableFuture<DbRestore> restore(Path file, String shown, boolean dryRun, DbConsent consent) {
        long begun = time.nanoTime();
        return desk.restore(new DatabaseService.Wish(
                        file,
                        shown,
                        dryRun,
                        Set.copyOf(consent.getMayLoseList()),
                        consent.getMayLoseAny(),
                        consent.getOtherNode()))
                .thenApply(plan -> DatabaseMapper.restore(
                        shown, plan, dryRun ? Optional.empty() : Optional.of(time.now()), since(begun)));
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
}
