package io.enipam.config;

import java.util.List;
import java.util.Optional;

/**
 * The cluster's values of this node's configuration.
 *
 * @param overlay the ConfigMap that the node's label names
 * @param serviceCidrs the addresses of the cluster's services, used if no file sets them; empty if the cluster does not
 *     give them
 */
public record RemoteConfig(Optional<Overlay> overlay, List<String> serviceCidrs) {
    /** The source of the service addresses. */
    public static final String KUBEADM = "configmap kube-system/kubeadm-config";

    public RemoteConfig {
        serviceCidrs = List.copyOf(serviceCidrs);
    }

    public static RemoteConfig none() {
        return new RemoteConfig(Optional.empty(), List.of());
    }

    public RemoteConfig withServiceCidrs(List<String> cidrs) {
        return new RemoteConfig(overlay, cidrs);
    }

    /**
     * The values of a ConfigMap, which override the files.
     *
     * @param source name for messages: {@code configmap kube-system/gpu-nodes}
     * @param eniConf its key {@value #ENI_CONF}: terway's names, as in eni.json
     * @param enipamYaml its key {@value #ENIPAM_YAML}: our names, as in enipam.yaml
     */
    public record Overlay(String source, Optional<String> eniConf, Optional<String> enipamYaml) {
        public static final String ENI_CONF = "eni_conf";

        public static final String ENIPAM_YAML = "enipam.yaml";

        /** Leaves the texts out: they may contain secrets. */
        @Override
        public String toString() {
            return source;
        }
    }
}
