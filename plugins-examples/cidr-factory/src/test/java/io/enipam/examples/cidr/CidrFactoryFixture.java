package io.enipam.examples.cidr;

import io.enipam.examples.cidr.AddressPlan.CidrSettings;
import io.enipam.sdk.CreateRequest;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.Created;
import io.enipam.sdk.DisposeResult;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Family;
import io.enipam.sdk.RequestToken;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.testkit.TestContext;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** A factory on a directory, and the words tests use of it. */
final class CidrFactoryFixture implements AutoCloseable {
    static final Set<Family> V4 = Set.of(Family.IPV4);
    static final Set<Family> V6 = Set.of(Family.IPV6);
    static final Set<Family> PAIR = Set.of(Family.IPV4, Family.IPV6);

    final CidrPlugin plugin = new CidrPlugin();
    final TestContext context;
    final ResourceFactory factory;

    private CidrFactoryFixture(TestContext context) {
        this.context = context;
        this.factory = plugin.resourceFactories().get(0).open(context);
    }

    static CidrFactoryFixture open(Path directory, Map<String, List<String>> values) {
        return new CidrFactoryFixture(TestContext.builder()
                .settings(CidrSettings.ALL)
                .values(values)
                .directory(directory)
                .build());
    }

    static CidrFactoryFixture open(Path directory, String... ranges) {
        return open(directory, Map.of("ranges", List.of(ranges)));
    }

    CreateRequest wish(String token, Set<Family> families) {
        return new CreateRequest(
                new RequestToken(token), families, context.clock().instant().plus(Duration.ofMinutes(1)));
    }

    CreateResult ask(String token, Set<Family> families) {
        return settled(factory.create(List.of(wish(token, families))).get(0));
    }

    Resource make(String token, Set<Family> families) {
        CreateResult result = ask(token, families);
        if (result instanceof Created created) {
            return created.resource();
        }
        throw new AssertionError("not created: " + result);
    }

    Resource make(String token) {
        return make(token, V4);
    }

    Failed refused(String token, Set<Family> families) {
        CreateResult result = ask(token, families);
        if (result instanceof Failed failed) {
            return failed;
        }
        throw new AssertionError("not refused: " + result);
    }

    DisposeResult dispose(Resource resource) {
        return settled(factory.dispose(List.of(resource)).get(0));
    }

    List<String> listed() {
        return settled(factory.list()).stream().map(r -> r.id().value()).toList();
    }

    static <T> T settled(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError("no outcome", e);
        }
    }

    @Override
    public void close() {
        factory.close();
    }
}
