package io.enipam.node.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.enipam.daemon.testing.LivingDaemon;
import io.enipam.daemon.testing.SocketClient;
import io.enipam.kubernetes.testing.CuttableProxy;
import io.enipam.kubernetes.testing.FakeApiServer;
import io.enipam.kubernetes.testing.Manifests;
import io.enipam.platform.testing.Kubeconfig;
import io.enipam.v1.ClusterCredential;
import io.enipam.v1.ClusterRequestCount;
import io.enipam.v1.ClusterStatus;
import io.enipam.v1.DoctorFinding;
import io.enipam.v1.ExplainRequest;
import io.enipam.v1.GetClusterReply;
import io.enipam.v1.GetClusterRequest;
import io.enipam.v1.GetConfigRequest;
import io.enipam.v1.GetLogRequest;
import io.enipam.v1.GetPodRequest;
import io.enipam.v1.GetStatusRequest;
import io.enipam.v1.GetTraceRequest;
import io.enipam.v1.InspectGrpc;
import io.enipam.v1.Lease;
import io.enipam.v1.ListPodsRequest;
import io.enipam.v1.PodInfo;
import io.enipam.v1.RunDoctorRequest;
import io.enipam.v1.TraceSpan;
import io.enipam.v1.WatchEventsRequest;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodListBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.fabric8.mockwebserver.http.MockResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Faults between a real daemon and an API server, each of which the doctor finds. One daemon for all, in this order. */
@Timeout(300)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ClusterFaultsTest {
    private static final List<String> CHECKS = List.of(
            "apiserver-clock-skew",
            "apiserver-refuses-token",
            "apiserver-throttles",
            "apiserver-unreachable",
            "certificate-expiring",
            "cluster-events-lost",
            "gc-unconfirmed",
            "lease-stale",
            "node-unknown",
            "permission-missing",
            "pod-address-differs",
            "pod-without-lease",
            "watch-stale");

    @TempDir
    static Path root;

    private static final FakeApiServer SERVER = new FakeApiServer();
    private static CuttableProxy line;
    private static Path kubeconfig;
    private static LivingDaemon daemon;

    @BeforeAll
    static void start() throws IOException {
        line = SERVER.line();
        SERVER.client().resource(Manifests.node("node-1").build()).create();
        kubeconfig = root.resolve("kubeconfig");
        writeToken(Duration.ofDays(300));
        Path yaml = root.resolve("root/etc/enipam/enipam.yaml");
        Files.createDirectories(yaml.getParent());
        Files.writeString(
                yaml,
                "node:\n  name: node-1\nkubernetes:\n  use: 'on'\n  kubeconfig: " + kubeconfig
                        + "\npool:\n  cool_down: 0s\nallocation:\n  timeout: 60s\n");
        daemon = LivingDaemon.start(root.resolve("root"));
    }

    @AfterAll
    static void stop() throws IOException {
        daemon.close();
        line.close();
        SERVER.close();
    }

    @Test
    @Order(10)
    void onAHealthyNodeNothingIsFound() {
        SERVER.client().resource(pod("web-0", "")).create();
        SERVER.client().resource(pod("web-0", SocketClient.ip(add("web-0")))).update();

        patiently()
                .untilAsserted(() -> assertThat(findings(CHECKS))
                        .allSatisfy((check, finding) -> assertThat(finding.getSeverity())
                                .as(finding.toString())
                                .isIn(
                                        check.equals("apiserver-clock-skew")
                                                ? List.of("OK", "SKIPPED")
                                                : List.of("OK"))));
    }

    @Test
    @Order(11)
    void aPodIsShownAsTheApiServerHasIt() {
        SERVER.client()
                .resource(new PodBuilder(pod("db-0", ""))
                        .editMetadata()
                        .addNewOwnerReference()
                        .withApiVersion("apps/v1")
                        .withKind("StatefulSet")
                        .withName("db")
                        .withUid("u")
                        .withController(true)
                        .endOwnerReference()
                        .addToAnnotations("k8s.aliyun.com/ingress-bandwidth", "10M")
                        .endMetadata()
                        .build())
                .create();
        String ip = SocketClient.ip(add("db-0"));
        patiently()
                .untilAsserted(
                        () -> assertThat(shown("default/db-0").getOwner()).isEqualTo("StatefulSet/db"));

        assertThat(shown("default/db-0").getPhase()).isEqualTo("Running");
        assertThat(apiServerSays("default/db-0"))
                .contains("Running", "of StatefulSet/db", "address is kept for it for 5m", "at most 10 MiB/s in");
        assertThat(apiServerSays("default/web-0"))
                .contains("address " + shown("default/web-0").getToldAddresses(0));
        assertThat(apiServerSays(shown("default/web-0").getToldAddresses(0))).contains("pod default/web-0 exists");
        SERVER.client().resource(pod("db-0", ip)).update();

        ClusterStatus status = daemon.client().status().getCluster();
        assertThat(status.getWatching()).as(status.toString()).isTrue();
        assertThat(status.getServer()).isEqualTo("http://127.0.0.1:" + line.port());
        assertThat(status.getPods()).isEqualTo(2);
        assertThat(status.getRequestsLastMinute()).isPositive();
        assertThat(status.getLeasesOnTrust()).isZero();
    }

    @Test
    @Order(20)
    void podsAndLeasesThatDoNotFitAreFoundAndSoIsWhatTheWatchHasNotHeard() {
        SERVER.client().resource(pod("foreign", "10.9.0.1")).create();
        SERVER.client().resource(pod("web-0", "10.9.0.2")).update();
        // one that the watch is not told of: it selects by a label that this one does not have
        Pod unheard = SERVER.client()
                .resource(new PodBuilder(pod("unheard", ""))
                        .editMetadata()
                        .withLabels(Map.of())
                        .endMetadata()
                        .build())
                .create();
        String listed = all(unheard);
        SERVER.answers(request -> request.contains("/pods?") && !request.contains("watch=true")
                ? Optional.of(new MockResponse()
                        .setResponseCode(200)
                        .setHeader("Content-Type", "application/json")
                        .setBody(listed))
                : Optional.empty());

        patiently()
                .untilAsserted(() -> assertFound(
                        Map.of("pod-without-lease", "WARN", "pod-address-differs", "WARN", "watch-stale", "WARN"),
                        "default/foreign",
                        "10.9.0.2",
                        "default/unheard, uid " + unheard.getMetadata().getUid()));
        SERVER.answers(request -> Optional.empty());
    }

    @Test
    @Order(30)
    void whatTheServerRefusesIsFound() {
        SERVER.answers(request -> request.startsWith("POST") && request.contains("/events")
                ? Optional.of(FakeApiServer.refusal(403, "Forbidden", "events is forbidden"))
                : request.contains("/nodes/node-1")
                        ? Optional.of(FakeApiServer.refusal(429, "TooManyRequests", "later"))
                        : request.contains("/pods/hidden")
                                ? Optional.of(FakeApiServer.refusal(500, "InternalError", "etcd is away"))
                                : Optional.empty());
        add("hidden");

        patiently()
                .untilAsserted(() -> assertFound(
                        Map.of("permission-missing", "WARN", "cluster-events-lost", "INFO", "gc-unconfirmed", "WARN"),
                        "post events",
                        "nothing was taken for gone: GET node node-1: 429"));
        assertThat(lookedUp("default/hidden"))
                .containsEntry("from", "the call itself")
                .extractingByKey("unanswered", InstanceOfAssertFactories.STRING)
                .contains("etcd is away");
        assertThat(lookedUp("default/web-0")).containsEntry("from", "API server");
        assertThat(daemon.client().status().getCluster().getLeasesOnTrust()).isEqualTo(1);
        findings(List.of("node-unknown"));
        assertFound(Map.of("apiserver-throttles", "WARN"), "GET nodes");
    }

    @Test
    @Order(40)
    void aNodeThatIsGoneAndAClockThatIsOffAreFound() {
        SERVER.answers(request -> request.contains("/nodes/node-1")
                ? Optional.of(
                        FakeApiServer.refusal(404, "NotFound", "no such node").setHeader("Date", inAnHour()))
                : Optional.empty());

        patiently().untilAsserted(() -> assertFound(Map.of("node-unknown", "CRITICAL"), "no node node-1"));
        patiently().untilAsserted(() -> assertFound(Map.of("apiserver-clock-skew", "WARN"), "behind the API server"));
    }

    @Test
    @Order(50)
    void aTokenThatEndsSoonAndOneThatIsNotAcceptedAreFound() throws IOException {
        writeToken(Duration.ofMinutes(2));
        assertFound(Map.of("certificate-expiring", "WARN"), "ends in");

        SERVER.answers(request -> Optional.of(FakeApiServer.refusal(401, "Unauthorized", "Unauthorized")));
        findings(List.of("node-unknown"));
        String told = assertFound(Map.of("apiserver-refuses-token", "CRITICAL"), "401");
        assertThat(told).doesNotContain("c2VjcmV0");
        SERVER.answers(request -> Optional.empty());
    }

    @Test
    @Order(60)
    void aServerThatIsAwayIsFound() {
        line.cut();

        patiently()
                .untilAsserted(() -> assertFound(
                        Map.of("apiserver-unreachable", "CRITICAL", "watch-stale", "WARN"), "does not answer"));
        add("blind");
        assertThat(shown("default/blind").getKnown()).isFalse();
        assertThat(shown("default/blind").getPhase())
                .as("nobody can say that it is gone")
                .isEqualTo("Unknown");
        assertThat(shown("default/web-0").getPhase()).as("as it was heard last").isEqualTo("Running");
    }

    @Test
    @Order(70)
    void nothingThatTheDaemonTellsHasTheTokenInIt() throws IOException {
        String token = Files.readString(kubeconfig).replaceAll("(?s).*token: \"([^\"]+)\".*", "$1");
        assertThat(token).endsWith("c2VjcmV0");
        InspectGrpc.InspectBlockingStub inspect = daemon.client().inspect();
        patiently()
                .atMost(Duration.ofSeconds(90))
                .untilAsserted(() -> assertThat(inspect.getCluster(GetClusterRequest.getDefaultInstance())
                                .getNodeTrouble())
                        .contains("no answer"));
        GetClusterReply link = inspect.getCluster(GetClusterRequest.getDefaultInstance());
        assertThat(link.getRequestsList())
                .extracting(ClusterRequestCount::getRequest)
                .contains("LIST pods", "GET nodes");
        assertThat(link.getCredentialsList())
                .extracting(ClusterCredential::getWhat)
                .contains("token");

        StringBuilder told = new StringBuilder();
        told.append(link);
        told.append(inspect.getStatus(GetStatusRequest.getDefaultInstance()));
        told.append(inspect.getConfig(GetConfigRequest.getDefaultInstance()));
        told.append(inspect.runDoctor(RunDoctorRequest.getDefaultInstance()));
        told.append(inspect.explain(
                ExplainRequest.newBuilder().setWhat("default/web-0").build()));
        inspect.listPods(ListPodsRequest.getDefaultInstance()).forEachRemaining(told::append);
        inspect.getLog(GetLogRequest.getDefaultInstance()).forEachRemaining(told::append);
        inspect.watchEvents(WatchEventsRequest.getDefaultInstance()).forEachRemaining(told::append);
        inspect.getTrace(GetTraceRequest.getDefaultInstance()).forEachRemaining(told::append);
        assertThat(told.toString())
                .contains("default/web-0")
                .doesNotContain(token)
                .doesNotContain(token.substring(token.indexOf('.') + 1, token.lastIndexOf('.')));
    }

    private static PodInfo shown(String pod) {
        return daemon.client()
                .inspect()
                .getPod(GetPodRequest.newBuilder().setPod(pod).build())
                .getPod();
    }

    /** What it says of something, by 'explain'. */
    private static String apiServerSays(String what) {
        return daemon
                .client()
                .inspect()
                .explain(ExplainRequest.newBuilder().setWhat(what).build())
                .getThings(0)
                .getSaysList()
                .stream()
                .filter(says -> says.getSource().equals("API server"))
                .map(says -> String.join("; ", says.getWordsList()))
                .findFirst()
                .orElseThrow();
    }

    /** The step of the pod's ADD in which it was looked up. */
    private static Map<String, String> lookedUp(String pod) {
        List<TraceSpan> steps = new ArrayList<>();
        daemon.client()
                .inspect()
                .getTrace(GetTraceRequest.newBuilder().setTarget(pod).build())
                .forEachRemaining(reply -> reply.getStoriesList().stream()
                        .filter(story -> story.getOperation().equals("ADD"))
                        .flatMap(story -> story.getSpansList().stream())
                        .filter(span -> span.getStep().equals("POD") && span.hasTook())
                        .forEach(steps::add));
        return steps.get(0).getAttributesMap();
    }

    private static ConditionFactory patiently() {
        return await().atMost(Duration.ofSeconds(60)).pollDelay(Duration.ZERO).pollInterval(Duration.ofSeconds(1));
    }

    private static String assertFound(Map<String, String> severities, String... words) {
        Map<String, DoctorFinding> found = findings(List.copyOf(severities.keySet()));
        assertThat(found.entrySet().stream()
                        .collect(Collectors.toMap(
                                Map.Entry::getKey, entry -> entry.getValue().getSeverity())))
                .as(found.toString())
                .isEqualTo(severities);
        assertThat(found.values()).allSatisfy(finding -> {
            assertThat(finding.getFix()).isNotBlank();
            assertThat(finding.getEvidenceList()).isNotEmpty();
        });
        assertThat(found.toString()).contains(words);
        return found.toString();
    }

    private static Map<String, DoctorFinding> findings(List<String> checks) {
        return daemon
                .client()
                .inspect()
                .runDoctor(RunDoctorRequest.newBuilder().addAllChecks(checks).build())
                .getFindingsList()
                .stream()
                .collect(Collectors.toMap(DoctorFinding::getCheck, Function.identity()));
    }

    /** Every pod of the node, whatever its labels, as a server lists them that selects by the node's name. */
    private static String all(Pod besides) {
        List<Pod> pods = SERVER.client()
                .pods()
                .inAnyNamespace()
                .withLabel("node", "node-1")
                .list()
                .getItems();
        return Serialization.asJson(new PodListBuilder()
                .withItems(pods)
                .addToItems(besides)
                .withNewMetadata()
                .withResourceVersion("1")
                .endMetadata()
                .build());
    }

    private static void writeToken(Duration life) throws IOException {
        String claims = Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(
                        ("{\"iat\":" + Instant.now().minus(Duration.ofDays(60)).getEpochSecond() + ",\"exp\":"
                                        + Instant.now().plus(life).getEpochSecond() + "}")
                                .getBytes(StandardCharsets.UTF_8));
        Kubeconfig.write(kubeconfig, line.port(), "e30." + claims + ".c2VjcmV0");
    }

    private static String inAnHour() {
        return DateTimeFormatter.RFC_1123_DATE_TIME.format(
                Instant.now().plus(Duration.ofHours(1)).atOffset(ZoneOffset.UTC));
    }

    private static Pod pod(String name, String ip) {
        return Manifests.running(name).editStatus().withPodIP(ip).endStatus().build();
    }

    private static Lease add(String name) {
        return daemon.client().add("default/" + name);
    }
}
