package io.enipam.deploy;

import static io.enipam.deploy.Manifests.YAML;
import static io.enipam.deploy.Manifests.isBound;
import static io.enipam.deploy.Manifests.objects;
import static io.enipam.deploy.Manifests.rights;
import static io.enipam.deploy.Manifests.strictly;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.HTTPGetAction;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBinding;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The kustomize base, read as strictly as {@code kubectl --validate=strict} does, and held against itself and the programs. */
class ManifestsTest {
    private static final Path BASE = Checkout.ROOT.resolve("runtime/deploy/kustomize/base");
    private static final Path CLUSTER = Checkout.ROOT.resolve("runtime/deploy/cluster");

    /** What the daemon asks of the API server; rbac.yaml says what for. */
    private static final Map<String, Set<String>> ASKED = Map.of(
            "pods", Set.of("get", "list", "watch"),
            "nodes", Set.of("get", "patch"),
            "nodes/status", Set.of("patch"),
            "events", Set.of("create", "patch"),
            "kube-system configmaps", Set.of("get"));

    private static JsonNode kustomization;
    private static final List<HasMetadata> OBJECTS = new ArrayList<>();

    @BeforeAll
    static void read() throws IOException {
        kustomization = YAML.readTree(BASE.resolve("kustomization.yaml").toFile());
        OBJECTS.clear();
        OBJECTS.addAll(objects(BASE));
    }

    /** kubectl 1.14 to 1.20 has kustomize 2.0.3, which refuses a file with a field or a kind that it does not know. */
    @Test
    void kubectl120ReadsTheKustomizations() throws IOException {
        Set<String> known = Set.of(
                "apiVersion", "kind", "namespace", "resources", "configMapGenerator", "generatorOptions", "images");
        for (Path directory : List.of(
                BASE,
                BASE.resolveSibling("components/pod-ips"),
                BASE.resolveSibling("components/cluster"),
                CLUSTER,
                CLUSTER.resolve("multi-cidr"),
                CLUSTER.resolve("cloud"))) {
            JsonNode file =
                    YAML.readTree(directory.resolve("kustomization.yaml").toFile());

            assertThat(file.get("kind").asText()).isEqualTo("Kustomization");
            assertThat(file.fieldNames()).toIterable().isSubsetOf(known);
            assertThat(file.get("resources"))
                    .as("directories are bases to it")
                    .allMatch(resource -> resource.asText().endsWith(".yaml"));
            assertThat(objects(directory))
                    .allSatisfy(object -> assertThat(object.getMetadata().getLabels())
                            .containsEntry("app.kubernetes.io/name", "enipam"));
        }
        assertThat(kustomization
                        .at("/generatorOptions/labels/app.kubernetes.io~1name")
                        .asText())
                .isEqualTo("enipam");
    }

