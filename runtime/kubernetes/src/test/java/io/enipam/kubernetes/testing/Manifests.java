package io.enipam.kubernetes.testing;

import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.util.Map;

/** Manifests of a node and of its pods, which {@link FakeApiServer} finds by their label. */
public final class Manifests {
    public static final String NODE = "node-1";

    private Manifests() {}

    /** A node with nothing but its name. */
    public static NodeBuilder node(String name) {
        return new NodeBuilder()
                .withNewMetadata()
                .withName(name)
                .endMetadata()
                .withNewStatus()
                .endStatus();
    }

    /** A pod of the namespace {@code default} that runs on {@link #NODE}. */
    public static PodBuilder running(String name) {
        return new PodBuilder()
                .withNewMetadata()
                .withNamespace("default")
                .withName(name)
                .addToLabels("node", NODE)
                .endMetadata()
                .withNewSpec()
                .withNodeName(NODE)
                .endSpec()
                .withNewStatus()
                .withPhase("Running")
                .endStatus();
    }

    public static Pod annotated(String name, Map<String, String> annotations) {
        return running(name)
                .editMetadata()
                .withAnnotations(annotations)
                .endMetadata()
                .build();
    }

    public static Pod owned(String name, String kind) {
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

    public static Pod phase(String name, String phase) {
        return running(name).editStatus().withPhase(phase).endStatus().build();
    }
}
