package io.enipam.frontends.terway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.enipam.daemon.testing.LivingDaemon;
import io.enipam.frontends.cni.CniClient;
import io.enipam.kubernetes.testing.CuttableProxy;
import io.enipam.kubernetes.testing.FakeApiServer;
import io.enipam.kubernetes.testing.Manifests;
import io.enipam.platform.testing.Kubeconfig;
import io.enipam.terway.rpc.AllocIPReply;
import io.enipam.v1.ExplainRequest;
import io.enipam.v1.GcReport;
import io.enipam.v1.GcSpared;
import io.enipam.v1.Lease;
import io.enipam.v1.RunGcRequest;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.dsl.NonDeletingOperation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A whole daemon whose API server goes away and comes back, and what runtimes ask of it meanwhile. */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(900)
class ApiServerOutageTest {
    private static final String NODE = "node-1";

    @TempDir
    private Path directory;

    private final FakeApiServer server = new FakeApiServer();
    private Path root;
    private CuttableProxy line;
    private LivingDaemon daemon;

    @BeforeEach
    void start() throws IOException {
        line = server.line();
        server.client().resource(Manifests.node(NODE).build()).create();
        Path kubeconfig = Kubeconfig.write(directory.resolve("kubeconfig"), line.port(), "daemon");
        root = directory.resolve("root");
        Path yaml = root.resolve("etc/enipam/enipam.yaml");
        Files.createDirectories(yaml.getParent());
        Files.writeString(yaml, """
                node: {name: %s}
                sockets: {terway: %s}
                pool: {min_idle: 2, max_idle: 5, cool_down: 0s}
                allocation: {timeout: 60s}
                kubernetes: {use: 'on', kubeconfig: %s}
                """.formatted(NODE, root.resolve("eni/eni.socket"), kubeconfig));
        daemon = LivingDaemon.start(root, new EmulatedLinksEnvironment());
        patiently().until(this::isWatching);
    }

    @AfterEach
    void stop() throws IOException {
        daemon.close();
        line.close();
        server.close();
    }

    @Test
    void terwaysPluginHearsAPodsLimitsWhileTheServerIsAwayAndTheLeaseHasItsUidAfterwards() {
        Pod pod = create("web-0", Map.of("k8s.aliyun.com/ingress-bandwidth", "10M"), "");
        try (FakeTerwayPlugin plugin = new FakeTerwayPlugin(root.resolve("eni/eni.socket"))) {
            long limit = ingress(plugin.add("web-0", "c1"));
            assertThat(limit).isPositive();
            plugin.release("web-0", "c1");
            line.cut();

            assertThat(ingress(plugin.add("web-0", "c2"))).isEqualTo(limit);
            assertThat(uid("c2")).contains("");
        }

        line.mend();
        patiently()
                .untilAsserted(
                        () -> assertThat(uid("c2")).contains(pod.getMetadata().getUid()));
    }

    @Test
    void aPodThatWasHeardOfAndNeverAddedHasItsLimitsWhileTheServerIsAway() {
        create("new-0", Map.of("k8s.aliyun.com/ingress-bandwidth", "10M"), "");
        patiently().until(() -> daemon.client().status().getCluster().getPods() == 1);
        line.cut();

        try (FakeTerwayPlugin plugin = new FakeTerwayPlugin(root.resolve("eni/eni.socket"))) {
            assertThat(ingress(plugin.add("new-0", "c1"))).isPositive();
        }
    }

    @Test
    void aRuntimesWordOnTheUidCountsWhileTheServerIsAway() throws IOException {
        create("known-0", Map.of(), "");
        line.cut();

        assertThat(add("known-0", "c1", "uid-of-the-next-one")).isZero();

        assertThat(uid("c1")).contains("uid-of-the-next-one");
        line.mend();
        patiently()
                .untilAsserted(() ->
                        assertThat(uid("c1")).as("another pod has its name").isEmpty());
    }

