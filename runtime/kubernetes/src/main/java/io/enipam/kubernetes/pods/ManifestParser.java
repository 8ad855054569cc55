package io.enipam.kubernetes.pods;

import io.enipam.engine.model.Pod.Metadata;
import io.enipam.engine.model.Pod.PodNetworkSpec;
import io.enipam.kubernetes.pods.PodInformer.WatchedPod;
import io.enipam.sdk.Address;
import io.enipam.sdk.PodRef;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodIP;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.Quantity;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.net.InetAddress;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Parses manifests. Invalid values are ignored and reported: a wrong annotation never keeps a pod from an address.
 *
 * @param rule which pods keep their address, evaluated at each manifest
 */
public record ManifestParser(Supplier<StickRule> rule) {
    private static final Pattern DURATION = Pattern.compile("(?:\\d{1,6}[hms]){1,3}|0");
    private static final Duration LONGEST_STICK = Duration.ofDays(7);
    private static final int SHOWN = 60;
    /** So many labels and so many annotations of a pod are shown to policies, with so many characters in a value. */
    private static final int MOST_SHOWN = 64;

    private static final int LONGEST_SHOWN = 1_024;
    private static final Set<String> WRITTEN_BEFORE_THE_END =
            Set.of("Evicted", "Preempting", "Shutdown", "NodeShutdown", "Terminated");

    private static final ContainerStatus RUNNING = new ContainerStatusBuilder()
            .withNewState()
            .withNewRunning()
            .endRunning()
            .endState()
            .build();
    private static final ContainerStatus NOT_RUNNING = new ContainerStatusBuilder().build();

    /** Whether the pod uses the node's own network and needs no address. */
    static boolean inHostNetwork(Pod pod) {
        return pod.getSpec() != null && Boolean.TRUE.equals(pod.getSpec().getHostNetwork());
    }

    /**
     * Whether the pod has run to its end: its phase says so, and none of its containers runs. Kubelets set the phase
     * Failed before they stop a pod that they evict, or stop for a shutdown, and the pod may use its network for
     * minutes afterwards. Up to 1.21 they omitted the containers: then the phase proves nothing, and the pod ends with
     * its DEL or its deletion.
     *
     * @see <a href="https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-phase">pod phase</a>
     */
    static boolean finished(Pod pod) {
        PodStatus status = pod.getStatus();
        if (status == null || !("Succeeded".equals(status.getPhase()) || "Failed".equals(status.getPhase()))) {
            return false;
        }
        boolean saysNothingOfContainers = containers(status).findAny().isEmpty();
        return !(saysNothingOfContainers && WRITTEN_BEFORE_THE_END.contains(String.valueOf(status.getReason())))
                && !runs(status);
    }

    /** The kept container data: whether any exists, and whether one runs. */
    static List<ContainerStatus> trimmedContainers(PodStatus status) {
        if (runs(status)) {
            return List.of(RUNNING);
        }
        return containers(status).findAny().isPresent() ? List.of(NOT_RUNNING) : List.of();
    }

    private static boolean runs(PodStatus status) {
        return containers(status)
                .anyMatch(container ->
                        container.getState() != null && container.getState().getRunning() != null);
    }

    private static Stream<ContainerStatus> containers(PodStatus status) {
        return Stream.of(
                        status.getInitContainerStatuses(),
                        status.getContainerStatuses(),
                        status.getEphemeralContainerStatuses())
                .filter(Objects::nonNull)
                .flatMap(Collection::stream);
    }

    /** Whether it mirrors a pod that the kubelet runs from a file: its deletion ends nothing. */
    static boolean isMirror(Pod pod) {
        return annotations(pod).containsKey(PodAnnotations.MIRROR);
    }

    /** The pod's UID at kubelet and runtime, or empty text. */
    static String uid(Pod pod) {
        String uid = annotations(pod)
                .getOrDefault(PodAnnotations.MIRROR, pod.getMetadata().getUid());
        return uid == null ? "" : uid;
    }

