package io.enipam.datapath.inspect;

import io.enipam.datapath.KernelFault;
import io.enipam.datapath.iproute.Batch;
import io.enipam.datapath.iproute.NetnsSnapshot;
import io.enipam.datapath.link.Expectation;
import io.enipam.datapath.link.RulePriorities;
import io.enipam.datapath.link.RouteTables;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * What is left of sandboxes that are gone: rules with our mark that nobody's connection has, and ENIs' tables nobody uses. What
 * does not bear our mark is another's, whatever it looks like.
 *
 * @param rules of ours that belong to nobody
 * @param tables of ours that nobody uses
 */
public record Leftovers(List<NetnsSnapshot.Rule> rules, Set<Long> tables) {
    private static final Set<Integer> PRIORITIES = Set.of(RulePriorities.TO_POD, RulePriorities.FROM_POD);

    /**
     * Finds them.
     *
     * @param wanted the rules of all connections
     * @param used the tables of all
     */
    public static Leftovers of(NetnsSnapshot node, Collection<Expectation.Rule> wanted, Set<Long> used) {
        List<NetnsSnapshot.Rule> rules = new ArrayList<>();
        for (NetnsSnapshot.Rule rule : node.rules()) {
            boolean ours = rule.protocol().equals(Batch.PROTOCOL) && PRIORITIES.contains(rule.priority());
            if (ours && wanted.stream().noneMatch(one -> RuleMatcher.same(one, rule))) {
                rules.add(rule);
            }
        }
        Set<Long> tables = new TreeSet<>();
        for (NetnsSnapshot.Route route : node.routes()) {
            if (route.table().matches("\\d{1,10}") && route.protocol().equals(Batch.PROTOCOL)) {
                long table = Long.parseLong(route.table());
                if (RouteTables.ours(table) && !used.contains(table)) {
                    tables.add(table);
                }
            }
        }
        return new Leftovers(rules, tables);
    }

    /** Only what a link of such a name has left, and what leads to the same addresses. */
    public Leftovers ofLink(String end) {
        Set<String> addresses = new TreeSet<>();
        rules.stream().filter(rule -> rule.link().endsWith(end)).forEach(rule -> addresses.add(rule.from()));
        return new Leftovers(
                rules.stream()
                        .filter(rule ->
                                rule.link().endsWith(end) || rule.link().isEmpty() && addresses.contains(rule.to()))
                        .toList(),
                tables);
    }

    /** In words. */
    public List<KernelFault> faults() {
        List<KernelFault> faults = new ArrayList<>();
        rules.forEach(rule -> faults.add(leftover("the rule '" + RuleMatcher.text(rule) + "'"
                + (rule.detached() ? " [detached]" : "") + " belongs to no pod")));
        tables.forEach(table -> faults.add(leftover("the routes of table " + table + " serve no pod")));
        return faults;
    }

    private static KernelFault leftover(String what) {
        return new KernelFault(Optional.empty(), KernelFault.Part.LEFTOVER, what, true);
    }

    /** What removes them. */
    public Batch removal() {
        Batch batch = Batch.here();
        rules.forEach(rule -> batch.noRule(rule.ipv6(), RuleMatcher.command(rule)));
        tables.forEach(table -> batch.flush(false, table).flush(true, table));
        return batch;
    }
}