    @Test
    void aLeaseOfTheOutageGetsItsUidOnceThePodTellsItsAddressAndEndsWithThePod() throws IOException {
        line.cut();
        assertThat(add("late-0", "c1", "")).isZero();
        String address = lease("c1").orElseThrow().getResource().getAddresses(0).replaceFirst("/.*", "");
        Pod pod = create("late-0", Map.of(), "");
        line.mend();
        patiently().until(this::isWatching);
        assertThat(uid("c1")).contains("");

        create("late-0", Map.of(), address);

        patiently()
                .untilAsserted(
                        () -> assertThat(uid("c1")).contains(pod.getMetadata().getUid()));
        server.client()
                .pods()
                .inNamespace("default")
                .withName("late-0")
                .withGracePeriod(0)
                .delete();
        create("late-0", Map.of(), "");
        patiently().untilAsserted(() -> assertThat(lease("c1")).isEmpty());
    }

    @Test
    void aCollectionThatSparesALeaseSaysWhyAndExplainSaysTheSame() throws IOException {
        line.cut();
        assertThat(add("ghost-0", "c1", "")).isZero();
        line.mend();
        patiently().until(this::isWatching);

        GcReport dry = collect(true);
        GcReport report = collect(false);

        for (GcReport told : List.of(dry, report)) {
            assertThat(told.getCollectedList()).isEmpty();
            GcSpared spared = told.getSpared(0);
            assertThat(spared.getLease().getPod()).isEqualTo("default/ghost-0");
            assertThat(spared.getReason()).contains("does not exist", "no UID", "10 minutes");
            assertThat(spared.hasUntil()).isTrue();
        }
        var explained = daemon.client()
                .inspect()
                .explain(ExplainRequest.newBuilder().setWhat("default/ghost-0").build());
        assertThat(explained.toString())
                .contains("the garbage collection spares the lease: "
                        + report.getSpared(0).getReason());
        assertThat(explained.toString()).contains("from then on");
        assertThat(lease("c1")).isPresent();
    }

    /** A watch that is cut while it opens is noticed after two to three minutes. */
    private static ConditionFactory patiently() {
        return await().atMost(Duration.ofMinutes(5));
    }

    private boolean isWatching() {
        return daemon.client().status().getCluster().getWatching();
    }

    /** Makes a pod, or changes the one there is. */
    private Pod create(String name, Map<String, String> annotations, String ip) {
        PodBuilder pod = Manifests.running(name)
                .editMetadata()
                .withAnnotations(annotations)
                .endMetadata()
                .editStatus()
                .withPodIP(ip.isEmpty() ? null : ip)
                .endStatus();
        return server.client().resource(pod.build()).createOr(NonDeletingOperation::update);
    }

    private GcReport collect(boolean dryRun) {
        return daemon.client()
                .control()
                .runGc(RunGcRequest.newBuilder().setDryRun(dryRun).build())
                .getReport();
    }

    private Optional<Lease> lease(String container) {
        return daemon.client().pods().stream()
                .flatMap(pod -> pod.getLeasesList().stream())
                .filter(lease -> lease.getOwner().getContainer().equals(container))
                .findFirst();
    }

    private Optional<String> uid(String container) {
        return lease(container).map(Lease::getPodUid);
    }

    private static long ingress(AllocIPReply reply) {
        return reply.getENIMultiIP().getPodConfig().getIngress();
    }

    /** CNI ADD. @return the exit code */
    private int add(String pod, String container, String uid) throws IOException {
        Path netns = directory.resolve("netns-" + container);
        if (!Files.exists(netns)) {
            Files.createFile(netns);
        }
        String args = "IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME=" + pod
                + (uid.isEmpty() ? "" : ";K8S_POD_UID=" + uid);
        CniClient.Told told = new CniClient(root.resolve("run/cni.sock"))
                .call(
                        CniClient.variables("ADD", container, netns.toString(), "CNI_ARGS", args),
                        CniClient.conf("1.0.0", ""));
        assertThat(told.exit()).as(told.stdout()).isZero();
        return told.exit();
    }
}
