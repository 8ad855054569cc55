package io.enipam.diagnostics.doctor;

import static io.enipam.diagnostics.doctor.Figures.count;
import static io.enipam.diagnostics.doctor.Outcome.Severity.WARN;
import static io.enipam.diagnostics.doctor.Outcome.each;

import io.enipam.diagnostics.doctor.Outcome.Evidence;
import io.enipam.pluginhost.controller.ControllerView;
import io.enipam.pluginhost.extension.Drift.Difference;
import io.enipam.pluginhost.extension.EffectQueue.EffectView;
import java.util.List;

/** What extensions of plugins have to do, and have done, outside of the database. */
public final class ExtensionChecks {
    /** One failure is often a moment's. */
    private static final int MANY = 3;

    private ExtensionChecks() {}

    static final List<Check> ALL = List.of(
            Check.of("allocator-drift", WARN, "What an allocator has outside differs from what it granted")
                    .reads("What allocators observe outside, and the grants in force. WARN for each difference that two"
                            + " looks in a row saw, and that the allocator did not repair.")
                    .because("An owner lacks what it was granted, or something is held that no owner has.")
                    .advice("plugin info ID; db dump --bucket tables; delete the owner's pod, or what is left behind")
                    .by(ExtensionChecks::drift),
            Check.of("effect-failing", WARN, "An effect of a plugin does not go through")
                    .reads("The effects that wait. WARN for each that failed three times in a row or more; the daemon"
                            + " tries again by itself.")
                    .because("What the plugin has granted or released is not so outside; owners may wait for it.")
                    .advice("plugin effects ID; correct the cause; plugin effects ID retry, or drop EFFECT")
                    .by(ExtensionChecks::failing),
            Check.of("controller-lost", WARN, "A controller of a plugin reconciles nothing")
                    .reads(
                            "The controllers that run. WARN for each that does not get what it watches; the daemon opens its"
                                    + " sources again by itself.")
                    .because("What changes meanwhile is not followed until the sources are there again.")
                    .advice("plugin info ID; correct what the cause names")
                    .by(ExtensionChecks::lost),
            Check.of("controller-key-failing", WARN, "A key of a controller cannot be reconciled")
                    .reads(
                            "The keys of controllers that failed at last. WARN for each that failed three times in a row or"
                                    + " more, or is retried no more until it changes.")
                    .because("What the key stands for is not as it is wanted.")
                    .advice("plugin info ID; trace EXTENSION/KEY; correct the cause")
                    .by(ExtensionChecks::failingKeys),
            Check.of("controller-behind", WARN, "A controller does not keep up")
                    .reads("The queues of controllers. WARN for each with more keys than it is meant for.")
                    .because("Each change waits for all that came before it.")
                    .advice("plugin info ID; trace EXTENSION/KEY shows where the time goes")
                    .by(ExtensionChecks::behind));

    private static Outcome lost(Facts facts) {
        return each(
                facts.the(ExtensionState.class).controllers().stream()
                        .filter(one -> one.state() == ControllerView.State.LOST)
                        .map(one -> new Evidence(one.extension(), one.cause(), "plugins")),
                WARN,
                n -> count(n, "controller") + " without what it watches",
                "each controller gets what it watches");
    }

    private static Outcome failingKeys(Facts facts) {
        return each(
                facts.the(ExtensionState.class).controllers().stream()
                        .flatMap(one -> one.failing().stream()
                                .filter(key ->
                                        key.failures() >= MANY || key.nextTry().isEmpty())
                                .map(key -> new Evidence(
                                        one.extension() + "/" + key.key(),
                                        "failed " + count(key.failures(), "time") + ": " + key.why(),
                                        "plugins"))),
                WARN,
                n -> count(n, "key") + " failing",
                "no key of a controller fails");
    }

    private static Outcome behind(Facts facts) {
        return each(
                facts.the(ExtensionState.class).controllers().stream()
                        .filter(one -> one.load().queued() > one.load().bound())
                        .map(one -> new Evidence(
                                one.extension(),
                                one.load().queued() + " keys wait, and "
                                        + one.load().bound() + " are usual at most",
                                "plugins")),
                WARN,
                n -> count(n, "controller") + " behind",
                "each controller keeps up");
    }

    private static Outcome drift(Facts facts) {
        return each(
                facts.the(ExtensionState.class).differences().stream()
                        .map(one -> new Evidence(
                                one.extension(),
                                (one.missing() ? "the outside lacks " : "the outside has, and no claim holds, ")
                                        + one.grant().prefixes().stream()
                                                .map(prefix -> prefix.address().toString())
                                                .toList()
                                        + " of " + one.claim(),
                                "plugins")),
                WARN,
                n -> count(n, "grant") + " not as outside",
                "what allocators granted is so outside");
    }

    private static Outcome failing(Facts facts) {
        List<EffectView> found = facts.the(ExtensionState.class).effects().stream()
                .filter(effect -> effect.attempts() >= MANY && !effect.failure().isEmpty())
                .toList();
        Outcome outcome = each(
                found.stream()
                        .map(one -> new Evidence(
                                one.id(),
                                one.effect().handler() + " failed " + one.attempts() + " times: " + one.failure(),
                                "plugins")),
                WARN,
                n -> count(n, "effect") + " failing",
                "no effect fails");
        return found.isEmpty()
                ? outcome
                : outcome.fixedBy("plugin effects " + found.get(0).plugin());
    }

    /**
     * @param effects those that wait
     * @param differences that last
     * @param controllers that run
     */
    public record ExtensionState(
            List<EffectView> effects, List<Difference> differences, List<ControllerView> controllers) {}
}
