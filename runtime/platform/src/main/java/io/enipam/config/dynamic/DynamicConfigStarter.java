package io.enipam.config.dynamic;


import io.enipam.config.ClusterAccess;
import io.enipam.config.DaemonConfig;
import io.enipam.engine.port.EventSink;
import io.enipam.kubernetes.api.ApiAccess;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;

/** Puts together who follows the cluster's word on the configuration. */
public final class DynamicConfigStarter {
    private DynamicConfigStarter() {}

    /**
     * Asks what is to be in force from the start on; blocks for some seconds at most.
     *
     * @param files the configuration as files and command line have it
     * @param environment of the process
     * @param node name of the node, as the API server should have it
     * @param copy where the last good ConfigMap is kept
     */
    public static DynamicConfig begin(
            DaemonConfig files,
            Optional<ClusterAccess> cluster,
            Map<String, String> environment,
            String node,
            Path copy,
            EventSink events) {
        String namespace = ClusterConfigClient.namespace(files.configNamespace(), environment, ApiAccess.SERVICE_ACCOUNT);
        return new DynamicConfig(
                files,
                cluster.map(access -> new ClusterConfigClient(access.calls(), node, namespace)),
                new LastGoodConfigFile(copy, node),
                new SplittableRandom(),
                events);
    }
}