    static PodRef ref(Pod pod) {
        return new PodRef(pod.getMetadata().getNamespace(), pod.getMetadata().getName());
    }

    public ParsedManifest parse(Pod pod) {
        List<String> complaints = new ArrayList<>();
        Duration stick = stickOf(pod, complaints);
        PodNetworkSpec wishes = wishes(pod, complaints);
        Metadata metadata = new Metadata(labels(pod), shownAnnotations(pod));
        var parsed = new io.enipam.engine.model.Pod(
                ref(pod), uid(pod), finished(pod), stick, addresses(pod), wishes, metadata);
        return new ParsedManifest(parsed, complaints);
    }

    WatchedPod watched(Pod pod) {
        return new WatchedPod(
                parse(pod).pod(),
                WatchedPod.PodDetails.of(pod),
                annotations(pod).getOrDefault(PodAnnotations.POD_IPS, ""));
    }

    private static Map<String, String> annotations(Pod pod) {
        Map<String, String> annotations = pod.getMetadata().getAnnotations();
        return annotations == null ? Map.of() : annotations;
    }

    /** Those that policies see: bounded, as {@link io.enipam.sdk.PodView} says, since any author of a pod may write many. */
    static Map<String, String> labels(Pod pod) {
        Map<String, String> labels = pod.getMetadata().getLabels();
        return labels == null ? Map.of() : bounded(labels);
    }

    static Map<String, String> shownAnnotations(Pod pod) {
        return bounded(annotations(pod));
    }

    private static Map<String, String> bounded(Map<String, String> all) {
        Map<String, String> first = new LinkedHashMap<>();
        all.entrySet().stream()
                .filter(entry -> entry.getValue() != null && entry.getValue().length() <= LONGEST_SHOWN)
                .sorted(Map.Entry.comparingByKey())
                .limit(MOST_SHOWN)
                .forEach(entry -> first.put(entry.getKey(), entry.getValue()));
        return first;
    }

    /** Whether a container requests an ENI of the pod's own from the kubelet. */
    static boolean requestsEni(Pod pod) {
        return Stream.ofNullable(pod.getSpec())
                .flatMap(spec -> Stream.ofNullable(spec.getContainers()).flatMap(List::stream))
                .flatMap(container -> Stream.ofNullable(container.getResources()))
                // a limit without a request is the request, too
                .flatMap(resources -> Stream.of(resources.getRequests(), resources.getLimits()))
                .anyMatch(amounts -> amounts != null && amounts.containsKey(PodAnnotations.ENI_RESOURCE));
    }

    /** As in terway: every value except no means yes. */
    private static boolean wantsEni(Map<String, String> annotations) {
        String text = annotations.getOrDefault(PodAnnotations.OWN_ENI, "").strip();
        return !text.isEmpty() && !text.equalsIgnoreCase("false") && !text.equals("0");
    }

    private static PodNetworkSpec wishes(Pod pod, List<String> complaints) {
        Map<String, String> annotations = annotations(pod);
        return new PodNetworkSpec(
                rate(annotations, PodAnnotations.TERWAY_INGRESS, PodAnnotations.KUBERNETES_INGRESS, complaints),
                rate(annotations, PodAnnotations.TERWAY_EGRESS, PodAnnotations.KUBERNETES_EGRESS, complaints),
                wantsEni(annotations) || requestsEni(pod));
    }

    /** Terway's own annotation wins over Kubernetes', as in terway. */
    private static OptionalLong rate(
            Map<String, String> annotations, String terways, String kubernetes, List<String> complaints) {
        OptionalLong first = rate(annotations, terways, BandwidthParser::parseTerway, complaints);
        return first.isPresent() ? first : rate(annotations, kubernetes, BandwidthParser::parseQuantity, complaints);
    }

