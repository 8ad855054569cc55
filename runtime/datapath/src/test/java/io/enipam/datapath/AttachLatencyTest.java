package io.enipam.datapath;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.datapath.lab.Lab;
import io.enipam.datapath.lab.RealKernel;
import io.enipam.datapath.lab.Sh;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * How long the kernel's part of an ADD and of a DEL takes, by netlink and by iproute2 in batches, beside the same work done as a plugin in
 * shell does it, by a process for each command. Measures on demand: {@code enipam-bench datapath}, which sets {@code datapath.figures} to the file of the figures.
 */
@RealKernel
@Tag("netlink")
@EnabledIfSystemProperty(named = "datapath.figures", matches = ".+", disabledReason = "measures on demand")
final class AttachLatencyTest {
    /** How many lines a round has. */
    private static final int ROUND = 6;

    private static final int PODS = Integer.getInteger("datapath.pods", 100);

    @TempDir
    Path records;

    private final Map<String, Map<String, Long>> medians = new TreeMap<>();
    private final StringBuilder figures = new StringBuilder(
            String.format("%-10s %8s %8s %9s %9s %16s%n", "", "verb", "callers", "p50 ms", "p99 ms", "process starts"));

    @Test
    void oneAndEightAtATime() throws Exception {
        try (Lab lab = new Lab(records)) {
            List<String> namespaces = new ArrayList<>();
            for (int i = 0; i < PODS; i++) {
                namespaces.add(lab.namespace("m" + i));
            }
            assertThat(Lab.NETLINK).as("enipam-netlink was built").isPresent();
            try (KernelDatapath programs = lab.open(records.resolve("ip"), Optional.empty())) {
                // the first round warms up
                for (int atOnce : new int[] {1, 1, 8}) {
                    ours("netlink", lab, lab.datapath, namespaces, atOnce);
                    ours("iproute2", lab, programs, namespaces, atOnce);
                    theirs(lab, namespaces, atOnce);
                }
            }
            assertThat(Lab.done(lab.datapath.attached())).isEmpty();
        }
        List<String> lines = figures.toString().lines().toList();
        List<String> measured = new ArrayList<>(lines.subList(0, 1));
        measured.addAll(lines.subList(1 + ROUND, lines.size()));
        Files.write(Path.of(System.getProperty("datapath.figures")), measured);
    }

    private static String ip(int pod) {
        return "10.9." + pod / 200 + "." + (20 + pod % 200);
    }

    private void ours(String who, Lab lab, KernelDatapath datapath, List<String> namespaces, int atOnce)
            throws Exception {
        long before = datapath.processStarts();
        List<Long> add =
                timed(atOnce, i -> Lab.done(datapath.setUp(lab.pod("m" + i, namespaces.get(i), ip(i) + "/24"))));
        long between = datapath.processStarts();
        List<Long> del = timed(atOnce, i -> Lab.done(datapath.tearDown(Lab.owner("m" + i))));
        say(who, "ADD", atOnce, add, (between - before) / (double) PODS);
        say(who, "DEL", atOnce, del, (datapath.processStarts() - between) / (double) PODS);
    }

    private void theirs(Lab lab, List<String> namespaces, int atOnce) throws Exception {
        say(
                "shell",
                "ADD",
                atOnce,
                timed(atOnce, i -> Sh.run(add(lab, namespaces.get(i), i))),
                starts(add(lab, "x", 0)));
        say("shell", "DEL", atOnce, timed(atOnce, i -> Sh.run(del(i))), starts(del(0)));
        Sh.run("ip route flush table 1007; ip addr del " + Lab.NODE + "/32 dev " + lab.eni);
    }

    /** The same links, addresses, neighbour, routes and rules. */
    private static String add(Lab lab, String netns, int pod) {
        String veth = "peer" + pod;
        String in = "ip -n " + netns + " ";
        return "set -e; mac=02:00:00:00:" + String.format("%02x:%02x", pod / 256, pod % 256)
                + "\nip link add " + veth + " address $mac type veth peer name eth0 netns " + netns
                + "\nip link set " + veth + " up"
                + "\nip addr replace " + Lab.NODE + "/32 dev " + lab.eni
                + "\nip route replace " + ip(pod) + "/32 dev " + veth + " scope link"
                + "\nip route replace default via " + Lab.GATEWAY + " dev " + lab.eni + " onlink table 1007"
                + "\nip rule add pref 512 to " + ip(pod) + " lookup main"
                + "\nip rule add pref 2048 from " + ip(pod) + " iif " + veth + " lookup 1007"
                + "\necho 0 > /proc/sys/net/ipv4/conf/" + veth + "/rp_filter\n"
                + in + "link set eth0 up\n"
                + in + "addr replace " + ip(pod) + "/32 dev eth0\n"
                + in + "neigh replace 169.254.1.1 lladdr $mac dev eth0 nud permanent\n"
                + in + "route replace default via 169.254.1.1 dev eth0 onlink\n";
    }

    private static String del(int pod) {
        return "set -e\nip rule del pref 2048 from " + ip(pod) + " iif peer" + pod
                + " lookup 1007\nip rule del pref 512 to " + ip(pod) + " lookup main\nip link del peer" + pod;
    }

    /** The shell, and one for each line that begins with ip. */
    private static double starts(String script) {
        return 1 + script.lines().filter(line -> line.startsWith("ip ")).count();
    }

    private static List<Long> timed(int atOnce, IntConsumer call) throws Exception {
        ExecutorService callers = Executors.newFixedThreadPool(atOnce);
        List<Future<Long>> calls = new ArrayList<>();
        for (int i = 0; i < PODS; i++) {
            int pod = i;
            calls.add(callers.submit(() -> {
                long begun = System.nanoTime();
                call.accept(pod);
                return System.nanoTime() - begun;
            }));
        }
        List<Long> took = new ArrayList<>();
        for (Future<Long> one : calls) {
            took.add(one.get());
        }
        callers.shutdown();
        Collections.sort(took);
        return took;
    }

    private void say(String who, String verb, int atOnce, List<Long> took, double starts) throws IOException {
        figures.append(String.format(
                "%-10s %8s %8d %9.1f %9.1f %16.2f%n",
                who, verb, atOnce, took.get(PODS / 2) / 1e6, took.get(PODS * 99 / 100) / 1e6, starts));
        medians.computeIfAbsent(verb + atOnce, figure -> new TreeMap<>()).put(who, took.get(PODS / 2));
        if (who.equals("shell")) {
            report(verb + atOnce);
        }
    }

    /** The ratios to the shell, for {@code enipam-bench regress}: a later round's are read in place of the first one's. */
    private void report(String figure) throws IOException {
        String file = System.getenv("ENIPAM_BENCH_RATIOS");
        if (file != null) {
            Map<String, Long> ours = new TreeMap<>(medians.get(figure));
            long peers = ours.remove("shell");
            for (Map.Entry<String, Long> one : ours.entrySet()) {
                Files.writeString(
                        Path.of(file),
                        String.format(
                                Locale.ROOT,
                                "datapath/%s-%s %.4f%n",
                                figure,
                                one.getKey(),
                                (double) one.getValue() / peers),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.APPEND);
            }
        }
    }
}
