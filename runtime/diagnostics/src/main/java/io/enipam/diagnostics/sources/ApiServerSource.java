package io.enipam.diagnostics.sources;

import io.enipam.engine.concurrent.Stages;
import io.enipam.kubernetes.api.ApiServerClient;
import io.enipam.node.cluster.ClusterInspector;
import io.enipam.node.cluster.ClusterInspector.WatchState;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The API server: the pods of the watch, which costs nothing. They are listed anew only for somebody who wants that, out of what
 * people may have the API server looked at; if that is used up, the watch has to do.
 */
public final class ApiServerSource implements Source<KnownPods> {
    private final ClusterInspector cluster;

    public ApiServerSource(ClusterInspector cluster) {
        this.cluster = cluster;
    }

    @Override
    public String name() {
        return PodsSource.NAME;
    }

    @Override
    public Class<KnownPods> type() {
        return KnownPods.class;
    }

    @Override
    public Duration patience() {
        return Duration.ofSeconds(5);
    }

    @Override
    public CompletionStage<KnownPods> ask() {
        WatchState watch = cluster.state().watch();
        return watch.listed()
                ? CompletableFuture.completedFuture(
                        KnownPods.of(cluster.pods(), watch.up() ? Optional.empty() : Optional.of(watch.since())))
                : CompletableFuture.failedFuture(
                        new IOException("the pods of this node are not known yet: " + watch.trouble()));
    }

    @Override
    public CompletionStage<KnownPods> ask(boolean anew) {
        if (!anew) {
            return ask();
        }
        return cluster.listed()
                .thenApply(listed -> KnownPods.of(listed, Optional.empty()))
                .exceptionallyCompose(error -> ApiServerClient.isRateLimited(Stages.cause(error))
                        ? ask()
                        : CompletableFuture.failedStage(error));
    }

    @Override
    public List<Saying> sayings(KnownPods told) {
        return told.pods().stream()
                .map(pod -> PodsSource.saying(pod, told.details(pod.ref()), told.silentSince()))
                .toList();
    }
}
