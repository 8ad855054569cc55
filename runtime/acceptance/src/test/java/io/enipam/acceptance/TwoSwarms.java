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
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Docker in swarm mode and the plugin beside it, both with the same few default pools: each command is given to both, and what they have is
 * compared.
 */
final class TwoSwarms implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration OFTEN = Duration.ofMillis(5);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int RECENT = 60;

    /** Docker's tasks stay without a node, as those of the plugin do where there is none; an update replaces all of them at once. */
    private static final List<String> NOWHERE =
            List.of("--no-resolve-image", "--update-parallelism", "0", "--constraint", "node.labels.x==none", "none");

    /** They run on the only node, and end at once when they are removed. */
    private static final List<String> ON_THE_NODE =
            List.of("--no-resolve-image", "--stop-grace-period", "0s", "bb", "/bin/busybox", "sleep", "3600");

    /** What Docker's manager says, without ids; what its command refuses by itself has no code. */
    private static final Pattern REFUSAL = Pattern.compile("(?s).*rpc error: code = \\w+ desc = ([^\n]*).*");

    private static final Pattern ID = Pattern.compile("[a-z0-9]{25}");

    /** Of which each swarm has one without tasks: for the address on the ingress network that the other one's node has there. */
    private static final String BALANCER = "lb";

    private final DaemonWithShell daemon;
    private final DockerEngine docker;
    private final List<String> log = new ArrayList<>();
    private final Set<String> networks = new LinkedHashSet<>();
    private final Map<String, Made> services = new TreeMap<>();
    private List<String> place = NOWHERE;

    /** A service that there is. */
    static final class Made {
        private int replicas;
        private final Set<String> networks = new TreeSet<>();
        /** Whether some of its tasks were removed, and some not. */
        private boolean thinned;

        int replicas() {
            return replicas;
        }

        List<String> networks() {
            return List.copyOf(networks);
        }
    }

    /** Starts both. */
    TwoSwarms(Path scratch, DaemonWithShell daemon) throws IOException {
        this.daemon = daemon;
        docker = DockerEngine.start("enipam-sw" + ProcessHandle.current().pid(), scratch.resolve("docker"));
        try {
            startPlugin(scratch);
        } catch (RuntimeException | Error | IOException e) {
            docker.close();
            throw e;
        }
    }

    private void startPlugin(Path scratch) throws IOException {
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
        daemon.startSwarm(config);
        daemon.ok("swarm network create ingress --ingress");
        shell("service create --name " + BALANCER + " --publish 1:1 --replicas 0");
    }

    @Override
    public void close() throws IOException {
        docker.close();
    }

    /** Why Docker's daemon has ended by itself. */
    Optional<String> panic() {
        return docker.panic();
    }

    /** What the plugin answers, which must do it. */
    private String shell(String command) {
        return daemon.ok("swarm " + command);
    }

    /** Notes what is done, for when it fails. */
    void note(String what) {
        log.add(what);
    }

    /** The networks that there are, the oldest first. */
    List<String> networks() {
        return List.copyOf(networks);
    }

    /** The services that there are, by name. */
    List<String> services() {
        return List.copyOf(services.keySet());
    }

    Made service(String service) {
        return Objects.requireNonNull(services.get(service), service);
    }

    // ---- commands

    /** {@code network create --driver overlay OPTIONS NAME}. */
    boolean createNetwork(String name, String... options) {
        boolean done = both(with(List.of("network", "create", "--driver", "overlay"), with(List.of(options), name)));
        if (done) {
            networks.add(name);
        }
        return done;
    }

    boolean removeNetwork(String name) {
        boolean done = both("network", "rm", name);
        if (done) {
            networks.remove(name);
        }
        return done;
    }

    static String[] with(List<String> some, String... more) {
        return Stream.concat(some.stream(), Stream.of(more)).toArray(String[]::new);
    }

    /**
     * {@code service create --name NAME OPTIONS --replicas REPLICAS}.
     *
     * @param options each with its value
     */
    void createService(String name, int replicas, List<String> options) {
        List<String> words = new ArrayList<>(List.of("service", "create", "--name", name));
        words.addAll(options);
        words.addAll(List.of("--replicas", Integer.toString(replicas)));
        if (both(words.toArray(String[]::new))) {
            Made made = new Made();
            made.replicas = replicas;
            attach(made, options, "--network");
            services.put(name, made);
        }
    }

    private static void attach(Made service, List<String> options, String option) {
        for (int i = 0; i < options.size(); i += 2) {
            if (options.get(i).equals(option)) {
                service.networks.add(options.get(i + 1));
            }
        }
    }

    /**
     * {@code service update OPTIONS NAME}.
     *
     * @param options each with its value
     */
    void update(String name, List<String> options) {
        Made made = service(name);
        if (both(with(List.of("service", "update"), with(options, name)))) {
            for (int i = 0; i < options.size(); i += 2) {
                if (options.get(i).equals("--network-rm")) {
                    made.networks.remove(options.get(i + 1));
                }
            }
            attach(made, options, "--network-add");
        }
    }

    void scale(String name, int wanted) {
        both("service", "scale", name + "=" + wanted);
        Made made = service(name);
        made.thinned = wanted > 0 && (made.thinned || wanted < made.replicas);
        made.replicas = wanted;
    }

    void removeService(String name) {
        both("service", "rm", name);
        services.remove(name);
    }

    /** All networks and services. */
    void removeAll() {
        List.copyOf(services.keySet()).forEach(this::removeService);
        compare();
        List.copyOf(networks).forEach(this::removeNetwork);
        assertThat(networks).as(this::recent).isEmpty();
        compare();
    }

    /** The plugin has a node, too, on which the tasks of services are that are made meanwhile; none is left then. */
    void onANode(Runnable commands) {
        place = ON_THE_NODE;
        shell("node add one");
        List<String> balancer =
                List.of("service", "create", "--detach", "--name", BALANCER, "--publish", "1:1", "--replicas", "0");
        docker.ok(with(balancer, NOWHERE.toArray(String[]::new)));
        commands.run();
        removeAll();
        compareNodes();
        shell("node rm one --yes");
        docker.ok("service", "rm", BALANCER);
        place = NOWHERE;
    }

    /** Gives a command to both; whether it was done. Both do it, or both refuse it, in the same words where those are the manager's. */
    boolean both(String... words) {
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
    void compare() {
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

    /** Whether they differ in something, once that is not allowed. */
    boolean differIn(Difference difference) throws IOException {
        Set<Difference> others = EnumSet.complementOf(EnumSet.of(difference));
        return !ours(others).equals(dockers(others));
    }

    /** Networks that have no subnets yet. */
    List<String> waiting() {
        return daemon.ok("swarm network ls -o json | jq -r '.rows[] | select(.cells[4] == \"-\") | .cells[1]'")
                .lines()
                .toList();
    }

    /** The VXLANs of networks that have one. */
    List<Integer> vxlans() {
        return inspected("network", networks.stream()).stream()
                .map(network ->
                        network.path("Options").path(SwarmObjects.VXLANS).asText())
                .filter(one -> one.matches("[0-9]+"))
                .map(Integer::valueOf)
                .toList();
    }

    private String dockers(Set<Difference> allowed) throws IOException {
        List<JsonNode> all = new ArrayList<>();
        docker.get("/services").forEach(service -> {
            if (!service.at("/Spec/Name").asText().equals(BALANCER)) {
                all.add(service);
            }
        });
        JsonNode tasks = docker.get("/tasks?filters=%7B%22desired-state%22%3A%5B%22running%22%5D%7D");
        return new SwarmObjects(docker.get("/networks"), all, tasks, thinned(), allowed).toString();
    }

    private Set<String> thinned() {
        return services.keySet().stream().filter(name -> service(name).thinned).collect(Collectors.toSet());
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

    /** The same, and the addresses of the nodes, which the real one has once a container runs there. */
    void compareNodes() {
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
            dockers.put(
                    "ingress",
                    docker.get("/services/" + BALANCER)
                            .at("/Endpoint/VirtualIPs/0/Addr")
                            .asText());
            Map<String, String> ours = Stream.of(shell("node ls -o json | jq -r '.rows[0].cells[3]'")
                            .strip()
                            .split(" "))
                    .map(each -> each.split("="))
                    .collect(Collectors.toMap(each -> each[0], each -> each[1], (a, b) -> a, TreeMap::new));
            assertThat(ours).as(this::recent).isEqualTo(dockers);
        });
    }

    /** What Docker's command refuses by itself, which its manager does not hear of. */
    boolean saysInItsOwnWords(String... words) {
        String said = docker.docker(words).text().strip();
        return !REFUSAL.matcher(said).matches()
                && !daemon.attached("swarm " + String.join(" ", words)).err().contains(said);
    }
}
