package io.enipam.kubernetes.node;

import io.enipam.kubernetes.api.ApiServerClient;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/** The addresses of the cluster's services, as kubeadm wrote them down. Thread-safe. */
public final class ServiceCidrReader {
    private static final String WHERE = "configmap kube-system/kubeadm-config";

    private final ApiServerClient calls;

    public ServiceCidrReader(ApiServerClient calls) {
        this.calls = calls;
    }

    /**
     * Asks for them.
     *
     * @return CIDRs, one for each family; empty if kubeadm did not make this cluster. Fails with {@link java.io.IOException}
     * @see <a href="https://kubernetes.io/docs/reference/config-api/kubeadm-config.v1beta4/">kubeadm's ClusterConfiguration</a>
     */
    public CompletableFuture<List<String>> fetch() {
        return calls.request("GET " + WHERE, client -> {
            ConfigMap map = client.configMaps()
                    .inNamespace("kube-system")
                    .withName("kubeadm-config")
                    .get();
            return map == null || map.getData() == null ? List.<String>of() : read(map.getData());
        });
    }

    private static List<String> read(Map<String, String> data) {
        String text = data.get("ClusterConfiguration");
        if (text == null) {
            return List.of();
        }
        Object networking = Serialization.unmarshal(text, Map.class).get("networking");
        Object subnets = networking instanceof Map<?, ?> map ? map.get("serviceSubnet") : null;
        return subnets instanceof String list
                ? Stream.of(list.split(","))
                        .map(String::strip)
                        .filter(cidr -> !cidr.isEmpty())
                        .toList()
                : List.of();
    }
}
