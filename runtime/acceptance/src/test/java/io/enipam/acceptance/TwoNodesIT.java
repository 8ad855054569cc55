package io.enipam.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.enipam.acceptance.CniProgram.Answer;
import io.enipam.acceptance.FakeContainerRuntime.Sandbox;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** Two nodes of one VPC, and real pods on them: the programs as they ship, and the kernel of this machine. */
class TwoNodesIT {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int AT_ONCE = 8;
    private static final int PODS_OF_NODE = 5;
    private static final int PODS_OF_STORM = 50;
    private static final Duration SETTLING = Duration.ofSeconds(60);

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    static Path scratch;

    private static final ExecutorService THREADS = Executors.newFixedThreadPool(AT_ONCE);
    private static final List<NetworkNode> NODES = new ArrayList<>();
    private static final List<FakeContainerRuntime> RUNTIMES = new ArrayList<>();
    private static ProgramRunner programs;
    private static VpcCloud cloud;

    private final List<Sandbox> alive = new ArrayList<>();

    @BeforeAll
    static void start() throws Exception {
        Netns.require();
        programs = new ProgramRunner(Files.createDirectory(scratch.resolve("tmp")));
        cloud = VpcCloud.start(
                programs,
                scratch,
                "two",
                "--instances=2",
                "--instance-type=ecs.g7.4xlarge",
                "--vswitch=vsw-a=10.0.0.0/22");
        for (int i = 0; i < 2; i++) {
            NetworkNode node = node(i);
            NODES.add(node);
            RUNTIMES.add(runtime(node));
        }
        NODES.forEach(NetworkNode::awaitReady);
    }

    private static NetworkNode node(int number) throws IOException {
        Path root = Files.createDirectory(scratch.resolve("n" + number));
        NetworkNode node = new NetworkNode(
                programs, cloud.node(number), root, "pool: {min_idle: 2, max_idle: 4, cool_down: 1s}\n");
        node.launch();
        return node;
    }

    private static FakeContainerRuntime runtime(NetworkNode node) {
        return new FakeContainerRuntime(node);
    }

    @AfterAll
    static void stop() throws Exception {
        THREADS.shutdownNow();
        NODES.forEach(NetworkNode::terminate);
        for (NetworkNode node : NODES) {
            node.close();
        }
        if (cloud != null) {
            cloud.close();
        }
    }

    @AfterEach
    void removeNamespaces() {
        alive.forEach(pod -> pod.netns().remove());
    }

    @Test
    void everyPodReachesEveryOtherAndTheNodesByTheirVpcAddresses() throws Exception {
        Map<Sandbox, Integer> pods = twiceFive();
        List<String> addresses = pods.keySet().stream().map(Sandbox::address).toList();
        assertThat(addresses).doesNotHaveDuplicates().allMatch(address -> address.startsWith("10.0."));

        Reachability.reach(List.copyOf(pods.keySet()), List.of(cloud.address(0), cloud.address(1)));
        pods.forEach((pod, node) -> {
            Answer checked = RUNTIMES.get(node).check(pod);
            assertThat(checked.status()).as("CHECK: %s", checked).isZero();
            assertThat(checked.out()).isEmpty();
        });

        String ofAnother = pods.entrySet().stream()
                .filter(pod -> pod.getValue() == 0 && !pod.getKey().equals(first(pods, 0)))
                .map(pod -> pod.getKey().address())
                .findFirst()
                .orElseThrow();
        Sandbox from = first(pods, 0);
        Sandbox to = first(pods, 1);
        Reachability.wrongSourceDoesNotPass(from, from.address(), to, to.address(), List.of("10.0.3.200", ofAnother));

        all(List.copyOf(pods.keySet()), pod -> RUNTIMES.get(pods.get(pod)).stop(pod));
        for (NetworkNode node : NODES) {
            NodeKernelState.assertNothingIsLeft(node);
        }
    }

    private Map<Sandbox, Integer> twiceFive() throws Exception {
        List<Sandbox> made = new ArrayList<>();
        Map<String, Integer> nodes = new TreeMap<>();
        for (int node = 0; node < 2; node++) {
            for (int i = 0; i < PODS_OF_NODE; i++) {
                Sandbox sandbox = RUNTIMES.get(node).sandbox("pod-" + node + "-" + i);
                alive.add(sandbox);
                made.add(sandbox);
                nodes.put(sandbox.container(), node);
            }
        }
        Map<String, Sandbox> running = new TreeMap<>();
        all(made, sandbox -> {
            Sandbox run = RUNTIMES.get(nodes.get(sandbox.container())).run(sandbox);
            synchronized (running) {
                running.put(sandbox.container(), run);
            }
        });
        Map<Sandbox, Integer> pods = new LinkedHashMap<>();
        made.forEach(pod -> pods.put(running.get(pod.container()), nodes.get(pod.container())));
        return pods;
    }

