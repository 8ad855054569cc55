package io.enipam.sdk.testkit;

import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Host;
import io.enipam.sdk.Journal;
import io.enipam.sdk.NodeInfo;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.Role;
import io.enipam.sdk.Setting;
import io.enipam.sdk.Settings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * What the daemon lends a plugin, made by a test: the node is {@code node-1}. Thread-safe.
 *
 * <pre>{@code
 * TestContext context = TestContext.builder()
 *         .settings(plugin.settings())
 *         .value("ranges", "10.0.0.0/24", "10.0.1.0/24")
 *         .directory(scratch) // JUnit's @TempDir
 *         .build();
 * ResourceFactory factory = provider.open(context);
 * context.clock().move(Duration.ofMinutes(5));
 * }</pre>
 */
public final class TestContext implements Host {
    private final List<Setting<?>> schema;
    private final Map<String, List<String>> written;
    private volatile Settings settings;
    private final TestClock clock;
    private final Path directory;
    private final Journal journal;
    private final Map<String, Supplier<ResourceFactory>> factories;
    private final Map<Class<?>, Object> services;
    private final TestSignals signals = new TestSignals();

    private TestContext(Builder builder) {
        schema = List.copyOf(builder.schema);
        written = new HashMap<>(builder.values);
        settings = Settings.of(schema, written);
        clock = builder.clock.orElseGet(TestClock::running);
        directory = builder.directory.orElseGet(TestContext::scratch);
        journal = builder.journal.orElseGet(InMemoryJournal::new);
        factories = Map.copyOf(builder.factories);
        services = Map.copyOf(builder.services);
    }

    /** A context without settings and other factories, with a clock that runs and a new directory under the system's. */
    public static Builder builder() {
        return new Builder();
    }

    @Override
    public Settings settings() {
        return settings;
    }

    /**
     * Changes a {@link Setting#live() live} setting, as a change of the configuration does.
     *
     * @throws IllegalArgumentException if the value is not allowed, or the setting is not live
     */
    public synchronized void change(String name, String... texts) {
        if (schema.stream().noneMatch(setting -> setting.name().equals(name) && setting.isLive())) {
            throw new IllegalArgumentException("there is no live setting " + name);
        }
        Map<String, List<String>> next = new HashMap<>(written);
        next.put(name, List.of(texts));
        settings = Settings.of(schema, next);
        written.putAll(next);
    }

    @Override
    public TestClock clock() {
        return clock;
    }

    @Override
    public Path directory() {
        return directory;
    }

    @Override
    public NodeInfo node() {
        record Node(String name, Role role) implements NodeInfo {}
        return new Node("node-1", Role.NODE);
    }

    @Override
    public <T> Optional<T> service(Class<T> type) {
        return Optional.ofNullable(services.get(type)).map(type::cast);
    }

    @Override
    public Journal journal() {
        return journal;
    }

    @Override
    public TestSignals signals() {
        return signals;
    }

    @Override
    public ResourceFactory factory(String name) {
        Supplier<ResourceFactory> factory = factories.get(name);
        if (factory == null) {
            throw new FactoryException(
                    ErrorKind.MISCONFIGURED,
                    "there is no factory '" + name + "'; the test knows " + List.copyOf(factories.keySet()));
        }
        return factory.get();
    }

    private static Path scratch() {
        try {
            Path made = Files.createTempDirectory("enipam-plugin-");
            made.toFile().deleteOnExit();
            return made;
        } catch (IOException e) {
            throw new UncheckedIOException("no directory for a plugin under test", e);
        }
    }

    /** Collects what a context shall hold. For one thread. */
    public static final class Builder {
        private final List<Setting<?>> schema = new ArrayList<>();
        private final Map<String, List<String>> values = new HashMap<>();
        private final Map<String, Supplier<ResourceFactory>> factories = new HashMap<>();
        private final Map<Class<?>, Object> services = new HashMap<>();
        private Optional<TestClock> clock = Optional.empty();
        private Optional<Path> directory = Optional.empty();
        private Optional<Journal> journal = Optional.empty();

        private Builder() {}

        /** The settings there are: {@link io.enipam.sdk.IpamPlugin#settings()}. */
        public Builder settings(List<Setting<?>> schema) {
            this.schema.addAll(schema);
            return this;
        }

        /** What {@code enipam.yaml} says of one setting, as {@link Setting#read} takes it. */
        public Builder value(String name, String... texts) {
            values.put(name, List.of(texts));
            return this;
        }

        /** What {@code enipam.yaml} says of several settings. */
        public Builder values(Map<String, List<String>> written) {
            values.putAll(written);
            return this;
        }

        public Builder clock(TestClock clock) {
            this.clock = Optional.of(clock);
            return this;
        }

        /** An existing directory; the caller removes it. */
        public Builder directory(Path directory) {
            this.directory = Optional.of(directory);
            return this;
        }

        /** A journal that has rows already, or one that a test makes fail; without it a new one in memory. */
        public Builder journal(Journal journal) {
            this.journal = Optional.of(journal);
            return this;
        }

        /** Another factory, for one that wraps it; opened anew each time it is asked for. */
        public Builder factory(String name, Supplier<ResourceFactory> open) {
            factories.put(name, open);
            return this;
        }

        /** A service of another jar of the SDK, such as a {@code FakeCluster} as the {@code Cluster}; without it there is none. */
        public <T> Builder service(Class<T> type, T service) {
            services.put(type, service);
            return this;
        }

        /** @throws IllegalArgumentException naming every value that is not allowed */
        public TestContext build() {
            return new TestContext(this);
        }
    }
}
