package io.enipam.deploy;

import static io.enipam.deploy.Manifests.YAML;
import static io.enipam.deploy.Manifests.isBound;
import static io.enipam.deploy.Manifests.objects;
import static io.enipam.deploy.Manifests.rights;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.HTTPGetAction;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.Toleration;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBinding;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The kustomize base of the node IPAM controller, held against itself, the programs and the plugin. */
class ClusterManifestsTest {
    private static final Path BASE = Checkout.ROOT.resolve("runtime/deploy/cluster");
    private static final Path CODE = Checkout.ROOT.resolve("plugins-examples/node-ipam/src/main/java");
    private static final String NAME = "enipam-node-ipam";
    private static final String NAMESPACE = "kube-system";

    private static final List<HasMetadata> OBJECTS = new ArrayList<>();

    @BeforeAll
    static void read() throws IOException {
        OBJECTS.clear();
        OBJECTS.addAll(objects(BASE));
    }

    private static <T extends HasMetadata> T the(Class<T> kind, List<HasMetadata> objects) {
        List<T> all = objects.stream().filter(kind::isInstance).map(kind::cast).toList();
        assertThat(all).as(kind.getSimpleName()).hasSize(1);
        return all.get(0);
    }

    private static Deployment deployment() {
        return the(Deployment.class, OBJECTS);
    }

    private static PodSpec pod() {
        return deployment().getSpec().getTemplate().getSpec();
    }

    private static Container daemon() {
        assertThat(pod().getInitContainers()).isEmpty();
        assertThat(pod().getContainers()).hasSize(1);
        return pod().getContainers().get(0);
    }

    private static JsonNode settings() throws IOException {
        return YAML.readTree(BASE.resolve("config/cluster.yaml").toFile());
    }

    @Test
    void everyFileOfTheBaseIsUsed() throws IOException {
        Set<String> used = new TreeSet<>(Set.of("README.md"));
        for (String directory : List.of("", "multi-cidr/", "cloud/")) {
            JsonNode kustomization =
                    YAML.readTree(BASE.resolve(directory + "kustomization.yaml").toFile());
            used.add(directory + "kustomization.yaml");
            kustomization.get("resources").forEach(file -> used.add(directory + file.asText()));
            kustomization
                    .path("configMapGenerator")
                    .forEach(map -> map.get("files")
                            .forEach(file -> used.add(file.asText().split("=", 2)[1])));
        }
        try (Stream<Path> files = Files.walk(BASE)) {
            assertThat(files.filter(Files::isRegularFile)
                            .map(file -> BASE.relativize(file).toString())
                            .collect(Collectors.toSet()))
                    .isEqualTo(used);
        }
    }

    @Test
    void twoReplicasOnTwoHostsAreReplacedOneAfterTheOtherAndADrainLeavesOne() {
        var spec = deployment().getSpec();
        assertThat(spec.getReplicas()).isEqualTo(2);
        assertThat(spec.getStrategy().getRollingUpdate().getMaxSurge().getIntVal())
                .as("a host has room for one")
                .isZero();
        assertThat(spec.getStrategy().getRollingUpdate().getMaxUnavailable().getIntVal())
                .isEqualTo(1);
        Map<String, String> labels = spec.getTemplate().getMetadata().getLabels();
        assertThat(spec.getSelector().getMatchLabels()).isEqualTo(labels);
        assertThat(pod().getAffinity().getPodAntiAffinity().getRequiredDuringSchedulingIgnoredDuringExecution())
                .singleElement()
                .satisfies(term -> {
                    assertThat(term.getTopologyKey()).isEqualTo("kubernetes.io/hostname");
                    assertThat(term.getLabelSelector().getMatchLabels()).isEqualTo(labels);
                });
        PodDisruptionBudget budget = the(PodDisruptionBudget.class, OBJECTS);
        assertThat(budget.getSpec().getSelector().getMatchLabels()).isEqualTo(labels);
        assertThat(budget.getSpec().getMaxUnavailable().getIntVal()).isEqualTo(1);
        assertThat(budget.getMetadata().getNamespace()).isEqualTo(NAMESPACE);
    }

