package io.enipam.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.acceptance.SwarmObjects.Difference;
import io.enipam.acceptance.TwoSwarms.Made;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The plugin {@code swarm} beside the real one: the same random commands are given to Debian's Docker in swarm mode and to the shell, and
 * after each one both have the same subnets, gateways, VXLANs, virtual IPs, ports and addresses of tasks and nodes, or both have refused
 * it with the same words; what may differ is {@link Difference}, and the words of what Docker's command refuses before its manager hears
 * of it. A dockerd serves some sequences, each of which leaves it empty; its default pools are few, so that they run out and are used again.
 *
 * <p><b>What is not asked for</b>, since two of Docker's own swarms would do it differently: swarmkit goes through a map when it tries again
 * what waits, and how often it does so depends on how quick it is. So at most one network waits at a time; a network that waits, or that
 * a few tasks fill, has one service, which is on no other one and publishes nothing, and is not updated while it has tasks. And tasks of
 * services that are updated have no node: whether the load balancer of a node keeps its address then is a race of its old tasks' ends and
 * its new tasks' assignment. The ports of a service are typed in the order in which Docker's command sorts them at an update: where that
 * changes their order alone, the endpoint keeps the former one, and swarmkit replaces the service's tasks at each update that follows. No
 * service is made with the same port twice: of the two numbers that are chosen for it, an update that leaves one keeps the one that comes
 * first out of a map. ({@code service create --publish 80 --publish 80}, then {@code update --publish-add 8000:81}: of 70 times, dockerd
 * 20.10 kept the first number 66 times and the second three times.)
 */
class SwarmDifferentialIT extends DaemonFixture {
    private static final int SEQUENCES = Integer.getInteger("enipam.swarm.sequences", 20);
    private static final int COMMANDS = Integer.getInteger("enipam.swarm.commands", 12);
    private static final long SEED = Long.getLong("enipam.swarm.seed", 1);
    private static final int MOST_TRIALS = 40;

    /** Sequences of one dockerd: the ingress network, whose addresses all of them use, has given some of these twice then. */
    private static final int TOGETHER = 20;

    private static final int MOST_PANICS = 5;

    /** Networks that wait, or that a few tasks fill. */
    private final Set<String> scarce = new TreeSet<>();

    private @Nullable TwoSwarms swarms;
    private int number;

    @BeforeEach
    void startBoth() throws IOException {
        swarms = new TwoSwarms(scratch, daemon);
    }

    @AfterEach
    void endDocker() throws IOException {
        if (swarms != null) { // not skipped
            swarms.close();
        }
    }

    private void startAnew(String name) throws IOException, InterruptedException {
        endDocker();
        daemon.close();
        Path directory = Files.createDirectory(scratch.resolve(name));
        daemon = new DaemonWithShell(programs, Files.createDirectory(directory.resolve("root")));
        swarms = new TwoSwarms(directory, daemon);
        scarce.clear();
        number = 0;
    }

    @Test
    void bothAllocateAndRefuseTheSame() throws IOException, InterruptedException {
        int panics = 0;
        int done = 0;
        while (done < SEQUENCES) {
            if (!isThrough(SEED + done)) {
                panics++;
                assertThat(panics).as("how often dockerd has panicked").isLessThanOrEqualTo(MOST_PANICS);
                startAnew("panic" + panics);
                continue;
            }
            done++;
            if (done % TOGETHER == 0 && done < SEQUENCES) {
                startAnew("from" + done);
            }
        }
    }

    /** Whether a sequence came to its end; it does not where dockerd panics, as that of 20.10 does now and then when a service is removed. */
    private boolean isThrough(long seed) {
        try {
            sequence(seed);
            return true;
        } catch (Throwable e) {
            Optional<String> panic = swarms.panic();
            if (panic.isEmpty()) {
                throw e;
            }
            System.out.println(
                    "dockerd panicked in the sequence of seed " + seed + ", which is done anew: " + panic.get());
            return false;
        }
    }

