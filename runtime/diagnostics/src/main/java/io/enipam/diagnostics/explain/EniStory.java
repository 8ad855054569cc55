package io.enipam.diagnostics.explain;

import io.enipam.diagnostics.explain.Explanation.Holding;
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
final class EniStory {
    /** What follows for an ENI that was taken off the instance. */
    static final String LOST_NEXT =
            "enipam attaches it again, unless 'cloud.lost_eni' is 'release' or EniFailed was told of it: see 'events'";

    /** When an ENI on its way is called stuck, and how often it is looked at then: see the factory's pace. */
    private static final Duration STUCK_AFTER = Duration.ofSeconds(60);

    private static final Duration STUCK_LOOK = Duration.ofSeconds(30);

    private final Scene scene;
    private final String eni;

    EniStory(Scene scene, String eni) {
        this.scene = scene;
        this.eni = eni;
    }

    Optional<Explanation.Story> tell() {
        Optional<EniDirectory.Eni> booked = scene.booked(eni);
        if (booked.isPresent()) {
            return Optional.of(booked(booked.get()));
        }
        return scene.seen(eni).map(this::seenOnly);
    }

    private Explanation.Story booked(EniDirectory.Eni known) {
        Telling telling =
                new Telling().state(known.state(), Optional.of(known.since())).eni(known.id(), known.addressLimit());
        known.all().forEach(address -> telling.holding(holding(known, address)));
        String full = known.addresses().size() + " of " + known.addressLimit() + " addresses";
        switch (known.state()) {
            case "InUse" -> telling.why("attached and lending: it has " + full + counts());
            case "Creating" ->
                telling.why("the call that makes it is on its way")
                        .next(Optional.empty(), "it is attached as soon as it is made");
            case "Attaching" ->
                telling.why("made, and on its way to the instance, which takes 2 to 5 s as a rule")
                        .next(
                                Optional.of(known.since().plus(STUCK_AFTER)),
                                "it is called stuck if it is not attached by then");
            case "Detaching" ->
                telling.why("on its way off the instance; it keeps its slot until the cloud has it no more")
                        .next(Optional.empty(), "it is deleted as soon as it is off");
            case "Deleting" ->
                telling.why("off the instance and on its way out of the cloud; it keeps its slot until then")
                        .next(Optional.empty(), "its slot is free as soon as it is gone");
            case "Lost" -> lost(known, telling);
            case "Stuck" -> stuck(known, telling);
            default -> telling.why("its factory says: " + known.state());
        }
        if (known.queued() > 0) {
            telling.why(known.queued() + " requests for an address wait for it");
        }
        entry().flatMap(PoolView.Entry::pod)
                .ifPresent(pod -> telling.pod(Optional.of(pod)).why("it is lent as a whole to pod " + pod));
        return telling.told();
    }

    /** Whether another actor has taken it off the instance. */
    static boolean isLost(EniDirectory.Eni eni) {
        return eni.state().equals("Lost");
    }

    private void lost(EniDirectory.Eni known, Telling telling) {
        telling.why(
                "another actor has taken it off this node while addresses of it were in use: pods that have one have no"
                        + " network, and no other pod gets one" + counts());
        scene.seen(eni)
                .ifPresent(seen -> telling.why("the cloud says it is " + seen.status()
                        + (seen.instance().isEmpty() ? ", attached to nothing" : ", on " + seen.instance())));
        telling.next(Optional.empty(), LOST_NEXT);
        telling.next(Optional.empty(), "it is deleted once the last pod that has an address of it is gone");
    }

    private void stuck(EniDirectory.Eni known, Telling telling) {
        telling.why("too long on its way, by more than " + STUCK_AFTER.toSeconds()
                + " s: it holds its slot, lends nothing, and holds nothing else up");
        scene.seen(eni)
                .ifPresent(seen -> telling.why("the cloud says it is " + seen.status()
                        + (seen.instance().isEmpty() ? ", attached to nothing" : ", on " + seen.instance())));
        telling.next(
                Optional.empty(),
                "it is looked at again within " + STUCK_LOOK.toSeconds() + " s, and asked for again if that helps");
    }

    private Explanation.Story seenOnly(ObservedEni seen) {
        Telling telling = new Telling().state(seen.status(), Optional.empty()).eni(seen.id(), 0);
        seen.addresses()
                .forEach(ip -> telling.holding(new Holding(ip, ip.equals(seen.primaryIp()), "", Optional.empty())));
        if (!seen.secondary()) {
            telling.why("the node's own ENI, with which its instance was made: it lends nothing and is never touched");
        } else if (!seen.tagged()) {
            telling.why(
                    "somebody else's: it hangs on this node and does not carry this node's tags; it takes a slot, and is"
                            + " never touched");
        } else {
            telling.why("left behind: it carries this node's tags, and nobody here knows of it");
            if (seen.instance().isEmpty()) {
                telling.next(
                        Optional.empty(),
                        "the sweep deletes it once it is Available and older than ten minutes; see: eni sweep --dry-run");
            } else {
                telling.next(
                        scene.agenda().next().reconcile(),
                        "the cloud is read again, and what hangs on this node is taken over");
            }
        }
        return telling.told();
    }

    private Optional<PoolView.Entry> entry() {
        return scene.entries()
                .filter(e -> e.resource().id().value().equals(eni))
                .findFirst();
    }

    private Holding holding(EniDirectory.Eni known, String text) {
        String host = Scene.bare(text);
        Optional<PoolView.Entry> entry =
                scene.entries(host).filter(e -> Scene.eniOf(e).equals(eni)).findFirst();
        return new Holding(
                text,
                host.equals(Scene.bare(known.primaryIp())),
                entry.map(e -> e.state().name()).orElse(""),
                entry.flatMap(PoolView.Entry::pod));
    }

    /** ", of which 2 IN_USE and 1 IDLE"; empty text if the pool has none. */
    private String counts() {
        Map<String, Long> counts = scene.entries()
                .filter(entry -> Scene.eniOf(entry).equals(eni))
                .collect(Collectors.groupingBy(entry -> entry.state().name(), TreeMap::new, Collectors.counting()));
        List<String> words = counts.entrySet().stream()
                .map(count -> count.getValue() + " " + count.getKey())
                .toList();
        return words.isEmpty() ? "; the pool has none of them" : ", of which the pool has " + String.join(", ", words);
    }
}