    @Test
    void itRunsWhereNoNodeHasANetworkForPodsYet() {
        assertThat(pod().getHostNetwork()).isTrue();
        assertThat(pod().getDnsPolicy()).isEqualTo("Default");
        assertThat(pod().getPriorityClassName()).isEqualTo("system-cluster-critical");
        assertThat(pod().getTolerations())
                .extracting(Toleration::getKey)
                .contains("node.kubernetes.io/not-ready", "node.kubernetes.io/network-unavailable");
        assertThat(pod().getTolerations()).extracting(Toleration::getEffect).containsOnly("NoSchedule");
    }

    @Test
    void theProgramIsTheImageSWithThePluginThatTheImageHas() throws IOException {
        assertThat(daemon().getImage()).matches(ImageBuild.NAME + ":[0-9.]+");
        assertThat(daemon().getCommand()).as("the image's own entry point").isEmpty();
        assertThat(daemon().getArgs())
                .containsExactly("--role", "cluster", "--plugin", ImageContents.HOME + "/" + ImageContents.NODE_IPAM);
        assertThat(daemon().getEnv())
                .filteredOn(word -> word.getName().equals("NODE_NAME"))
                .extracting(word -> word.getValueFrom().getFieldRef().getFieldPath())
                .containsExactly("metadata.name");
        assertThat(settings().get("extensions")).hasToString("[\"node-ipam\"]");
        assertThat(settings().get("plugins").fieldNames()).toIterable().containsExactly("node-ipam");
    }

    @Test
    void theDaemonFindsItsSettingsAndTakesThemWithoutAWord() throws IOException {
        Volume settings = volume("cluster-yaml");
        assertThat(settings.getConfigMap().getName()).isEqualTo(NAME);
        assertThat(settings.getConfigMap().getItems()).singleElement().satisfies(item -> {
            assertThat(item.getKey()).isEqualTo("cluster.yaml");
            assertThat(mount("cluster-yaml").getMountPath() + "/" + item.getPath())
                    .isEqualTo("/etc/enipam/cluster.yaml");
        });
        JsonNode generator = YAML.readTree(BASE.resolve("kustomization.yaml").toFile())
                .get("configMapGenerator")
                .get(0);
        assertThat(generator.get("name").asText()).isEqualTo(NAME);
        assertThat(Settings.warningsOfCluster(BASE.resolve("config/cluster.yaml")))
                .isEmpty();
    }

