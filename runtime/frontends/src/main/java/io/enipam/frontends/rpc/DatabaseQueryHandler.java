package io.enipam.frontends.rpc;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.google.protobuf.ByteString;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.port.ResourceDb.RawRecord;
import io.enipam.frontends.grpc.GrpcFailures;
import io.enipam.recovery.DatabaseService;
import io.enipam.sdk.Address;
import io.enipam.store.Verification;
import io.enipam.v1.DbRecord;
import io.enipam.v1.DumpDbRequest;
import io.enipam.v1.ExportDbReply;
import io.enipam.v1.GetDbRecordRequest;
import io.enipam.v1.VerifyDbReply;
import io.grpc.stub.ServerCallStreamObserver;
import java.net.InetAddress;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/** The calls of Inspect that are about the database. Thread-safe. */
final class DatabaseQueryHandler {
    /** More would say no more, and a reply has a bound. */
    private static final int MOST_PROBLEMS = 1000;

    private static final int PART = 1 << 16;

    private final DatabaseService tools;

    DatabaseQueryHandler(DatabaseService tools) {
        this.tools = tools;
    }

    List<DbRecord> dump(DumpDbRequest request) {
        return Proto.all(DumpFilter.of(request).of(tools.records()), DatabaseQueryHandler::record);
    }

    DbRecord one(GetDbRecordRequest request) {
        String key = request.getKey();
        List<RawRecord> records = tools.records();
        List<RawRecord> exact =
                records.stream().filter(r -> name(r).equals(key)).limit(1).toList();
        List<RawRecord> matches = exact.isEmpty()
                ? records.stream().filter(r -> r.key().equals(key)).toList()
                : exact;
        if (matches.isEmpty()) {
            throw new IpamException(
                    ErrorCode.NOT_FOUND, "the database has no record '" + key + "'", "'db dump' shows all records");
        }
        if (matches.size() > 1) {
            throw GrpcFailures.invalid(
                    "several buckets have a record '" + key + "'",
                    "ask for one of " + String.join(", ", Proto.all(matches, DatabaseQueryHandler::name)));
        }
        return record(matches.get(0));
    }

    private static String name(RawRecord record) {
        return record.bucket() + "/" + record.key();
    }

    private static DbRecord record(RawRecord raw) {
        return Proto.fill(DbRecord.newBuilder(), raw).setValue(raw.json()).build();
    }

    CompletionStage<VerifyDbReply> verify() {
        return tools.verify().thenApply(DatabaseQueryHandler::verification);
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
