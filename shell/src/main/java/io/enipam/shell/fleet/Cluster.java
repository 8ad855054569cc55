package io.enipam.shell.fleet;

import static io.enipam.shell.fleet.Cluster.ClusterErrors.failed;

import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.attach.ShellException;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.KubernetesResourceList;
import io.fabric8.kubernetes.api.model.ListMeta;
import io.fabric8.kubernetes.api.model.ListOptions;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A cluster, as its API server has it, by fabric8's client. Thread-safe; every request has a deadline, and what fails is
 * a {@link ShellException} that says which verb was wanted of what.
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

    /** Where the daemons are, by default where kubectl looks; the relay is a command in their pods. */
    public record ClusterTarget(
            Optional<Path> kubeconfig,
            Optional<String> context,
            String namespace,
            String selector,
            List<String> relay) {
        /** Where the DaemonSet of {@code runtime/deploy} is. */
        public static final String NAMESPACE = "kube-system";

        public static final String SELECTOR = "app.kubernetes.io/name=enipam,app.kubernetes.io/component=daemon";
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

    private List<Pod> pods(@Nullable String fields) {
        String namespace = place.namespace();
        return list(
                "pods in namespace " + namespace,
                options -> client.pods().inNamespace(namespace).list(options),
                new ListOptionsBuilder().withLabelSelector(place.selector()).withFieldSelector(fields),
                Cluster::slim);
    }

    /** The daemon's pod on a node, looked up now. Throws {@link ShellException} if nothing can be run in any. */
    public DaemonPod daemonOn(String node) {
        return usable(DaemonPod.best(pods("spec.nodeName=" + node)).orElseThrow(() -> none(node)));
    }

    private static DaemonPod usable(DaemonPod pod) {
        if (!pod.trouble().isEmpty()) {
            String named = pod.namespace() + "/" + pod.name() + " on node " + pod.node();
            throw failed(
                    "POD_NOT_RUNNING",
                    "the daemon's pod " + named + " does not run: " + pod.trouble(),
                    "Look at it: kubectl -n " + pod.namespace() + " describe pod " + pod.name());
        }
        return pod;
    }

    /** Why there is no pod: perhaps there is no such node. */
    private ShellException none(String node) {
        try {
            if (client.nodes().withName(node).get() == null) {
                return failed(
                        "NO_NODE",
                        "there is no node '" + node + "' in this cluster",
                        "See kubectl get nodes; another cluster has another --context");
            }
        } catch (KubernetesClientException e) {
            if (e.getCode() != FORBIDDEN && e.getCode() != NOT_FOUND) {
                return failures.of("get", "node " + node, e);
            }
        }
        return failed(
                "NO_DAEMON",
                "there is no daemon's pod on node " + node + ", in namespace " + place.namespace() + " with labels "
                        + place.selector(),
                "Does the DaemonSet tolerate the node's taints? Elsewhere, say --daemon-namespace and"
                        + " --daemon-selector");
    }

    /** The nodes, by name, with the daemon's pod where there is one. */
    public SortedMap<String, Optional<DaemonPod>> nodes(NodeSelector choice) {
        Map<String, List<Pod>> pods = pods(null).stream()
                .filter(pod -> pod.getSpec().getNodeName() != null)
                .collect(Collectors.groupingBy(pod -> pod.getSpec().getNodeName()));
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
        Set<String> listed = new TreeSet<>(list(
                "nodes",
                options -> client.nodes().list(options),
                new ListOptionsBuilder().withLabelSelector(choice.selector().isEmpty() ? null : choice.selector()),
                (Node node) -> node.getMetadata().getName()));
        if (!named.isEmpty()) {
            listed.retainAll(named);
        }
        return listed;
    }

    /** Lists page by page; a list whose pages the server has forgotten halfway through is begun anew, once. */
    private <I extends HasMetadata, R> List<R> list(
            String what,
            Function<ListOptions, ? extends KubernetesResourceList<I>> call,
            ListOptionsBuilder options,
            Function<I, R> keep) {
        for (boolean again = true; ; again = false) {
            try {
                List<R> kept = new ArrayList<>();
                @Nullable String next = null;
                do {
                    KubernetesResourceList<I> page = call.apply(
                            options.withLimit(PAGE).withContinue(next).build());
                    page.getItems().forEach(item -> kept.add(keep.apply(item)));
                    ListMeta of = page.getMetadata();
                    next = of == null ? null : of.getContinue();
                } while (next != null && !next.isEmpty());
                return kept;
            } catch (KubernetesClientException e) {
                if (!again || e.getCode() != GONE) {
                    throw failures.of("list", what, e);
                }
            }
        }
    }

    PodExec dial(DaemonPod pod, PodExec.Receiver end) {
        return PodExec.start(client, usable(pod), place.relay(), failures, end);
    }

    @Override
    public void close() {
        client.close();
    }

    /** From what the client throws to what an operator reads: what was wanted, why it did not happen, what to do. */
    record ClusterErrors(String server) {
        private static final int BAD_REQUEST = 400;
        private static final int UNAUTHORIZED = 401;
        private static final int TOO_MANY = 429;

        /** @param verbs as {@code list}; of what, as {@code pods in namespace kube-system} */
        ShellException of(String verbs, String of, KubernetesClientException e) {
            String said = e.getStatus() == null || e.getStatus().getMessage() == null
                    ? ""
                    : ": " + e.getStatus().getMessage();
            return answered(e.getCode(), verbs, of, said, e);
        }

        /** An answer that has a status and perhaps a sentence, which begins with a colon. */
        private ShellException answered(int code, String verbs, String of, String said, Throwable e) {
            return switch (code) {
                case 0, -1 -> unreachable(e);
                case UNAUTHORIZED ->
                    failed(
                            "UNAUTHORIZED",
                            "the API server " + server + " does not accept these credentials",
                            "Log in again, or name another way with --kubeconfig FILE or --context NAME",
                            e);
                case FORBIDDEN ->
                    failed(
                            "FORBIDDEN",
                            "the API server does not let you " + verbs + " " + of + said,
                            "Ask for a role with the verb " + verbs.replace(" or ", ", ") + " on it",
                            e);
                case TOO_MANY ->
                    failed(
                            "API_SERVER",
                            "the API server has too much to do (429)",
                            "Try again, or ask for less at once with --parallel",
                            e);
                default ->
                    failed("API_SERVER", "the API server answered " + code + " to " + verbs + " " + of + said, "", e);
            };
        }

        /** A connection into a pod that was refused; only the status says why. */
        ShellException exec(DaemonPod pod, int code, Throwable e) {
            String there = "pod " + pod.namespace() + "/" + pod.name() + " on node " + pod.node();
            String look = "Look at it: kubectl -n " + pod.namespace() + " describe pod " + pod.name();
            return switch (code) {
                case NOT_FOUND -> failed("NO_DAEMON", there + " is gone", "Try again: it may be on its way back", e);
                case BAD_REQUEST ->
                    failed(
                            "POD_NOT_RUNNING",
                            "container " + pod.container() + " of " + there + " does not run",
                            look,
                            e);
                case FORBIDDEN ->
                    failed(
                            "FORBIDDEN",
                            "the API server does not let you run the relay in " + there,
                            "Ask for a role with the verbs create and get on pods/exec in namespace " + pod.namespace(),
                            e);
                case 0, UNAUTHORIZED, TOO_MANY -> answered(code, "exec into", there, "", e);
                default ->
                    failed(
                            "API_SERVER",
                            "the API server answered " + code + " to an exec into " + there,
                            "Does the kubelet of that node answer? " + look,
                            e);
            };
        }

        ShellException unreachable(Throwable e) {
            String why = "the API server " + server + " cannot be reached: " + reason(e);
            return failed(
                    "API_SERVER",
                    why,
                    "Is the network there, and is it the right cluster? See --kubeconfig and --context",
                    e);
        }

        static ShellException failed(String code, String why, String hint) {
            return new ShellException(ExitStatus.NOT_ATTACHED, code, why, hint);
        }

        private static ShellException failed(String code, String why, String hint, Throwable e) {
            return new ShellException(ExitStatus.NOT_ATTACHED, code, why, hint, e);
        }

        /** What is at the bottom of it, in a few words; the JDK's client says of some failures nothing but their class. */
        static String reason(Throwable failure) {
            String said = "";
            Throwable cause = failure;
            for (int depth = 0; cause != null && depth < 20; depth++) {
                if (cause instanceof UnresolvedAddressException || cause instanceof UnknownHostException) {
                    return "its name is not known";
                }
                if (cause instanceof ConnectException && cause.getMessage() == null) {
                    said = "connection refused";
                } else if (cause.getMessage() != null && !(cause instanceof KubernetesClientException)) {
                    said = cause.getMessage();
                }
                cause = cause.getCause();
            }
            return said.isEmpty() ? failure.getClass().getSimpleName() : said;
        }
    }
}
