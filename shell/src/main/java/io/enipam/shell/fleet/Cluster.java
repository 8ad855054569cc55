package io.enipam.shell.fleet;

import io.enipam.shell.attach.ShellException;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.KubernetesResourceList;
import io.fabric8.kubernetes.api.model.ListOptions;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A cluster, as its API server has it, by fabric8's client. Thread-safe; every request has a deadline, and what fails is a {@link
 * ShellException} that says which verb was wanted of what.
 */
public final class Cluster implements AutoCloseable {
    private static final int CONNECT_MS = 4_000;
    private static final int ANSWER_MS = 15_000;
    private static final int REPEATS = 2;
    private static final int REPEAT_AFTER_MS = 200;

    /** What a page of a list holds at most: nodes with all their images are some ten kilobytes each. */
    private static final long PAGE = 500;

    private static final int GONE = 410;
    private static final int NOT_FOUND = 404;
    private static final int FORBIDDEN = 403;

    private final ClusterTarget place;
    private final KubernetesClient client;
    private final ClusterErrors failures;

    private Cluster(ClusterTarget place, KubernetesClient client) {
        this.place = place;
        this.client = client;
        this.failures = new ClusterErrors(client.getMasterUrl().toString());
    }

    /**
     * Where the daemons are; without a kubeconfig or a context those that kubectl would take. The relay is the command
     * in the pod that passes bytes on to the daemon's socket.
     */
    public record ClusterTarget(
            Optional<Path> kubeconfig,
            Optional<String> context,
            String namespace,
            String selector,
            List<String> relay) {
        /** Where the DaemonSet of {@code runtime/deploy} is. */
        public static final String NAMESPACE = "kube-system";
        /** The labels of its pods. */
        public static final String SELECTOR = "app.kubernetes.io/name=enipam,app.kubernetes.io/component=daemon";
        /** What its image has on its path. */
        public static final String RELAY = "enipam relay";
    }

    /** Which nodes: those with these names and these labels; an empty part means all. */
    public record NodeSelector(List<String> names, String selector) {}

    /**
     * Finds the way to an API server, by KUBECONFIG, HOME and the KUBERNETES_SERVICE_ of a pod; connects to nothing
     * yet. Throws {@link ShellException} if there is none, or the context is not known.
     */
    public static Cluster open(ClusterTarget place, Map<String, String> environment) {
        // slf4j, which fabric8 logs to, would say on stderr that it goes nowhere
        System.setProperty("slf4j.internal.verbosity", "ERROR");
        Config config = Kubeconfig.find(place, environment);
        config.setConnectionTimeout(CONNECT_MS);
        config.setRequestTimeout(ANSWER_MS);
        config.setRequestRetryBackoffLimit(REPEATS);
        config.setRequestRetryBackoffInterval(REPEAT_AFTER_MS);
        config.setUserAgent("enipam");
        try {
            return new Cluster(
                    place,
                    new KubernetesClientBuilder()
                            .withConfig(config)
                            .withHttpClientFactory(Kubeconfig.connections(config))
                            .build());
        } catch (ShellException e) {
            throw e;
        } catch (RuntimeException e) {
            throw Kubeconfig.unusable(e);
        }
    }

    private String pods() {
        return "pods in namespace " + place.namespace();
    }

    /**
     * The pod of the daemon on a node, looked up now: one that runs, before one that is being replaced. Throws {@link
     * ShellException} if there is none in which something can be run.
     */
    public DaemonPod daemonOn(String node) {
        List<Pod> pods = new ArrayList<>();
        asked("list", pods(), () -> {
            pages(
                    options -> client.pods().inNamespace(place.namespace()).list(options),
                    new ListOptionsBuilder()
                            .withLabelSelector(place.selector())
                            .withFieldSelector("spec.nodeName=" + node)
                            .build(),
                    pods::clear,
                    pods::add);
            return pods;
        });
        return usable(DaemonPod.best(pods).orElseThrow(() -> none(node)));
    }

    private static DaemonPod usable(DaemonPod pod) {
        if (!pod.usable()) {
            throw ClusterErrors.failed(
                    "POD_NOT_RUNNING",
                    "the daemon's pod " + pod.namespace() + "/" + pod.name() + " on node " + pod.node()
                            + " does not run: " + pod.trouble(),
                    "Look at it: kubectl -n " + pod.namespace() + " describe pod " + pod.name());
        }
        return pod;
    }

