package io.enipam.config;

import io.enipam.engine.port.TimeSource;
import io.enipam.kubernetes.api.ApiAccess;
import io.enipam.kubernetes.api.ApiServerClient;
import io.enipam.kubernetes.api.ApiServerClient.ApiLimits;
import io.enipam.kubernetes.api.RequestStats;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;

/**
 * The way to the API server, which all of the daemon shares with its limit of requests. Thread-safe.
 *
 * @param way as whom it is asked
 * @param calls asks
 * @param book what was asked
 */
public record ClusterAccess(ApiAccess way, ApiServerClient calls, RequestStats book) implements AutoCloseable {
    /**
     * Finds the way to the cluster, and connects to nothing yet.
     *
     * @param environment of the process
     * @return empty where the configuration wants none, or there is no way to one
     * @throws IOException if the cluster has to be asked and there is no way to it, or a file of that way cannot be read
     */
    public static Optional<ClusterAccess> find(ClusterConfig config, Map<String, String> environment, TimeSource time)
            throws IOException {
        if (config.use() == ClusterConfig.Use.OFF) {
            return Optional.empty();
        }
        Optional<ApiAccess> way = ApiAccess.find(config.kubeconfig(), environment, ApiAccess.SERVICE_ACCOUNT);
        if (way.isEmpty() && config.use() == ClusterConfig.Use.ON) {
            throw new IOException("kubernetes.use is 'on', but there is no kubeconfig and no service account; set"
                    + " kubernetes.kubeconfig, or run the daemon in a pod");
        }
        if (way.isEmpty()) {
            return Optional.empty();
        }
        RequestStats book = new RequestStats(time);
        ApiServerClient calls =
                ApiServerClient.open(way.get(), ApiLimits.usual().perSecond(config.perSecond()), book);
        return Optional.of(new ClusterAccess(way.get(), calls, book));
    }

    @Override
    public void close() {
        calls.close();
    }
}
