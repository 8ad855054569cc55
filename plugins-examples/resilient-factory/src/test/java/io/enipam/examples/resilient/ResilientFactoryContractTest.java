package io.enipam.examples.resilient;

import io.enipam.examples.cidr.CidrPlugin;
import io.enipam.sdk.Capabilities;
import io.enipam.sdk.Family;
import io.enipam.sdk.PluginContext;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.Setting;
import io.enipam.sdk.testkit.ResourceFactoryContract;
import io.enipam.sdk.testkit.TestContext;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.io.TempDir;

/** Around a real factory whose provider, the disk, goes away: the wrapper keeps every promise of what it wraps. */
class ResilientFactoryContractTest extends ResourceFactoryContract {
    @TempDir
    Path ledger;

    @Override
    protected ResourceFactory open(PluginContext context) {
        return new ResilientPlugin().resourceFactories().get(0).open(context);
    }

    @Override
    protected Capabilities declared() {
        return new Capabilities(Set.of(Family.IPV4), 13, 1, true);
    }

    @Override
    protected List<Setting<?>> settings() {
        return ResilientSettings.ALL;
    }

    @Override
    protected Map<String, List<String>> values() {
        return Map.of(
                "wraps", List.of("cidr"),
                "creates_per_second", List.of("10000"),
                "burst", List.of("10000"),
                "window", List.of("1000"),
                "least_calls", List.of("1000"));
    }

    @Override
    protected Map<String, Supplier<ResourceFactory>> factories() {
        return Map.of("cidr", this::cidr);
    }

    @Override
    protected boolean breakProvider() {
        move("addresses", "away");
        return true;
    }

    @Override
    protected void mendProvider() {
        move("away", "addresses");
    }

    private ResourceFactory cidr() {
        CidrPlugin plugin = new CidrPlugin();
        TestContext context = TestContext.builder()
                .settings(plugin.settings())
                .value("ranges", "10.64.0.0/28")
                .directory(ledger)
                .build();
        return plugin.resourceFactories().get(0).open(context);
    }

    private void move(String from, String to) {
        try {
            Files.move(ledger.resolve(from), ledger.resolve(to));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
