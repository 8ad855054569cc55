package io.enipam.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.enipam.acceptance.SwarmObjects.Difference;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The plugin {@code swarm} beside the real one: the same random commands are given to Debian's Docker in swarm mode and to the shell, and
 * after each one both have the same subnets, gateways, VXLANs, virtual IPs, ports and addresses of tasks and nodes, or both have refused
 * it with the same words; what may differ is {@link Difference}, and the words of what Docker's command refuses before its manager hears
 * of it. One dockerd serves all sequences, and each leaves it empty; its default pools are few, so that they run out and are used again.
 *
 * <p><b>What is not asked for</b>, since two of Docker's own swarms would do it differently: swarmkit goes through a map when it tries again
 * what waits, and how often it does so depends on how quick it is. So at most one network waits at a time; a network that waits, or that
 * a few tasks fill, has one service, which is on no other one and publishes nothing, and is not updated while it has tasks. And tasks of
 * services that are updated have no node: whether the load balancer of a node keeps its address then is a race of its old tasks' ends and
 * its new tasks' assignment.
 */
class SwarmDifferentialIT extends DaemonFixture {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration OFTEN = Duration.ofMillis(5);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int SEQUENCES = Integer.getInteger("enipam.swarm.sequences", 20);
    private static final int COMMANDS = Integer.getInteger("enipam.swarm.commands", 12);
    private static final long SEED = Long.getLong("enipam.swarm.seed", 1);
    private static final int RECENT = 60;
    private static final int MOST_TRIALS = 40;

    /** Docker's tasks stay without a node, as those of the plugin do where there is none; an update replaces all of them at once. */
    private static final List<String> NOWHERE =
            List.of("--no-resolve-image", "--update-parallelism", "0", "--constraint", "node.labels.x==none", "none");

    /** They run on the only node, and end at once when they are removed. */
    private static final List<String> ON_THE_NODE =
            List.of("--no-resolve-image", "--stop-grace-period", "0s", "bb", "/bin/busybox", "sleep", "3600");

    /** What Docker's manager says, without ids; what its command refuses by itself has no code. */
    private static final Pattern REFUSAL = Pattern.compile("(?s).*rpc error: code = \\w+ desc = ([^\n]*).*");

    private static final Pattern ID = Pattern.compile("[a-z0-9]{25}");

    private final List<String> log = new ArrayList<>();
    private final List<String> networks = new ArrayList<>();
    /** Networks that wait, or that a few tasks fill. */
    private final Set<String> scarce = new TreeSet<>();

    private final Map<String, Made> services = new TreeMap<>();

    /** A service that there is. */
    private static final class Made {
        int replicas;
        final Set<String> networks = new TreeSet<>();
        /** Whether some of its tasks were removed, and some not. */
        boolean thinned;
    }

    private List<String> place = NOWHERE;
    private DockerEngine docker;
    private int number;

    @BeforeEach
    void startBoth() throws IOException {
        docker = DockerEngine.start("enipam-sw" + ProcessHandle.current().pid(), scratch.resolve("docker"));
        docker.host().ip("link set lo up");
        docker.ok(
                "swarm",
                "init",
                "--advertise-addr",
                "127.0.0.1",
                "--default-addr-pool",
                "10.20.0.0/21",
                "--default-addr-pool-mask-length",
                "24");
        Path config = Files.writeString(scratch.resolve("enipam.yaml"), """
                extensions: [swarm]
                plugins:
                  swarm: {ingress_subnet: auto, default_addr_pool: [10.20.0.0/21], default_addr_pool_mask_length: 24}
                """);
        Path plugin = Project.root().resolve("plugins-examples/swarm/target/plugin");
        daemon.start(
                "--role",
                "cluster",
                "--log-level",
                "warn",
                "--config",
                config.toString(),
                "--plugin",
                plugin.toString());
        await("the extension runs")
                .atMost(PATIENCE)
                .until(() -> daemon.attached("swarm network ls").status() == 0);
        daemon.ok("swarm network create ingress --ingress");
    }

