package io.enipam.diagnostics.explain;

import io.enipam.diagnostics.explain.Explanation.Condition;
import io.enipam.diagnostics.explain.Explanation.ConditionBuilder;
import io.enipam.diagnostics.explain.Explanation.HeldAddress;
import io.enipam.engine.pool.PoolView;
import io.enipam.engine.port.CloudInspector.ObservedEni;
import io.enipam.engine.port.EniDirectory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Why an ENI is as it is. */
final class EniExplanation {
    /** What follows for an ENI that was taken off the instance. */
    static final String LOST_NEXT =
            "enipam attaches it again, unless 'cloud.lost_eni' is 'release' or EniFailed was told of it: see 'events'";

    /** When an ENI on its way is called stuck, and how often it is looked at then: see the factory's pace. */
    private static final Duration STUCK_AFTER = Duration.ofSeconds(60);

    private static final Duration STUCK_LOOK = Duration.ofSeconds(30);

    private final ExplainContext context;
    private final String eni;

    EniExplanation(ExplainContext context, String eni) {
        this.context = context;
        this.eni = eni;
    }

    Optional<Condition> explain() {
        Optional<EniDirectory.Eni> registered = context.registered(eni);
        if (registered.isPresent()) {
            return Optional.of(registered(registered.get()));
        }
        return context.seen(eni).map(this::seenOnly);
    }

    private Condition registered(EniDirectory.Eni known) {
        ConditionBuilder condition = new ConditionBuilder()
                .state(known.state(), Optional.of(known.since()))
                .eni(known.id(), known.addressLimit());
        known.all().forEach(address -> condition.holding(holding(known, address)));
        String full = known.addresses().size() + " of " + known.addressLimit() + " addresses";
        switch (known.state()) {
            case "InUse" -> condition.why("attached and lending: it has " + full + counts());
            case "Creating" ->
                condition
                        .why("the call that makes it is on its way")
                        .next(Optional.empty(), "it is attached as soon as it is made");
            case "Attaching" ->
                condition
                        .why("made, and on its way to the instance, which takes 2 to 5 s as a rule")
                        .next(
                                Optional.of(known.since().plus(STUCK_AFTER)),
                                "it is called stuck if it is not attached by then");
            case "Detaching" ->
                condition
                        .why("on its way off the instance; it keeps its slot until the cloud has it no more")
                        .next(Optional.empty(), "it is deleted as soon as it is off");
            case "Deleting" ->
                condition
                        .why("off the instance and on its way out of the cloud; it keeps its slot until then")
                        .next(Optional.empty(), "its slot is free as soon as it is gone");
            case "Lost" -> lost(known, condition);
            case "Stuck" -> stuck(known, condition);
            default -> condition.why("its factory says: " + known.state());
        }
        if (known.queued() > 0) {
            condition.why(known.queued() + " requests for an address wait for it");
        }
        entry().flatMap(PoolView.Entry::pod)
                .ifPresent(pod -> condition.pod(Optional.of(pod)).why("it is lent as a whole to pod " + pod));
        return condition.build();
    }

    /** Whether another actor has taken it off the instance. */
    static boolean isLost(EniDirectory.Eni eni) {
        return eni.state().equals("Lost");
    }

    private void lost(EniDirectory.Eni known, ConditionBuilder condition) {
        condition.why(
                "another actor has taken it off this node while addresses of it were in use: pods that have one have no"
                        + " network, and no other pod gets one" + counts());
        context.seen(eni)
                .ifPresent(seen -> condition.why("the cloud says it is " + seen.status()
                        + (seen.instance().isEmpty() ? ", attached to nothing" : ", on " + seen.instance())));
        condition.next(Optional.empty(), LOST_NEXT);
        condition.next(Optional.empty(), "it is deleted once the last pod that has an address of it is gone");
    }

    private void stuck(EniDirectory.Eni known, ConditionBuilder condition) {
        condition.why("too long on its way, by more than " + STUCK_AFTER.toSeconds()
                + " s: it holds its slot, lends nothing, and holds nothing else up");
        context.seen(eni)
                .ifPresent(seen -> condition.why("the cloud says it is " + seen.status()
                        + (seen.instance().isEmpty() ? ", attached to nothing" : ", on " + seen.instance())));
        condition.next(
                Optional.empty(),
                "it is looked at again within " + STUCK_LOOK.toSeconds() + " s, and asked for again if that helps");
    }

    private Condition seenOnly(ObservedEni seen) {
        ConditionBuilder condition =
                new ConditionBuilder().state(seen.status(), Optional.empty()).eni(seen.id(), 0);
        seen.addresses()
                .forEach(ip ->
                        condition.holding(new HeldAddress(ip, ip.equals(seen.primaryIp()), "", Optional.empty())));
        if (!seen.secondary()) {
            condition.why(
                    "the node's own ENI, with which its instance was made: it lends nothing and is never touched");
        } else if (!seen.tagged()) {
            condition.why(
                    "not enipam's: it hangs on this node and does not carry this node's tags; it takes a slot, and is"
                            + " never touched");
        } else {
            condition.why("left behind: it carries this node's tags, and it is unknown here");
            if (seen.instance().isEmpty()) {
                condition.next(
                        Optional.empty(),
                        "the sweep deletes it once it is Available and older than ten minutes; see: eni sweep --dry-run");
            } else {
                condition.next(
                        context.agenda().next().reconcile(),
                        "the cloud is read again, and what hangs on this node is taken over");
            }
        }
        return condition.build();
    }

    private Optional<PoolView.Entry> entry() {
        return context.entries()
                .filter(e -> e.resource().id().value().equals(eni))
                .findFirst();
    }

    private HeldAddress holding(EniDirectory.Eni known, String text) {
        String host = ExplainContext.bare(text);
        Optional<PoolView.Entry> entry = context.entries(host)
                .filter(e -> ExplainContext.eniOf(e).equals(eni))
                .findFirst();
        return new HeldAddress(
                text,
                host.equals(ExplainContext.bare(known.primaryIp())),
                entry.map(e -> e.state().name()).orElse(""),
                entry.flatMap(PoolView.Entry::pod));
    }

    /** ", of which 2 IN_USE and 1 IDLE"; empty text if the pool has none. */
    private String counts() {
        Map<String, Long> counts = context.entries()
                .filter(entry -> ExplainContext.eniOf(entry).equals(eni))
                .collect(Collectors.groupingBy(entry -> entry.state().name(), TreeMap::new, Collectors.counting()));
        List<String> words = counts.entrySet().stream()
                .map(count -> count.getValue() + " " + count.getKey())
                .toList();
        return words.isEmpty() ? "; the pool has none of them" : ", of which the pool has " + String.join(", ", words);
    }
}
