package io.enipam.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** What pods have left on a node whose pods are all gone. */
final class KernelOfNode {
    private KernelOfNode() {}

    /** No link, rule, route, table, queueing discipline, lease or record of any pod. */
    static void assertNothingIsLeft(NetworkNode node) throws IOException {
        Netns netns = node.netns();
        assertThat(lines(netns.ip("-o link"), "^\\d+: (lo|eth\\d+)[:@].*"))
                .as("links")
                .isEmpty();
        assertThat(lines(netns.ip("rule"), "^(0|32766|32767):.*")).as("rules").isEmpty();
        assertThat(lines(netns.ip("-6 rule"), "^(0|32766|32767):.*"))
                .as("IPv6 rules")
                .isEmpty();
        // what is there without pods: the primary ENI's own, and what the kernel keeps for each link
        assertThat(lines(netns.ip("-4 route show table all"), ".* table local .*|^(default|\\S+/\\d+) .*dev eth0.*"))
                .as("routes")
                .isEmpty();
        assertThat(
                        lines(
                                netns.ip("-6 route show table all"),
                                ".* table local .*|^(fe80::/64|multicast ff00::/8|anycast|local|::1) .*|^default .*dev eth0.*|^\\S+ dev eth0 .*"))
                .as("IPv6 routes")
                .isEmpty();
        assertThat(lines(netns.run("tc", "qdisc"), ".*noqueue.*"))
                .as("queueing disciplines")
                .isEmpty();
        assertThat(node.ok("pool inuse -o name")).as("leases").isBlank();
        try (Stream<Path> records = Files.walk(node.file("run/attachments"))) {
            assertThat(records.filter(Files::isRegularFile))
                    .as("records of attachments")
                    .isEmpty();
        }
    }

    private static List<String> lines(String text, String usual) {
        return text.lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty() && !line.matches(usual))
                .toList();
    }
}
