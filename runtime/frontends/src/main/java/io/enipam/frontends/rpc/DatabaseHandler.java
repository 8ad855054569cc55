package io.enipam.frontends.rpc;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.ResourceKey;
import io.enipam.engine.port.ResourceDb.RawRecord;
import io.enipam.engine.port.TimeSource;
import io.enipam.frontends.grpc.GrpcFailures;
import io.enipam.recovery.DatabaseService;
import io.enipam.sdk.Address;
import io.enipam.store.DatabaseTools.FileHeader;
import io.enipam.store.DatabaseTools.RestorePlan;
import io.enipam.store.DatabaseTools.RestoreRequest;
import io.enipam.store.Verification;
import io.enipam.v1.BackupDbReply;
import io.enipam.v1.BackupDbRequest;
import io.enipam.v1.CompactDbReply;
import io.enipam.v1.DbConsent;
import io.enipam.v1.DbRecord;
import io.enipam.v1.DbRestore;
import io.enipam.v1.DumpDbRequest;
import io.enipam.v1.ExportDbReply;
import io.enipam.v1.GetDbRecordRequest;
import io.enipam.v1.ImportDbRequest;
import io.enipam.v1.RestoreDbRequest;
import io.enipam.v1.VerifyDbReply;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.net.InetAddress;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/** The calls about the database. Thread-safe. */
final class DatabaseHandler {
    /** More would say no more, and a reply has a bound. */
    private static final int MOST_PROBLEMS = 1000;

    private static final int PART = 1 << 16;

    /** The buckets of rows that are keyed by a resource. */
    private static final Set<String> OF_RESOURCES = Set.of("reservations", "quarantine", "intents");

    private final DatabaseService tools;
    private final TimeSource time;
    private final AtomicBoolean receiving = new AtomicBoolean();

    DatabaseHandler(DatabaseService tools, TimeSource time) {
        this.tools = tools;
        this.time = time;
    }

    List<DbRecord> dump(DumpDbRequest request) {
        return Proto.all(DumpFilter.of(request).of(tools.records()), DatabaseHandler::record);
    }

    DbRecord one(GetDbRecordRequest request) {
        String key = request.getKey();
        List<RawRecord> records = tools.records();
        List<RawRecord> matches = Stream.<Predicate<RawRecord>>of(
                        record -> name(record).equals(key),
                        record -> record.key().equals(key),
                        record -> isOf(key, record))
                .map(named -> records.stream().filter(named).toList())
                .filter(found -> !found.isEmpty())
                .findFirst()
                .orElse(List.of());
        if (matches.isEmpty()) {
            throw new IpamException(
                    ErrorCode.NOT_FOUND, "the database has no record '" + key + "'", "'db dump' shows all records");
        }
        if (matches.size() > 1) {
            throw GrpcFailures.invalid(
                    "several records are named '" + key + "'",
                    "ask for one of " + String.join(", ", Proto.all(matches, DatabaseHandler::name)));
        }
        return record(matches.get(0));
    }

    /** Whether a hold or a disposal is of the resource with this id, whichever factory made it. */
    private static boolean isOf(String id, RawRecord record) {
        return OF_RESOURCES.contains(record.bucket())
                && ResourceKey.parse(record.key())
                        .map(resource -> resource.id().value())
                        .filter(own -> own.equals(id) || id.equals(record.bucket() + "/" + own))
                        .isPresent();
    }

    private static String name(RawRecord record) {
        return record.bucket() + "/" + record.key();
    }

    private static DbRecord record(RawRecord raw) {
        return Proto.fill(DbRecord.newBuilder(), raw).setValue(raw.json()).build();
    }

    CompletionStage<VerifyDbReply> verify() {
        return tools.verify().thenApply(DatabaseHandler::verification);
    }

    private static VerifyDbReply verification(Verification found) {
        VerifyDbReply.Builder reply = VerifyDbReply.newBuilder()
                .setProblemsLeftOut(Math.max(0, found.problems().size() - MOST_PROBLEMS));
        for (Verification.Check check : found.checks()) {
            Proto.fill(reply.addChecksBuilder(), check).setProblems((int) found.problems().stream()
                    .filter(problem -> problem.check().equals(check.name()))
                    .count());
        }
        found.problems().stream()
                .limit(MOST_PROBLEMS)
                .forEach(problem -> Proto.fill(reply.addProblemsBuilder(), problem));
        return Proto.fill(reply, found).build();
    }

    /** Sends lines in parts of 64 KiB or one line. */
    void export(ServerCallStreamObserver<ExportDbReply> observer) {
        Iterator<byte[]> lines = tools.export();
        ServiceTable.pump(observer, () -> part(lines));
    }

    private static @Nullable ExportDbReply part(Iterator<byte[]> lines) {
        ByteString.Output part = ByteString.newOutput(PART);
        while (lines.hasNext() && part.size() < PART) {
            byte[] line = lines.next();
            part.write(line, 0, line.length);
        }
        return part.size() == 0
                ? null
                : ExportDbReply.newBuilder().setData(part.toByteString()).build();
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
        return tools.restore(node -> new RestoreRequest(
                        file,
                        shown,
                        node,
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

    /** Which records of a dump are wanted: those that fit every condition. Only these go over the socket. */
    record DumpFilter(Optional<String> bucket, Optional<String> pod, Optional<InetAddress> ip) {
        private static final JsonMapper JSON = new JsonMapper();

        static DumpFilter of(DumpDbRequest request) {
            return new DumpFilter(
                    given(request.getBucket()),
                    given(request.getPod()).map(text -> GrpcFailures.pod(text).toString()),
                    given(request.getIp()).map(text -> GrpcFailures.checked(() -> Address.literal(text))));
        }

        private static Optional<String> given(String text) {
            return text.isEmpty() ? Optional.empty() : Optional.of(text);
        }

        List<RawRecord> of(List<RawRecord> records) {
            return records.stream().filter(this::fits).toList();
        }

        private boolean fits(RawRecord record) {
            if (bucket.isPresent() && !bucket.get().equals(record.bucket())) {
                return false;
            }
            if (pod.isEmpty() && ip.isEmpty()) {
                return true;
            }
            JsonNode json;
            try {
                json = JSON.readTree(record.json());
            } catch (JsonProcessingException e) {
                return false; // a broken record names nothing; 'db dump' without conditions shows it
            }
            return pod.stream().allMatch(name -> name.equals(json.path("pod").asText()))
                    && ip.stream().allMatch(address -> names(json, address));
        }

        private static boolean names(JsonNode json, InetAddress address) {
            if (json.isTextual()) {
                return is(json.asText(), address);
            }
            return StreamSupport.stream(json.spliterator(), false).anyMatch(part -> names(part, address));
        }

        private static boolean is(String text, InetAddress address) {
            try {
                return Address.parse(text).ip().equals(address);
            } catch (IllegalArgumentException e) {
                return false;
            }
        }
    }
}
