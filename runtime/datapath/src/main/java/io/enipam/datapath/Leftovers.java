package io.enipam.datapath;

import io.enipam.datapath.KernelDatapath.KernelFault;
import io.enipam.datapath.iproute.Batch;
import io.enipam.datapath.iproute.NetnsSnapshot;
import io.enipam.datapath.link.RouteTables;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * What is left of sandboxes that are gone: rules with our mark that no connection has, and ENIs' tables that no
 * connection uses. Whatever does not bear our mark belongs to another program.
 */
record Leftovers(List<NetnsSnapshot.Rule> rules, Set<Long> tables) {
    private static final Set<Integer> PRIORITIES = Set.of(NetnsSnapshot.Rule.TO_POD, NetnsSnapshot.Rule.FROM_POD);

    /** Finds them, given the rules of all connections and the tables in use. */
    static Leftovers of(NetnsSnapshot node, Collection<NetnsSnapshot.Rule> wanted, Set<Long> used) {
        List<NetnsSnapshot.Rule> rules = node.rules().stream()
                .filter(rule -> rule.protocol().equals(Batch.PROTOCOL) && PRIORITIES.contains(rule.priority()))
                .filter(rule -> wanted.stream().noneMatch(rule::matches))
                .toList();
        Set<Long> tables = node.routes().stream()
                .filter(route ->
                        route.table().matches("\\d{1,10}") && route.protocol().equals(Batch.PROTOCOL))
                .map(route -> Long.valueOf(route.table()))
                .filter(table -> RouteTables.ours(table) && !used.contains(table))
                .collect(Collectors.toCollection(TreeSet::new));
        return new Leftovers(rules, tables);
    }

    /** Only what a link of such a name has left, and what leads to the same addresses. */
    Leftovers ofLink(String end) {
        Predicate<NetnsSnapshot.Rule> own = rule -> rule.link().endsWith(end);
        Set<String> addresses =
                rules.stream().filter(own).map(NetnsSnapshot.Rule::from).collect(Collectors.toSet());
        return new Leftovers(
                rules.stream()
                        .filter(own.or(rule -> rule.link().isEmpty() && addresses.contains(rule.to())))
                        .toList(),
                tables);
    }

    List<KernelFault> faults() {
        List<KernelFault> faults = new ArrayList<>();
        rules.forEach(rule -> faults.add(leftover(
                "the rule '" + rule.text() + "'" + (rule.detached() ? " [detached]" : "") + " belongs to no pod")));
        tables.forEach(table -> faults.add(leftover("the routes of table " + table + " serve no pod")));
        return faults;
    }

    private static KernelFault leftover(String what) {
        return new KernelFault(Optional.empty(), KernelFault.Part.LEFTOVER, what, true);
    }

    Batch removal() {
        Batch batch = Batch.here();
        rules.forEach(rule -> batch.noRule(rule));
        tables.forEach(batch::flush);
        return batch;
    }
}
