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

    /** @param trunk empty text for none */
    NetworkInterface attach(String trunk) {
        long asked = 0;
        @Nullable EcsException refusal = null;
        for (int look = 0; ; look++) {
            if (look == 0 || overdue(asked)) {
                asked = turn.time().nanoTime();
                refusal = ask(() -> {
                    if (trunk.isEmpty()) {
                        turn.api().attachNetworkInterface(eni, turn.instance());
                    } else {
                        turn.api().attachMember(eni, turn.instance(), trunk);
                    }
                });
            }
            Optional<NetworkInterface> seen = look();
            if (seen.isPresent() && seen.get().status() == CloudEniStatus.IN_USE) {
                NetworkInterface there = seen.get();
                if (!there.instanceId().equals(turn.instance())
                        || !there.attachment().trunkId().equals(trunk)) {
                    String where = there.attachment().trunkId();
                    throw new Refusal(
                            ErrorKind.CONFLICT,
                            "ENI " + eni + " is attached to " + there.instanceId()
                                    + (where.isEmpty() ? "" : " by trunk " + where),
                            false);
                }
                return there;
            }
            pause(look, "attached", refusal);
        }
    }

    void detach() {
        long asked = 0;
        @Nullable EcsException refusal = null;
        for (int look = 0; ; look++) {
            if (look == 0 || overdue(asked)) {
                asked = turn.time().nanoTime();
                refusal = ask(() -> turn.api().detachNetworkInterface(eni, turn.instance()));
            }
            Optional<NetworkInterface> seen = look();
            // after a refusal for its state it may have been free all along
            if (seen.isEmpty() || seen.get().status() == CloudEniStatus.AVAILABLE) {
                return;
            }
            pause(look, "detached", refusal);
        }
    }

    void delete() {
        long asked = 0;
        @Nullable EcsException refusal = null;
        for (int look = 0; ; look++) {
            if (look == 0 || overdue(asked)) {
                asked = turn.time().nanoTime();
                refusal = ask(() -> turn.api().deleteNetworkInterface(eni));
            }
            Optional<NetworkInterface> seen = look();
            if (seen.isEmpty()) {
                return;
            }
            if (refusal != null && !refusal.outcomeUnknown() && seen.get().status() == CloudEniStatus.IN_USE) {
                throw refusal;
            }
            pause(look, "deleted", refusal);
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

    private boolean overdue(long asked) {
        return turn.time().nanoTime() - asked >= OVERDUE.toNanos();
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

    private Optional<NetworkInterface> look() {
        return turn.api().describeNetworkInterface(eni).stream().findFirst();
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
