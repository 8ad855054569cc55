package io.enipam.examples.hostlocal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.enipam.examples.hostlocal.Callers.Caller;
import io.enipam.sdk.CniService.CniAnswer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random configurations and sequences of calls, for Debian's plugin and for this one, each on a directory of its own: after each call both have
 * answered the same and have the same files. {@code -Pnightly} runs 20,000; {@code -Denipam.hostlocal.seed} begins elsewhere.
 *
 * <p>What this plugin does better is left out where it would show: after an ADD that failed while its container had an address from
 * before, of which the Go plugin takes everything, the sequence ends; no file is empty; no range begins with its broadcast address, behind
 * which the Go plugin goes on; and of several addresses that are asked for, no two are of one set, since the Go plugin takes any of them.
 */
class DifferentialTest {
    private static final int SEQUENCES = Integer.getInteger("enipam.hostlocal.sequences", 250);
    private static final long SEED = Long.getLong("enipam.hostlocal.seed", 1);
    private static final int MOST_CALLS = 14;
    private static final List<String> VERSIONS = List.of("0.1.0", "0.2.0", "0.3.0", "0.3.1", "0.4.0", "1.0.0", "");

    /** In memory where there is room for it: what is on the disk after a power failure is no matter here. */
    private static final Path MEMORY = Path.of("/dev/shm");

    private final Caller debians = Callers.debians();

    @Test
    void bothAnswerTheSameAndHaveTheSameFilesAfterEachCall(@TempDir Path disk) throws IOException {
        assumeFalse(Callers.debiansIsMissing(), Callers.MISSING);
        Path scratch = Files.isWritable(MEMORY) ? Files.createTempDirectory(MEMORY, "enipam-differential") : disk;
        try {
            for (int sequence = 0; sequence < SEQUENCES; sequence++) {
                try (FileStore store = new FileStore()) {
                    run(scratch, Callers.ours(store), SEED + sequence);
                }
            }
        } finally {
            remove(scratch);
        }
    }

    private void run(Path scratch, Caller ours, long seed) throws IOException {
        Random random = new Random(seed);
        Path go = scratch.resolve("go-" + seed);
        Path java = scratch.resolve("java-" + seed);
        List<String> configurations = IntStream.rangeClosed(0, random.nextInt(2))
                .mapToObj(i -> configuration(random))
                .toList();
        prepare(random, go, java);
        List<String> story = new ArrayList<>();
        int calls = 2 + random.nextInt(MOST_CALLS);
        for (int call = 0; call < calls; call++) {
            String command = pick(random, "ADD", "ADD", "ADD", "CHECK", "DEL");
            String container = "c" + random.nextInt(6);
            String ifName = pick(random, "eth0", "eth0", "net1");
            String conf = configurations.get(random.nextInt(configurations.size()));
            String args = random.nextInt(4) > 0 || conf.contains("\"ips\"") ? "" : arguments(random);
            story.add(command + " " + container + " " + ifName + " " + args + " " + conf);
            boolean held = files(java).values().stream()
                    .anyMatch(content -> content.trim().startsWith(container));
            CniAnswer expected = debians.call(command, container, ifName, args, conf.replace("DIR", go.toString()));
            CniAnswer answer = ours.call(command, container, ifName, args, conf.replace("DIR", java.toString()));
            String told = "seed " + seed + ":\n" + String.join("\n", story);
            assertThat(answer.status()).as("%s\n%s\n%s", told, expected, answer).isEqualTo(expected.status());
            assertThat(comparable(answer)).as(told).isEqualTo(comparable(expected));
            if (held && command.equals("ADD") && expected.status() != 0) {
                // from here on the Go plugin has given back what it should have kept
                break;
            }
            assertThat(files(java)).as(told).isEqualTo(files(go));
        }
        for (Path directory : List.of(go, java)) {
            remove(directory);
        }
    }

    /** Go names the versions that it has, and any of the addresses that are left over first. */
    private static String comparable(CniAnswer answer) {
        if (answer.status() != 0 && answer.stdout().contains("failed to allocate all requested IPs:")) {
            String message = Callers.json(answer).get("msg").asText();
            return Arrays.stream(message.split(" ")).sorted().collect(Collectors.joining(" "));
        }
        return answer.stdout();
    }

    private static Map<String, String> files(Path directory) {
        return new TreeMap<>(Callers.files(directory));
    }