    @AfterEach
    void endDocker() throws IOException {
        docker.close();
    }

    @Test
    void bothAllocateAndRefuseTheSame() {
        // the address that the load balancer of Docker's node has on the ingress network
        daemon.ok("swarm service create --name lb --publish 1:1 --replicas 0");
        for (int sequence = 0; sequence < SEQUENCES; sequence++) {
            log.add("seed " + (SEED + sequence));
            SplittableRandom random = new SplittableRandom(SEED + sequence);
            for (int i = 0; i < COMMANDS; i++) {
                command(random);
                compare();
            }
            removeAll();
            onANode(random);
        }
    }

    /** Each comes by chance, so it is waited for; a trial without it has a chance of one half or less. */
    @Test
    void eachDifferenceThatIsAllowedIsThere() throws IOException {
        for (Difference difference : Difference.values()) {
            EnumSet<Difference> others = EnumSet.complementOf(EnumSet.of(difference));
            boolean seen = false;
            for (int trial = 0; trial < MOST_TRIALS && !seen; trial++) {
                example(difference);
                compare();
                seen = !ours(others).equals(dockers(others));
                removeAll();
            }
            assertThat(seen).as("%s in %s trials", difference, MOST_TRIALS).isTrue();
        }
        theWordsOfDockersCommandAreItsOwn();
    }

    private void example(Difference difference) {
        List<String> create = List.of("network", "create", "--driver", "overlay");
        List<String> two = List.of("--subnet", "172.20.1.0/24", "--subnet", "172.20.2.0/24");
        networks.add("n1");
        switch (difference) {
            case ORDER_OF_SUBNETS -> both(with(create, with(two, "n1")));
            case ORDER_OF_VIRTUAL_IPS -> {
                both(with(create, "n1"));
                both(with(create, "n2"));
                create("s1", "--network", "n1", "--network", "n2", "--replicas", "0");
                networks.add("n2");
            }
            case SUBNET_OF_AN_ADDRESS -> {
                both(with(create, with(two, "n1")));
                create("s1", "--network", "n1", "--replicas", "5");
            }
            case TASKS_THAT_END -> {
                both(with(create, "n1"));
                create("s1", "--network", "n1", "--replicas", "4");
                compare();
                scale("s1", 2);
            }
        }
    }

    /** What its command refuses by itself: both refuse it, and each in its own words. */
    private void theWordsOfDockersCommandAreItsOwn() {
        String[] wrong = {
            "network", "create", "--driver=overlay", "--subnet=172.20.1.0/24", "--gateway=172.20.9.1", "n1"
        };
        assertThat(both(wrong)).isFalse();
        String said = docker.docker(wrong).text().strip();
        assertThat(said).doesNotMatch(REFUSAL);
        assertThat(daemon.attached("swarm " + String.join(" ", wrong)).err()).doesNotContain(said);
    }

    /** The real one has an address on each network for a node whose tasks use it, which is seen once a container runs there. */
    private void onANode(SplittableRandom random) {
        place = ON_THE_NODE;
        daemon.ok("swarm node add one");
        List<String> balancer = new ArrayList<>(
                List.of("service", "create", "--detach", "--name", "lb", "--publish", "1:1", "--replicas", "0"));
        balancer.addAll(NOWHERE);
        docker.ok(balancer.toArray(String[]::new));
        List<String> both = List.of("n" + number++, "n" + number++);
        networks.addAll(both);
        both("network", "create", "--driver", "overlay", both.get(0));
        both("network", "create", "--driver", "overlay", "--subnet", "172.28.0.0/24", both.get(1));
        List<String> more = new ArrayList<>();
        if (random.nextBoolean()) {
            more.addAll(List.of("--network", both.get(0)));
        }
        if (random.nextBoolean()) {
            more.addAll(List.of("--publish", port(random)));
        }
        String service = "s" + number++;
        create(service, with(more, "--network", both.get(1), "--replicas", Integer.toString(random.nextInt(3))));
        compareNodes();
        scale(service, random.nextInt(2));
        compareNodes();
        removeAll();
        compareNodes();
        daemon.ok("swarm node rm one --yes");
        docker.ok("service", "rm", "lb");
        place = NOWHERE;
    }

