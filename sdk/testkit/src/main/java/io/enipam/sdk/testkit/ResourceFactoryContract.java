package io.enipam.sdk.testkit;

import io.enipam.sdk.Capabilities;
import io.enipam.sdk.PluginContext;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.Setting;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The rules of {@link ResourceFactory} as tests. The author of a factory extends it:
 *
 * <pre>{@code
 * class CidrFactoryTest extends ResourceFactoryContract {
 *     protected List<Setting<?>> settings() { return CidrPlugin.SETTINGS; }
 *     protected Map<String, List<String>> values() { return Map.of("ranges", List.of("10.0.0.0/28")); }
 *     protected ResourceFactory open(PluginContext context) { return new CidrFactoryProvider().open(context); }
 *     protected Capabilities declared() { return new Capabilities(Set.of(Family.IPV4), 13, 13, true); }
 * }
 * }</pre>
 *
 * <p>JUnit makes a new object of the class for each test. A provider in memory is therefore a field of it: what one test
 * makes, the next does not see, and a factory that is opened again within a test finds what it had made.
 */
public abstract class ResourceFactoryContract {
    /**
     * Opens the factory under test. A test may call it again, with the same context, after it closed the one before: that is a
     * restart of the daemon, and the provider behind it lives on.
     */
    protected abstract ResourceFactory open(PluginContext context);

    /** What the factory must say it can do. A small capacity (16 or so) makes for quick tests. */
    protected abstract Capabilities declared();

    /** The plugin's settings: {@link io.enipam.sdk.IpamPlugin#settings()}. */
    protected List<Setting<?>> settings() {
        return List.of();
    }

    /** What {@code enipam.yaml} would say of them. */
    protected Map<String, List<String>> values() {
        return Map.of();
    }

    /** The factories that {@link PluginContext#factory} opens, by name, for a factory that wraps another. */
    protected Map<String, Supplier<ResourceFactory>> factories() {
        return Map.of();
    }

    /** How long a stage may take at most. */
    protected Duration patience() {
        return Duration.ofSeconds(10);
    }

    /** How long a call of {@code create}, {@code dispose} or {@code list} may keep its caller, stages apart. */
    protected Duration quick() {
        return Duration.ofMillis(500);
    }

    /**
     * Makes the provider unreachable until {@link #mendProvider}.
     *
     * @return false if a test cannot do that; the rules about it are then skipped
     */
    protected boolean breakProvider() {
        return false;
    }

    /** Undoes {@link #breakProvider}. */
    protected void mendProvider() {}

    /** A resource that does not exist, in the shape of one that does. */
    protected Resource unknown(Resource like) {
        return new Resource(
                new ResourceId(like.id() + "-never-made"),
                like.kind(),
                like.addresses(),
                like.parent(),
                like.attributes());
    }
}