    private static void remove(Path directory) throws IOException {
        if (Files.exists(directory)) {
            try (Stream<Path> all = Files.walk(directory)) {
                for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(path);
                }
            }
        }
    }

    private static String pick(Random random, String... choices) {
        return choices[random.nextInt(choices.length)];
    }

    /** What was there before: files of both formats, last addresses of all kinds. */
    private static void prepare(Random random, Path... directories) throws IOException {
        Map<String, String> files = new TreeMap<>();
        for (int i = random.nextInt(3); i > 0; i--) {
            files.put(
                    "10.1." + random.nextInt(4) + "." + (1 + random.nextInt(6)),
                    pick(random, "c1\r\neth0", "c2", "other\r\neth0", " c3\r\neth0\n", "junk\nof two lines"));
        }
        if (random.nextInt(3) == 0) {
            files.put(
                    "last_reserved_ip." + random.nextInt(2),
                    pick(
                            random,
                            "10.1.0.3",
                            "10.1.0.6",
                            "10.1.1.2",
                            "garbage",
                            "10.1.0.4\n",
                            "",
                            "fd00::4",
                            "10.9.9.9"));
        }
        for (Path directory : directories) {
            for (String network : List.of("mynet", "other")) {
                for (Map.Entry<String, String> file : files.entrySet()) {
                    Files.createDirectories(directory.resolve(network));
                    Files.writeString(directory.resolve(network).resolve(file.getKey()), file.getValue());
                }
            }
        }
    }

    private static String arguments(Random random) {
        return pick(
                random,
                "IP=10.1." + random.nextInt(4) + "." + random.nextInt(8),
                "IP=10.1.0." + random.nextInt(9) + "/24",
                "IP=fd00::" + random.nextInt(6),
                "IP=",
                "FOO=BAR",
                "FOO=BAR;IgnoreUnknown=1;IP=10.1.0.3",
                "IgnoreUnknown=TRUE;K8S_POD_NAME=x",
                "IP=foo",
                "IP=10.1.0.3;",
                "IP=::ffff:10.1.0.5");
    }

    private static String configuration(Random random) {
        List<String> ipam = new ArrayList<>(List.of("'type':'host-local'", "'dataDir':'DIR'"));
        int style = random.nextInt(8);
        if (style < 3) {
            ipam.add(range(random, 0));
        }
        if (style > 1) {
            int sets = 1 + random.nextInt(3);
            String all = IntStream.range(0, sets)
                    .mapToObj(set -> IntStream.rangeClosed(0, random.nextInt(2))
                            .mapToObj(i -> "{" + range(random, set) + "}")
                            .collect(Collectors.joining(",", "[", "]")))
                    .collect(Collectors.joining(",", "[", "]"));
            ipam.add("'ranges':" + all);
        }
        if (random.nextInt(3) == 0) {
            ipam.add("'routes':[{'dst':'0.0.0.0/0'},{'dst':'" + pick(random, "fd01::/64", "10.0.0.5/8", "FD02::1/48")
                    + "','gw':'10.1.0.1'}]");
        }
        String version = pick(random, VERSIONS.toArray(String[]::new));
        List<String> members = new ArrayList<>();
        if (!version.isEmpty()) {
            members.add("'cniVersion':'" + version + "'");
        }
        members.add("'name':'" + pick(random, "mynet", "mynet", "other") + "'");
        members.add("'ipam':{" + String.join(",", ipam) + "}");
        if (random.nextInt(6) == 0) {
            members.add("'args':{'cni':{'ips':['10.1." + random.nextInt(3) + "." + random.nextInt(8) + "']}}");
        } else if (random.nextInt(6) == 0) {
            members.add("'runtimeConfig':{'ips':['10.1." + random.nextInt(3) + "." + random.nextInt(8) + "/24']}");
        } else if (random.nextInt(8) == 0) {
            members.add("'runtimeConfig':{'ipRanges':[[{'subnet':'10.1.7.0/29'}]]}");
        }
        return ("{" + String.join(",", members) + "}").replace('\'', '"');
    }

    /** Small ranges, so that they are full soon; now and then one that cannot be. */
    private static String range(Random random, int set) {
        String base = "10.1." + (set + (random.nextInt(6) == 0 ? 1 : 0));
        int kind = random.nextInt(16);
        String subnet = kind < 8
                ? "'subnet':'" + base + ".0/" + pick(random, "29", "30", "24", "28") + "'"
                : kind < 11
                        ? "'Subnet':'fd00:" + set + "::/" + pick(random, "64", "125", "126") + "'"
                        : kind < 13
                                ? "'subnet':'" + base + ".8/" + pick(random, "29", "30") + "'"
                                : pick(
                                        random,
                                        "'subnet':'10.1.0.3/24'",
                                        "'subnet':'10.1.0.0/31'",
                                        "'subnet':'fd00::/127'",
                                        "'subnet':'10.1.0.0'",
                                        "'subnet':'" + base + ".16/29'",
                                        "'gateway':'10.1.0.1'",
                                        "'subnet':'10.1.0.0/33'");
        String more = "";
        if (kind < 8 && random.nextInt(3) == 0 && !subnet.contains("/30")) {
            more += ",'rangeStart':'" + base + "." + (1 + random.nextInt(5)) + "'";
        }
        if (kind < 8 && random.nextInt(3) == 0) {
            more += ",'rangeEnd':'" + base + "." + (2 + random.nextInt(6)) + "'";
        }
        if (random.nextInt(4) == 0) {
            more += ",'gateway':'" + pick(random, base + ".1", base + ".4", "192.168.0.1", "fd00::2") + "'";
        }
        return subnet + more;
    }
}
