package io.enipam.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.enipam.acceptance.Netns.Said;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Debian's Docker, unchanged, with the plugin {@code swarm} for its IPAM driver: each dockerd in a namespace as on a host of its own. */
class DockerIpamIT extends DaemonFixture {
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final int CONTAINERS = Integer.getInteger("enipam.docker.containers", 20);

    private final String driver = "enipam-it" + ProcessHandle.current().pid();
    private final Path driversSocket = Path.of("/run/docker/plugins", driver + ".sock");
    private final List<DockerEngine> engines = new ArrayList<>();
    private DockerEngine one;

    @BeforeEach
    void startDocker() throws IOException {
        one = engine("one");
    }

    private DockerEngine engine(String name) throws IOException {
        DockerEngine engine = DockerEngine.start(driver + "-" + name, scratch.resolve(name));
        engines.add(engine);
        return engine;
    }

    @AfterEach
    void endDocker() throws IOException {
        for (DockerEngine engine : engines) {
            engine.close();
        }
        Files.deleteIfExists(driversSocket);
    }

    private void serve() throws IOException {
        serve("", "--emulate");
    }

    /** Several hosts' addresses are a cluster's. */
    private void serveHosts() throws IOException {
        serve("    docker_require_mac: true\nmetrics: {listen: ''}\n", "--role", "cluster");
    }

    private void serve(String settings, String... options) throws IOException {
        Path plugin = Project.root().resolve("plugins-examples/swarm/target/plugin");
        String sockets = String.join(
                ", ", engines.stream().map(engine -> engine.socket().toString()).toList());
        Path config = Files.writeString(
                scratch.resolve("enipam.yaml"),
                "extensions: [docker-ipam]\n"
                        + "plugins:\n"
                        + "  swarm:\n"
                        + "    docker_socket: " + driversSocket + "\n"
                        + "    docker_default_pools: ['base=10.66.0.0/16,size=24']\n"
                        + "    docker_pools:\n"
                        + "      - {name: shared, subnet: 10.65.0.0/16, range: 10.65.4.0/22}\n"
                        + "      - {name: shared, subnet: 'fd00:65::/64'}\n"
                        + "    docker_api: [" + sockets + "]\n"
                        + settings);
        List<String> words = new ArrayList<>(List.of(options));
        words.addAll(List.of("--log-level", "warn", "--config", config.toString(), "--plugin", plugin.toString()));
        daemon.start(words.toArray(String[]::new));
        await("the driver listens")
                .atMost(PATIENCE)
                .until(() -> daemon.ok("plugin info swarm").matches("(?s).*docker-ipam.*LISTENING.*"));
    }

    private String create(DockerEngine engine, String name, String... options) {
        List<String> words = new ArrayList<>(List.of("network", "create", "--ipam-driver", driver));
        words.addAll(List.of(options));
        words.add(name);
        return engine.ok(words.toArray(String[]::new));
    }

    private List<String> leases() {
        return daemon.ok("swarm ipam leases -o json | jq -r '.rows[].cells[0]'")
                .lines()
                .toList();
    }

    private void nothingIsLeft() {
        assertThat(daemon.ok("swarm ipam leases; swarm ipam pools")).doesNotContain("10.", "fd00:");
    }

