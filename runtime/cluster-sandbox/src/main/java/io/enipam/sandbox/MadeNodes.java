package io.enipam.sandbox;

import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.List;
import java.util.Locale;

/** Nodes of three node pools in three zones, without pod CIDRs. */
final class MadeNodes {
    private static final List<String> POOLS = List.of("np-general", "np-general", "np-general", "np-memory", "np-gpu");
    private static final List<String> ZONES = List.of("cn-hangzhou-h", "cn-hangzhou-i", "cn-hangzhou-j");

    private MadeNodes() {}

    static void create(KubernetesClient client, int count) {
        for (int at = 0; at < count; at++) {
            client.nodes()
                    .resource(new NodeBuilder()
                            .withNewMetadata()
                            .withName(String.format(Locale.ROOT, "node-%03d", at + 1))
                            .addToLabels("alibabacloud.com/nodepool-id", POOLS.get(at % POOLS.size()))
                            .addToLabels("topology.kubernetes.io/zone", ZONES.get(at % ZONES.size()))
                            .endMetadata()
                            .withNewSpec()
                            .endSpec()
                            .build())
                    .create();
        }
    }
}
