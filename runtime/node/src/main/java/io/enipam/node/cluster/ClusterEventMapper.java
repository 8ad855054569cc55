package io.enipam.node.cluster;

import static java.util.Map.entry;

import io.enipam.engine.model.Event;
import io.enipam.kubernetes.events.EventReporter.EventNotice;
import io.enipam.sdk.PodRef;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Which of the daemon's events become events of the cluster, and with which reason: terway's reasons where they exist,
 * since alerts refer to them. All other events stay on the node.
 */
final class ClusterEventMapper {
    private static final Map<String, String> OF_PODS = Map.of(
            "LeaseGranted", "AllocIPSucceed",
            "LeaseRefused", "AllocIPFailed",
            "LeaseNotUndone", "ReleaseIPFailed",
            "ManifestInvalid", "ConfigError",
            "AddressLost", "ResourceInvalid");
    private static final Map<String, String> OF_THE_NODE = Map.ofEntries(
            entry("VSwitchUnusable", "VSwitchUnusable"),
            entry("CloudUnreachable", "CloudUnavailable"),
            entry("CloudUnavailable", "CloudUnavailable"),
            entry("ConfigAdjusted", "ConfigError"),
            entry("ConfigRefused", "ConfigError"),
            entry("ConfigMapMissing", "ConfigError"),
            entry("ServiceCidrRefused", "ConfigError"),
            entry("DatabaseUnwritable", "DatabaseUnwritable"),
            entry("KernelUnusable", "KernelUnusable"),
            entry("AddsFailing", "AddsFailing"),
            entry("RecoveryFailed", "RecoveryFailed"),
            entry("PluginDegraded", "PluginDegraded"),
            entry("NodeCidrChanged", "ConfigError"),
            entry("NodeAddressTaken", "ConfigError"),
            entry("NodeNotTold", "ConfigError"),
            entry("PodsNotOurs", "ConfigError"),
            entry("ConfigNotApplied", "ConfigError"),
            entry("KubeletNotTold", "KubeletNotTold"));

    private final Function<PodRef, String> uid;

    /** @param uid the UID of a pod, or empty text if it is unknown */
    ClusterEventMapper(Function<PodRef, String> uid) {
        this.uid = uid;
    }

    /** @return one for each pod of the event; none if the event is of no use to the cluster */
    List<EventNotice> toNotices(Event event) {
        boolean warning = event.severity() != Event.Severity.INFO;
        String ofPod = OF_PODS.get(event.type());
        if (ofPod != null) {
            String pods =
                    event.attributes().getOrDefault("pods", event.attributes().getOrDefault("pod", event.subject()));
            return Arrays.stream(pods.split(","))
                    .flatMap(name -> pod(name).stream())
                    .map(pod -> EventNotice.ofPod(pod, uid.apply(pod), warning, ofPod, event.message()))
                    .toList();
        }
        return Optional.ofNullable(OF_THE_NODE.get(event.type())).stream()
                .map(reason -> EventNotice.ofNode(warning, reason, event.message()))
                .toList();
    }

    /** The pod that got an address, if the event says so. */
    Optional<PodRef> granted(Event event) {
        return event.type().equals("LeaseGranted") ? pod(event.subject()) : Optional.empty();
    }

    /** The pod that an ADD could not look up, if the event says so. */
    Optional<PodRef> unanswered(Event event) {
        return event.type().equals("PodLookupFailed") ? pod(event.subject()) : Optional.empty();
    }

    private static Optional<PodRef> pod(String subject) {
        try {
            return Optional.of(PodRef.parse(subject));
        } catch (IllegalArgumentException e) {
            // a placeholder's name, or none: the cluster knows no such pod
            return Optional.empty();
        }
    }
}