    private void compareNodes() {
        compare();
        await("both nodes have the same").atMost(PATIENCE).pollInterval(OFTEN).untilAsserted(() -> {
            Map<String, String> dockers = new TreeMap<>();
            for (String name : networks) {
                docker.get("/networks/" + name).path("Containers").forEach(each -> {
                    if (each.path("Name").asText().equals(name + "-endpoint")) {
                        dockers.put(name, each.path("IPv4Address").asText());
                    }
                });
            }
            // its node has had another one since before the first sequence
            dockers.put(
                    "ingress",
                    docker.get("/services/lb").at("/Endpoint/VirtualIPs/0/Addr").asText());
            Map<String, String> ours = Stream.of(daemon.ok("swarm node ls -o json | jq -r '.rows[0].cells[3]'")
                            .strip()
                            .split(" "))
                    .map(each -> each.split("="))
                    .collect(Collectors.toMap(each -> each[0], each -> each[1], (a, b) -> a, TreeMap::new));
            assertThat(ours).as(this::recent).isEqualTo(dockers);
        });
    }

    private static String[] with(List<String> some, String... more) {
        return Stream.concat(some.stream(), Stream.of(more)).toArray(String[]::new);
    }

    // ---- commands

    private void command(SplittableRandom random) {
        switch (random.nextInt(16)) {
            case 0, 1, 2 -> createNetwork(random);
            case 3, 4, 5, 6 -> createService(random);
            case 7, 8 -> any(services.keySet(), random, name -> scale(name, made(name).replicas + random.nextInt(3)));
            case 9 -> any(services.keySet(), random, name -> thin(name, random));
            case 10, 11, 12 -> any(services.keySet(), random, name -> update(name, random));
            case 13 -> any(services.keySet(), random, this::removeService);
            default -> any(networks, random, this::removeNetwork);
        }
    }

    private Made made(String service) {
        return Objects.requireNonNull(services.get(service), service);
    }

    private boolean isScarce(Made service) {
        return service.networks.stream().anyMatch(scarce::contains);
    }

    private boolean isUsed(String network) {
        return services.values().stream().anyMatch(service -> service.networks.contains(network));
    }

    private static void any(Iterable<String> names, SplittableRandom random, Consumer<String> use) {
        List<String> all = StreamSupport.stream(names.spliterator(), false).toList();
        if (!all.isEmpty()) {
            use.accept(all.get(random.nextInt(all.size())));
        }
    }

    /** One in so many is done as it should not be: with a name that is taken, a range that is outside, a subnet that is another's. */
    private void createNetwork(SplittableRandom random) {
        List<String> waiting = waiting();
        if (!waiting.isEmpty()) {
            removeNetwork(waiting.get(0));
            return;
        }
        String name = random.nextInt(12) == 0 && !networks.isEmpty() ? networks.get(0) : "n" + number++;
        String base = "172." + (20 + random.nextInt(8)) + ".";
        List<String> words = new ArrayList<>(List.of("network", "create", "--driver", "overlay"));
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
        words.add(name);
        if (!both(words.toArray(String[]::new))) {
            return;
        }
        networks.add(name);
        compare();
        if (small || !waiting().isEmpty()) {
            scarce.add(name);
        }
    }

    /** Networks that have no subnets yet. */
    private List<String> waiting() {
        return daemon.ok("swarm network ls -o json | jq -r '.rows[] | select(.cells[4] == \"-\") | .cells[1]'")
                .lines()
                .toList();
    }

    /** One that is taken, if there is one. */
    private int vxlan(SplittableRandom random) {
        List<String> taken = inspected("network", networks.stream()).stream()
                .map(network ->
                        network.path("Options").path(SwarmObjects.VXLANS).asText())
                .filter(one -> one.matches("[0-9]+"))
                .toList();
        return taken.isEmpty() || random.nextBoolean()
                ? 100 + random.nextInt(40)
                : Integer.parseInt(taken.get(random.nextInt(taken.size())));
    }

