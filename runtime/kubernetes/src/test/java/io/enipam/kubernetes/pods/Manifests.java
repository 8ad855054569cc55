package io.enipam.kubernetes.pods;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.util.Map;

/** Manifests of the pods of a node called {@code node-1}. */
final class Manifests {
    static final String NODE = "node-1";

    private Manifests() {}

    static PodBuilder running(String name) {
        return new PodBuilder()
                .withNewMetadata()
                .withNamespace("default")
                .withName(name)
                .withUid("uid-of-" + name)
                .addToLabels("node", NODE)
                .endMetadata()
                .withNewSpec()
                .withNodeName(NODE)
                .endSpec()
                .withNewStatus()
                .withPhase("Running")
                .endStatus();
    }

    static Pod annotated(String name, Map<String, String> annotations) {
        return running(name)
                .editMetadata()
                .withAnnotations(annotations)
                .endMetadata()
                .build();
    }

    static Pod owned(String name, String kind) {
        return running(name)
                .editMetadata()
                .addNewOwnerReference()
                .withApiVersion("apps/v1")
                .withKind(kind)
                .withName("owner")
                .withUid("uid-of-owner")
                .withController(true)
                .endOwnerReference()
                .endMetadata()
                .build();
    }

    static Pod phase(String name, String phase) {
        return running(name).editStatus().withPhase(phase).endStatus().build();
    }
}