    private void sequence(long seed) {
        swarms.note("seed " + seed);
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < COMMANDS; i++) {
            command(random);
            swarms.compare();
        }
        swarms.removeAll();
        scarce.clear();
        swarms.onANode(() -> aServiceOnTheNode(random));
    }

    private void aServiceOnTheNode(SplittableRandom random) {
        String one = "n" + number++;
        String other = "n" + number++;
        swarms.createNetwork(one);
        swarms.createNetwork(other, "--subnet", "172.28.0.0/24");
        List<String> options = new ArrayList<>(List.of("--network", other));
        if (random.nextBoolean()) {
            options.addAll(List.of("--network", one));
        }
        if (random.nextBoolean()) {
            options.addAll(List.of("--publish", port(random)));
        }
        String service = "s" + number++;
        swarms.createService(service, random.nextInt(3), options);
        swarms.compareNodes();
        swarms.scale(service, random.nextInt(2));
        swarms.compareNodes();
    }

    /** Each comes by chance, so it is waited for; a trial without it has a chance of one half or less. */
    @Test
    void eachDifferenceThatIsAllowedIsThere() throws IOException {
        for (Difference difference : Difference.values()) {
            boolean seen = false;
            for (int trial = 0; trial < MOST_TRIALS && !seen; trial++) {
                example(difference);
                swarms.compare();
                seen = swarms.differIn(difference);
                swarms.removeAll();
            }
            assertThat(seen).as("%s in %s trials", difference, MOST_TRIALS).isTrue();
        }
        String[] wrong = {"network", "create", "--driver=overlay", "--subnet=172.20.1.0/24", "--gateway=172.20.9.1", "n"
        };
        assertThat(swarms.both(wrong)).isFalse();
        assertThat(swarms.saysInItsOwnWords(wrong)).isTrue();
    }

    private void example(Difference difference) {
        String[] two = {"--subnet", "172.20.1.0/24", "--subnet", "172.20.2.0/24"};
        switch (difference) {
            case ORDER_OF_SUBNETS -> swarms.createNetwork("n1", two);
            case ORDER_OF_VIRTUAL_IPS -> {
                swarms.createNetwork("n1");
                swarms.createNetwork("n2");
                swarms.createService("s1", 0, List.of("--network", "n1", "--network", "n2"));
            }
            case SUBNET_OF_AN_ADDRESS -> {
                swarms.createNetwork("n1", two);
                swarms.createService("s1", 5, List.of("--network", "n1"));
            }
            case TASKS_THAT_END -> {
                swarms.createNetwork("n1");
                swarms.createService("s1", 4, List.of("--network", "n1"));
                swarms.compare();
                swarms.scale("s1", 2);
            }
        }
    }

    // ---- commands

    private void command(SplittableRandom random) {
        switch (random.nextInt(16)) {
            case 0, 1, 2 -> createNetwork(random);
            case 3, 4, 5, 6 -> createService(random);
            case 7, 8 ->
                any(
                        swarms.services(),
                        random,
                        name -> swarms.scale(name, swarms.service(name).replicas() + random.nextInt(3)));
            case 9 -> any(swarms.services(), random, name -> thin(name, random));
            case 10, 11, 12 -> any(swarms.services(), random, name -> update(name, random));
            case 13 -> any(swarms.services(), random, swarms::removeService);
            default -> any(swarms.networks(), random, this::removeNetwork);
        }
    }

    private boolean isScarce(Made service) {
        return service.networks().stream().anyMatch(scarce::contains);
    }

    private boolean isUsed(String network) {
        return swarms.services().stream()
                .anyMatch(service -> swarms.service(service).networks().contains(network));
    }

    private static void any(List<String> all, SplittableRandom random, Consumer<String> use) {
        if (!all.isEmpty()) {
            use.accept(all.get(random.nextInt(all.size())));
        }
    }

    /** One in so many is done as it should not be: with a name that is taken, a range that is outside, a subnet that is another's. */
    private void createNetwork(SplittableRandom random) {
        List<String> waiting = swarms.waiting();
        if (!waiting.isEmpty()) {
            removeNetwork(waiting.get(0));
            return;
        }
        String name = random.nextInt(12) == 0 && !swarms.networks().isEmpty()
                ? swarms.networks().get(0)
                : "n" + number++;
        String base = "172." + (20 + random.nextInt(8)) + ".";
        List<String> words = new ArrayList<>();
        boolean small = false;
        switch (random.nextInt(12)) {
            case 0 ->
                words.addAll(
                        List.of("--subnet", base + "0.0/16", "--ip-range", base + (7 + random.nextInt(2)) + ".0/24"));
            case 1 -> words.addAll(List.of("--subnet", base + "0.0/24", "--gateway", base + "0.9"));
            case 2, 3 -> {
                words.addAll(List.of("--subnet", base + random.nextInt(2) + ".8/29"));
                small = true;
            }
            case 4 -> words.addAll(List.of("--subnet", base + "1.0/24", "--subnet", base + "2.0/24"));
            case 5 -> words.addAll(List.of("--subnet", base + "1.0/24", "--ip-range", base + "9.0/25"));
            case 6 -> words.addAll(List.of("--subnet", base + "1.0/24", "--gateway", base + "9.1"));
            case 7 -> words.addAll(List.of("--subnet", "10.20." + random.nextInt(8) + ".0/24"));
            case 8 -> {
                words.addAll(List.of("--opt", SwarmObjects.VXLANS + "=" + vxlan(random)));
                words.addAll(List.of("--subnet", base + "3.0/24"));
            }
            default -> {}
        }
        if (!swarms.createNetwork(name, words.toArray(String[]::new))) {
            return;
        }
        swarms.compare();
        if (small || !swarms.waiting().isEmpty()) {
            scarce.add(name);
        }
    }

    /** One that is taken, if there is one. */
    private int vxlan(SplittableRandom random) {
        List<Integer> taken = swarms.vxlans();
        return taken.isEmpty() || random.nextBoolean()
                ? 100 + random.nextInt(40)
                : taken.get(random.nextInt(taken.size()));
    }

    private void removeNetwork(String name) {
        if (swarms.removeNetwork(name)) {
            scarce.remove(name);
        }
    }

    private String port(SplittableRandom random) {
        String target = Integer.toString(80 + random.nextInt(4))
                + List.of("", "", "/udp", "/sctp").get(random.nextInt(4));
        return switch (random.nextInt(6)) {
            case 0, 1 -> 8000 + random.nextInt(4) + ":" + target;
            case 2 -> 30_000 + random.nextInt(200) + ":" + target;
            case 3 -> "published=" + (9000 + random.nextInt(2)) + ",target=" + (80 + random.nextInt(4)) + ",mode=host";
            default -> target;
        };
    }

    /** By which Docker's command sorts ports: the number, 0 if it is chosen, the target and the protocol. */
    private static String place(String port) {
        String whole = port.contains(":") ? port : port.contains("=") ? port.replace("published=", "") : "0:" + port;
        return whole.contains("/") ? whole : whole + "/tcp";
    }

    private void createService(SplittableRandom random) {
        String name = random.nextInt(12) == 0 && !swarms.services().isEmpty()
                ? swarms.services().get(0)
                : "s" + number++;
        List<String> words = new ArrayList<>();
        List<String> alone = scarce.stream().filter(network -> !isUsed(network)).toList();
        if (!alone.isEmpty() && random.nextInt(3) == 0) {
            words.addAll(List.of("--network", alone.get(random.nextInt(alone.size()))));
        } else {
            swarms.networks().stream()
                    .filter(network -> !scarce.contains(network) && random.nextInt(3) > 0)
                    .limit(2)
                    .forEach(network -> words.addAll(List.of("--network", network)));
            Stream.generate(() -> port(random))
                    .limit(random.nextInt(3))
                    .distinct()
                    .sorted(Comparator.comparing(SwarmDifferentialIT::place))
                    .forEach(port -> words.addAll(List.of("--publish", port)));
            if (random.nextInt(12) == 0) {
                words.addAll(List.of("--network", "ingress"));
            }
        }
        if (random.nextInt(5) == 0) {
            words.addAll(List.of("--endpoint-mode", "dnsrr"));
        }
        swarms.createService(name, random.nextInt(4), words);
    }

    private void update(String name, SplittableRandom random) {
        Made made = swarms.service(name);
        boolean alone = isScarce(made);
        if (alone && made.replicas() > 0) {
            return;
        }
        List<String> words = new ArrayList<>();
        switch (random.nextInt(alone ? 2 : 6)) {
            case 0 -> words.addAll(List.of("--endpoint-mode", random.nextBoolean() ? "vip" : "dnsrr"));
            case 1 ->
                // one of several has to be its own: the others would be sorted by their ids, which changes it or not
                any(
                        made.networks().size() < 2 ? swarms.networks() : made.networks(),
                        random,
                        network -> words.addAll(List.of("--network-rm", network)));
            case 2 -> words.addAll(List.of("--publish-rm", Integer.toString(80 + random.nextInt(4))));
            case 3 ->
                any(
                        swarms.networks().stream()
                                .filter(network -> !scarce.contains(network))
                                .toList(),
                        random,
                        network -> words.addAll(List.of("--network-add", network)));
            default -> words.addAll(List.of("--publish-add", port(random)));
        }
        swarms.update(name, words);
    }

    /** To fewer tasks, or to none. */
    private void thin(String name, SplittableRandom random) {
        Made made = swarms.service(name);
        swarms.scale(name, isScarce(made) ? 0 : random.nextInt(1 + made.replicas()));
    }
}