    private void removeNetwork(String name) {
        if (both("network", "rm", name)) {
            networks.remove(name);
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

    private void createService(SplittableRandom random) {
        String name = random.nextInt(12) == 0 && !services.isEmpty()
                ? services.keySet().iterator().next()
                : "s" + number++;
        List<String> words = new ArrayList<>();
        List<String> alone = scarce.stream().filter(network -> !isUsed(network)).toList();
        if (!alone.isEmpty() && random.nextInt(3) == 0) {
            words.addAll(List.of("--network", alone.get(random.nextInt(alone.size()))));
        } else {
            networks.stream()
                    .filter(network -> !scarce.contains(network) && random.nextInt(3) > 0)
                    .limit(2)
                    .forEach(network -> words.addAll(List.of("--network", network)));
            for (int port = random.nextInt(3); port > 0; port--) {
                words.addAll(List.of("--publish", port(random)));
            }
            if (random.nextInt(12) == 0) {
                words.addAll(List.of("--network", "ingress"));
            }
        }
        if (random.nextInt(5) == 0) {
            words.addAll(List.of("--endpoint-mode", "dnsrr"));
        }
        words.addAll(List.of("--replicas", Integer.toString(random.nextInt(4))));
        create(name, words.toArray(String[]::new));
    }

    private void create(String name, String... options) {
        if (both(with(List.of("service", "create", "--name", name), options))) {
            Made made = new Made();
            made.replicas = Integer.parseInt(options[options.length - 1]);
            for (int i = 0; i < options.length; i += 2) {
                if (options[i].equals("--network")) {
                    made.networks.add(options[i + 1]);
                }
            }
            services.put(name, made);
        }
    }

    private void update(String name, SplittableRandom random) {
        Made made = made(name);
        boolean alone = isScarce(made);
        if (alone && made.replicas > 0) {
            return;
        }
        List<String> words = new ArrayList<>(List.of("service", "update"));
        Set<String> after = new TreeSet<>(made.networks);
        switch (random.nextInt(alone ? 2 : 6)) {
            case 0 -> words.addAll(List.of("--endpoint-mode", random.nextBoolean() ? "vip" : "dnsrr"));
            case 1 ->
                // of several networks none is named that the service is not on: only to sort them by their ids changes
                // it
                any(made.networks.size() < 2 ? networks : made.networks, random, network -> {
                    words.addAll(List.of("--network-rm", network));
                    after.remove(network);
                });
            case 2 -> words.addAll(List.of("--publish-rm", Integer.toString(80 + random.nextInt(4))));
            case 3 ->
                any(
                        networks.stream()
                                .filter(network -> !scarce.contains(network))
                                .toList(),
                        random,
                        network -> {
                            words.addAll(List.of("--network-add", network));
                            after.add(network);
                        });
            default -> words.addAll(List.of("--publish-add", port(random)));
        }
        words.add(name);
        if (both(words.toArray(String[]::new))) {
            made.networks.clear();
            made.networks.addAll(after);
        }
    }

    private void scale(String name, int wanted) {
        both("service", "scale", name + "=" + wanted);
        Made made = made(name);
        made.thinned = wanted > 0 && (made.thinned || wanted < made.replicas);
        made.replicas = wanted;
    }

    /** To fewer tasks, or to none. */
    private void thin(String name, SplittableRandom random) {
        Made made = made(name);
        scale(name, isScarce(made) ? 0 : random.nextInt(1 + made.replicas));
    }

    private void removeService(String name) {
        both("service", "rm", name);
        services.remove(name);
    }

    private void removeAll() {
        List.copyOf(services.keySet()).forEach(this::removeService);
        compare();
        List.copyOf(networks).forEach(this::removeNetwork);
        assertThat(networks).as(this::recent).isEmpty();
        compare();
    }

    /** Gives a command to both; whether it was done. Both do it, or both refuse it, in the same words where those are the manager's. */
    private boolean both(String... words) {
        List<String> dockers = new ArrayList<>(List.of(words));
        boolean ofService = words[0].equals("service") && !words[1].equals("rm");
        if (ofService) {
            dockers.add(2, "--detach");
        }
        if (ofService && words[1].equals("create")) {
            dockers.addAll(place);
        }
        if (ofService && words[1].equals("update")) {
            dockers.add(2, "--no-resolve-image");
        }
        String command = String.join(" ", words);
        Netns.Said said = docker.docker(dockers.toArray(String[]::new));
        ProgramRunner.Result ours = daemon.attached("swarm " + command + (words[1].equals("rm") ? " --yes" : ""));
        boolean done = said.status() == 0;
        log.add(command + " -> " + (done ? "done" : said.text().strip()));
        assertThat(ours.status() == 0)
                .as("%s%nDocker: %s%nthe plugin: %s", recent(), said.text(), ours)
                .isEqualTo(done);
        Matcher refusal = REFUSAL.matcher(said.text().strip());
        if (!done && refusal.matches()) {
            assertThat(ID.matcher(ours.err()).replaceAll("ID"))
                    .as(this::recent)
                    .contains(ID.matcher(refusal.group(1)).replaceAll("ID"));
        }
        return done;
    }

    private String recent() {
        return String.join("\n", log.subList(Math.max(0, log.size() - RECENT), log.size()));
    }

    // ---- what there is

    /** Waits until the plugin has done what it can, and Docker has come to the same. */
    private void compare() {
        await("both have the same").atMost(PATIENCE).pollInterval(OFTEN).untilAsserted(() -> {
            settled();
            assertThat(ours(EnumSet.allOf(Difference.class)))
                    .as(this::recent)
                    .isEqualTo(dockers(EnumSet.allOf(Difference.class)));
        });
    }

    private void settled() {
        assertThat(daemon.ok(
                        "swarm network ls -o json | jq -r '.rows[] | select(.cells[4] == \"-\" and .cells[5] == \"-\")'; "
                                + "swarm task ls -o json | jq -r '.rows[] | select(.cells[5] == \"created\")'"))
                .as("what the plugin has still to do%n%s", recent())
                .isBlank();
    }

    private String dockers(Set<Difference> allowed) throws IOException {
        List<JsonNode> all = new ArrayList<>();
        docker.get("/services").forEach(service -> {
            if (!service.at("/Spec/Name").asText().equals("lb")) {
                all.add(service);
            }
        });
        JsonNode tasks = docker.get("/tasks?filters=%7B%22desired-state%22%3A%5B%22running%22%5D%7D");
        return new SwarmObjects(docker.get("/networks"), all, tasks, thinned(), allowed).toString();
    }

    private Set<String> thinned() {
        return services.keySet().stream().filter(name -> made(name).thinned).collect(Collectors.toSet());
    }

    private String ours(Set<Difference> allowed) {
        return new SwarmObjects(
                        inspected("network", Stream.concat(networks.stream(), Stream.of("ingress"))),
                        inspected("service", services.keySet().stream()),
                        inspected(
                                "task",
                                services.entrySet().stream()
                                        .flatMap(each -> IntStream.rangeClosed(1, each.getValue().replicas)
                                                .mapToObj(slot -> each.getKey() + "." + slot))),
                        thinned(),
                        allowed)
                .toString();
    }

    private List<JsonNode> inspected(String kind, Stream<String> names) {
        String commands =
                names.map(name -> "swarm " + kind + " inspect " + name).collect(Collectors.joining("; "));
        List<JsonNode> all = new ArrayList<>();
        if (commands.isEmpty()) {
            return all;
        }
        try (JsonParser parser = JSON.createParser(daemon.ok(commands))) {
            for (JsonNode list = parser.readValueAsTree(); list != null; list = parser.readValueAsTree()) {
                all.add(list.get(0));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return all;
    }
}
