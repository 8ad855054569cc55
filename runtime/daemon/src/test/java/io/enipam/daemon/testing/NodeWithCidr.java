package io.enipam.daemon.testing;

import io.enipam.kubernetes.testing.FakeApiServer;
import io.enipam.kubernetes.testing.Manifests;
import io.enipam.platform.testing.Kubeconfig;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/** An API server with one node, {@code node-1}, whose CIDR is 10.7.0.0/28. */
public final class NodeWithCidr implements AutoCloseable {
    public static final String CIDR = "10.7.0.0/28";

    public final FakeApiServer server = new FakeApiServer();

    public NodeWithCidr() {
        server.client()
                .resource(new NodeBuilder()
                        .withNewMetadata()
                        .withName("node-1")
                        .endMetadata()
                        .withNewSpec()
                        .withPodCIDRs(CIDR)
                        .endSpec()
                        .build())
                .create();
    }

    /** Adds a pod that runs there. */
    public void pod(String name, Map<String, String> annotations) {
        server.client()
                .resource(Manifests.running(name)
                        .editMetadata()
                        .withAnnotations(annotations)
                        .endMetadata()
                        .build())
                .create();
    }

    /**
     * What a daemon of this node has in its {@code enipam.yaml}: it works in mode VPC.
     *
     * @param directory where the way to the API server is written
     */
    public String yaml(Path directory) throws IOException {
        return "node: {name: node-1}\ndaemon: {mode: VPC}\nkubernetes: {use: 'on', kubeconfig: "
                + Kubeconfig.write(
                        directory.resolve("kubeconfig"), server.config().getMasterUrl(), "secret")
                + "}\n";
    }

    @Override
    public void close() {
        server.close();
    }
}
