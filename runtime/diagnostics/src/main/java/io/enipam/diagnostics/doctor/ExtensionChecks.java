package io.enipam.diagnostics.doctor;

import static io.enipam.diagnostics.doctor.Figures.count;
import static io.enipam.diagnostics.doctor.Outcome.Severity.WARN;
import static io.enipam.diagnostics.doctor.Outcome.each;

import io.enipam.diagnostics.doctor.Outcome.Evidence;
import io.enipam.engine.model.TableRow;
import io.enipam.pluginhost.extension.Drift.Difference;
import io.enipam.pluginhost.extension.EffectQueue.EffectView;
import io.enipam.sdk.ledger.Ledger;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

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
            Check.of("grants-unserved", WARN, "An extension does not run, and owners have what it granted")
                    .reads("The grants in the tables of plugins against the extensions that run.")
                    .because("No DEL of these owners is served, so that their pods cannot be deleted.")
                    .advice("plugin list -o wide; enable the extension by 'extensions' in enipam.yaml, or correct what"
                            + " plugin info ID says of it")
                    .by(ExtensionChecks::unserved));

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
     */
    public record ExtensionState(List<EffectView> effects, List<Difference> differences, List<Unserved> unserved) {
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
