package io.enipam.shell.explain;

import io.enipam.shell.core.DaemonCommand;
import io.enipam.shell.core.PastEvents;
import io.enipam.shell.core.PastLeases;
import io.enipam.shell.core.Table;
import io.enipam.shell.core.TimeFormat;
import io.enipam.v1.EniAddress;
import io.enipam.v1.Event;
import io.enipam.v1.ExplainReply;
import io.enipam.v1.Explanation;
import io.enipam.v1.GetLeaseHistoryRequest;
import io.enipam.v1.LeaseRecord;
import io.enipam.v1.NextStep;
import io.enipam.v1.WatchEventsRequest;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.stream.Stream;

/**
 * What the records say of one thing at a moment of the past: which leases of it stood, how they ended, and what happened to it before. What
 * cloud, kernel and API server had of it then is not recorded.
 */
final class PastExplanation {
    private static final Duration BEFORE = Duration.ofDays(1);
    /** So many leases that ended before, or events, are reported. */
    private static final int TOLD = 3;

    private static final String ADDRESS = "\\d+(\\.\\d+){3}|[0-9a-fA-F]*:[0-9a-fA-F:.]*";

    private PastExplanation() {}

    /** Throws a {@link io.enipam.shell.attach.ShellException} if the history of leases does not know that moment. */
    static ExplainReply at(DaemonCommand command, String what, Instant moment) {
        ExplainReply.Builder reply = ExplainReply.newBuilder().setWhat(what).setAt(TimeFormat.timestamp(moment));
        List<LeaseRecord> stood = PastLeases.between(command, what, moment, moment);
        List<LeaseRecord> ended = command
                .inspect(stub -> stub.getLeaseHistory(GetLeaseHistoryRequest.newBuilder()
                        .setWhat(what)
                        .setTo(TimeFormat.timestamp(moment))
                        .setLimit(TOLD + stood.size())
                        .build()))
                .getLeasesList()
                .stream()
                .filter(lease -> !stood.contains(lease))
                .limit(TOLD)
                .toList();
        LeaseRecord latest =
                Stream.concat(stood.stream(), ended.stream()).findFirst().orElse(LeaseRecord.getDefaultInstance());
        String kind = kind(what, latest);
        String name = kind.equals("POD") && !latest.getPod().isEmpty() ? latest.getPod() : what;
        List<Event> events = PastEvents.ask(
                        command,
                        WatchEventsRequest.newBuilder()
                                .setFrom(TimeFormat.timestamp(moment.minus(BEFORE)))
                                .setTo(TimeFormat.timestamp(moment))
                                .setAbout(name)
                                .build())
                .getEventsList();
        if (stood.isEmpty() && ended.isEmpty() && events.isEmpty()) {
            return reply.build();
        }
        Explanation.Builder thing = Explanation.newBuilder().setKind(kind).setName(name);
        if (stood.isEmpty()) {
            thing.setState(kind.equals("ADDRESS") || kind.equals("ENI") ? "NOT_LENT" : "NO_ADDRESS");
            thing.addWhy(
                    switch (kind) {
                        case "ADDRESS" -> "no pod had it then";
                        case "ENI" -> "no pod had an address of it then";
                        default -> "it had no address then";
                    });
        } else if (kind.equals("ENI")) {
            thing.setState("IN_USE").addWhy(Table.counted(stood.size(), "pod") + " had addresses of it then");
        } else {
            thing.setState(kind.equals("ADDRESS") ? "IN_USE" : "HAS_ADDRESS").setSince(latest.getSince());
            thing.setPod(latest.getPod()).setOwner(latest.getOwner()).setEni(latest.getEni());
            stood.forEach(lease -> thing.addWhy(words(lease)));
        }
        stood.forEach(lease -> lease.getAddressesList()
                .forEach(address -> thing.addAddresses(EniAddress.newBuilder()
                        .setAddress(address)
                        .setState("IN_USE")
                        .setPod(lease.getPod()))));
        ended.forEach(lease -> thing.addWhy("before: " + words(lease)));
        events.stream()
                .skip(Math.max(0, events.size() - TOLD))
                .forEach(event -> thing.addWhy(
                        clock(TimeFormat.instant(event.getAt())) + " " + event.getType() + ": " + event.getMessage()));
        return reply.addThings(thing.addAllEvents(events)
                        .addNext(NextStep.newBuilder()
                                .setWhat("'trace " + name + "' and 'lease history " + name
                                        + "' show more of that time")))
                .build();
    }

    private static String kind(String what, LeaseRecord lease) {
        return lease.getAddressesList().contains(what) || what.matches(ADDRESS)
                ? "ADDRESS"
                : lease.getEni().equals(what) || lease.getResource().equals(what) || what.startsWith("eni-")
                        ? "ENI"
                        : lease.getOwner().getContainer().startsWith(what) ? "CONTAINER" : "POD";
    }

    private static String words(LeaseRecord lease) {
        String end = lease.hasEnd()
                ? ", until " + clock(TimeFormat.instant(lease.getEnd().getAt())) + ": ended by "
                        + lease.getEnd().getReason()
                        + (lease.getEnd().getDetail().isEmpty()
                                ? ""
                                : " (" + lease.getEnd().getDetail() + ")")
                : ", and has it still";
        return "pod " + lease.getPod() + " had " + String.join(" and ", lease.getAddressesList())
                + (lease.getEni().isEmpty() ? "" : " of ENI " + lease.getEni()) + " from "
                + clock(TimeFormat.instant(lease.getSince())) + end;
    }

    private static String clock(Instant at) {
        return at.truncatedTo(ChronoUnit.SECONDS).toString();
    }
}