    private static <T extends HasMetadata> List<T> all(Class<T> kind) {
        return OBJECTS.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    private static <T extends HasMetadata> T one(Class<T> kind, String name) {
        return all(kind).stream()
                .filter(object -> object.getMetadata().getName().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no " + kind.getSimpleName() + " " + name));
    }

    private static DaemonSet daemonSet() {
        return one(DaemonSet.class, "enipam");
    }

    private static PodSpec pod() {
        return daemonSet().getSpec().getTemplate().getSpec();
    }

    private static Container daemon() {
        return pod().getContainers().get(0);
    }

    private static Container installer() {
        return pod().getInitContainers().get(0);
    }

    private static Stream<Container> containers() {
        return Stream.concat(pod().getInitContainers().stream(), pod().getContainers().stream());
    }

    @Test
    void aFieldThatNoServerKnowsIsFoundWhereverItIs() throws IOException {
        ObjectMapper yaml = new ObjectMapper(new YAMLFactory());
        for (String part : List.of("maxUnavaliable: 1", "spec: {template: {spec: {containers: [{nme: enipamd}]}}}")) {
            JsonNode written =
                    yaml.readTree("{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: enipam}, " + part + "}");
            assertThatThrownBy(() -> strictly(yaml, written)).isInstanceOfAny(AssertionError.class, IOException.class);
        }
    }

    @Test
    void everyFileOfTheBaseIsUsed() throws IOException {
        Set<String> used = new TreeSet<>(Set.of("kustomization.yaml"));
        kustomization.get("resources").forEach(file -> used.add(file.asText()));
        generated().values().forEach(used::add);
        try (Stream<Path> files = Files.walk(BASE)) {
            Set<String> there = files.filter(Files::isRegularFile)
                    .map(file -> BASE.relativize(file).toString())
                    .collect(Collectors.toSet());
            assertThat(there).isEqualTo(used);
        }
    }

    /** Files of the ConfigMap by key. */
    private static Map<String, String> generated() {
        JsonNode map = kustomization.get("configMapGenerator").get(0);
        assertThat(map.get("name").asText()).isEqualTo("enipam");
        Map<String, String> files = new TreeMap<>();
        map.get("files").forEach(file -> {
            String[] parts = file.asText().split("=", 2);
            files.put(parts[0], parts[1]);
        });
        return files;
    }

    @Test
    void whatIsMountedOfTheConfigMapIsInItAndIsWhereTheDaemonLooks() {
        Map<String, String> places = new TreeMap<>();
        for (Volume volume : pod().getVolumes()) {
            if (volume.getConfigMap() != null) {
                assertThat(volume.getConfigMap().getName()).isEqualTo("enipam");
                volume.getConfigMap().getItems().forEach(item -> {
                    assertThat(generated()).containsKey(item.getKey());
                    places.put(item.getKey(), mount(daemon(), volume.getName()).getMountPath() + "/" + item.getPath());
                });
            }
        }
        assertThat(places).isEqualTo(Map.of("eni_conf", "/etc/eni/eni.json", "enipam.yaml", "/etc/enipam/enipam.yaml"));
    }

    private static VolumeMount mount(Container container, String volume) {
        return container.getVolumeMounts().stream()
                .filter(mount -> mount.getName().equals(volume))
                .findFirst()
                .orElseThrow(() -> new AssertionError(volume + " is not mounted"));
    }

    @Test
    void volumesAndMountsFit() {
        Set<String> volumes = pod().getVolumes().stream().map(Volume::getName).collect(Collectors.toSet());
        assertThat(containers()
                        .flatMap(container -> container.getVolumeMounts().stream())
                        .map(VolumeMount::getName)
                        .collect(Collectors.toSet()))
                .isEqualTo(volumes);
        for (Volume volume : pod().getVolumes()) {
            if (volume.getHostPath() != null && !volume.getName().equals("sysctls")) {
                assertThat(containers()
                                .flatMap(container -> container.getVolumeMounts().stream())
                                .filter(mount -> mount.getName().equals(volume.getName()))
                                .map(VolumeMount::getMountPath))
                        .as("%s is on the node where it is in the pod", volume.getName())
                        .containsOnly(volume.getHostPath().getPath());
            }
        }
        assertThat(mount(daemon(), "sysctls").getMountPath())
                .as("where ENIPAM_SYSCTLS says")
                .isEqualTo(variable("ENIPAM_SYSCTLS") + "/net");
        assertThat(mount(daemon(), "netns").getMountPropagation()).isEqualTo("HostToContainer");
        assertThat(daemon().getVolumeMounts())
                .extracting(VolumeMount::getMountPath)
                .contains("/var/lib/enipam", "/var/run/enipam", "/var/run/eni", "/var/lib/kubelet/device-plugins");
        assertThat(installer().getVolumeMounts())
                .extracting(VolumeMount::getMountPath)
                .contains("/opt/cni/bin", "/etc/cni/net.d");
    }

    @Test
    void thePodIsTheImageSAndTheShellFindsIt() throws IOException {
        assertThat(containers().map(Container::getImage)).containsOnly(ImageBuild.NAME + ":" + version());
        assertThat(daemon().getCommand()).as("the image's own entry point").isEmpty();
        assertThat(installer().getCommand()).hasSize(1);
        assertThat(ImageContents.PROGRAMS.values().stream().flatMap(List::stream))
                .contains(installer().getCommand().get(0));
        Map<String, String> labels =
                daemonSet().getSpec().getTemplate().getMetadata().getLabels();
        assertThat(labels)
                .isEqualTo(daemonSet().getSpec().getSelector().getMatchLabels())
                .isEqualTo(Map.of("app.kubernetes.io/name", "enipam", "app.kubernetes.io/component", "daemon"));
        assertThat(daemonSet()
                        .getSpec()
                        .getTemplate()
                        .getMetadata()
                        .getAnnotations()
                        .get("kubectl.kubernetes.io/default-container"))
                .isEqualTo(daemon().getName());
        assertThat(daemon().getEnv())
                .filteredOn(word -> word.getName().equals("NODE_NAME"))
                .extracting(word -> word.getValueFrom().getFieldRef().getFieldPath())
                .containsExactly("spec.nodeName");
    }

    private static String variable(String name) {
        return daemon().getEnv().stream()
                .filter(word -> word.getName().equals(name))
                .findFirst()
                .orElseThrow()
                .getValue();
    }

    private static String version() throws IOException {
        Matcher version = Pattern.compile("<version>([^<]+)</version>")
                .matcher(Files.readString(Checkout.ROOT.resolve("pom.xml")));
        assertThat(version.find()).isTrue();
        return version.group(1);
    }

    @Test
    void itComesToEveryLinuxNodeBeforeAnythingElseAndAnUpdateTakesFewNodesAtATime() {
        assertThat(pod().getHostNetwork()).isTrue();
        assertThat(pod().getDnsPolicy()).isEqualTo("Default");
        assertThat(pod().getPriorityClassName()).isEqualTo("system-node-critical");
        assertThat(pod().getTolerations()).singleElement().satisfies(toleration -> {
            assertThat(toleration.getOperator()).isEqualTo("Exists");
            assertThat(toleration.getKey()).isNull();
            assertThat(toleration.getEffect()).isNull();
        });
        assertThat(pod().getNodeSelector()).containsEntry("kubernetes.io/os", "linux");
        var update = daemonSet().getSpec().getUpdateStrategy();
        assertThat(update.getType()).isEqualTo("RollingUpdate");
        assertThat(update.getRollingUpdate().getMaxUnavailable().getStrVal()).isEqualTo("2%");
        assertThat(daemonSet().getSpec().getMinReadySeconds()).isPositive();
    }

    @Test
    void noContainerHasMoreRightsThanItNeeds() throws IOException {
        assertThat(pod().getSecurityContext().getSeccompProfile().getType()).isEqualTo("RuntimeDefault");
        assertThat(containers().map(Container::getSecurityContext)).allSatisfy(context -> {
            assertThat(context.getPrivileged()).isNotEqualTo(true);
            assertThat(context.getAllowPrivilegeEscalation()).isFalse();
            assertThat(context.getReadOnlyRootFilesystem()).isTrue();
            assertThat(context.getCapabilities().getDrop()).containsExactly("ALL");
        });
        assertThat(installer().getSecurityContext().getCapabilities().getAdd()).containsExactly("CHOWN");
        Matcher unit = Pattern.compile("(?m)^CapabilityBoundingSet=(.*)$")
                .matcher(Files.readString(Checkout.ROOT.resolve("runtime/deploy/systemd/enipamd.service")));
        assertThat(unit.find()).isTrue();
        assertThat(daemon().getSecurityContext().getCapabilities().getAdd())
                .as("as many as outside of a pod")
                .allSatisfy(capability -> assertThat(unit.group(1).split(" ")).contains("CAP_" + capability));
    }

    @Test
    void outsideOfAPodADaemonOfRoleClusterHasNoRightsButThoseOfAUserOfItsOwn() throws IOException {
        List<String> unit = Files.readAllLines(Checkout.ROOT.resolve("runtime/deploy/systemd/enipam-cluster.service"));
        assertThat(unit)
                .contains(
                        "ExecStart=/opt/enipam/runtime/bin/enipamd --role cluster",
                        "User=enipam-cluster",
                        "CapabilityBoundingSet=",
                        "NoNewPrivileges=yes",
                        "ProtectSystem=strict",
                        "ProtectProc=invisible",
                        "ProcSubset=pid",
                        "PrivateDevices=yes",
                        "StateDirectory=enipam-cluster",
                        "RuntimeDirectory=enipam-cluster");
        assertThat(unit).noneMatch(line -> line.contains("CAP_") || line.startsWith("ReadWritePaths="));
        List<String> ofNode = Files.readAllLines(Checkout.ROOT.resolve("runtime/deploy/systemd/enipamd.service"));
        assertThat(unit)
                .as("as hardened as that of a node")
                .containsAll(ofNode.stream()
                        .filter(line -> line.matches(
                                "(Protect(Home|Clock|Control|Hostname|Kernel)|Lock|Restrict(Realtime|SUID)).*"))
                        .toList());
    }

    @Test
    void theMemoryLimitHasRoomForTheHeapAndAllElseAndTheRequestIsBelowIt() {
        String heap = variable("ENIPAM_HEAP");
        long bound = Long.parseLong(heap.replace("m", "")) << 20;
        long limit = daemon().getResources()
                .getLimits()
                .get("memory")
                .getNumericalAmount()
                .longValueExact();
        long request = daemon().getResources()
                .getRequests()
                .get("memory")
                .getNumericalAmount()
                .longValueExact();
        assertThat(limit - bound).isGreaterThanOrEqualTo(512L << 20);
        assertThat(request).isLessThan(limit).isGreaterThanOrEqualTo(bound / 2);
        assertThat(daemon().getResources().getLimits()).doesNotContainKey("cpu");
    }

    @Test
    void probesAskWhereTheDaemonListensAndOnlyADaemonThatHangsForMinutesIsRestarted() {
        Probe startup = daemon().getStartupProbe();
        Probe live = daemon().getLivenessProbe();
        Probe ready = daemon().getReadinessProbe();
        assertThat(Stream.of(startup, live, ready).map(Probe::getHttpGet)).allSatisfy(get -> {
            assertThat(get.getHost()).isEqualTo("127.0.0.1");
            assertThat(get.getPort()).isEqualTo(startup.getHttpGet().getPort());
        });
        assertThat(Stream.of(startup, live, ready).map(Probe::getHttpGet).map(HTTPGetAction::getPath))
                .containsExactly("/livez", "/livez", "/readyz");
        assertThat(startup.getPeriodSeconds() * startup.getFailureThreshold()).isGreaterThanOrEqualTo(600);
        assertThat(live.getPeriodSeconds() * live.getFailureThreshold()).isGreaterThanOrEqualTo(120);
    }

    @Test
    void theProbesPortIsTheOneThatTheDaemonListensOn() {
        assertThat(Settings.usual("metrics.listen"))
                .hasValue("127.0.0.1:"
                        + daemon().getLivenessProbe().getHttpGet().getPort().getIntVal());
    }

    @Test
    void theDaemonTakesTheSettingsOfTheConfigMapWithoutAWord() throws Exception {
        Map<String, String> files = generated();
        assertThat(Settings.warnings(BASE.resolve(files.get("eni_conf")), BASE.resolve(files.get("enipam.yaml"))))
                .isEmpty();
    }

    @Test
    void theAccountOfThePodIsTheOneThatHasTheRights() {
        ServiceAccount account = one(ServiceAccount.class, "enipam");
        assertThat(pod().getServiceAccountName())
                .isEqualTo(account.getMetadata().getName());
        assertThat(pod().getAutomountServiceAccountToken()).isTrue();
        assertThat(account.getAutomountServiceAccountToken()).isFalse();
        String namespace = kustomization.get("namespace").asText();
        assertThat(all(ClusterRoleBinding.class)).hasSize(1).allSatisfy(binding -> {
            one(ClusterRole.class, binding.getRoleRef().getName());
            isBound(binding.getRoleRef(), "ClusterRole", "enipam", binding.getSubjects(), namespace);
        });
        assertThat(all(RoleBinding.class)).hasSize(1).allSatisfy(binding -> {
            one(Role.class, binding.getRoleRef().getName());
            assertThat(binding.getMetadata().getNamespace()).isEqualTo(namespace);
            isBound(binding.getRoleRef(), "Role", "enipam", binding.getSubjects(), namespace);
        });
    }

    @Test
    void theDaemonMayDoWhatItDoesAndNothingElse() {
        Map<String, Set<String>> allowed =
                new TreeMap<>(rights("", one(ClusterRole.class, "enipam").getRules()));
        all(Role.class)
                .forEach(role -> allowed.putAll(rights(role.getMetadata().getNamespace() + " ", role.getRules())));
        assertThat(allowed).isEqualTo(ASKED);
    }

    @Test
    void podsArePatchedOnlyWhereAnOverlayAsksForIt() throws IOException {
        List<HasMetadata> parts = objects(BASE.resolveSibling("components/pod-ips"));
        assertThat(parts).hasSize(2);
        ClusterRole role = (ClusterRole) parts.get(0);
        assertThat(rights("", role.getRules())).isEqualTo(Map.of("pods", Set.of("patch")));
        ClusterRoleBinding binding = (ClusterRoleBinding) parts.get(1);
        assertThat(binding.getRoleRef().getName()).isEqualTo(role.getMetadata().getName());
        isBound(
                binding.getRoleRef(),
                "ClusterRole",
                "enipam",
                binding.getSubjects(),
                kustomization.get("namespace").asText());
    }

    /** What the service of plugins and the leadership by a Lease ask for. */
    @Test
    void aDaemonOfRoleClusterMayDoWhatItDoesForNodesAndNothingElse() throws IOException {
        List<HasMetadata> parts = objects(BASE.resolveSibling("components/cluster"));
        assertThat(parts).hasSize(5);
        assertThat(((ServiceAccount) parts.get(0)).getMetadata().getName()).isEqualTo("enipam-cluster");
        assertThat(rights("", ((ClusterRole) parts.get(1)).getRules()))
                .isEqualTo(Map.of(
                        "nodes", Set.of("get", "list", "watch", "patch"),
                        "nodes/status", Set.of("patch"),
                        "events", Set.of("create")));
        String namespace = kustomization.get("namespace").asText();
        ClusterRoleBinding binding = (ClusterRoleBinding) parts.get(2);
        isBound(binding.getRoleRef(), "ClusterRole", "enipam-cluster", binding.getSubjects(), namespace);
        assertThat(rights("", ((Role) parts.get(3)).getRules()))
                .isEqualTo(Map.of(
                        "leases.coordination.k8s.io", Set.of("create"),
                        "leases.coordination.k8s.io enipam-cluster", Set.of("get", "patch")));
        RoleBinding ofLease = (RoleBinding) parts.get(4);
        isBound(ofLease.getRoleRef(), "Role", "enipam-cluster", ofLease.getSubjects(), namespace);
    }

    /** A kind of object that the code begins to use needs a right, or it works on the mock server and in no cluster. */
    @Test
    void theCodeAsksForNoKindOfObjectThatItHasNoRightTo() throws IOException {
        Set<String> kinds = Arrays.stream(KubernetesClient.class.getMethods())
                .filter(method -> method.getParameterCount() == 0
                        && method.getReturnType().getName().endsWith("Operation"))
                .map(Method::getName)
                .collect(Collectors.toSet());
        assertThat(kinds).contains("pods", "nodes", "configMaps", "secrets", "services");
        Set<String> asked = new TreeSet<>();
        Pattern call = Pattern.compile("client(?:\\(\\))?\\s*\\.(?:v1\\(\\)\\s*\\.)?(\\w+)\\(\\)");
        try (Stream<Path> files = Files.walk(Checkout.ROOT.resolve("runtime/kubernetes/src/main/java"))) {
            for (Path file :
                    files.filter(file -> file.toString().endsWith(".java")).toList()) {
                call.matcher(Files.readString(file))
                        .results()
                        .map(found -> found.group(1))
                        .filter(kinds::contains)
                        .forEach(kind -> asked.add(kind.toLowerCase(Locale.ROOT)));
            }
        }
        assertThat(asked).contains("pods");
        Set<String> rights = ASKED.keySet().stream()
                .map(resource -> resource.replaceFirst(".* ", "").replaceFirst("/.*", ""))
                .collect(Collectors.toSet());
        assertThat(rights).containsAll(asked);
    }

    @Test
    void peopleMayAttachToDaemonsAndChangeNothingElseAndNobodyIsBound() {
        assertThat(rights("", one(ClusterRole.class, "enipam-fleet").getRules()))
                .isEqualTo(Map.of("pods", Set.of("get", "list"), "pods/exec", Set.of("create", "get")));
        assertThat(rights("", one(ClusterRole.class, "enipam-fleet-nodes").getRules()))
                .isEqualTo(Map.of("nodes", Set.of("get", "list")));
        assertThat(all(ClusterRole.class)).hasSize(3);
    }
}
