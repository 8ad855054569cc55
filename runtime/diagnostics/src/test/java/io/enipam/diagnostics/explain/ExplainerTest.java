package io.enipam.diagnostics.explain;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.aliyun.calls.ApiCallLog;
import io.enipam.diagnostics.explain.PluginWords.CheckFinding;
import io.enipam.diagnostics.explain.PluginWords.PluginSource;
import io.enipam.diagnostics.readiness.Troubles;
import io.enipam.diagnostics.sources.NodeSources.CloudAnswer;
import io.enipam.diagnostics.sources.NodeSources.KnownEnis;
import io.enipam.diagnostics.sources.Source;
import io.enipam.diagnostics.testing.FakeSource;
import io.enipam.diagnostics.testing.FakeSources;
import io.enipam.engine.port.CloudInspector;
import io.enipam.engine.port.LeaseHistory;
import io.enipam.engine.simulation.VirtualTime;
import io.enipam.engine.testing.FakeGrants;
import io.enipam.events.EventRing;
import io.enipam.sdk.Finding;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Where explanations are made. */
@Timeout(60)
class ExplainerTest {
    private final VirtualTime time = new VirtualTime();

    @Test
    void anExplanationIsNotMadeOnTheThreadThatBringsTheCloudsAnswer() throws Exception {
        CompletableFuture<List<CloudInspector.ObservedEni>> answer = new CompletableFuture<>();
        CompletableFuture<String> asked = new CompletableFuture<>();
        CloudInspector witness = new CloudInspector() {
            @Override
            public CompletionStage<CloudState> inspect() {
                throw new IllegalStateException("nobody asks for that");
            }

            @Override
            public CompletionStage<List<ObservedEni>> holders(String vswitch, List<String> ips) {
                asked.complete(ips.get(0));
                return answer;
            }
        };
        CloudAnswer word = new CloudAnswer(
                new CloudInspector.CloudState(
                        "i-1", List.of(), List.of(new CloudInspector.ObservedVSwitch("vsw-a", "10.0.0.0/16", 9))),
                time.now(),
                new KnownEnis(List.of()),
                Duration.ZERO);
        Source<CloudAnswer> cloud = FakeSource.of(
                "cloud",
                CloudAnswer.class,
                Duration.ofSeconds(20),
                false,
                () -> CompletableFuture.completedFuture(word),
                told -> List.of());
        try (EventRing events = new EventRing(time, Runnable::run)) {
            Explainer explainer = new Explainer(
                    FakeSources.comparing(cloud),
                    () -> Optional.of(witness),
                    FakeSources.share(time),
                    new Explainer.Records(
                            events,
                            new ApiCallLog(time, new SplittableRandom(1), Map.of()),
                            () -> new Troubles.Found(List.of(), false),
                            LeaseHistory.NONE),
                    time,
                    owner -> CompletableFuture.completedFuture(Optional.empty()),
                    PluginSource.NONE);

            CompletableFuture<String> worker = explainer
                    .explain("10.0.0.9", false)
                    .thenApply(told -> Thread.currentThread().getName())
                    .toCompletableFuture();
            assertThat(asked.get()).isEqualTo("10.0.0.9");
            answer.complete(List.of());

            assertThat(worker.get(30, TimeUnit.SECONDS)).startsWith("source-");
        }
    }

    @Test
    void whatAPluginsCheckFoundAboutAThingIsPartOfItsExplanation() throws Exception {
        FakeGrants grants = new FakeGrants();
        grants.grant("c9", "default/web-1", "u1", "10.7.0.2/24");
        PluginWords words = new PluginWords(
                grants.all(),
                List.of(),
                List.of(
                        found("net/full", "10.7.0.2", "its range is nearly full"),
                        found("net/other", "10.7.0.9", "nobody answers there"),
                        found("net/pod", "default/web-1", "it was asked for twice")));
        try (EventRing events = new EventRing(time, Runnable::run)) {
            Explainer explainer = new Explainer(
                    FakeSources.comparing(),
                    Optional::empty,
                    FakeSources.share(time),
                    new Explainer.Records(
                            events,
                            new ApiCallLog(time, new SplittableRandom(1), Map.of()),
                            () -> new Troubles.Found(List.of(), false),
                            LeaseHistory.NONE),
                    time,
                    owner -> CompletableFuture.completedFuture(Optional.empty()),
                    new PluginSource(() -> words, () -> CompletableFuture.completedFuture(words.findings())));

            Explainer.Answer answer =
                    explainer.explain("10.7.0.2", false).toCompletableFuture().get(30, TimeUnit.SECONDS);

            assertThat(answer.things())
                    .singleElement()
                    .satisfies(thing -> assertThat(thing.condition().why())
                            .endsWith(
                                    "WARN by check net/full: its range is nearly full; net ranges",
                                    "WARN by check net/pod: it was asked for twice; net ranges"));
        }
    }

    private static CheckFinding found(String check, String subject, String why) {
        return new CheckFinding(check, new Finding(Finding.Severity.WARN, subject, why, "net ranges"));
    }
}
