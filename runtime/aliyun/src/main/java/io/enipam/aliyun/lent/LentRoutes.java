package io.enipam.aliyun.lent;

import io.enipam.aliyun.api.EcsApi;
import io.enipam.aliyun.api.EcsException;
import io.enipam.aliyun.lent.CallQueue.Turn;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.cloud.RouteEntry;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Entries of route tables. The VPC carries out one change of a table after the other, and some seconds after it was asked. */
record LentRoutes(Turn turn) {
    /** What the API calls an entry that is in force: the reference has both. */
    private static final Set<String> IN_FORCE = Set.of("Available", "Created");

    List<RouteEntry> list(String table) {
        return turn.api().describeRouteEntries(table, Optional.empty()).stream()
                .map(entry -> new RouteEntry(
                        entry.tableId(), entry.destination(), new RouteEntry.Hop(entry.hopType(), entry.hopId())))
                .toList();
    }

    boolean add(RouteEntry entry, String clientToken) {
        boolean added = true;
        try {
            turn.changing().createRouteEntry(wire(entry), clientToken);
        } catch (EcsException e) {
            boolean there = e.kind() == ErrorKind.CONFLICT
                    && find(entry).filter(found -> leadsTo(found, entry)).isPresent();
            if (!there) {
                throw e;
            }
            added = false;
        }
        for (int look = 0; ; look++) {
            Optional<EcsApi.RouteEntry> found = find(entry);
            if (found.isPresent() && IN_FORCE.contains(found.get().status())) {
                return added;
            }
            turn.pause(look, "the route to " + entry.destination() + " is not in force yet");
        }
    }

    boolean remove(RouteEntry entry) {
        try {
            turn.changing().deleteRouteEntry(wire(entry));
        } catch (EcsException e) {
            if (e.kind() == ErrorKind.NOT_FOUND) {
                return false;
            } else if (!e.outcomeUnknown()) {
                throw e;
            }
        }
        for (int look = 0; ; look++) {
            if (find(entry).filter(found -> leadsTo(found, entry)).isEmpty()) {
                return true;
            }
            turn.pause(look, "the route to " + entry.destination() + " is not gone yet");
        }
    }

    private Optional<EcsApi.RouteEntry> find(RouteEntry entry) {
        return turn.api().describeRouteEntries(entry.table(), Optional.of(entry.destination())).stream()
                .filter(found -> found.destination().equals(entry.destination()))
                .findFirst();
    }

    private static boolean leadsTo(EcsApi.RouteEntry found, RouteEntry entry) {
        return found.hopId().equals(entry.hop().id());
    }

    private static EcsApi.RouteEntry wire(RouteEntry entry) {
        return new EcsApi.RouteEntry(
                entry.table(),
                entry.destination(),
                entry.hop().type(),
                entry.hop().id(),
                "");
    }
}
