package io.enipam.diagnostics.explain;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.joining;

import io.enipam.diagnostics.explain.Explanation.Condition;
import io.enipam.diagnostics.explain.Explanation.HeldAddress;
import io.enipam.diagnostics.readiness.Trouble;
import io.enipam.diagnostics.sources.Statement;
import io.enipam.engine.pool.PoolView;
import io.enipam.engine.port.CloudInspector.ObservedEni;
import io.enipam.engine.port.EniDirectory;
import java.time.Duration;
import java.util.Optional;
import java.util.TreeMap;

/** Why an ENI is as it is. */
final class EniExplanation extends ConditionBuilder {
    /** What follows for an ENI that was taken off the instance. */
    static final String LOST_NEXT =
            "enipam attaches it again, unless 'cloud.lost_eni' is 'release' or EniFailed was told of it: see 'events'";
    /** What follows for a lost address that the cloud has given back. */
    static final String BACK_NEXT = "the pool is compared with the cloud: it is the pod's as before";

    /** When an ENI on its way is called stuck, and how often it is looked at then: see the factory's pace. */
    private static final Duration STUCK_AFTER = Duration.ofSeconds(60);

    private static final Duration STUCK_LOOK = Duration.ofSeconds(30);
    private final String eni;

    EniExplanation(ExplainContext context, String eni) {
        super(context);
        this.eni = eni;
    }

    Optional<Condition> explain() {
        Optional<EniDirectory.Eni> registered = context.registered(eni);
        Optional<ObservedEni> seen = context.seen(eni);
        Optional<Trouble> loss = context.lossOn(eni);
        loss.ifPresent(trouble -> {
            state("GONE", trouble.since());
            why(trouble.text());
        });
        registered.ifPresentOrElse(this::registered, () -> seen.ifPresent(this::seenOnly));
        return registered.isPresent() || seen.isPresent() || loss.isPresent() ? Optional.of(build()) : Optional.empty();
    }

    private void registered(EniDirectory.Eni known) {
        state(known.state(), known.since());
        eni(known.id(), known.addressLimit());
        known.all().forEach(address -> holding(held(known, address)));
        switch (known.state()) {
            case "InUse" ->
                why("attached and lending: it has " + known.addresses().size() + " of " + known.addressLimit()
                        + " addresses" + counts());
            case "Creating" -> {
                why("the call that makes it is on its way");
                next("it is attached as soon as it is made");
            }
            case "Attaching" -> {
                why("made, and on its way to the instance, which takes 2 to 5 s as a rule");
                next(Optional.of(known.since().plus(STUCK_AFTER)), "it is called stuck if it is not attached by then");
            }
            case "Detaching" -> {
                why("on its way off the instance; it keeps its slot until the cloud has it no more");
                next("it is deleted as soon as it is off");
            }
            case "Deleting" -> {
                why("off the instance and on its way out of the cloud; it keeps its slot until then");
                next("its slot is free as soon as it is gone");
            }
            case "Lost" -> {
                why("another actor has taken it off this node: no pod gets an address of it" + counts());
                cloudSays();
                next(LOST_NEXT);
                next("it is deleted once the last pod that has an address of it is gone");
            }
            case "Stuck" -> {
                why("too long on its way, by more than " + STUCK_AFTER.toSeconds()
                        + " s: it holds its slot, lends nothing, and holds nothing else up");
                cloudSays();
                next("it is looked at again within " + STUCK_LOOK.toSeconds()
                        + " s, and asked for again if that helps");
            }
            default -> why("its factory says: " + known.state());
        }
        if (known.queued() > 0) {
            why(known.queued() + " requests for an address wait for it");
        }
        context.entries()
                .filter(entry -> entry.resource().id().value().equals(eni))
                .findFirst()
                .flatMap(PoolView.Entry::pod)
                .ifPresent(pod -> {
                    holder(Optional.of(pod), Optional.empty());
                    why("it is lent as a whole to pod " + pod);
                });
    }

    private void cloudSays() {
        context.seen(eni)
                .ifPresent(seen -> why("the cloud says it is " + seen.status()
                        + (seen.instance().isEmpty() ? ", attached to nothing" : ", on " + seen.instance())));
    }

    private void seenOnly(ObservedEni seen) {
        state(seen.status());
        eni(seen.id(), 0);
        seen.addresses().forEach(ip -> holding(new HeldAddress(ip, ip.equals(seen.primaryIp()), "", Optional.empty())));
        if (!seen.secondary()) {
            why("the node's own ENI, with which its instance was made: it lends nothing and is never touched");
        } else if (!seen.tagged()) {
            why("not enipam's: it hangs on this node and does not carry this node's tags; it takes a slot, and is"
                    + " never touched");
        } else {
            why("left behind: it carries this node's tags, and it is unknown here");
            if (seen.instance().isEmpty()) {
                next("the sweep deletes it once it is Available and older than ten minutes; see: eni sweep --dry-run");
            } else {
                next(
                        context.agenda().next().reconcile(),
                        "the cloud is read again, and what hangs on this node is taken over");
            }
        }
    }

    private HeldAddress held(EniDirectory.Eni known, String text) {
        String host = Statement.host(text);
        Optional<PoolView.Entry> entry = context.entriesOn(eni)
                .filter(one -> Statement.hosts(one.resource()).contains(host))
                .findFirst();
        return new HeldAddress(
                text,
                host.equals(Statement.host(known.primaryIp())),
                entry.map(one -> one.state().name()).orElse(""),
                entry.flatMap(PoolView.Entry::pod));
    }

    /** ", of which 2 IN_USE and 1 IDLE"; empty text if the pool has none. */
    private String counts() {
        String counts = context
                .entriesOn(eni)
                .collect(groupingBy(entry -> entry.state().name(), TreeMap::new, counting()))
                .entrySet()
                .stream()
                .map(count -> count.getValue() + " " + count.getKey())
                .collect(joining(", "));
        return counts.isEmpty() ? "; the pool has none of them" : ", of which the pool has " + counts;
    }
}
