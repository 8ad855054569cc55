package io.enipam.diagnostics.explain;

import io.enipam.diagnostics.explain.Explanation.Condition;
import io.enipam.diagnostics.explain.Explanation.HeldAddress;
import io.enipam.diagnostics.explain.Explanation.Holder;
import io.enipam.diagnostics.explain.Explanation.Location;
import io.enipam.diagnostics.explain.Explanation.NextStep;
import io.enipam.diagnostics.sources.Statement;
import io.enipam.engine.lease.OrphanRule.OrphanDecision;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.port.GrantDirectory.ServedClaim;
import io.enipam.pluginhost.extension.Claims;
import io.enipam.pluginhost.extension.EffectQueue.EffectView;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Collects the condition of one thing: what it is, why, and what comes next. For one thread. */
abstract class ConditionBuilder {
    final ExplainContext context;
    private String state = "";
    private Optional<Instant> since = Optional.empty();
    private Optional<Instant> until = Optional.empty();
    private final List<String> why = new ArrayList<>();
    private final List<NextStep> next = new ArrayList<>();
    private Optional<PodRef> pod = Optional.empty();
    private Optional<OwnerKey> owner = Optional.empty();
    private Optional<Resource> resource = Optional.empty();
    private String eni = "";
    private int addressLimit;
    private final List<HeldAddress> addresses = new ArrayList<>();

    ConditionBuilder(ExplainContext context) {
        this.context = context;
    }

    final void state(String name) {
        state = name;
    }

    final void state(String name, Instant begun) {
        state(name, Optional.of(begun));
    }

    final void state(String name, Optional<Instant> begun) {
        state = name;
        since = begun;
    }

    final void until(Optional<Instant> end) {
        until = end;
    }

    final void why(String sentence) {
        why.add(sentence);
    }

    /** What happens next, at a time that is not known. */
    final void next(String what) {
        next(Optional.empty(), what);
    }

    final void next(Optional<Instant> at, String what) {
        next.add(new NextStep(at, what));
    }

    final void holder(Optional<PodRef> itsPod, Optional<OwnerKey> itsOwner) {
        pod = itsPod;
        owner = itsOwner;
    }

    final void resource(Resource itsResource) {
        resource = Optional.of(itsResource);
        eni = Statement.eniOf(itsResource);
    }

    final void eni(String id, int limit) {
        eni = id;
        addressLimit = limit;
    }

    final void holding(HeldAddress address) {
        addresses.add(address);
    }

    /**
     * Describes how the garbage collection ends a lease, or a claim, whose pod seems to be gone, if it does.
     *
     * @param what it is: a lease, or a claim
     * @param end what the condition says of the end
     */
    final void explainEnd(OwnerKey whose, String what, String end) {
        OrphanDecision decision = context.decisions().get(whose);
        if (decision instanceof OrphanDecision.Orphan) {
            next(context.agenda().next().gc(), end);
        } else if (decision instanceof OrphanDecision.Spared spared) {
            why("the garbage collection spares the " + what + ": " + spared.reason());
            spared.until().ifPresent(at -> next(spared.until(), "from then on, if nothing else shows its pod, " + end));
        }
    }

    /** What an allocator granted, or was asked for, and what of that is still to be done. */
    final void explain(ServedClaim claim) {
        String by = "extension " + claim.extension() + " of plugin " + claim.plugin();
        String whom = claim.owner()
                .map(key -> "container " + key.containerId() + ", interface " + key.ifName() + " of network "
                        + key.network())
                .orElseGet(() -> claim.held().kind().name().toLowerCase(Locale.ROOT) + " "
                        + claim.held().owner());
        why(claim.held()
                .grant()
                .map(grant -> by + " granted " + Claims.text(grant) + " to " + whom)
                .orElseGet(() -> by + " was asked for " + whom + ", and has not decided yet"));
        context.plugins().effects(claim).forEach(this::explain);
        claim.owner().ifPresent(key -> explainEnd(key, "claim", "the garbage collection ends the claim"));
    }

    private void explain(EffectView effect) {
        String todo =
                "effect " + effect.effect().handler() + " " + effect.effect().token() + " of it is not performed yet";
        why(
                effect.failure().isEmpty()
                        ? todo
                        : todo + ": tried " + effect.attempts() + " times, and the last try failed: "
                                + effect.failure());
        effect.nextTry().ifPresent(at -> next(Optional.of(at), "the effect is tried again"));
    }

    /** The condition, with the soonest step first. */
    final Condition build() {
        next.sort(Comparator.comparing(step -> step.at().orElse(Instant.MAX)));
        return new Condition(
                state,
                since,
                until,
                why,
                next,
                new Holder(pod, owner),
                new Location(resource, eni, addressLimit, addresses));
    }
}
