package io.enipam.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.acceptance.FakeContainerRuntime.Sandbox;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** What pods have left on a node whose pods are all gone. */
final class NodeKernelState {
    private static final String BOOT_RULES = "^(0|32766|32767):.*";

    private NodeKernelState() {}

    /** No link, rule, route, table, queueing discipline, lease or record of any pod. */
    static void assertNothingIsLeft(NetworkNode node) throws IOException {
        Netns netns = node.netns();
        assertThat(lines(netns.ip("-o link"), "^\\d+: (lo|eth\\d+)[:@].*"))
                .as("links")
                .isEmpty();
        assertThat(lines(netns.ip("rule"), BOOT_RULES)).as("rules").isEmpty();
        assertThat(lines(netns.ip("-6 rule"), BOOT_RULES)).as("IPv6 rules").isEmpty();
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

    /** What is left of a node's kernel when it starts again: the primary ENI as the boot sets it up, and the others as they are plugged in. */
    static void reboot(NetworkNode node, List<Sandbox> pods) throws IOException {
        Netns netns = node.netns();
        pods.forEach(pod -> pod.netns().remove());
        lines(netns.ip("rule"), BOOT_RULES).forEach(rule -> netns.ip("rule del " + selector(rule)));
        for (String link : lines(netns.ip("-o link"), "^\\d+: (lo|eth0)[:@].*")) {
            String name = link.replaceFirst("^\\d+: ([^:@]+).*", "$1");
            // pods' links go with their namespaces, at once or in a moment
            if (name.startsWith("eth")) {
                netns.ip("addr flush dev " + name);
                netns.ip("link set dev " + name + " down");
            } else {
                netns.tryIp("link del " + name);
            }
        }
        try (Stream<Path> files = Files.walk(node.file("run"))) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    /**
     * Deletes what leads packets to and from an address.
     *
     * @return the rules, as {@code ip rule} shows them
     */
    static List<String> deleteRules(NetworkNode node, String address) {
        List<String> rules = node.netns()
                .ip("rule")
                .lines()
                .filter(rule -> List.of(rule.split("\\s+")).contains(address))
                .toList();
        rules.forEach(rule -> node.netns().ip("rule del " + selector(rule)));
        return rules;
    }

    /** Of {@code 512: from all to 10.0.0.7 lookup main}. */
    private static String selector(String rule) {
        return "pref " + rule.strip().replaceFirst(":\\s+", " ").replaceAll(" \\[detached\\]| proto \\S+$", "");
    }

    private static List<String> lines(String text, String usual) {
        return text.lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty() && !line.matches(usual))
                .toList();
    }
}
