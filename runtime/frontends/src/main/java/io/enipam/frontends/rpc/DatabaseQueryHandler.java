package io.enipam.frontends.rpc;

import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.port.TimeSource;
import io.enipam.recovery.DatabaseService;
import io.enipam.v1.DbRecord;
import io.enipam.v1.DumpDbReply;
import io.enipam.v1.DumpDbRequest;
import io.enipam.v1.ExportDbReply;
import io.enipam.v1.GetDbRecordReply;
import io.enipam.v1.GetDbRecordRequest;
import io.enipam.v1.VerifyDbReply;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The calls of Inspect that are about the database. Thread-safe. */
final class DatabaseQueryHandler {
    private final DatabaseService desk;
    private final TimeSource time;

    DatabaseQueryHandler(DatabaseService desk, TimeSource time) {
        this.desk = desk;
        this.time = time;
    }

    void dump(DumpDbRequest request, StreamObserver<DumpDbReply> observer) {
        List<ResourceDb.RawRecord> fitting;
        try {
            fitting = DumpFilter.of(request).of(desk.records());
        } catch (IpamException e) {
            observer.onError(GrpcFailures.of(e));
            return;
        }
        ChunkedReply.send(
                observer,
                fitting,
                records -> DumpDbReply.newBuilder()
                        .addAllRecords(records.stream()
                                .map(DatabaseQueryHandler::record)
                                .toList())
                        .build());
    }

    GetDbRecordReply one(GetDbRecordRequest request) {
        return GetDbRecordReply.newBuilder()
                .setRecord(record(found(request.getKey())))
                .build();
    }

    private ResourceDb.RawRecord found(String key) {
        List<ResourceDb.RawRecord> records = desk.records();
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

    void verify(StreamObserver<VerifyDbReply> observer) {
        long begun = time.nanoTime();
        UnaryReplies.async(
                observer,
                desk::verify,
                found -> DatabaseMapper.verification(found, Duration.ofNanos(time.nanoTime() - begun)));
    }

    void export(StreamObserver<ExportDbReply> observer) {
        ExportStream.send(observer, desk::export);
    }
}
