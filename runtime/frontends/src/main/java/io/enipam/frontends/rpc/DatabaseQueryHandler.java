package io.enipam.frontends.rpc;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.google.protobuf.ByteString;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.port.ResourceDb.RawRecord;
import io.enipam.engine.port.TimeSource;
import io.enipam.frontends.grpc.GrpcFailures;
import io.enipam.recovery.DatabaseService;
import io.enipam.sdk.Address;
import io.enipam.store.Verification;
import io.enipam.v1.DbCheck;
import io.enipam.v1.DbProblem;
import io.enipam.v1.DbRecord;
import io.enipam.v1.DumpDbRequest;
import io.enipam.v1.ExportDbReply;
import io.enipam.v1.GetDbRecordReply;
import io.enipam.v1.GetDbRecordRequest;
import io.enipam.v1.VerifyDbReply;
import io.grpc.stub.ServerCallStreamObserver;
import java.net.InetAddress;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/** The calls of Inspect that are about the database. Thread-safe. */
final class DatabaseQueryHandler {
    /** More would say no more, and a reply has a bound. */
    private static final int MOST_PROBLEMS = 1000;

    private static final int PART = 1 << 16;

    private final DatabaseService tools;
    private final TimeSource time;

    DatabaseQueryHandler(DatabaseService tools, TimeSource time) {
        this.tools = tools;
        this.time = time;
    }

    List<DbRecord> dump(DumpDbRequest request) {
        return DumpFilter.of(request).of(tools.records()).stream()
                .map(DatabaseQueryHandler::record)
                .toList();
    }

    GetDbRecordReply one(GetDbRecordRequest request) {
        return GetDbRecordReply.newBuilder()
                .setRecord(record(found(request.getKey())))
                .build();
    }

    private ResourceDb.RawRecord found(String key) {
        List<ResourceDb.RawRecord> records = tools.records();
        Optional<ResourceDb.RawRecord> exact = records.stream()
                .filter(r -> (r.bucket() + "/" + r.key()).equals(key))
                .findFirst();
        List<ResourceDb.RawRecord> matches = exact.map(List::of)
                .orElseGet(
                        () -> records.stream().filter(r -> r.key().equals(key)).toList());
        if (matches.isEmpty()) {
            throw new IpamException(
                    ErrorCode.NOT_FOUND, "the database has no record '" + key + "'", "'db dump' shows all records");
        }
        if (matches.size() > 1) {
            Stream<String> names = matches.stream().map(r -> r.bucket() + "/" + r.key());
            throw GrpcFailures.invalid(
                    "several buckets have a record '" + key + "'",
                    "ask for one of " + String.join(", ", names.toList()));
        }
        return matches.get(0);
    }

    private static DbRecord record(ResourceDb.RawRecord raw) {
        return DbRecord.newBuilder()
                .setBucket(raw.bucket())
                .setKey(raw.key())
                .setValue(raw.json())
                .build();
    }

    CompletionStage<VerifyDbReply> verify() {
        long begun = time.nanoTime();
        return tools.verify().thenApply(found -> verification(found, Proto.since(time, begun)));
    }

    private static VerifyDbReply verification(Verification found, com.google.protobuf.Duration took) {
        VerifyDbReply.Builder reply = VerifyDbReply.newBuilder()
                .setSound(found.sound())
                .setGeneration(found.generation())
                .setProblemsLeftOut(Math.max(0, found.problems().size() - MOST_PROBLEMS))
                .setTook(took);
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

    /**
     * Which records of a dump are wanted: those that fit every condition there is. Done here rather than by the caller, so that
     * of a large database only what is wanted goes over the socket.
     */
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
