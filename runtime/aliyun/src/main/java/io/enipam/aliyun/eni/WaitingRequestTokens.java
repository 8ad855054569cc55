package io.enipam.aliyun.eni;

import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/** Who waits for a call of the cloud, by name: it becomes part of each one's story. Read inside a turn. */
final class WaitingRequestTokens {
    /** More are not named: a story is for people. */
    private static final int MOST = 64;

    private WaitingRequestTokens() {}

    /** The wishes of one Assign. */
    static List<String> of(Collection<AddressRequest> tickets) {
        return names(tickets.stream());
    }

    /**
     * The requests that wait for an ENI: those bound to it, what is to leave it, and, while it is on its way here, the
     * wishes that are bound to none yet.
     */
    static List<String> of(EniRegistry fleet, Eni eni) {
        boolean comes = !eni.is(EniState.IN_USE) && eni.operation.goal() == EniTransitions.Goal.ATTACHED;
        Stream<AddressRequest> bound = Stream.concat(eni.assigning.stream(), eni.backlog.stream());
        Stream<String> wishes = names(comes ? Stream.concat(bound, fleet.waiting.stream()) : bound).stream();
        Stream<String> leaving = Stream.concat(eni.unassigning.stream(), eni.retirement.stream())
                .map(disposal -> disposal.id().value());
        return Stream.concat(wishes, leaving).limit(MOST).toList();
    }

    private static List<String> names(Stream<AddressRequest> tickets) {
        return tickets.map(ticket -> ticket.token().value()).limit(MOST).toList();
    }
}
