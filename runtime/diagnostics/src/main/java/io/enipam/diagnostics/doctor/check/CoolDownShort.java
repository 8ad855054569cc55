package io.enipam.diagnostics.doctor.check;

import io.enipam.diagnostics.doctor.About;
import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Evidence;
import io.enipam.diagnostics.doctor.Facts;
import io.enipam.diagnostics.doctor.Outcome;
import io.enipam.diagnostics.doctor.Severity;
import io.enipam.diagnostics.doctor.fact.ConntrackFacts;
import io.enipam.diagnostics.doctor.fact.EngineFacts;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Addresses that come back before the kernel has forgotten them. */
final class CoolDownShort implements Check {
    private static final About ABOUT = new About(
            "cool-down-short",
            "The kernel remembers connections longer than the cool-down",
            Severity.INFO,
            "pool.cool_down against the time-outs of conntrack for connections that are over"
                    + " (tcp_timeout_time_wait, close_wait, fin_wait, udp_timeout, udp_timeout_stream, icmp)."
                    + " INFO for each that is longer.",
            "A pod that gets an address within that time may see packets of the connections of the one before.",
            "raise pool.cool_down in enipam.yaml above the longest, or lower the sysctls");

    @Override
    public About about() {
        return ABOUT;
    }

    @Override
    public Outcome look(Facts facts) {
        Duration coolDown = facts.the(EngineFacts.class).config().coolDown();
        Map<String, Duration> timeouts =
                new TreeMap<>(facts.the(ConntrackFacts.class).timeouts());
        List<Evidence> evidence = timeouts.entrySet().stream()
                .filter(timeout -> timeout.getValue().compareTo(coolDown) > 0)
                .map(timeout ->
                        new Evidence("net.netfilter." + timeout.getKey(), Say.span(timeout.getValue()), "kernel"))
                .toList();
        return Outcome.unless(
                evidence,
                Severity.INFO,
                "an address is lent again after " + Say.span(coolDown) + ", and conntrack remembers longer",
                "the cool-down of " + Say.span(coolDown) + " is longer than conntrack remembers");
    }
}
