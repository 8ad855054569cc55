package io.enipam.datapath.inspect;

import io.enipam.datapath.iproute.NetnsSnapshot;
import io.enipam.datapath.link.Expectation;

/** Rules as they are wanted and as they are. */
final class RuleMatcher {
    private RuleMatcher() {}

    static boolean same(Expectation.Rule wanted, NetnsSnapshot.Rule there) {
        return wanted.ipv6() == there.ipv6()
                && wanted.priority() == there.priority()
                && wanted.from().equals(there.from())
                && wanted.to().equals(there.to())
                && wanted.link().equals(there.link())
                && wanted.table().equals(there.table());
    }

    static String text(Expectation.Rule rule) {
        return text(rule.priority(), rule.from(), rule.to(), rule.link(), rule.table());
    }

    static String text(NetnsSnapshot.Rule rule) {
        return text(rule.priority(), rule.from(), rule.to(), rule.link(), rule.table());
    }

    private static String text(int priority, String from, String to, String link, String table) {
        return priority + ": from " + from
                + (to.isEmpty() ? "" : " to " + to)
                + (link.isEmpty() ? "" : " iif " + link)
                + " lookup " + table;
    }

    /** What {@code ip rule del} needs to find exactly this one. */
    static String command(NetnsSnapshot.Rule rule) {
        return "pref " + rule.priority()
                + (rule.from().equals("all") ? "" : " from " + rule.from())
                + (rule.to().isEmpty() ? "" : " to " + rule.to())
                + (rule.link().isEmpty() ? "" : " iif " + rule.link())
                + " lookup " + rule.table() + " protocol " + rule.protocol();
    }
}
