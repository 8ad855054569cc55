package io.enipam.kubernetes.pods;

import io.enipam.engine.model.Pod.PodNetworkSpec;
import io.enipam.sdk.Address;
import io.enipam.sdk.PodRef;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodIP;
import java.net.InetAddress;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
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

    /** With a constant rule. */
    public ManifestParser(Set<String> statefulKinds, Duration stick) {
        this(fixed(new StickRule(statefulKinds, stick)));
    }

    private static Supplier<StickRule> fixed(StickRule rule) {
        return () -> rule;
    }

    /** Whether the pod uses the node's own network and needs no address. */
    static boolean inHostNetwork(Pod pod) {
        return pod.getSpec() != null && Boolean.TRUE.equals(pod.getSpec().getHostNetwork());
    }

    /** Whether the pod has run to its end; see {@link PodCompletion}. */
    static boolean finished(Pod pod) {
        return PodCompletion.finished(pod.getStatus());
    }

    /**
     * Whether it is the mirror of a pod that the kubelet runs from a file: its deletion from the API server ends
     * nothing.
     */
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
        return new ParsedManifest(
                new io.enipam.engine.model.Pod(
                        ref(pod),
                        uid(pod),
                        finished(pod),
                        stickOf(pod, complaints),
                        addresses(pod),
                        wishes(pod, complaints)),
                complaints);
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

    /** Whether a container requests an ENI of the pod's own from the kubelet. */
    static boolean requestsEni(Pod pod) {
        return pod.getSpec() != null
                && pod.getSpec().getContainers() != null
                && pod.getSpec().getContainers().stream()
                        .map(Container::getResources)
                        .filter(Objects::nonNull)
                        // a limit without a request is the request, too
                        .flatMap(resources -> Stream.of(resources.getRequests(), resources.getLimits()))
                        .filter(Objects::nonNull)
                        .anyMatch(amounts -> amounts.containsKey(PodAnnotations.ENI_RESOURCE));
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
        StickRule now = rule.get();
        Set<String> statefulKinds = now.statefulKinds();
        Duration stick = now.stick();
        List<OwnerReference> owners = pod.getMetadata().getOwnerReferences();
        boolean stateful = owners != null
                && owners.stream()
                        .anyMatch(owner -> Boolean.TRUE.equals(owner.getController())
                                && ("StatefulSet".equals(owner.getKind())
                                        || (owner.getKind() != null && statefulKinds.contains(owner.getKind()))));
        String text = annotations(pod).get(PodAnnotations.STICK);
        Duration usual = stateful ? stick : Duration.ZERO;
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
        Set<String> texts = new LinkedHashSet<>();
        if (inHostNetwork(pod) || pod.getStatus() == null) {
            return List.of();
        }
        if (pod.getStatus().getPodIPs() != null) {
            pod.getStatus().getPodIPs().stream().map(PodIP::getIp).forEach(texts::add);
        }
        texts.add(pod.getStatus().getPodIP());
        List<InetAddress> addresses = new ArrayList<>();
        for (String text : texts) {
            if (text != null && !text.isEmpty()) {
                try {
                    addresses.add(Address.literal(text));
                } catch (IllegalArgumentException e) {
                    // not a literal: no lease can have it
                    continue;
                }
            }
        }
        return addresses;
    }

    private static String shortened(String text) {
        return text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "...";
    }

    /**
     * A pod's network settings in its manifest.
     *
     * @param pod the engine's view
     * @param complaints values that cannot be applied, one sentence each, for an event on the pod
     */
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
}
