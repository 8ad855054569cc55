package io.enipam.aliyun.lent;

import io.enipam.aliyun.api.EcsApi;
import io.enipam.aliyun.api.EcsApi.CloudEniStatus;
import io.enipam.aliyun.api.EcsApi.NetworkInterface;
import io.enipam.aliyun.api.EcsException;
import io.enipam.aliyun.api.ErrorReactions.ErrorReaction;
import io.enipam.aliyun.lent.CallQueue.Refusal;
import io.enipam.aliyun.lent.CallQueue.Turn;
import io.enipam.sdk.ErrorKind;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Brings one ENI where it shall be: ask, look until the cloud shows it, and ask again where the first call came to nothing. The
 * cloud's answer to a call is true at once; its descriptions lag by some seconds. So a call is made first, a call that is refused
 * for the ENI's state is followed by a look, and a description alone refutes nothing before {@link #OVERDUE}.
 */
record EniMoves(Turn turn, String eni) {
    /** After this a status that has not changed says that the call came to nothing: an attach takes 2 to 5 s. */
    private static final Duration OVERDUE = Duration.ofSeconds(10);

    private static final int BATCH = 10;

    /** A call that takes something off an ENI. */
    interface Unassign {
        void of(EcsApi api, String eni, List<String> gone);
    }

    /** Whether a look shows the end of a move. */
    private interface End {
        /** @param refusal of the last call, if it was refused or has an unknown outcome */
        boolean reached(Optional<NetworkInterface> seen, @Nullable EcsException refusal);
    }

    /** @param trunk empty text for none */
    NetworkInterface attach(String trunk) {
        Runnable call = trunk.isEmpty()
                ? () -> turn.api().attachNetworkInterface(eni, turn.instance())
                : () -> turn.api().attachMember(eni, turn.instance(), trunk);
        NetworkInterface there = move(
                        "attached",
                        call,
                        (seen, refusal) -> seen.filter(now -> now.status() == CloudEniStatus.IN_USE)
                                .isPresent())
                .orElseThrow();
        String where = there.attachment().trunkId();
        if (!there.instanceId().equals(turn.instance()) || !where.equals(trunk)) {
            String why = "ENI " + eni + " is attached to " + there.instanceId()
                    + (where.isEmpty() ? "" : " by trunk " + where);
            throw new Refusal(ErrorKind.CONFLICT, why, false);
        }
        return there;
    }

    void detach() {
        Runnable call = () -> turn.api().detachNetworkInterface(eni, turn.instance());
        // after a refusal for its state it may have been free all along
        move("detached", call, (seen, refusal) -> seen.isEmpty() || seen.get().status() == CloudEniStatus.AVAILABLE);
    }

    void delete() {
        move("deleted", () -> turn.api().deleteNetworkInterface(eni), (seen, refusal) -> {
            boolean inUse = seen.isPresent() && seen.get().status() == CloudEniStatus.IN_USE;
            if (inUse && refusal != null && !refusal.outcomeUnknown()) {
                throw refusal;
            }
            return seen.isEmpty();
        });
    }

    /** Calls, looks until the end is reached, and calls again whenever a call is overdue; gives what was seen at the end. */
    private Optional<NetworkInterface> move(String aim, Runnable call, End end) {
        long asked = 0;
        @Nullable EcsException refusal = null;
        for (int look = 0; ; look++) {
            if (look == 0 || turn.time().nanoTime() - asked >= OVERDUE.toNanos()) {
                asked = turn.time().nanoTime();
                refusal = ask(call);
            }
            Optional<NetworkInterface> seen =
                    turn.api().describeNetworkInterface(eni).stream().findFirst();
            if (end.reached(seen, refusal)) {
                return seen;
            }
            pause(look, aim, refusal);
        }
    }

    /** Takes them off by tens; where some of a ten were off already, the cloud refuses all of it, and each is asked for alone. */
    void unassign(List<String> gone, Unassign call) {
        for (int from = 0; from < gone.size(); from += BATCH) {
            List<String> some = gone.subList(from, Math.min(gone.size(), from + BATCH));
            try {
                call.of(turn.api(), eni, some);
            } catch (EcsException e) {
                if (e.reaction() != ErrorReaction.ALREADY_DONE && !e.outcomeUnknown()) {
                    throw e;
                }
                some.forEach(one -> unassignOne(one, call));
            }
        }
    }

    private void unassignOne(String one, Unassign call) {
        try {
            call.of(turn.api(), eni, List.of(one));
        } catch (EcsException e) {
            if (e.reaction() != ErrorReaction.ALREADY_DONE) {
                throw e;
            }
        }
    }

    /** Makes a call whose refusal for the ENI's state, or unknown outcome, a look has to explain; returns that failure. */
    private static @Nullable EcsException ask(Runnable call) {
        try {
            call.run();
            return null;
        } catch (EcsException e) {
            if (e.reaction() == ErrorReaction.WAIT_FOR_STATE || e.outcomeUnknown()) {
                return e;
            }
            throw e;
        }
    }

    private void pause(int look, String aim, @Nullable EcsException refusal) {
        try {
            turn.pause(look, "ENI " + eni + " is not " + aim + " yet");
        } catch (Refusal late) {
            if (refusal != null && !refusal.outcomeUnknown()) {
                throw refusal;
            }
            throw late;
        }
    }
}