    private static Volume volume(String name) {
        return pod().getVolumes().stream()
                .filter(volume -> volume.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static VolumeMount mount(String volume) {
        return daemon().getVolumeMounts().stream()
                .filter(mount -> mount.getName().equals(volume))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void whatItWritesIsInVolumesThatEndWithThePod() {
        assertThat(daemon().getVolumeMounts())
                .extracting(VolumeMount::getMountPath)
                .contains("/var/lib/enipam-cluster", "/var/run/enipam-cluster", "/tmp");
        assertThat(pod().getVolumes())
                .filteredOn(volume -> !volume.getName().equals("cluster-yaml"))
                .hasSize(3)
                .allSatisfy(volume ->
                        assertThat(volume.getEmptyDir().getSizeLimit()).isNotNull());
        assertThat(daemon().getEnv().stream()
                        .filter(word -> word.getName().equals("XDG_CACHE_HOME"))
                        .map(EnvVar::getValue))
                .allSatisfy(cache -> assertThat(cache).startsWith("/var/lib/enipam-cluster/"));
    }

    @Test
    void itIsAUserWithoutAnyRightOnItsHost() {
        var context = pod().getSecurityContext();
        assertThat(context.getRunAsNonRoot()).isTrue();
        assertThat(context.getRunAsUser()).isPositive();
        assertThat(context.getFsGroup()).isEqualTo(context.getRunAsGroup());
        assertThat(context.getSeccompProfile().getType()).isEqualTo("RuntimeDefault");
        var own = daemon().getSecurityContext();
        assertThat(own.getPrivileged()).isFalse();
        assertThat(own.getAllowPrivilegeEscalation()).isFalse();
        assertThat(own.getReadOnlyRootFilesystem()).isTrue();
        assertThat(own.getCapabilities().getDrop()).containsExactly("ALL");
        assertThat(own.getCapabilities().getAdd()).isEmpty();
        assertThat(pod().getVolumes()).noneMatch(volume -> volume.getHostPath() != null);
    }

    @Test
    void theMemoryLimitHasRoomForTheHeapAndAllElse() {
        long heap = daemon().getEnv().stream()
                        .filter(word -> word.getName().equals("ENIPAM_HEAP"))
                        .map(word -> Long.parseLong(word.getValue().replace("m", "")))
                        .findFirst()
                        .orElseThrow()
                << 20;
        assertThat(bytes(daemon().getResources().getLimits().get("memory")) - heap)
                .isGreaterThanOrEqualTo(512L << 20);
        assertThat(bytes(daemon().getResources().getRequests().get("memory"))).isGreaterThan(heap);
        assertThat(daemon().getResources().getLimits()).doesNotContainKey("cpu");
    }

    private static long bytes(Quantity quantity) {
        return quantity.getNumericalAmount().longValueExact();
    }

    @Test
    void probesAskWhereTheDaemonListensWhichIsNotWhereThatOfANodeDoes() throws IOException {
        String listen = settings().at("/metrics/listen").asText();
        List<Probe> probes =
                List.of(daemon().getStartupProbe(), daemon().getLivenessProbe(), daemon().getReadinessProbe());
        assertThat(probes)
                .extracting(Probe::getHttpGet)
                .allSatisfy(
                        get -> assertThat(get.getHost() + ":" + get.getPort().getIntVal())
                                .isEqualTo(listen));
        assertThat(probes)
                .extracting(Probe::getHttpGet)
                .extracting(HTTPGetAction::getPath)
                .containsExactly("/livez", "/livez", "/readyz");
        assertThat(daemon().getPorts())
                .singleElement()
                .satisfies(port -> assertThat(listen).endsWith(":" + port.getContainerPort()));
        assertThat(Settings.usual("metrics.listen")).isPresent().get().isNotEqualTo(listen);
    }

    @Test
    void theAccountOfThePodIsTheOneThatHasTheRights() {
        assertThat(the(ServiceAccount.class, OBJECTS).getAutomountServiceAccountToken())
                .isFalse();
        assertThat(pod().getServiceAccountName()).isEqualTo(NAME);
        assertThat(pod().getAutomountServiceAccountToken()).isTrue();
        ClusterRoleBinding binding = the(ClusterRoleBinding.class, OBJECTS);
        assertThat(binding.getRoleRef().getName())
                .isEqualTo(the(ClusterRole.class, OBJECTS).getMetadata().getName());
        isBound(binding.getRoleRef(), "ClusterRole", NAME, binding.getSubjects(), NAMESPACE);
        RoleBinding ofLease = the(RoleBinding.class, OBJECTS);
        assertThat(ofLease.getRoleRef().getName())
                .isEqualTo(the(Role.class, OBJECTS).getMetadata().getName());
        isBound(ofLease.getRoleRef(), "Role", NAME, ofLease.getSubjects(), NAMESPACE);
    }

    @Test
    void itMayLeadByItsOwnLeaseAlone() throws IOException {
        String lease = settings().at("/cluster/lease").asText();
        assertThat(settings().at("/cluster/leader").asText()).isEqualTo("kubernetes");
        Role role = the(Role.class, OBJECTS);
        assertThat(lease).isEqualTo(role.getMetadata().getNamespace() + "/" + NAME);
        assertThat(rights("", role.getRules()))
                .isEqualTo(Map.of(
                        "leases.coordination.k8s.io",
                        Set.of("create"),
                        "leases.coordination.k8s.io " + NAME,
                        Set.of("get", "patch")));
    }

    /** An informer lists and watches; the other verbs are methods of the service that the plugin calls. */
    @Test
    void itMayDoWhatThePluginDoesAndNothingElse() throws IOException {
        assertThat(rights("", the(ClusterRole.class, OBJECTS).getRules()))
                .isEqualTo(Map.of("nodes", Set.of("get", "list", "watch", "patch"), "events", Set.of("create")));
        assertThat(rights(
                        "",
                        the(ClusterRole.class, objects(BASE.resolve("cloud"))).getRules()))
                .isEqualTo(Map.of("nodes/status", Set.of("patch")));
        List<HasMetadata> parts = objects(BASE.resolve("multi-cidr"));
        ClusterRole ofClusterCidrs = the(ClusterRole.class, parts);
        assertThat(rights("", ofClusterCidrs.getRules()))
                .isEqualTo(Map.of("clustercidrs.networking.x-k8s.io", Set.of("list", "watch", "create", "patch")));
        ClusterRoleBinding binding = the(ClusterRoleBinding.class, parts);
        assertThat(binding.getRoleRef().getName())
                .isEqualTo(ofClusterCidrs.getMetadata().getName());
        isBound(binding.getRoleRef(), "ClusterRole", NAME, binding.getSubjects(), NAMESPACE);

        Set<String> called = new TreeSet<>();
        Pattern call = Pattern.compile("\\bcluster\\s*\\.\\s*(get|create|patch|delete|report|informer)\\(");
        try (Stream<Path> files = Files.walk(CODE)) {
            for (Path file :
                    files.filter(file -> file.toString().endsWith(".java")).toList()) {
                call.matcher(Files.readString(file)).results().forEach(found -> called.add(found.group(1)));
            }
        }
        assertThat(called)
                .contains("get", "informer", "patch", "report")
                .isSubsetOf("get", "informer", "patch", "report", "create");
    }

    /** Metrics are the daemon's, by their table, or those that the plugin declares; commands are those that the plugin or the shell has. */
    @Test
    void everyAlertNamesAMetricThatThereIsAndACommandThatAPersonBeginsWith() throws IOException {
        JsonNode rules = YAML.readTree(Checkout.ROOT
                        .resolve("runtime/deploy/prometheus/node-ipam.rules.yaml")
                        .toFile())
                .at("/groups/0/rules");
        String table = Files.readString(Checkout.ROOT.resolve("runtime/deploy/prometheus/METRICS.md"));
        String meters = source("RangeMeters");
        String commands = source("Commands");

        assertThat(rules).hasSizeGreaterThan(5);
        assertThat(rules).extracting(rule -> rule.path("alert").asText()).doesNotHaveDuplicates();
        for (JsonNode rule : rules) {
            String alert = rule.path("alert").asText();
            List<String> metrics = found("\\b(enipam_\\w+)", rule.path("expr").asText());
            assertThat(metrics.isEmpty() && rule.path("expr").asText().startsWith("up{"))
                    .as(alert)
                    .isEqualTo(metrics.isEmpty());
            for (String metric : metrics) {
                String own = metric.replaceFirst("^enipam_plugin_node_ipam_", "");
                assertThat(own.equals(metric) ? table.contains("`" + metric + "`") : meters.contains('"' + own + '"'))
                        .as(metric + " of " + alert)
                        .isTrue();
            }
            assertThat(rule.at("/labels/severity").asText()).as(alert).isIn("critical", "warning");
            assertThat(rule.path("for").asText()).as(alert).matches("[1-9][0-9]*[mh]");
            assertThat(rule.at("/annotations/summary").asText()).as(alert).contains("$labels.");
            String runbook = rule.at("/annotations/runbook").asText();
            assertThat(found("'enipam ([a-z]+)", runbook))
                    .as(alert)
                    .isNotEmpty()
                    .isSubsetOf("status", "events", "config", "doctor", "plugin", "nodeipam");
            assertThat(found("'enipam nodeipam ([a-z]+)", runbook))
                    .as(alert)
                    .allSatisfy(word -> assertThat(commands).contains("\"nodeipam\", \"" + word + "\""));
        }
    }

    private static String source(String type) throws IOException {
        return Files.readString(CODE.resolve("io/enipam/examples/nodeipam/operate/" + type + ".java"));
    }

    private static List<String> found(String pattern, String text) {
        return Pattern.compile(pattern)
                .matcher(text)
                .results()
                .map(found -> found.group(1))
                .toList();
    }
}
