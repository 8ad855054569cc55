package io.enipam.shell.core;

import com.google.protobuf.Timestamp;
import com.google.protobuf.util.Timestamps;
import io.enipam.shell.attach.ShellException;
import io.enipam.v1.GetLeaseHistoryReply;
import io.enipam.v1.GetLeaseHistoryRequest;
import io.enipam.v1.Lease;
import io.enipam.v1.LeaseHistoryState;
import io.enipam.v1.LeaseRecord;
import io.enipam.v1.Resource;
import java.time.Instant;
import java.util.List;

/** The leases of the past, as the daemon's history of leases has them. */
public final class PastLeases {
    /** More than a node ever has at once; the daemon sends no more. */
    private static final int MOST = 5_000;

    private PastLeases() {}

    /**
     * The leases that stood at a moment. Throws {@link ShellException} if the history does not know that: it begins later, or has gaps.
     */
    public static List<Lease> at(DaemonCommand command, Instant moment) {
        return between(command, "", moment, moment).stream()
                .map(PastLeases::lease)
                .toList();
    }

    /**
     * The same of all that stood at some moment of a span, those that stand first, then those that ended last.
     *
     * @param what the address, pod, ENI or container that they are of; empty text for all
     */
    public static List<LeaseRecord> between(DaemonCommand command, String what, Instant from, Instant to) {
        Timestamp first = TimeFormat.timestamp(from);
        GetLeaseHistoryRequest request = GetLeaseHistoryRequest.newBuilder()
                .setWhat(what)
                .setFrom(first)
                .setTo(TimeFormat.timestamp(to))
                .setLimit(MOST)
                .build();
        GetLeaseHistoryReply reply = command.inspect(stub -> stub.getLeaseHistory(request));
        requireKnown(reply.getHistory(), first);
        if (reply.getLeasesCount() == MOST) {
            throw ShellException.verdict(
                    "RESOURCE_EXHAUSTED", "more than " + MOST + " leases stood in that time", "Name a shorter one");
        }
        return reply.getLeasesList();
    }

    private static void requireKnown(LeaseHistoryState history, Timestamp from) {
        if (!history.getTrouble().isEmpty()) {
            throw ShellException.verdict(
                    "DATA_LOSS",
                    "the history of leases is not complete, so it does not say who had what then: "
                            + history.getTrouble(),
                    "'lease history' and 'who' show what it has");
        }
        if (Timestamps.compare(from, history.getCompleteSince()) < 0) {
            throw ShellException.verdict(
                    "NOT_FOUND",
                    "who had what then is forgotten: all is known since "
                            + Timestamps.toString(history.getCompleteSince()),
                    "Name a later moment; history.keep and history.size say how much is kept");
        }
    }

    private static Lease lease(LeaseRecord record) {
        return Lease.newBuilder()
                .setPod(record.getPod())
                .setPodUid(record.getPodUid())
                .setOwner(record.getOwner())
                .setResource(Resource.newBuilder()
                        .setId(record.getResource())
                        .addAllAddresses(record.getAddressesList())
                        .setParent(record.getEni()))
                .setSince(record.getSince())
                .setState("IN_USE")
                .build();
    }
}
