package io.enipam.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.acceptance.FakeContainerRuntime.Sandbox;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Who reaches whom. */
final class Reachability {
    private static final int PATIENCE = 10;

    private Reachability() {}

    /** Every pod reaches every other, and what else there is to be reached; all at once. */
    static void reach(List<Sandbox> pods, List<String> others) {
        List<String> targets = new ArrayList<>(others);
        pods.forEach(pod -> targets.addAll(pod.addresses()));
        Map<Sandbox, Process> pings = new LinkedHashMap<>();
        pods.forEach(pod -> pings.put(pod, pod.netns().pinging(PATIENCE, targets)));
        pings.forEach((pod, ping) -> assertThat(Netns.lines(ping))
                .as("who does not answer %s", pod.addresses())
                .isEmpty());
    }

    /**
     * What a pod sends from an address that is not its own does not arrive, and what it sends from its own does.
     *
     * @param from its own address
     * @param to the address of another pod, of the same family
     */
    static void wrongSourceDoesNotPass(Sandbox pod, String from, Sandbox other, String to, List<String> wrong) {
        boolean six = to.contains(":");
        String length = six ? "/128" : "/32";
        String route = to + " via " + (six ? "fe80::1" : "169.254.1.1") + " dev eth0 onlink src ";
        for (String source : wrong) {
            pod.netns().ip("addr add " + source + length + " dev eth0" + (six ? " nodad" : ""));
            pod.netns().ip("route replace " + route + source);
            long before = echoes(other, six);
            assertThat(pod.netns().silent(1, List.of(to))).containsExactly(to);
            assertThat(echoes(other, six))
                    .as("pings that arrived from " + source)
                    .isEqualTo(before);
            pod.netns().ip("addr del " + source + length + " dev eth0");
        }
        pod.netns().ip("route replace " + route + from);
        assertThat(pod.netns().silent(PATIENCE, List.of(to))).isEmpty();
        pod.netns().ip("route del " + to);
    }

    private static long echoes(Sandbox pod, boolean six) {
        if (six) {
            return Long.parseLong(pod.netns()
                    .run("grep", "^Icmp6InEchos", "/proc/net/snmp6")
                    .strip()
                    .replaceFirst("\\S+\\s+", ""));
        }
        List<String> rows =
                pod.netns().run("grep", "^Icmp:", "/proc/net/snmp").lines().toList();
        int column = List.of(rows.get(0).split(" ")).indexOf("InEchos");
        return Long.parseLong(rows.get(1).split(" ")[column]);
    }
}
