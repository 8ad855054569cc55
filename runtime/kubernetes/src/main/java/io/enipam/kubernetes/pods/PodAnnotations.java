package io.enipam.kubernetes.pods;

import java.util.List;

/** The annotations of a pod that say something about its network. */
final class PodAnnotations {
    static final String TERWAY_INGRESS = "k8s.aliyun.com/ingress-bandwidth";
    static final String TERWAY_EGRESS = "k8s.aliyun.com/egress-bandwidth";
    static final String KUBERNETES_INGRESS = "kubernetes.io/ingress-bandwidth";
    static final String KUBERNETES_EGRESS = "kubernetes.io/egress-bandwidth";

    /** {@code true}: the pod wants an ENI of its own. */
    static final String OWN_ENI = "k8s.aliyun.com/ENI";

    /** The resource of a container that says the same; no annotation. */
    static final String ENI_RESOURCE = "aliyun/eni";

    /** The pod's addresses, written by the daemon where that is wanted: {@code 10.0.0.5,fd00::5}. */
    static final String POD_IPS = "k8s.aliyun.com/pod-ips";

    /** How long the address of a pod is kept for its successor of the same name: {@code 30s}, {@code 5m}, {@code 0}. */
    static final String STICK = "enipam.io/stick-time";

    /**
     * Of a mirror of a static pod alone: the UID that the kubelet has given to the static pod. The API server gives the mirror one of
     * its own, and another one each time it is made anew.
     */
    static final String MIRROR = "kubernetes.io/config.mirror";

    /** All that are read; no others are kept in memory. */
    static final List<String> ALL = List.of(
            TERWAY_INGRESS, TERWAY_EGRESS, KUBERNETES_INGRESS, KUBERNETES_EGRESS, OWN_ENI, STICK, POD_IPS, MIRROR);

    private PodAnnotations() {}
}
