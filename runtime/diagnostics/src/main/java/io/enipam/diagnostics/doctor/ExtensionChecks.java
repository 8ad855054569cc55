package io.enipam.diagnostics.doctor;

import static io.enipam.diagnostics.doctor.Figures.count;
import static io.enipam.diagnostics.doctor.Figures.span;
import static io.enipam.diagnostics.doctor.Outcome.Severity.WARN;
import static io.enipam.diagnostics.doctor.Outcome.each;

import io.enipam.diagnostics.doctor.Outcome.Evidence;
import io.enipam.engine.model.TableRow;
import io.enipam.pluginhost.controller.ControllerView;
import io.enipam.pluginhost.endpoint.Endpoints;
import io.enipam.pluginhost.endpoint.Endpoints.EndpointView;
import io.enipam.pluginhost.extension.Drift.Difference;
import io.enipam.pluginhost.extension.EffectQueue.EffectView;
import io.enipam.pluginhost.extension.Voting.BallotView;
import io.enipam.sdk.ledger.Ledger;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** What extensions of plugins have to do, and have done, outside of the database. */
public final class ExtensionChecks {
    /** One failure is often a moment's. */
    private static final int MANY = 3;

    /** A voter is asked again after a minute at most. */
    private static final Duration LONG = Duration.ofMinutes(5);

    private ExtensionChecks() {}

    static final List<Check> ALL = List.of(
            Check.of("allocator-drift", WARN, "What an allocator has outside differs from what it granted")
                    .reads("What allocators observe outside, and the grants in force. WARN for each difference that two"
                            + " looks in a row saw, and that the allocator did not repair.")
                    .because("An owner lacks what it was granted, or something is held that no owner has.")
                    .advice("plugin info ID; db dump --bucket tables; delete the owner's pod, or what is left behind")
                    .by(ExtensionChecks::drift),
            Check.of("ballot-waiting", WARN, "A claim waits for a voter")
                    .reads(
                            "The claims on ballots. WARN for each that was cast five minutes ago or longer and is not decided, and"
                                    + " for each that is withdrawn and a voter could not be told.")
                    .because(
                            "Nothing is allocated until every voter has voted that is enabled, whether it runs or not.")
                    .advice("plugin ballots; plugin info ID says what keeps the voter; or take it from 'extensions'")
                    .by(ExtensionChecks::waiting),
            Check.of("endpoint-down", WARN, "An extension does not serve its socket, or refuses clients")
                    .reads(
                            "The sockets of extensions. WARN for each that cannot be opened, which the daemon tries again by itself,"
                                    + " and for each that has as many connections as it may have.")
                    .because("Programs that ask the extension get no answer.")
                    .advice("plugin info ID; end the program that has the address; remove the file that is there")
                    .by(ExtensionChecks::endpoints),
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
                    .by(ExtensionChecks::behind),
            Check.of("grants-unserved", WARN, "An extension does not run, and owners have what it granted")
                    .reads("The grants in the tables of plugins against the extensions that run.")
                    .because("No DEL of these owners is served, so that their pods cannot be deleted.")
                    .advice("plugin list -o wide; enable the extension by 'extensions' in enipam.yaml, or correct what"
                            + " plugin info ID says of it")
                    .by(ExtensionChecks::unserved));

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

    private static Outcome waiting(Facts facts) {
        Instant bound = facts.now().minus(LONG);
        return each(
                facts.the(ExtensionState.class).ballots().stream()
                        .filter(claim ->
                                !claim.missing().isEmpty() && !claim.since().isAfter(bound))
                        .map(claim -> new Evidence(
                                claim.ballot() + " " + claim.claim(),
                                claim.state() + " for " + span(Duration.between(claim.since(), facts.now())) + ": "
                                        + claim.missing().stream()
                                                .map(vote -> vote.voter() + ": " + vote.why())
                                                .collect(Collectors.joining("; ")),
                                "plugins")),
                WARN,
                n -> count(n, "claim") + " waiting for voters",
                "no claim waits for a voter");
    }

    private static Outcome endpoints(Facts facts) {
        return each(
                facts.the(ExtensionState.class).endpoints().stream()
                        .filter(endpoint -> endpoint.state() == Endpoints.State.FAILED || endpoint.full())
                        .map(endpoint -> new Evidence(
                                endpoint.extension(),
                                endpoint.full()
                                        ? endpoint.address() + " has all of its " + endpoint.open()
                                                + " connections, and refused " + endpoint.refused()
                                        : endpoint.cause(),
                                "plugins")),
                WARN,
                n -> count(n, "endpoint") + " not serving",
                "every endpoint serves");
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

    private static Outcome unserved(Facts facts) {
        return each(
                facts.the(ExtensionState.class).unserved().stream()
                        .map(one -> new Evidence(
                                one.extension(),
                                "does not run, and its table has " + count(one.grants(), "grant"),
                                "plugins")),
                WARN,
                n -> count(n, "extension") + " with grants not running",
                "every extension that has granted something runs");
    }

    /**
     * @param effects those that wait
     * @param differences that last
     * @param unserved extensions that have granted something and do not run
     * @param controllers that run
     * @param ballots the claims on ballots
     * @param endpoints of extensions that run
     */
    public record ExtensionState(
            List<EffectView> effects,
            List<Difference> differences,
            List<Unserved> unserved,
            List<ControllerView> controllers,
            List<BallotView> ballots,
            List<EndpointView> endpoints) {
        /** @param grants how many its table has */
        public record Unserved(String plugin, String extension, int grants) {
            /**
             * Those of a database.
             *
             * @param running the extensions that run
             */
            public static List<Unserved> of(List<TableRow> rows, Set<String> running) {
                Map<Unserved, Integer> grants = new LinkedHashMap<>();
                rows.stream()
                        .filter(row -> row.table().equals(Ledger.GRANTS_TABLE))
                        .map(row -> new Unserved(row.plugin(), row.key().replaceFirst("/.*", ""), 0))
                        .filter(each -> !running.contains(each.extension()))
                        .forEach(each -> grants.merge(each, 1, Integer::sum));
                return grants.entrySet().stream()
                        .map(each -> new Unserved(
                                each.getKey().plugin(), each.getKey().extension(), each.getValue()))
                        .toList();
            }
        }
    }
}
