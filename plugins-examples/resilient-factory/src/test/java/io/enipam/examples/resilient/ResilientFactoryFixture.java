package io.enipam.examples.resilient;

import io.enipam.sdk.CreateRequest;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.DiagnosticRequest;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Family;
import io.enipam.sdk.RequestToken;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.Settings;
import io.enipam.sdk.testkit.Snapshots;
import io.enipam.sdk.testkit.TestClock;
import io.enipam.sdk.testkit.TestContext;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A resilient factory around a scripted one, with a clock that stands until the test moves it. */
final class ResilientFactoryFixture {
    static final Duration DEADLINE = Duration.ofSeconds(10);

    final ScriptedFactory inner = new ScriptedFactory();
    final TestClock clock = TestClock.at(Instant.parse("2026-11-21T07:00:00Z"));
    final ResilientPlugin plugin = new ResilientPlugin();
    final ResourceFactory factory;
    private final TestContext context;
    private int tokens;

    ResilientFactoryFixture(String... values) {
        TestContext.Builder builder = TestContext.builder()
                .settings(plugin.settings())
                .clock(clock)
                .factory("eni-ip", () -> inner)
                .factory("other", ScriptedFactory::new);
        for (String value : values) {
            String[] parts = value.split("=", 2);
            builder.value(parts[0], parts[1]);
        }
        context = builder.build();
        factory = plugin.resourceFactories().get(0).open(context);
    }

    List<CompletableFuture<CreateResult>> ask(int wishes) {
        List<CreateRequest> requests = new ArrayList<>();
        for (int i = 0; i < wishes; i++) {
            requests.add(new CreateRequest(
                    new RequestToken("t" + ++tokens),
                    Set.of(Family.IPV4),
                    clock.instant().plus(DEADLINE)));
        }
        return factory.create(requests).stream()
                .map(CompletionStage::toCompletableFuture)
                .toList();
    }

    CompletableFuture<CreateResult> askOne() {
        return ask(1).get(0);
    }

    Failed refused() {
        return (Failed) askOne().getNow(null);
    }

    Map<String, String> state() {
        Map<String, String> state = new HashMap<>();
        plugin.diagnostics()
                .get(0)
                .run(new DiagnosticRequest(
                        Settings.usual(List.of()), Snapshots.pool().build(), context.settings()))
                .rows()
                .forEach(row -> state.put(row.get(0), row.get(1)));
        return state;
    }
}
