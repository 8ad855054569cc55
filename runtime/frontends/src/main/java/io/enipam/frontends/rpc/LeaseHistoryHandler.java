package io.enipam.frontends.rpc;

import io.enipam.engine.IpamEngine;
import io.enipam.engine.model.LeaseRecord;
import io.enipam.engine.port.LeaseHistory;
import io.enipam.engine.port.LeaseHistory.LeaseQuery;
import io.enipam.frontends.grpc.GrpcFailures;
import io.enipam.v1.GetLeaseHistoryReply;
import io.enipam.v1.GetLeaseHistoryRequest;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** {@code GetLeaseHistory}: the leases that stand, and those that ended. Thread-safe; reads files. */
record LeaseHistoryHandler(IpamEngine engine, LeaseHistory history) {
    private static final int MOST = 5_000;
    /** Longer is no name of anything here. */
    private static final int LONGEST = 512;

    GetLeaseHistoryReply find(GetLeaseHistoryRequest request) {
        LeaseQuery query = query(request);
        // in this order: one that ends meanwhile is seen twice rather than never
        List<LeaseRecord> stand = engine.leases().stream()
                .map(lease -> LeaseRecord.of(lease, Optional.empty()))
                .filter(query::matches)
                .sorted(Comparator.comparing(LeaseRecord::since).reversed())
                .toList();
        List<LeaseRecord> ended = history.find(query);
        record Identity(Object owner, Instant since) {}
        Set<Identity> known = new HashSet<>();
        ended.forEach(lease -> known.add(new Identity(lease.owner(), millis(lease.since()))));
        return GetLeaseHistoryReply.newBuilder()
                .addAllLeases(Proto.all(
                        Stream.concat(
                                        stand.stream()
                                                .filter(lease -> !known.contains(
                                                        new Identity(lease.owner(), millis(lease.since())))),
                                        ended.stream())
                                .limit(query.limit())
                                .toList(),
                        LeaseHistoryHandler::lease))
                .setHistory(Proto.fill(io.enipam.v1.LeaseHistoryState.newBuilder(), history.state())
                        .setCompleteSince(Proto.timestamp(history.completeSince())))
                .build();
    }

    /** The history keeps milliseconds. */
    private static Instant millis(Instant at) {
        return Instant.ofEpochMilli(at.toEpochMilli());
    }

    private static LeaseQuery query(GetLeaseHistoryRequest request) {
        String what = request.getWhat().strip();
        if (what.length() > LONGEST) {
            throw GrpcFailures.invalid(
                    "nothing is named so: that is too long", "name an address, a pod, an ENI or a container");
        }
        int limit = request.getLimit() <= 0 ? MOST : Math.min(MOST, request.getLimit());
        return new LeaseQuery(
                what.isEmpty()
                        ? Optional.empty()
                        : Optional.of(LeaseRecord.addressOf(what).orElse(what)),
                request.hasFrom() ? Proto.instant(request.getFrom()) : Instant.EPOCH,
                request.hasTo() ? Proto.instant(request.getTo()) : Instant.MAX,
                limit);
    }

    private static io.enipam.v1.LeaseRecord lease(LeaseRecord lease) {
        return Proto.fill(io.enipam.v1.LeaseRecord.newBuilder(), lease)
                .setOwner(PoolMapper.owner(lease.owner()))
                .build();
    }
}
