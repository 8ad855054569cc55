package io.enipam.recovery;

import io.enipam.engine.model.AddressFormat;
import io.enipam.engine.model.Hold;
import io.enipam.engine.model.Lease;
import io.enipam.engine.port.Change;
import io.enipam.engine.startup.AddressIndex;
import io.enipam.engine.startup.LeaseClaim;
import io.enipam.recovery.RebuildPlan.Decision;
import io.enipam.recovery.RebuildPlan.Decision.Action;
import io.enipam.recovery.RebuildPlan.Draft;
import io.enipam.recovery.SourceIndex.KernelState;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import io.enipam.store.SalvageResult.SalvagedRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Addresses that the next start keeps from all pods for a while, since a pod may be using them. Not
 * thread-safe.
 */
final class Quarantine {
    /** The pod of the quarantine of an address whose last pod is unknown. */
    static final PodRef UNKNOWN_POD = new PodRef("enipam", "unknown");

    private static final Duration WITHOUT_KERNEL = Duration.ofHours(1);

    private final SourceIndex view;
    private final LeaseClaim.Resolver<Claim> claims;
    private final boolean whole;
    private final Instant now;
    private final Duration length;
    private final AddressIndex<Hold> held = new AddressIndex<>();
    private final List<String> doubtful = new ArrayList<>();
    private final Draft draft;

    /**
     * @param claims what is lent
     * @param whole whether no commit is missing
     * @param coolDown how long an address that was given back is not lent, if the kernel shows who has what
     */
    Quarantine(
            SourceIndex view,
            LeaseClaim.Resolver<Claim> claims,
            boolean whole,
            Instant now,
            Duration coolDown,
            Draft draft) {
        this.view = view;
        this.claims = claims;
        this.whole = whole;
        this.now = now;
        this.length = view.kernelTells() || coolDown.compareTo(WITHOUT_KERNEL) > 0 ? coolDown : WITHOUT_KERNEL;
        this.draft = draft;
    }

    /** What the database keeps from being lent stays so, unless a pod has it. */
    void hold(SalvagedRecord<Hold> found) {
        Hold hold = found.value();
        Optional<Claim> lent = claims.holder(hold.resource());
        if (lent.isPresent()) {
            draft.decisions()
                    .add(decision(
                            Action.DROP_HOLD,
                            found,
                            "the address is lent to " + lent.get().of()));
            return;
        }
        Instant atLeast = now.plus(length);
        boolean extend = !found.certain() && hold.until().isBefore(atLeast);
        Hold kept = extend ? new Hold(hold.resource(), hold.purpose(), hold.pod(), atLeast, length) : hold;
        String why = found.certain() ? "the database is certain of it" : "in doubt: it may have begun anew";
        put(kept, decision(Action.KEEP_HOLD, found, why + "; until " + kept.until()));
    }

    private Decision decision(Action action, SalvagedRecord<Hold> found, String why) {
        Hold hold = found.value();
        return Decision.of(
                action,
                AddressFormat.of(hold.resource()),
                hold.pod().toString(),
                found,
                view.cloud(hold.resource()),
                why);
    }

    /** What a lease had that ended just now. */
    void freed(Lease lease) {
        if (claims.holder(lease.resource()).isEmpty()
                && held.at(lease.resource()).isEmpty()) {
            quarantine(lease.resource(), lease.pod(), "its lease ended just now");
        }
    }

    /** What a pod may have although none is known to have it. */
    void doubtful(Resource resource) {
        if (claims.holder(resource).isPresent() || held.at(resource).isPresent()) {
            return;
        }
        boolean told = view.pods().running().stream().anyMatch(pod -> view.told(pod.ref(), pod.uid(), resource));
        if (told) {
            quarantine(resource, UNKNOWN_POD, "a pod that has another one runs with it by the API server");
        } else if (!whole) {
            quarantine(
                    resource,
                    UNKNOWN_POD,
                    view.kernelTells()
                            ? "a commit that is missing may have begun its cool-down"
                            : "a commit that is missing may have lent it, and " + view.kernelSilence());
            if (!view.kernelTells()) {
                doubtful.add(AddressFormat.of(resource));
            }
        }
    }

    /** Addresses that a commit that is missing may have lent, to a pod that no source knows. */
    List<String> doubtful() {
        return doubtful;
    }

    /** Until when no pod gets what is set aside now. */
    Instant until() {
        return now.plus(length);
    }

    private void quarantine(Resource resource, PodRef last, String why) {
        Hold hold = new Hold(resource, Hold.Purpose.COOLING, last, now.plus(length), length);
        KernelState kernel = view.kernelKnown() ? KernelState.ABSENT : KernelState.UNKNOWN;
        put(
                hold,
                new Decision(
                        Action.QUARANTINE,
                        AddressFormat.of(resource),
                        last.equals(UNKNOWN_POD) ? "-" : last.toString(),
                        "nothing",
                        kernel.words,
                        "-",
                        view.cloud(resource),
                        why + "; until " + hold.until()));
    }

    private void put(Hold hold, Decision decision) {
        held.put(hold.resource(), hold);
        draft.add(decision, new Change.PutHold(hold));
    }
}
