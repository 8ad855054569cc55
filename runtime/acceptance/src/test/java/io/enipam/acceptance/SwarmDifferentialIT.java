package io.enipam.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The plugin {@code swarm} beside the real one: the same random commands are given to Debian's Docker in swarm mode and to the shell, and
 * after each one both have the same subnets, gateways, virtual IPs, ports and addresses of tasks, or both have refused it.
 */
class SwarmDifferentialIT extends DaemonFixture {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int SEQUENCES = Integer.getInteger("enipam.swarm.sequences", 3);
    private static final long SEED = Long.getLong("enipam.swarm.seed", 1);
    private static final int COMMANDS = 12;

    /** Docker's tasks stay without a node, as those of the plugin do where there is none. */
    private static final List<String> NOWHERE = List.of("--constraint", "node.labels.x==none", "none");

    private final List<String> networks = new ArrayList<>();
    private final Map<String, Integer> services = new TreeMap<>();
    private final List<String> log = new ArrayList<>();
    private DockerEngine docker;
    private int number;

    @BeforeEach
    void startBoth() throws IOException {
        docker = DockerEngine.start("enipam-sw" + ProcessHandle.current().pid(), scratch.resolve("docker"));
        docker.host().ip("link set lo up");
        docker.ok("swarm", "init", "--advertise-addr", "127.0.0.1");
        Path config = Files.writeString(scratch.resolve("enipam.yaml"), """
                extensions: [swarm]
                plugins: {swarm: {ingress_subnet: auto}}
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
        // the address that the load balancer of Docker's node has on the ingress network
        daemon.ok("swarm network create ingress --ingress; swarm service create --name lb --publish 1:1 --replicas 0");
        await("ingress networks are there")
                .atMost(PATIENCE)
                .untilAsserted(
                        () -> assertThat(daemon.ok("swarm service inspect lb")).contains("10.0.0.2/24"));
    }

    @AfterEach
    void endDocker() throws IOException {
        docker.close();
    }

    @Test
    void bothAllocateAndRefuseTheSame() {
        for (int sequence = 0; sequence < SEQUENCES; sequence++) {
            SplittableRandom random = new SplittableRandom(SEED + sequence);
            log.add("seed " + (SEED + sequence));
            for (int i = 0; i < COMMANDS; i++) {
                command(random);
            }
            List.copyOf(services.keySet()).forEach(service -> removeService(service));
            List.copyOf(networks).forEach(network -> both(List.of("network", "rm", network)));
            networks.clear();
            compare();
        }
    }

    private void command(SplittableRandom random) {
        switch (random.nextInt(8)) {
            case 0, 1 -> createNetwork(random);
            case 2, 3, 4 -> createService(random);
            case 5 -> any(services.keySet(), random, service -> scale(service, random));
            case 6 -> any(services.keySet(), random, this::removeService);
            default ->
                any(networks, random, network -> {
                    if (both(List.of("network", "rm", network))) {
                        networks.remove(network);
                    }
                });
        }
        compare();
    }

    private interface Use {
        void of(String name);
    }

    private static void any(Iterable<String> names, SplittableRandom random, Use use) {
        List<String> all = StreamSupport.stream(names.spliterator(), false).toList();
        if (!all.isEmpty()) {
            use.of(all.get(random.nextInt(all.size())));
        }
    }

    private void createNetwork(SplittableRandom random) {
        String name = "n" + number++;
        String base = "172." + (20 + number % 200) + ".";
        List<String> words = new ArrayList<>(List.of("network", "create", "--driver", "overlay"));
        switch (random.nextInt(4)) {
            case 0 -> words.addAll(List.of("--subnet", base + "0.0/16", "--ip-range", base + "7.0/24"));
            case 1 -> words.addAll(List.of("--subnet", base + "0.0/24", "--gateway", base + "0.9"));
            case 2 -> words.addAll(List.of("--subnet", base + "0.0/29"));
            default -> {}
        }
        words.add(name);
        if (both(words)) {
            networks.add(name);
        }
    }

    private void createService(SplittableRandom random) {
        // a name that is taken is refused
        String name = random.nextInt(10) == 0 && !services.isEmpty()
                ? services.keySet().iterator().next()
                : "s" + number++;
        List<String> words = new ArrayList<>(List.of("service", "create", "--name", name));
        networks.stream().filter(network -> random.nextInt(3) > 0).limit(2).forEach(network -> {
            words.add("--network");
            words.add(network);
        });
        for (int port = random.nextInt(3); port > 0; port--) {
            words.add("--publish");
            words.add(
                    random.nextBoolean() ? 8000 + random.nextInt(4) + ":" + (80 + port) : Integer.toString(80 + port));
        }
        if (random.nextInt(5) == 0) {
            words.addAll(List.of("--endpoint-mode", "dnsrr"));
        }
        int replicas = random.nextInt(4);
        words.addAll(List.of("--replicas", Integer.toString(replicas)));
        if (both(words)) {
            services.put(name, replicas);
        }
    }

    /** To more tasks, or to none: which of them go first is the orchestrator's business. */
    private void scale(String service, SplittableRandom random) {
        int wanted = random.nextInt(3) == 0 ? 0 : services.get(service) + random.nextInt(3);
        both(List.of("service", "scale", service + "=" + wanted));
        services.put(service, wanted);
    }

    private void removeService(String service) {
        List<String> tasks = dockersTasks(service);
        both(List.of("service", "rm", service));
        services.remove(service);
        await("Docker's tasks are gone")
                .atMost(PATIENCE)
                .until(() -> tasks.stream()
                        .allMatch(task ->
                                docker.docker("inspect", "--type", "task", task).status() != 0));
    }

    /** Gives a command to both; whether it was done. Both do it, or both refuse. */
    private boolean both(List<String> words) {
        List<String> dockers = new ArrayList<>(words);
        if (words.get(1).equals("create") && words.get(0).equals("service")) {
            dockers.add(2, "--detach");
            dockers.addAll(NOWHERE);
        } else if (words.get(1).equals("scale")) {
            dockers.add(2, "--detach");
        }
        Netns.Said said = docker.docker(dockers.toArray(String[]::new));
        boolean destroys = words.get(1).equals("rm");
        ProgramRunner.Result ours = daemon.attached("swarm " + String.join(" ", words) + (destroys ? " --yes" : ""));
        log.add(String.join(" ", words) + " -> "
                + (said.status() == 0 ? "done" : said.text().strip()));
        assertThat(ours.status() == 0)
                .as("%s%nDocker: %s%nthe plugin: %s", recent(), said.text(), ours)
                .isEqualTo(said.status() == 0);
        return said.status() == 0;
    }

    private String recent() {
        return String.join("\n", log.subList(Math.max(0, log.size() - 40), log.size()));
    }

    /** Both are settled when all that was asked for is allocated; then they have the same. */
    private void compare() {
        await("both have the same").atMost(PATIENCE).untilAsserted(() -> {
            String dockers = dockersState();
            assertThat(pluginsState()).as(this::recent).isEqualTo(dockers);
            services.forEach((service, replicas) ->
                    assertThat(dockersTasks(service)).as(service).hasSize(replicas));
        });
    }

    // ---- what there is, in the same words

    private String dockersState() {
        List<String> state = new ArrayList<>();
        Map<String, String> names = new HashMap<>();
        for (String network : all(networks, "ingress")) {
            JsonNode inspected = json(docker.ok("network", "inspect", network)).get(0);
            names.put(inspected.get("Id").asText(), network);
            state.add(network(network, inspected));
        }
        for (String service : services.keySet()) {
            state.add(service(
                    service, json(docker.ok("service", "inspect", service)).get(0), names));
            List<String> tasks = dockersTasks(service);
            List<String> words = new ArrayList<>(List.of("inspect", "--type", "task"));
            words.addAll(tasks);
            state.add(addresses(tasks.isEmpty() ? "[]" : docker.ok(words.toArray(String[]::new)), service));
        }
        return String.join("\n", state);
    }

    private List<String> dockersTasks(String service) {
        return docker.ok("service", "ps", "--quiet", "--no-trunc", "--filter", "desired-state=running", service)
                .lines()
                .toList();
    }

    private String pluginsState() {
        List<String> state = new ArrayList<>();
        Map<String, String> names = new HashMap<>();
        for (String network : all(networks, "ingress")) {
            JsonNode inspected =
                    json(daemon.ok("swarm network inspect " + network)).get(0);
            names.put(inspected.get("Id").asText(), network);
            state.add(network(network, inspected));
        }
        for (String service : services.keySet()) {
            state.add(service(
                    service, json(daemon.ok("swarm service inspect " + service)).get(0), names));
            List<String> tasks = daemon.ok("swarm service ps " + service + " -o json | jq -r '.rows[].cells[0]'")
                    .lines()
                    .toList();
            String inspected = tasks.stream()
                    .map(task -> daemon.ok("swarm task inspect " + task))
                    .map(text -> json(text).get(0).toString())
                    .collect(Collectors.joining(",", "[", "]"));
            state.add(addresses(inspected, service));
        }
        return String.join("\n", state);
    }

    private static List<String> all(List<String> some, String more) {
        List<String> all = new ArrayList<>(some);
        all.add(more);
        return all;
    }

    private static JsonNode json(String text) {
        try {
            return JSON.readTree(text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String network(String name, JsonNode network) {
        List<String> subnets = new ArrayList<>();
        network.at("/IPAM/Config")
                .forEach(each -> subnets.add(each.path("Subnet").asText() + " "
                        + each.path("IPRange").asText() + " "
                        + each.path("Gateway").asText()));
        return "network " + name + " " + subnets;
    }

    private static String service(String name, JsonNode service, Map<String, String> networks) {
        TreeSet<String> virtualIps = new TreeSet<>();
        service.at("/Endpoint/VirtualIPs")
                .forEach(vip -> virtualIps.add(networks.get(vip.get("NetworkID").asText()) + "="
                        + vip.get("Addr").asText()));
        TreeSet<String> ports = new TreeSet<>();
        service.at("/Endpoint/Ports")
                .forEach(port -> ports.add(port.get("Protocol").asText().toLowerCase(Locale.ROOT) + ":"
                        + port.path("PublishedPort").asInt() + "->"
                        + port.get("TargetPort").asInt()));
        return "service " + name + " " + virtualIps + " " + ports;
    }

    private static String addresses(String tasks, String service) {
        TreeSet<String> addresses = new TreeSet<>();
        json(tasks)
                .forEach(task -> task.path("NetworksAttachments")
                        .forEach(attachment -> addresses.add(
                                attachment.at("/Network/Spec/Name").asText() + "=" + attachment.path("Addresses"))));
        return "tasks of " + service + " " + addresses;
    }
}