    private static OptionalLong rate(
            Map<String, String> annotations, String key, ToLongFunction<String> reading, List<String> complaints) {
        String text = annotations.get(key);
        if (text == null) {
            return OptionalLong.empty();
        }
        try {
            return OptionalLong.of(reading.applyAsLong(text));
        } catch (IllegalArgumentException e) {
            complaints.add("annotation " + key + " is '" + shortened(text) + "': " + e.getMessage()
                    + "; there is no limit until it is");
            return OptionalLong.empty();
        }
    }

    private Duration stickOf(Pod pod, List<String> complaints) {
        Duration usual = Stream.ofNullable(pod.getMetadata().getOwnerReferences())
                .flatMap(List::stream)
                .filter(owner -> Boolean.TRUE.equals(owner.getController()))
                .map(owner -> rule.get().of(String.valueOf(owner.getKind())))
                .max(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
        String text = annotations(pod).get(PodAnnotations.STICK);
        if (text == null) {
            return usual;
        }
        try {
            return duration(text.strip().toLowerCase(Locale.ROOT));
        } catch (IllegalArgumentException | DateTimeParseException | ArithmeticException e) {
            complaints.add("annotation " + PodAnnotations.STICK + " is '" + shortened(text)
                    + "': a duration such as 30s, 5m or 1h30m, 7 days at most, is what it may be; it is "
                    + usual.toSeconds()
                    + "s until it is");
            return usual;
        }
    }

    private static Duration duration(String text) {
        if (!DURATION.matcher(text).matches()) {
            throw new IllegalArgumentException(text);
        }
        Duration duration = text.equals("0") ? Duration.ZERO : Duration.parse("PT" + text);
        if (duration.compareTo(LONGEST_STICK) > 0) {
            throw new IllegalArgumentException(text);
        }
        return duration;
    }

    /** Text that is no address literal is ignored: it is the API server's. */
    private static List<InetAddress> addresses(Pod pod) {
        if (inHostNetwork(pod) || pod.getStatus() == null) {
            return List.of();
        }
        Stream<String> all = Stream.ofNullable(pod.getStatus().getPodIPs())
                .flatMap(List::stream)
                .map(PodIP::getIp);
        return Stream.concat(all, Stream.ofNullable(pod.getStatus().getPodIP()))
                .filter(Objects::nonNull)
                .distinct()
                .flatMap(text -> literal(text).stream())
                .toList();
    }

    private static Optional<InetAddress> literal(String text) {
        try {
            return Optional.of(Address.literal(text));
        } catch (IllegalArgumentException e) {
            // no lease can have it
            return Optional.empty();
        }
    }

    private static String shortened(String text) {
        return text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "...";
    }

    /** @param complaints values that cannot be applied, one sentence each, for an event on the pod */
    public record ParsedManifest(io.enipam.engine.model.Pod pod, List<String> complaints) {
        public ParsedManifest {
            complaints = List.copyOf(complaints);
        }
    }

    /**
     * Which pods keep their address for a successor, and for how long.
     *
     * @param statefulKinds kinds of owners whose pods do, StatefulSet aside
     * @param stick how long, unless the pod sets it
     */
    public record StickRule(Set<String> statefulKinds, Duration stick) {
        public StickRule {
            statefulKinds = Set.copyOf(statefulKinds);
        }

        /** How long pods of such an owner keep it; zero if they do not. */
        public Duration of(String ownerKind) {
            return ownerKind.equals("StatefulSet") || statefulKinds.contains(ownerKind) ? stick : Duration.ZERO;
        }
    }

    /** Annotations about a pod's network. */
    static final class PodAnnotations {
        static final String TERWAY_INGRESS = "k8s.aliyun.com/ingress-bandwidth";
        static final String TERWAY_EGRESS = "k8s.aliyun.com/egress-bandwidth";
        static final String KUBERNETES_INGRESS = "kubernetes.io/ingress-bandwidth";
        static final String KUBERNETES_EGRESS = "kubernetes.io/egress-bandwidth";

        /** {@code true}: the pod wants an ENI of its own. */
        static final String OWN_ENI = "k8s.aliyun.com/ENI";

        /** A container's resource with the same meaning; not an annotation. */
        static final String ENI_RESOURCE = "aliyun/eni";

        /** The pod's addresses, written by the daemon if configured: {@code 10.0.0.5,fd00::5}. */
        static final String POD_IPS = "k8s.aliyun.com/pod-ips";

        /**
         * How long the address of a pod is kept for its successor of the same name: {@code 30s}, {@code 5m}, {@code 0}.
         */
        static final String STICK = "enipam.io/stick-time";

        /**
         * Only on the mirror of a static pod: the kubelet's UID of the static pod. The API server gives the mirror a
         * UID of its own, and another one each time the mirror is recreated.
         */
        static final String MIRROR = "kubernetes.io/config.mirror";

        /** All annotations that are read; no others are kept in memory. */
        static final List<String> ALL = List.of(
                TERWAY_INGRESS, TERWAY_EGRESS, KUBERNETES_INGRESS, KUBERNETES_EGRESS, OWN_ENI, STICK, POD_IPS, MIRROR);

        private PodAnnotations() {}
    }

    /** Parses the rate limits of annotations into bytes a second. */
    static final class BandwidthParser {
        /** A number and at most one unit; units are powers of 1024, further letters have no meaning. */
        private static final Pattern TERWAYS =
                Pattern.compile("(\\d{1,15}(?:\\.\\d{1,9})?)\\s*(?:([KMGT])(?:I?B)?|B)?");

        private static final String UNITS = "KMGT";
        private static final int UNIT = 1024;
        private static final BigDecimal BITS = BigDecimal.valueOf(8);
        private static final BigDecimal LEAST = BigDecimal.ONE;
        /** A petabyte a second. */
        private static final BigDecimal MOST = BigDecimal.valueOf(1L << 50);

        /** Parsing a number of a quarter of a million digits takes seconds. */
        private static final int LONGEST = 64;

        private BandwidthParser() {}

        private static String bounded(String text) {
            if (text.length() > LONGEST) {
                throw new IllegalArgumentException("it has " + text.length() + " characters, and may have " + LONGEST);
            }
            return text.strip();
        }

        /**
         * Terway's format: bytes a second, 1 to 2^50, {@code 10M}, {@code 1.5GiB}.
         *
         * @throws IllegalArgumentException for any other text; the message says what is allowed
         */
        static long parseTerway(String text) {
            Matcher parts = TERWAYS.matcher(bounded(text).toUpperCase(Locale.ROOT));
            if (!parts.matches()) {
                throw new IllegalArgumentException("a number with B, K, M, G or T, such as 10M, is what it may be");
            }
            BigDecimal rate = new BigDecimal(parts.group(1));
            int power = parts.group(2) == null ? 0 : UNITS.indexOf(parts.group(2)) + 1;
            return checked(rate.multiply(BigDecimal.valueOf(UNIT).pow(power)));
        }

        /**
         * Kubernetes' format: bits a second as a quantity, {@code 10M}, {@code 1Gi}. Gives and throws the same.
         *
         * @see <a href="https://kubernetes.io/docs/concepts/extend-kubernetes/compute-storage-net/network-plugins/#support-traffic-shaping">traffic shaping</a>
         */
        static long parseQuantity(String text) {
            String quantity = bounded(text);
            BigDecimal bytes;
            try {
                bytes = Quantity.getAmountInBytes(Quantity.parse(quantity)).divide(BITS);
            } catch (RuntimeException e) {
                throw new IllegalArgumentException("a quantity of bits a second, such as 10M, is what it may be", e);
            }
            return checked(bytes);
        }

        private static long checked(BigDecimal bytes) {
            if (bytes.compareTo(LEAST) < 0 || bytes.compareTo(MOST) > 0) {
                throw new IllegalArgumentException("it has to be between a byte and a petabyte a second");
            }
            return bytes.setScale(0, RoundingMode.DOWN).longValueExact();
        }
    }
}
