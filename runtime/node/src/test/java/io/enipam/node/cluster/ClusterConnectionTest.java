package io.enipam.node.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.config.ClusterAccess;
import io.enipam.config.ClusterConfig;
import io.enipam.engine.simulation.VirtualTime;
import io.enipam.events.EventRing;
import io.enipam.kubernetes.api.ApiAccess;
import io.enipam.kubernetes.api.ApiServerClient;
import io.enipam.kubernetes.api.RequestStats;
import io.enipam.kubernetes.testing.FakeApiServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClusterConnectionTest {
    private final VirtualTime time = new VirtualTime();

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void podsThatCannotBeLookedUpAreAdmittedAsTrustCallsSays(boolean trustCalls) {
        ClusterConfig config = new ClusterConfig(
                ClusterConfig.Use.ON, Optional.empty(), 20, Set.of(), Duration.ZERO, trustCalls, false);
        RequestStats stats = new RequestStats(time);
        try (FakeApiServer server = new FakeApiServer();
                ApiServerClient calls = server.calls(stats);
                ClusterConnection cluster = new ClusterConnection(
                        new ClusterAccess(new ApiAccess.KubeConfig(Path.of("kubeconfig")), calls, stats),
                        config,
                        "node-1",
                        time,
                        time,
                        new EventRing(time, Runnable::run))) {
            assertThat(cluster.pods().allowsUnknownPods()).isEqualTo(trustCalls);
            assertThat(cluster.inspector().state().trustsCalls()).isEqualTo(trustCalls);
        }
    }
}
