package io.enipam.pluginhost;

import com.google.common.base.Suppliers;
import io.enipam.config.DaemonConfig;
import io.enipam.engine.port.FactorySet.NamedFactory;
import io.enipam.pluginhost.FactoryHandle.LentFactory;
import io.enipam.pluginhost.extension.Extensions.LentHost;
import io.enipam.pluginhost.operator.PluginSignals;
import io.enipam.sdk.Ballots;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Journal;
import io.enipam.sdk.NodeInfo;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.Settings;
import io.enipam.sdk.Signals;
import io.enipam.sdk.ledger.Ledger;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import java.util.function.Supplier;

/** What one opening of a policy, a factory or an extension is lent. Remembers which factory was wrapped. Thread-safe. */
final class HostPluginContext implements LentHost {
    private final String part;
    private final Supplier<Settings> settings;
    private final Surroundings host;
    private final Clock clock;
    private final Path directory;
    private final Supplier<Journal> journal;
    private final PluginSignals meters;
    private final Signals signals;
    private final Supplier<Ledger> ledger;
    private final Function<String, NamedFactory> factories;
    private final Queue<ResourceFactory> lent = new ConcurrentLinkedQueue<>();
    private volatile Optional<String> wrapped = Optional.empty();

    /**
     * What a host lends a plugin, whatever part of it asks.
     *
     * @param plugin its id
     * @param services by their type, given that id
     */
    record Surroundings(String plugin, NodeInfo node, Map<Class<?>, Function<String, ?>> services) {}

    /** A plugin's settings in the configuration in force, read when that is another than before. Thread-safe. */
    static final class LiveSettings implements Supplier<Settings> {
        private final Supplier<DaemonConfig> config;
        private final Function<DaemonConfig, Settings> own;
        private volatile SettingsIn known;

        private record SettingsIn(DaemonConfig config, Settings settings) {}

        /** @param own the plugin's part of a configuration */
        LiveSettings(Supplier<DaemonConfig> config, Function<DaemonConfig, Settings> own) {
            this.config = config;
            this.own = own;
            this.known = in(config.get());
        }

        private SettingsIn in(DaemonConfig now) {
            return new SettingsIn(now, own.apply(now));
        }

        @Override
        public Settings get() {
            DaemonConfig now = config.get();
            SettingsIn last = known;
            if (last.config != now) {
                last = in(now);
                known = last;
            }
            return last.settings;
        }
    }

    /**
     * @param part the extension that is opened; empty text for a policy or a factory, which has no effects
     * @param directory made when it is asked for
     * @param journal opened when it is asked for
     * @param meters of the plugin
     * @param factories opens a factory that is wrapped; throws {@link FactoryException}
     */
    HostPluginContext(
            String part,
            Surroundings host,
            Supplier<Settings> settings,
            Clock clock,
            Path directory,
            Supplier<Journal> journal,
            PluginSignals meters,
            Function<String, NamedFactory> factories) {
        this.part = part;
        this.host = host;
        this.settings = settings;
        this.clock = clock;
        this.directory = directory;
        this.journal = Suppliers.memoize(journal::get);
        this.meters = meters;
        this.signals = meters.lend();
        this.ledger = Suppliers.memoize(() -> new Ledger(this.journal.get(), part, clock));
        this.factories = factories;
    }

    @Override
    public Settings settings() {
        return settings.get();
    }

    @Override
    public Clock clock() {
        return clock;
    }

    @Override
    public Path directory() {
        try {
            return Files.createDirectories(
                    directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        } catch (IOException e) {
            throw new FactoryException(
                    ErrorKind.UNAVAILABLE, "the plugin's directory " + directory + " cannot be made: " + e, e);
        }
    }

    @Override
    public Journal journal() {
        return part.isEmpty() ? Ledger.withoutEffects(journal.get()) : ledger().journal();
    }

    @Override
    public Ledger ledger() {
        return ledger.get();
    }

    @Override
    public ResourceFactory factory(String name) {
        ClassLoader home = HostPluginContext.class.getClassLoader();
        NamedFactory opened = LentFactory.under(home, () -> factories.apply(name));
        wrapped = Optional.of(opened.provider());
        ResourceFactory lent = new LentFactory(opened.factory(), home);
        this.lent.add(lent);
        return lent;
    }

    @Override
    public NodeInfo node() {
        return host.node();
    }

    @Override
    public Signals signals() {
        return signals;
    }

    @Override
    public Ballots ballots() {
        return ledger().ballots();
    }

    @Override
    public <T> Optional<T> service(Class<T> type) {
        return Optional.ofNullable(host.services().get(type))
                .map(lend -> lend.apply(host.plugin()))
                .map(type::cast);
    }

    @Override
    public void ended() {
        meters.end(signals);
    }

    /** Closes the lent factories: what was to wrap them was not opened, and does not close them. */
    @Override
    public void abandon() {
        ended();
        lent.forEach(ResourceFactory::close);
        lent.clear();
    }

    /** The provider behind the factory that was wrapped last, if one was. */
    Optional<String> provider() {
        return wrapped;
    }
}
