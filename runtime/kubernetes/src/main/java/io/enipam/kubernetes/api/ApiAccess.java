package io.enipam.kubernetes.api;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** The API server's address, and the credentials of the daemon. */
public sealed interface ApiAccess {
    /** Where the kubelet mounts a pod's service account. */
    Path SERVICE_ACCOUNT = Path.of("/var/run/secrets/kubernetes.io/serviceaccount");

    /**
     * The service account of the pod that the daemon runs in.
     *
     * @param secrets directory with {@code token} and {@code ca.crt}
     * @param address {@code HOST:PORT}
     */
    record InCluster(Path secrets, String address) implements ApiAccess {
        @Override
        public Config config() throws IOException {
            Path ca = secrets.resolve("ca.crt");
            if (!Files.isReadable(ca)) {
                throw new IOException(ca + " cannot be read");
            }
            return new ConfigBuilder(Config.empty())
                    .withMasterUrl("https://" + address)
                    .withCaCertFile(ca.toString())
                    .withOauthTokenProvider(new TokenFile(secrets.resolve("token")))
                    .build();
        }

        @Override
        public String toString() {
            return "the service account in " + secrets;
        }
    }

    /**
     * A kubeconfig file, as kubectl reads it; its current context counts.
     *
     * @param file its path
     */
    record KubeConfig(Path file) implements ApiAccess {
        @Override
        public Config config() throws IOException {
            if (!Files.isReadable(file)) {
                throw new IOException(file + " cannot be read");
            }
            Optional<Path> token = KubeConfigFile.read(file).check();
            Config config;
            try {
                config = Config.fromKubeconfig(file.toFile());
            } catch (RuntimeException e) {
                // neither the message nor the cause: they quote the file
                throw new IOException(file + " is no kubeconfig that the client understands");
            }
            token.ifPresent(there -> config.setOauthTokenProvider(new TokenFile(there)));
            return config;
        }

        @Override
        public String toString() {
            return "the kubeconfig " + file;
        }
    }

    /**
     * The client's configuration.
     *
     * @throws IOException if a required file cannot be read; the message names it
     */
    Config config() throws IOException;

    /**
     * Finds the credentials: the configured kubeconfig, else that of {@code KUBECONFIG}, else the service account of
     * the pod.
     *
     * @param configured path of a kubeconfig
     * @param environment of the process
     * @param secrets the mount directory of a service account
     * @return empty outside of a cluster
     */
    static Optional<ApiAccess> find(Optional<Path> configured, Map<String, String> environment, Path secrets) {
        if (configured.isPresent()) {
            return configured.map(KubeConfig::new);
        }
        String kubeconfig = environment.getOrDefault("KUBECONFIG", "");
        if (!kubeconfig.isEmpty()) {
            return Optional.of(new KubeConfig(Path.of(kubeconfig)));
        }
        String host = environment.getOrDefault("KUBERNETES_SERVICE_HOST", "");
        if (host.isEmpty() || !Files.exists(secrets.resolve("token"))) {
            return Optional.empty();
        }
        String port = environment.getOrDefault("KUBERNETES_SERVICE_PORT", "443");
        return Optional.of(new InCluster(secrets, (host.contains(":") ? "[" + host + "]" : host) + ":" + port));
    }
}