    private static Sandbox first(Map<Sandbox, Integer> pods, int node) {
        return pods.entrySet().stream()
                .filter(pod -> pod.getValue() == node)
                .map(Map.Entry::getKey)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void bandwidthIsLimitedInBothDirections() throws Exception {
        long ingress = 80_000_000;
        long egress = 48_000_000;
        Sandbox free = run(0, Map.of());
        Sandbox slow = run(1, Map.of("ingressRate", ingress, "egressRate", egress));

        rateIsNear(free, slow, ingress / 8.0);
        rateIsNear(slow, free, egress / 8.0);

        RUNTIMES.get(0).stop(free);
        RUNTIMES.get(1).stop(slow);
        for (NetworkNode node : NODES) {
            NodeKernelState.assertNothingIsLeft(node);
        }
    }

    private Sandbox run(int node, Map<String, Long> bandwidth) {
        Sandbox sandbox = RUNTIMES.get(node).sandbox("band-" + node, bandwidth);
        alive.add(sandbox);
        return RUNTIMES.get(node).run(sandbox);
    }

    /** A busy machine makes it slower now and then, never faster. */
    private static void rateIsNear(Sandbox from, Sandbox to, double bytesPerSecond) throws IOException {
        double measured = 0;
        for (int attempt = 0; attempt < 12 && Math.abs(measured / bytesPerSecond - 1) > 0.15; attempt++) {
            String port = Integer.toString(5000 + attempt);
            Process receiver = to.netns().probe("receive", port, "3");
            var out = receiver.inputReader();
            assertThat(out.readLine()).isEqualTo("listening");
            Process sender = from.netns().probe("send", to.address(), port);
            measured = Double.parseDouble(out.readLine());
            Netns.lines(sender);
        }
        System.out.printf("bandwidth: %.2f MB/s of %.2f MB/s%n", measured / 1e6, bytesPerSecond / 1e6);
        assertThat(measured / bytesPerSecond).isBetween(0.85, 1.15);
    }

    @Test
    void fiftyPodsComeAndGoWhileTheDaemonIsKilledInTheMiddleOfBoth() throws Exception {
        NetworkNode node = NODES.get(0);
        Map<String, Sandbox> pods = new TreeMap<>();
        List<String> names =
                IntStream.range(0, PODS_OF_STORM).mapToObj(i -> "storm-" + i).toList();
        AtomicInteger done = new AtomicInteger();

        Future<?> strike = strikeAfter(node, done, PODS_OF_STORM / 3);
        all(names, name -> {
            Sandbox running = startedByKubelet(name);
            synchronized (pods) {
                pods.put(name, running);
            }
            done.incrementAndGet();
        });
        strike.get(SETTLING.toSeconds(), TimeUnit.SECONDS);
        node.awaitReady();

        Set<String> addresses = new HashSet<>();
        pods.values()
                .forEach(pod -> assertThat(addresses.add(pod.address()))
                        .as("%s is nobody else's", pod.address())
                        .isTrue());
        assertThat(node.netns().silent(5, List.copyOf(addresses)))
                .as("who does not answer the node")
                .isEmpty();
        assertThat(node.ok("pool inuse -o name").lines()).hasSize(PODS_OF_STORM);

        done.set(0);
        Future<?> second = strikeAfter(node, done, PODS_OF_STORM / 3);
        all(List.copyOf(pods.values()), pod -> {
            RUNTIMES.get(0).stop(pod);
            done.incrementAndGet();
        });
        second.get(SETTLING.toSeconds(), TimeUnit.SECONDS);
        node.awaitReady();

        NodeKernelState.assertNothingIsLeft(node);
        Awaitility.await("cloud and daemon agree")
                .atMost(SETTLING)
                .untilAsserted(() -> assertThat(believed(node)).isEqualTo(cloud.addresses(0)));
    }

    /** An ADD that fails is followed by a DEL, and by a new sandbox. */
    private Sandbox startedByKubelet(String pod) {
        long end = System.nanoTime() + SETTLING.toNanos();
        while (true) {
            Sandbox sandbox = RUNTIMES.get(0).sandbox(pod);
            synchronized (alive) {
                alive.add(sandbox);
            }
            Answer answer = RUNTIMES.get(0).add(sandbox);
            if (answer.isDone()) {
                return FakeContainerRuntime.with(sandbox, answer);
            }
            assertThat(answer.json().path("code").asInt()).as("%s", answer).isPositive();
            assertThat(System.nanoTime() < end).as("ADD of %s: %s", pod, answer).isTrue();
            RUNTIMES.get(0).stop(sandbox);
        }
    }

    private static Future<?> strikeAfter(NetworkNode node, AtomicInteger done, int calls) {
        CompletableFuture<Void> struck = new CompletableFuture<>();
        Thread killer = new Thread(() -> {
            try {
                while (done.get() < calls) {
                    Thread.sleep(2);
                }
                node.kill();
                node.launch();
                struck.complete(null);
            } catch (Exception e) {
                struck.completeExceptionally(e);
            }
        });
        killer.setDaemon(true);
        killer.start();
        return struck;
    }

    private static Map<String, TreeSet<String>> believed(NetworkNode node) throws IOException {
        Map<String, TreeSet<String>> enis = new TreeMap<>();
        JsonNode list = JSON.readTree(node.ok("eni list -o json"));
        for (JsonNode eni : list.path("enis")) {
            TreeSet<String> addresses = new TreeSet<>();
            eni.path("addresses")
                    .forEach(one -> addresses.add(one.path("address").asText().replaceFirst("/.*", "")));
            enis.put(eni.path("id").asText(), addresses);
        }
        return enis;
    }

    private interface Work<T> {
        void on(T item) throws Exception;
    }

    private static <T> void all(List<T> items, Work<T> work) throws Exception {
        List<Future<?>> futures = new ArrayList<>();
        for (T item : items) {
            futures.add(THREADS.submit(() -> {
                work.on(item);
                return null;
            }));
        }
        for (Future<?> future : futures) {
            future.get(3 * SETTLING.toSeconds(), TimeUnit.SECONDS);
        }
    }
}