    /** Why there is no pod: perhaps there is no such node. */
    private ShellException none(String node) {
        try {
            if (client.nodes().withName(node).get() == null) {
                return ClusterErrors.failed(
                        "NO_NODE",
                        "there is no node '" + node + "' in this cluster",
                        "See kubectl get nodes; another cluster has another --context");
            }
        } catch (KubernetesClientException e) {
            if (e.getCode() != FORBIDDEN && e.getCode() != NOT_FOUND) {
                return failures.of("get", "node " + node, e);
            }
        }
        return ClusterErrors.failed(
                "NO_DAEMON",
                "there is no daemon's pod on node " + node + ", in namespace " + place.namespace() + " with labels "
                        + place.selector(),
                "Does the DaemonSet tolerate the node's taints? Elsewhere, say --daemon-namespace and"
                        + " --daemon-selector");
    }

    /** The nodes, by name, with the daemon's pod where there is one. */
    public SortedMap<String, Optional<DaemonPod>> nodes(NodeSelector choice) {
        Map<String, List<Pod>> pods = new HashMap<>();
        asked("list", pods(), () -> {
            pages(
                    options -> client.pods().inNamespace(place.namespace()).list(options),
                    new ListOptionsBuilder().withLabelSelector(place.selector()).build(),
                    pods::clear,
                    pod -> {
                        if (pod.getSpec().getNodeName() != null) {
                            pods.computeIfAbsent(pod.getSpec().getNodeName(), node -> new ArrayList<>(1))
                                    .add(slim(pod));
                        }
                    });
            return pods;
        });
        SortedMap<String, Optional<DaemonPod>> nodes = new TreeMap<>();
        for (String node : chosen(choice)) {
            nodes.put(node, DaemonPod.best(pods.getOrDefault(node, List.of())));
        }
        return nodes;
    }

    /** What is not needed is let go at once: volumes, environments and managed fields are most of a pod. */
    private static Pod slim(Pod pod) {
        pod.getMetadata().setManagedFields(List.of());
        pod.getSpec().setVolumes(List.of());
        pod.getSpec().setInitContainers(List.of());
        pod.getSpec().getContainers().forEach(container -> {
            container.setEnv(List.of());
            container.setVolumeMounts(List.of());
        });
        return pod;
    }

    private Set<String> chosen(NodeSelector choice) {
        Set<String> named = new TreeSet<>(choice.names());
        if (!named.isEmpty() && choice.selector().isEmpty()) {
            return named; // of one that does not exist it is said when its turn comes
        }
        Set<String> listed = new TreeSet<>();
        asked("list", "nodes", () -> {
            pages(
                    options -> client.nodes().list(options),
                    new ListOptionsBuilder()
                            .withLabelSelector(choice.selector().isEmpty() ? null : choice.selector())
                            .build(),
                    listed::clear,
                    (Node node) -> listed.add(node.getMetadata().getName()));
            return listed;
        });
        if (!named.isEmpty()) {
            listed.retainAll(named);
        }
        return listed;
    }

    /** Takes a list page by page; one whose pages the server has forgotten halfway through is begun anew, once. */
    private static <I extends HasMetadata> void pages(
            Function<ListOptions, ? extends KubernetesResourceList<I>> list,
            ListOptions options,
            Runnable anew,
            Consumer<I> take) {
        options.setLimit(PAGE);
        try {
            onePass(list, options, take);
        } catch (KubernetesClientException e) {
            if (e.getCode() != GONE) {
                throw e;
            }
            anew.run();
            onePass(list, options, take);
        }
    }

    private static <I extends HasMetadata> void onePass(
            Function<ListOptions, ? extends KubernetesResourceList<I>> list, ListOptions options, Consumer<I> take) {
        @Nullable String next = null;
        do {
            options.setContinue(next);
            KubernetesResourceList<I> page = list.apply(options);
            page.getItems().forEach(take);
            next = page.getMetadata() == null ? null : page.getMetadata().getContinue();
        } while (next != null && !next.isEmpty());
    }

    private <T> T asked(String verb, String of, Supplier<T> request) {
        try {
            return request.get();
        } catch (KubernetesClientException e) {
            throw failures.of(verb, of, e);
        }
    }

    /** Starts the relay in a pod. */
    PodExec dial(DaemonPod pod, PodExec.Receiver end) {
        return PodExec.start(client, usable(pod), place.relay(), failures, end);
    }

    @Override
    public void close() {
        client.close();
    }
}