    @Test
    void containersHaveTheirAddressesThroughKillsOfTheDaemonAndOfDocker() throws Exception {
        serve();
        // dockerd takes --ip for a network with --subnet alone
        create(one, "lan", "--ipam-opt", "pool=shared", "--subnet", "10.65.0.0/16");
        assertThat(leases()).as("the gateway").containsExactly("10.65.4.0");
        assertThat(one.run("auto", "lan")).isEqualTo("10.65.4.1/16");
        assertThat(one.run("fixed", "lan", "--ip", "10.65.200.7")).isEqualTo("10.65.200.7/16");
        Said refused =
                one.docker("run", "--rm", "--network", "lan", "--ip", "10.65.200.7", "bb", "/bin/busybox", "true");
        assertThat(refused.text()).contains("Address already in use: 10.65.200.7", "choose another one");
        create(one, "chosen");
        assertThat(one.gateway("chosen")).isEqualTo("10.66.0.1");
        create(
                one,
                "given",
                "--subnet",
                "10.67.0.0/24",
                "--gateway",
                "10.67.0.254",
                "--aux-address",
                "printer=10.67.0.1");
        assertThat(one.run("third", "given")).isEqualTo("10.67.0.2/24");
        assertThat(one.docker("network", "create", "--ipam-driver", driver, "--ipam-opt", "pool=none", "x")
                        .text())
                .contains("there is no pool none of IPV4, but [shared]");
        operatorsSeeThem();

        daemon.kill();
        Process waiting = one.begin(
                "run", "--detach", "--name", "late", "--network", "lan", "bb", "/bin/busybox", "sleep", "3600");
        serve();
        assertThat(waiting.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        if (waiting.exitValue() != 0) { // Docker asks for some 15 s, and a busy machine starts the daemon in more
            one.docker("rm", "--force", "late");
            one.run("late", "lan");
        }
        assertThat(one.address("late")).as("Docker waited for the daemon").isEqualTo("10.65.4.2/16");
        List<String> before = leases();

        one.kill();
        assertThat(one.start()).isTrue();
        assertThat(daemon.ok("swarm ipam pools")).contains("shared@", "10.66.0.0/24", "10.67.0.0/24");
        assertThat(before).containsAll(leases());
        one.ok("start", "fixed", "auto", "late", "third");
        assertThat(one.address("fixed")).isEqualTo("10.65.200.7/16");
        everyContainerHasTheAddressOfALease("lan", "given");

        one.ok("rm", "--force", "auto", "fixed", "late", "third");
        assertThat(leases()).containsExactly("10.65.4.0", "10.66.0.1", "10.67.0.1", "10.67.0.254");
        one.ok("network", "rm", "lan", "chosen", "given");
        nothingIsLeft();
        create(one, "again");
        assertThat(one.gateway("again"))
                .as("a pool that was given back is the last to come again")
                .isEqualTo("10.66.1.1");
        one.ok("network", "rm", "again");
        nothingIsLeft();
    }

    private void operatorsSeeThem() {
        assertThat(daemon.ok("swarm ipam pools -o json | jq -r '.rows[] | select(.cells[1] == \"shared\") | .cells[6]'")
                        .strip())
                .as("taken of the range")
                .isEqualTo("2");
        assertThat(daemon.ok("swarm ipam leases --pool shared"))
                .contains("10.65.4.1", "CONTAINER", "FIXED")
                .doesNotContain("10.66.");
        assertThat(daemon.ok("swarm ipam release 10.65.4.1 --dry-run")).contains("would be taken from");
        assertThat(daemon.ok("doctor swarm/ipam-stale; doctor swarm/ipam-full; doctor swarm/ipam-gone"))
                .doesNotContain("WARN", "CRITICAL");
    }

    private void everyContainerHasTheAddressOfALease(String... networks) {
        List<String> addresses = Stream.of(networks)
                .flatMap(network -> one.addresses(network).stream())
                .map(text -> text.replaceFirst("/.*", ""))
                .toList();
        assertThat(addresses).doesNotHaveDuplicates();
        assertThat(leases()).containsAll(addresses);
    }

    /** As far as this kernel has them: what Docker cannot bring to an end, it says, and nothing is left of it. */
    @ParameterizedTest
    @CsvSource({
        "--driver macvlan --opt parent=up0 --subnet 10.68.0.0/24, inet 10.68.0.2/24",
        "--driver ipvlan --opt parent=up0 --subnet 10.68.0.0/24 --ip-range 10.68.0.64/26, inet 10.68.0.65/24",
        "--ipv6 --subnet fd00:65::/64 --ipam-opt pool=shared, inet6 fd00:65::2/64"
    })
    void networksOfOtherDriversAndFamiliesComeAndGo(String options, String address) throws IOException {
        serve();
        one.host().ip("link add up0 type veth peer name up1");
        one.host().ip("link set up0 up");
        Said said = one.docker(("network create --ipam-driver " + driver + " " + options + " n").split(" "));
        if (said.status() == 0) {
            said = one.docker("run --rm --network n bb /bin/busybox ip -o address show dev eth0".split(" "));
            one.ok("network", "rm", "n");
        }
        assertThat(said.text()).containsPattern(said.status() == 0 ? Pattern.quote(address) : "not supported");
        nothingIsLeft();
    }

    /**
     * Its address, without its length. A call that the daemon's end broke off dockerd repeats without a body, which fails: it is run again, as
     * its user is told to.
     */
    private static String container(DockerEngine engine, String name, AtomicInteger repeated) {
        String[] words = ("run --detach --network lan --name " + name + " bb /bin/busybox sleep 3600").split(" ");
        Said said = engine.docker(words);
        while (said.status() != 0 && said.text().contains("run the command again")) {
            repeated.incrementAndGet();
            engine.ok("rm", "--force", name);
            said = engine.docker(words);
        }
        assertThat(said.status()).as(said.text()).isZero();
        return engine.address(name).replaceFirst("/.*", "");
    }

    @Test
    void containersOfTwoDockerdsOnOnePoolHaveDifferentAddressesAndLeaveNothing() throws Exception {
        DockerEngine two = engine("two");
        serveHosts();
        for (DockerEngine engine : engines) {
            create(engine, "lan", "--ipam-opt", "pool=shared");
        }
        assertThat(one.gateway("lan")).isNotEqualTo(two.gateway("lan"));
        Set<String> lost = new TreeSet<>();
        AtomicInteger repeated = new AtomicInteger();
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<CompletableFuture<String>> started = IntStream.range(0, CONTAINERS)
                    .mapToObj(i -> CompletableFuture.supplyAsync(
                            () -> container(engines.get(i % 2), "c" + i, repeated), threads))
                    .toList();
            await("half of them run")
                    .atMost(PATIENCE.multipliedBy(8))
                    .until(() ->
                            started.stream().filter(CompletableFuture::isDone).count() >= CONTAINERS / 2);
            daemon.kill();
            serveHosts();
            List<String> addresses = new ArrayList<>(
                    started.stream().map(CompletableFuture::join).toList());
            addresses.add(one.gateway("lan"));
            addresses.add(two.gateway("lan"));
            assertThat(addresses).doesNotHaveDuplicates();
            lost.addAll(leases());
            assertThat(lost).containsAll(addresses);
            lost.removeAll(addresses);
            assertThat(lost).as("of calls that broke off").hasSizeLessThanOrEqualTo(repeated.get());
            assertThat(daemon.ok("doctor swarm/ipam-stale")).doesNotContain("WARN");

            one.kill();
            daemon.kill();
            serveHosts();
            assertThat(one.start()).isTrue();
            assertThat(two.addresses("lan")).as("the other host goes on").hasSize(CONTAINERS / 2);
            CompletableFuture.allOf(IntStream.range(0, CONTAINERS)
                            .mapToObj(i -> CompletableFuture.runAsync(
                                    () -> engines.get(i % 2).ok("rm", "--force", "c" + i), threads))
                            .toArray(CompletableFuture<?>[]::new))
                    .join();
        } finally {
            threads.shutdownNow();
        }
        assertThat(leases()).as("the gateways, and what was lost").hasSize(2 + lost.size());
        one.ok("network", "rm", "lan");
        two.ok("network", "rm", "lan");
        nothingIsLeft();
    }
}
