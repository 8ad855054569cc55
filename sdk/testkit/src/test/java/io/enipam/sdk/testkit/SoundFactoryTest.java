package io.enipam.sdk.testkit;

import io.enipam.sdk.Capabilities;
import io.enipam.sdk.Family;
import io.enipam.sdk.PluginContext;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.Setting;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A factory that keeps every rule passes every test; {@link FlawedFactories} opens others in the same surroundings. */
class SoundFactoryTest extends ResourceFactoryContract {
    static final Setting<String> API_KEY =
            Setting.text("api_key", "a key", "[a-z0-9]{8,}", "").secret();
    static final String SECRET = "hunter2hunter2";

    final InMemoryProvider cloud = new InMemoryProvider();

    @Override
    protected ResourceFactory open(PluginContext context) {
        return new SoundFactory(cloud, context);
    }

    @Override
    protected Capabilities declared() {
        return new Capabilities(Set.of(Family.IPV4), InMemoryProvider.CAPACITY, 4, true);
    }

    @Override
    protected List<Setting<?>> settings() {
        return List.of(API_KEY);
    }

    @Override
    protected Map<String, List<String>> values() {
        return Map.of(API_KEY.name(), List.of(SECRET));
    }

    @Override
    protected Duration patience() {
        return Duration.ofSeconds(20);
    }

    @Override
    protected boolean breakProvider() {
        cloud.away(true);
        return true;
    }

    @Override
    protected boolean refuseNext() {
        cloud.refuseNext();
        return true;
    }

    @Override
    protected void mendProvider() {
        cloud.away(false);
    }
}
