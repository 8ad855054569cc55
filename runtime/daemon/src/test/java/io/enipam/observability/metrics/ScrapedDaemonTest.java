package io.enipam.observability.metrics;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.enipam.daemon.testing.LivingDaemon;
import io.enipam.kubernetes.testing.CuttableProxy;
import io.enipam.kubernetes.testing.FakeApiServer;
import io.enipam.kubernetes.testing.Manifests;
import io.enipam.observability.metrics.Promql.Matched;
import io.enipam.observability.metrics.Promql.Selector;
import io.enipam.platform.testing.Kubeconfig;
import io.enipam.v1.Event;
import io.enipam.v1.RunGcRequest;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A whole daemon on the emulated cloud and an API server, scraped as Prometheus and asked as the kubelet does. */
@Timeout(180)
class ScrapedDaemonTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Path DEPLOY = Path.of("../deploy");
    private static final Pattern COMMAND = Pattern.compile("'enipam ([a-z-]+)");
    private static final Set<String> COMMANDS = Set.of(
            "status",
            "doctor",
            "events",
            "trace",
            "explain",
            "pool",
            "eni",
            "ecs",
            "gc",
            "db",
            "plugin",
            "log",
            "top",
            "support-bundle");

    @TempDir
    private static Path root;

    private static FakeApiServer server;
    private static CuttableProxy line;
    private static LivingDaemon daemon;
    private static URI address;

    @BeforeAll
    static void begin() throws IOException {
        server = new FakeApiServer();
        line = server.line();
        Path kubeconfig = Kubeconfig.write(root.resolve("kubeconfig"), line.port(), "the-token-of-nobody");
        Path yaml = root.resolve("root/etc/enipam/enipam.yaml");
        Files.createDirectories(yaml.getParent());
        Files.writeString(yaml, """
                node: {name: node-1}
                allocation: {timeout: 60s}
                kubernetes: {use: 'on', kubeconfig: %s}
                metrics: {listen: '127.0.0.1:0'}
                """.formatted(kubeconfig));
        daemon = LivingDaemon.onTheEmulator(root.resolve("root"));
        await().atMost(PATIENCE)
                .until(() -> events().stream().anyMatch(event -> event.getType().equals("MetricsServed")));
        address = URI.create(events().stream()
                .filter(event -> event.getType().equals("MetricsServed"))
                .map(event -> event.getMessage().replaceFirst(".* on (http://\\S+)$", "$1"))
                .findFirst()
                .orElseThrow());
        pod("web-0");
        pod("web-1");
        add("web-0");
        add("web-1");
        assertThatThrownBy(() -> add("nobody")).isInstanceOf(StatusRuntimeException.class);
        daemon.client().del("default/web-1");
        daemon.client().control().runGc(RunGcRequest.getDefaultInstance());
    }

    @AfterAll
    static void end() throws IOException {
        daemon.close();
        line.close();
        server.close();
    }

    @Test
    void whatTheDaemonDidIsWhatAScraperReads() {
        await().atMost(PATIENCE).untilAsserted(() -> {
            Exposition page = scraped();
            assertThat(page.value("enipam_apiserver_watch_up")).isEqualTo(1);
            assertThat(page.value("enipam_gc_runs_total"))
                    .as("seen by the next sample")
                    .isPositive();
        });
        Exposition page = scraped();

        assertThat(page.value("enipam_ready")).isEqualTo(1);
        assertThat(page.value("enipam_leases")).isEqualTo(1);
        assertThat(page.value("enipam_pool_resources{state=\"in_use\"}")).isEqualTo(1);
        assertThat(page.value("enipam_cni_duration_seconds_count{command=\"ADD\",outcome=\"ok\"}"))
                .isEqualTo(2);
        assertThat(page.value("enipam_cni_failures_total{code=\"POD_GONE\",command=\"ADD\"}"))
                .isEqualTo(1);
        assertThat(page.value("terway_rpc_latency_count{error=\"false\",rpc_api=\"AllocIP\"}"))
                .isEqualTo(2);
        assertThat(page.value("terway_rpc_latency_count{error=\"false\",rpc_api=\"ReleaseIP\"}"))
                .isEqualTo(1);
        assertThat(page.value("terway_rpc_latency_sum{error=\"false\",rpc_api=\"AllocIP\"}"))
                .as("terway's are milliseconds, of the same ADDs")
                .isCloseTo(
                        1_000 * page.value("enipam_cni_duration_seconds_sum{command=\"ADD\",outcome=\"ok\"}"),
                        within(1e-6));
        assertThat(page.value("enipam_enis{state=\"InUse\"}")).isPositive();
        assertThat(page.value("terway_eniip_factory_eni_count{name=\"eni-ip\"}"))
                .isPositive();
        assertThat(page.value("terway_resource_pool_total_count{ipStack=\"ipv4\",type=\"LocalIP\"}"))
                .isPositive();
        assertThat(page.value("enipam_cloud_calls_total{api=\"AssignPrivateIpAddresses\",outcome=\"ok\"}")
                        + page.value("enipam_cloud_calls_total{api=\"CreateNetworkInterface\",outcome=\"ok\"}"))
                .isPositive();
        assertThat(page.value("aliyun_metadata_latency_count{error=\"false\",url=\"instance-id\"}"))
                .isEqualTo(1);
        assertThat(page.value("rate_limiter_latency_count{api=\"DescribeNetworkInterfaces\"}"))
                .isPositive();
        assertThat(page.value("enipam_db_fsync_duration_seconds_count")).isPositive();
        assertThat(page.value("enipam_db_commit_duration_seconds_count{outcome=\"ok\"}"))
                .isPositive();
        assertThat(page.value("enipam_db_size_bytes")).isPositive();
        assertThat(page.value("enipam_apiserver_requests_total{code=\"200\",resource=\"pods\",verb=\"LIST\"}"))
                .isPositive();
        assertThat(page.value("enipam_events_total{severity=\"info\",type=\"MetricsServed\"}"))
                .isEqualTo(1);
        assertThat(page.series().entrySet())
                .filteredOn(entry -> entry.getKey().startsWith("enipam_scrape_part_failures_total"))
                .hasSizeGreaterThan(8)
                .allSatisfy(
                        entry -> assertThat(entry.getValue()).as(entry.getKey()).isZero());
    }

    @Test
    void noSecretAndNoPodIsInIt() {
        assertThat(get("/metrics").body())
                .doesNotContain("the-token-of-nobody", "web-0", "web-1", "nobody", "default/", root.toString());
    }

    @Test
    void aProbeSaysOkAndItsPartsToWhoAsks() {
        assertThat(get("/livez").body()).isEqualTo("ok\n");
        assertThat(get("/livez?verbose").body())
                .isEqualTo("[+]ping ok\n[+]threads ok\n[+]deadlock ok\nlivez check passed\n");
        // the API server of this test has no node of that name, which makes none unready
        assertThat(get("/readyz?verbose").body())
                .startsWith("[+]engine ok\n[+]database ok\n[+]kernel ok\n[+]adds ok\n[+]shutdown ok\n[!]config: ")
                .endsWith("\nreadyz check passed\n");
    }

    @Test
    void anApiServerThatIsAwayIsNoReasonToBeStartedAnew() throws IOException {
        line.cut();
        try {
            await().atMost(PATIENCE).until(() -> scraped().value("enipam_apiserver_watch_up") == 0);
            assertThat(get("/livez").statusCode()).isEqualTo(200);
            assertThat(get("/readyz").statusCode()).isEqualTo(200);
        } finally {
            line.mend();
        }
    }

    @Test
    void everyAlertNamesWhatTheDaemonTellsAndWhatAPersonDoes() throws IOException {
        JsonNode file = new ObjectMapper(new YAMLFactory())
                .readTree(DEPLOY.resolve("prometheus/enipam.rules.yaml").toFile());
        List<JsonNode> rules = new ArrayList<>();
        file.path("groups").forEach(group -> group.path("rules").forEach(rules::add));
        Told told = told();

        assertThat(rules).hasSizeGreaterThan(15);
        assertThat(rules).extracting(rule -> rule.path("alert").asText()).doesNotHaveDuplicates();
        for (JsonNode rule : rules) {
            String alert = rule.path("alert").asText();
            told.knows(alert, rule.path("expr").asText());
            assertThat(rule.path("for").asText()).as(alert).matches("[1-9][0-9]*m");
            assertThat(rule.at("/labels/severity").asText()).as(alert).isIn("critical", "warning");
            assertThat(rule.at("/annotations/summary").asText()).as(alert).contains("$labels.");
            assertThat(rule.at("/annotations/description").asText()).as(alert).isNotBlank();
            List<String> commands = COMMAND.matcher(
                            rule.at("/annotations/runbook").asText())
                    .results()
                    .map(found -> found.group(1))
                    .toList();
            assertThat(commands).as(alert).isNotEmpty().isSubsetOf(COMMANDS);
        }
    }

    @Test
    void everyPanelOfTheDashboardDrawsWhatTheDaemonTells() throws IOException {
        JsonNode board = new ObjectMapper()
                .readTree(DEPLOY.resolve("grafana/enipam.json").toFile());
        Told told = told();
        Set<Integer> ids = new HashSet<>();
        int drawn = 0;
        for (JsonNode panel : board.path("panels")) {
            String title = panel.path("title").asText();
            assertThat(ids.add(panel.path("id").asInt())).as("id of " + title).isTrue();
            JsonNode place = panel.path("gridPos");
            assertThat(place.path("x").asInt() + place.path("w").asInt())
                    .as(title)
                    .isBetween(1, 24);
            for (JsonNode target : panel.path("targets")) {
                told.knows(title, target.path("expr").asText());
                drawn++;
            }
        }
        board.at("/annotations/list")
                .forEach(note -> told.knows("annotation", note.path("expr").asText()));
        told.knows(
                "variable",
                board.at("/templating/list/1/query/query")
                        .asText()
                        .replaceFirst("label_values\\((\\w+), instance\\)", "$1"));
        assertThat(drawn).isGreaterThan(30);
    }

    /** What the daemon here tells, and what one with plugins, errors and events would. */
    private static Told told() throws IOException {
        Exposition here = scraped();
        String other = new String(
                new Scrape(MeasuredWorld.of(3, root))
                        .answer(new io.enipam.observability.web.Page.Asked(false, ""))
                        .body(),
                UTF_8);
        Set<String> series = new TreeSet<>(here.series().keySet());
        new Exposition(other)
                .series().keySet().stream()
                        .filter(key -> key.startsWith("enipam_plugin_") || key.startsWith("enipam_cloud_errors_"))
                        .forEach(series::add);
        return new Told(series);
    }

    private record Told(Set<String> series) {
        /** Labels that Prometheus adds. */
        private static final Set<String> ADDED = Set.of("instance", "job", "le");

        void knows(String where, String expression) {
            List<Selector> selectors = Promql.selectors(expression);
            assertThat(selectors).as(where + ": " + expression).isNotEmpty();
            for (Selector selector : selectors) {
                if (!selector.metric().equals("up")) {
                    knows(where, selector);
                }
            }
            for (String label : Promql.groupings(expression)) {
                assertThat(ADDED.contains(label)
                                || selectors.stream().anyMatch(selector -> labelled(selector.metric(), label)))
                        .as(where + ": label " + label + " in " + expression)
                        .isTrue();
            }
        }

        private void knows(String where, Selector selector) {
            assertThat(series)
                    .as(where + ": " + selector.metric())
                    .anyMatch(key -> key.equals(selector.metric()) || key.startsWith(selector.metric() + "{"));
            for (Matched matched : selector.matchers()) {
                if (!ADDED.contains(matched.label())) {
                    assertThat(labelled(selector.metric(), matched.label()))
                            .as(where + ": " + selector)
                            .isTrue();
                }
            }
        }

        private boolean labelled(String metric, String label) {
            return series.stream()
                    .anyMatch(key -> key.startsWith(metric + "{")
                            && (key.contains("{" + label + "=") || key.contains("," + label + "=")));
        }
    }

    private static Exposition scraped() {
        return new Exposition(get("/metrics").body());
    }

    private static HttpResponse<String> get(String path) {
        try {
            return HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(address.resolve(path))
                                    .timeout(PATIENCE)
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new AssertionError(path + " was not answered", e);
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
    }

    private static List<Event> events() {
        return daemon.client().events();
    }

    private static void pod(String name) {
        server.client().resource(Manifests.running(name).build()).create();
    }

    private static void add(String name) {
        daemon.client().add("default/" + name);
    }
}
