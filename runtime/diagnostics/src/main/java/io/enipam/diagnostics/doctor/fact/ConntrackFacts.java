package io.enipam.diagnostics.doctor.fact;

import io.enipam.diagnostics.doctor.MissingFact;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * What the kernel remembers of connections.
 *
 * @param timeouts how long it remembers one that is over, by the sysctl's name
 * @param entries how many it remembers, and may at most
 */
public record ConntrackFacts(Map<String, Duration> timeouts, Optional<Entries> entries) {
    private static final String[] OVER = {
        "nf_conntrack_tcp_timeout_time_wait",
        "nf_conntrack_tcp_timeout_close_wait",
        "nf_conntrack_tcp_timeout_fin_wait",
        "nf_conntrack_udp_timeout",
        "nf_conntrack_udp_timeout_stream",
        "nf_conntrack_icmp_timeout"
    };

    public ConntrackFacts {
        timeouts = Map.copyOf(timeouts);
    }

    /** How full its table is. */
    public record Entries(long count, long most) {}

    /**
     * Reads them.
     *
     * @param netfilter {@code /proc/sys/net/netfilter}
     */
    public static ConntrackFacts read(Path netfilter) {
        Map<String, Duration> timeouts = new TreeMap<>();
        for (String name : OVER) {
            number(netfilter.resolve(name)).ifPresent(seconds -> timeouts.put(name, Duration.ofSeconds(seconds)));
        }
        if (timeouts.isEmpty()) {
            throw new MissingFact("the kernel tracks no connections here: there is no " + netfilter);
        }
        OptionalLong count = number(netfilter.resolve("nf_conntrack_count"));
        OptionalLong most = number(netfilter.resolve("nf_conntrack_max"));
        return new ConntrackFacts(
                timeouts,
                count.isPresent() && most.isPresent()
                        ? Optional.of(new Entries(count.getAsLong(), most.getAsLong()))
                        : Optional.empty());
    }

    private static OptionalLong number(Path file) {
        try {
            return OptionalLong.of(Long.parseLong(Files.readString(file).strip()));
        } catch (IOException | NumberFormatException e) {
            return OptionalLong.empty(); // a kernel without it
        }
    }
}
