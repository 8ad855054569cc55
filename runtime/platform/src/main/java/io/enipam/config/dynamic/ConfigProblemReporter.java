package io.enipam.config.dynamic;

import io.enipam.config.RemoteConfig.Overlay;
import io.enipam.config.dynamic.ClusterConfigClient.ConfigReply;
import io.enipam.engine.model.Event;
import io.enipam.engine.port.EventSink;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Problems of reading the cluster's configuration, each reported once while it lasts. For one thread at a time. */
final class ConfigProblemReporter {
    private enum Sort {
        NODE_UNKNOWN("NodeUnknown", Event.Severity.ERROR),
        MAP_MISSING("ConfigMapMissing", Event.Severity.WARNING),
        REFUSED("ConfigRefused", Event.Severity.ERROR),
        UNREAD("ConfigUnread", Event.Severity.WARNING),
        COPY_WRONG("ConfigCopyWrong", Event.Severity.WARNING);

        private final String event;
        private final Event.Severity severity;

        Sort(String event, Event.Severity severity) {
            this.event = event;
            this.severity = severity;
        }
    }

    private final EventSink events;
    private final Map<Sort, String> now = new EnumMap<>(Sort.class);
    private final Map<Sort, String> told = new EnumMap<>(Sort.class);

    ConfigProblemReporter(EventSink events) {
        this.events = events;
    }

    /** The present problems, one line each. */
    List<String> lines() {
        return List.copyOf(now.values());
    }

    void tell() {
        now.forEach((sort, line) -> {
            if (!line.equals(told.get(sort))) {
                events.publish(sort.severity, sort.event, "config", line, Map.of());
            }
        });
        told.clear();
        told.putAll(now);
    }

    /** Checks that node and ConfigMap exist, and gives the values of the ConfigMap. */
    Optional<Overlay> about(ConfigReply answer, Optional<ClusterConfigClient> asked) {
        now.remove(Sort.NODE_UNKNOWN);
        now.remove(Sort.MAP_MISSING);
        if (!answer.knowsNode()) {
            asked.ifPresent(client -> now.put(
                    Sort.NODE_UNKNOWN,
                    "the API server knows no node '" + client.node() + "': its pods, its label and its events cannot be"
                            + " found; set node.name, or NODE_NAME, to the name that 'kubectl get nodes' shows"));
        }
        if (answer.overlay().isEmpty()) {
            answer.named()
                    .ifPresent(name -> now.put(
                            Sort.MAP_MISSING,
                            "the node's label " + ClusterConfigClient.LABEL + " names the ConfigMap " + name
                                    + ", and there is none of that name: the files alone are in force; make it or take"
                                    + " the label away"));
        }
        return answer.overlay();
    }

    void accepted() {
        now.remove(Sort.REFUSED);
        now.remove(Sort.COPY_WRONG);
    }

    void refused(String source, String why) {
        now.put(Sort.REFUSED, source + " is refused, and what was in force stays: " + why);
    }

    /** @param instead what applies instead; it stays in force until the cluster can be read */
    void unread(String why, String instead) {
        now.putIfAbsent(
                Sort.UNREAD, "what the cluster says of the configuration cannot be read, so " + instead + ": " + why);
    }

    void read() {
        now.remove(Sort.UNREAD);
    }

    void copyIsWrong(String why) {
        now.put(Sort.COPY_WRONG, "the last good copy of the ConfigMap is not used: " + why);
    }
}
