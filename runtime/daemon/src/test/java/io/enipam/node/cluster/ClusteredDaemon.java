package io.enipam.node.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.enipam.daemon.testing.LivingDaemon;
import io.enipam.daemon.testing.SocketClient;
import io.enipam.frontends.cni.CniClient;
import io.enipam.kubernetes.testing.CuttableProxy;
import io.enipam.kubernetes.testing.FakeApiServer;
import io.enipam.kubernetes.testing.Manifests;
import io.enipam.platform.testing.Kubeconfig;
import io.enipam.v1.ClusterStatus;
import io.enipam.v1.CniAddRequest;
import io.enipam.v1.CniDelRequest;
import io.enipam.v1.PodInfo;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.dsl.NonDeletingOperation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** A whole daemon on a node of an API server, over a line that can be cut, and what a kubelet does with both. */
final class ClusteredDaemon implements AutoCloseable {
    static final String NODE = "node-1";

    final FakeApiServer server = new FakeApiServer();
    final CuttableProxy line;
    private final LivingDaemon daemon;
    private final CniClient cni;
    private final Path netns;

    /** @param more lines of enipam.yaml below {@code kubernetes:} */
    ClusteredDaemon(Path directory, String more) throws IOException {
        line = server.line();
        server.client().resource(Manifests.node(NODE).build()).create();
        Path kubeconfig = Kubeconfig.write(directory.resolve("kubeconfig"), line.port(), "daemon");
        Path root = directory.resolve("root");
        Path yaml = root.resolve("etc/enipam/enipam.yaml");
        Files.createDirectories(yaml.getParent());
        Files.writeString(yaml, """
                node:
                  name: %s
                pool:
                  cool_down: 0s
                allocation:
                  timeout: 60s
                kubernetes:
                  use: 'on'
                  kubeconfig: %s
                """.formatted(NODE, kubeconfig) + more);
        daemon = LivingDaemon.start(root);
        cni = new CniClient(root.resolve("run/cni.sock"));
        netns = Files.createFile(directory.resolve("netns"));
        await().atMost(Duration.ofSeconds(60)).until(() -> cluster().getWatching());
    }

    private ClusterStatus cluster() {
        return daemon.client().status().getCluster();
    }

    /** Cuts the line to the API server; not while the watch opens, for that would be noticed after minutes alone. */
    void cutOpenWatch() {
        create("heard-of");
        awaitAllWatched();
        delete("heard-of");
        awaitAllWatched();
        server.settle();
        line.cut();
    }

    private void awaitAllWatched() {
        awaitWatched(
                server.client().pods().inNamespace("default").list().getItems().size());
    }

    LivingDaemon daemon() {
        return daemon;
    }

    Pod create(String name) {
        return create(name, Map.of());
    }

    /** A pod of a ReplicaSet or nobody. */
    Pod create(String name, Map<String, String> annotations) {
        // the mock holds its answer back while it still writes to a watch that was cut; the client asks again then, and
        // meets its pod
        return server.client().resource(pod(name, annotations).build()).createOr(NonDeletingOperation::update);
    }

    /** A pod of a StatefulSet. */
    Pod createStateful(String name) {
        return server.client()
                .resource(pod(name, Map.of())
                        .editMetadata()
                        .addNewOwnerReference()
                        .withApiVersion("apps/v1")
                        .withKind("StatefulSet")
                        .withName("web")
                        .withUid("uid-of-web")
                        .withController(true)
                        .endOwnerReference()
                        .endMetadata()
                        .build())
                .create();
    }

    void delete(String name) {
        server.client()
                .pods()
                .inNamespace("default")
                .withName(name)
                .withGracePeriod(0)
                .delete();
    }

    private static PodBuilder pod(String name, Map<String, String> annotations) {
        return Manifests.running(name)
                .editMetadata()
                .withAnnotations(annotations)
                .endMetadata();
    }

    /** @return the address that the sandbox has */
    @CanIgnoreReturnValue
    String add(String pod, String container) {
        return SocketClient.ip(daemon.client()
                .control()
                .cniAdd(CniAddRequest.newBuilder()
                        .setPod("default/" + pod)
                        .setContainer(container)
                        .build())
                .getLease());
    }

    /** Waits until the watch has so many pods, as a kubelet's pods are heard of long before their sandboxes are made. */
    void awaitWatched(int pods) {
        await().atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofMillis(2))
                .until(() -> cluster().getPods() == pods);
    }

    /**
     * CNI ADD, as a runtime sends it that names the pod's UID.
     *
     * @return the address that the sandbox has
     */
    @CanIgnoreReturnValue
    String add(Pod pod, String container) {
        String args = "IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME="
                + pod.getMetadata().getName() + ";K8S_POD_UID="
                + pod.getMetadata().getUid();
        CniClient.Told told = cni.call(
                CniClient.variables("ADD", container, netns.toString(), "CNI_ARGS", args), CniClient.conf("1.0.0", ""));
        assertThat(told.exit()).as(told.stdout()).isZero();
        return told.json().at("/ips/0/address").asText();
    }

    /** CNI DEL of what was added like this. */
    void del(String container) {
        CniClient.Told told =
                cni.call(CniClient.variables("DEL", container, netns.toString()), CniClient.conf("1.0.0", ""));
        assertThat(told.exit()).as(told.stdout()).isZero();
    }

    void del(String pod, String container) {
        daemon.client()
                .control()
                .cniDel(CniDelRequest.newBuilder()
                        .setPod("default/" + pod)
                        .setContainer(container)
                        .build());
    }

    /** The addresses lent to a pod. */
    List<String> lent(String pod) {
        return listed().stream()
                .filter(known -> known.getPod().equals("default/" + pod))
                .flatMap(known -> known.getLeasesList().stream())
                .map(SocketClient::ip)
                .toList();
    }

    /** How many addresses are lent. */
    int lent() {
        return listed().stream().mapToInt(PodInfo::getLeasesCount).sum();
    }

    private List<PodInfo> listed() {
        return daemon.client().pods();
    }

    @Override
    public void close() throws IOException {
        daemon.close();
        line.close();
        server.close();
    }
}
