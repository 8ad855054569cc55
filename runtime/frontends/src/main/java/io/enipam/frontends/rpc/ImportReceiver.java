package io.enipam.frontends.rpc;

import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.frontends.grpc.GrpcFailures;
import io.enipam.v1.DbImport;
import io.enipam.v1.DbRestore;
import io.enipam.v1.ImportDbRequest;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Receives a file part by part into a file of its own, 0600, and hands it on when all of it is there. The parts are
 * asked for one after another, each when the one before is written, so that no more than two are in memory. Whatever
 * happens, the file is removed in the end. Used by one call; gRPC serialises its methods.
 */
final class ImportReceiver implements StreamObserver<ImportDbRequest> {
    private static final Logger LOG = LoggerFactory.getLogger(ImportReceiver.class);
    private static final long MOST_BYTES = 64L << 20;
    private static final int LARGEST_PART = 1 << 16;

    private final Path directory;
    private final AtomicBoolean receiving;
    private final CompletableFuture<Object> reply;
    private final BiFunction<Path, DbImport, CompletionStage<DbRestore>> restore;
    private Optional<DbImport> wanted = Optional.empty();
    private Optional<Path> file = Optional.empty();
    private OutputStream out = OutputStream.nullOutputStream();
    private long bytes;
    private boolean over;

    /** @param receiving whether one is under way; only one may be */
    ImportReceiver(
            Path directory,
            AtomicBoolean receiving,
            CompletableFuture<Object> reply,
            BiFunction<Path, DbImport, CompletionStage<DbRestore>> restore) {
        this.directory = directory;
        this.receiving = receiving;
        this.reply = reply;
        this.restore = restore;
    }

    @Override
    public void onNext(ImportDbRequest part) {
        if (over) {
            return;
        }
        try {
            if (part.hasImport()) {
                begin(part.getImport());
            } else {
                write(part.getData().toByteArray());
            }
        } catch (IOException e) {
            refuse(new IpamException(
                    ErrorCode.STORE_FAILED,
                    "the file that is sent cannot be kept in " + directory + ": " + e.getMessage(),
                    "nothing was changed; make room on that disk and try again",
                    e));
        } catch (RuntimeException e) {
            refuse(e);
        }
    }

    private void begin(DbImport asked) throws IOException {
        if (wanted.isPresent()) {
            throw GrpcFailures.invalid("an import has one beginning", "send the file's bytes behind it");
        }
        if (!receiving.compareAndSet(false, true)) {
            throw new IpamException(ErrorCode.TRY_AGAIN, "another import is under way", "try again when it is over");
        }
        wanted = Optional.of(asked);
        file = Optional.of(Files.createTempFile(directory, "import-", ".jsonl"));
        out = Files.newOutputStream(file.get());
    }

    private void write(byte[] data) throws IOException {
        if (wanted.isEmpty()) {
            throw GrpcFailures.invalid("an import begins with what is wanted", "send that before the file's bytes");
        }
        bytes += data.length;
        if (data.length > LARGEST_PART || bytes > MOST_BYTES) {
            throw GrpcFailures.invalid(
                    data.length > LARGEST_PART
                            ? "a part of the file has more than " + LARGEST_PART + " bytes"
                            : "the file has more than " + MOST_BYTES + " bytes",
                    "name a file that 'db export' wrote");
        }
        out.write(data);
    }

    @Override
    public void onError(Throwable goneAway) {
        over = true;
        release();
    }

    @Override
    public void onCompleted() {
        if (over) {
            return;
        }
        over = true;
        if (file.isEmpty()) {
            refuse(GrpcFailures.invalid("nothing was sent", ""));
            return;
        }
        try {
            out.close();
        } catch (IOException e) {
            refuse(new IpamException(
                    ErrorCode.STORE_FAILED, "the file that was sent cannot be kept: " + e.getMessage(), "", e));
            return;
        }
        Stages.call(() -> restore.apply(file.get(), wanted.orElseThrow())).whenComplete((done, failure) -> {
            release();
            if (failure == null) {
                reply.complete(done);
            } else {
                reply.completeExceptionally(failure);
            }
        });
    }

    private void refuse(RuntimeException why) {
        over = true;
        release();
        reply.completeExceptionally(why);
    }

    private void release() {
        try {
            out.close();
            if (file.isPresent()) {
                Files.deleteIfExists(file.get());
            }
        } catch (IOException e) {
            LOG.warn("{} cannot be removed: {}", file, e.toString());
        } finally {
            // only the caller that took the turn has a file
            if (wanted.isPresent()) {
                receiving.set(false);
            }
        }
    }
}
