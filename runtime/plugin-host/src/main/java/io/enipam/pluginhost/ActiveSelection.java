package io.enipam.pluginhost;

import io.enipam.config.IoReason;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.policy.DirectPolicy;
import io.enipam.engine.policy.WatermarkPolicy;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.FactorySet;
import io.enipam.engine.port.FactorySet.NamedFactory;
import io.enipam.engine.port.PolicyPort;
import io.enipam.sdk.Capabilities;
import io.enipam.sdk.CreateRequest;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.DisposeResult;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Family;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.ResourceKind;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** What is in force: the selection on disk, and the factories that are open for the pool. Thread-safe. */
public final class ActiveSelection implements AutoCloseable {
    private final PluginHost host;
    private final Path file;
    private final Executor blocking;
    private final EventSink events;
    private final List<DeferredFactory> openLater = new CopyOnWriteArrayList<>();
    private final Map<String, NamedFactory> open = new HashMap<>();
    private final Set<String> onTrial = ConcurrentHashMap.newKeySet();
    /** Factories that a swap under way needs. */
    private Set<String> held = Set.of();

    private PluginSelection selection;
    private Optional<PolicyPort> policy = Optional.empty();

    private ActiveSelection(
            PluginHost host, Path file, PluginSelection selection, Executor blocking, EventSink events) {
        this.host = host;
        this.file = file;
        this.selection = selection;
        this.blocking = blocking;
        this.events = events;
    }

    /**
     * Reads what was in force when the daemon ended, and what the configuration says now. Nothing is written.
     *
     * @throws IOException if the file is damaged
     */
    public static ActiveSelection load(
            PluginHost host,
            Path file,
            String configuredPolicy,
            String configuredFactory,
            Executor blocking,
            EventSink events)
            throws IOException {
        PluginSelection now = PluginSelection.read(file)
                .map(selection -> selection.under(configuredPolicy, configuredFactory))
                .orElseGet(() -> PluginSelection.configured(configuredPolicy, configuredFactory));
        return new ActiveSelection(host, file, now, blocking, events);
    }

    /** Writes what is in force, if the file says something else. */
    public ActiveSelection written() throws IOException {
        if (!PluginSelection.read(file).equals(Optional.of(selection()))) {
            selection().write(file);
        }
        return this;
    }

    /** Opens the policy in force; if it cannot be opened the built-in one stands in. Blocks. */
    public PolicyPort openPolicy() {
        PolicyPort opened;
        try {
            opened = host.policy(selection().policy());
        } catch (FactoryException e) {
            events.error(
                    "PolicyAway",
                    selection().policy(),
                    e.getMessage() + "; " + WatermarkPolicy.NAME + " stands in until 'plugin swap policy'");
            opened = new DirectPolicy(new WatermarkPolicy(), events);
        }
        policy(opened);
        return opened;
    }

    /** Opens the factories the selection names, or begins to try. Blocks. */
    public FactorySet openFactories() {
        List<NamedFactory> leaving =
                selection().leaving().stream().map(this::reopening).toList();
        return new FactorySet(reopening(selection().factory()), leaving, this::drained);
    }

    /** Why a factory that a start needed is not open yet; empty if all are. */
    public Optional<String> trouble() {
        return openLater.stream().flatMap(factory -> factory.trouble().stream()).findFirst();
    }

    private NamedFactory reopening(String name) {
        DeferredFactory factory = new DeferredFactory(name, () -> host.factory(name), blocking);
        openLater.add(factory);
        Optional<NamedFactory> opened = factory.tryOpen();
        return remembered(new NamedFactory(
                name,
                factory,
                opened.map(NamedFactory::provider).orElse(name),
                opened.map(NamedFactory::ofPlugin)
                        .orElse(!host.builtIns().factories().containsKey(name))));
    }

    /** A factory is the pool's from now on. */
    synchronized NamedFactory remembered(NamedFactory opened) {
        open.put(opened.name(), opened);
        return opened;
    }

    NamedFactory named(String name) {
        return known(name).orElseThrow(() -> new IllegalStateException("factory " + name + " is not open"));
    }

    /** A factory that is open for the pool. */
    synchronized Optional<NamedFactory> known(String name) {
        return Optional.ofNullable(open.get(name));
    }

    /** Opens a factory to see whether it can be. */
    NamedFactory onTrial(String name, Function<String, NamedFactory> open) {
        onTrial.add(name);
        try {
            return open.apply(name);
        } finally {
            onTrial.remove(name);
        }
    }

    /** Whether a factory is open only to see whether it could be: what it reports is not in force. */
    public boolean onTrial(String name) {
        return onTrial.contains(name);
    }

    /** Whether a factory only takes back what it made: another one is in force. */
    public boolean isDraining(String name) {
        return selection().leaving().contains(name);
    }

    private void closeUnlessInForce(String name) {
        PluginSelection now = selection();
        if (!now.factory().equals(name) && !now.leaving().contains(name)) {
            removed(name).ifPresent(last -> last.factory().close());
        }
    }

    private synchronized Optional<NamedFactory> removed(String name) {
        return Optional.ofNullable(open.remove(name));
    }

    /** A swap of these factories begins: until {@link #unpin} they stay open, and on disk. */
    synchronized void pin(Set<String> names) {
        held = Set.copyOf(names);
    }

    /**
     * The swap has ended, and so has what was held for it alone.
     *
     * @param known the factories of the engine
     */
    void unpin(Set<String> known) {
        Set<String> names;
        synchronized (this) {
            names = held;
            held = Set.of();
        }
        for (String name : names) {
            if (!known.contains(name) && selection().leaving().contains(name)) {
                forget(name);
            } else {
                closeUnlessInForce(name);
            }
        }
    }

    /** Nothing of a leaving factory is left: it is closed and forgotten. */
    private void drained(String name) {
        blocking.execute(() -> forget(name));
    }

    private void forget(String name) {
        Optional<NamedFactory> last;
        synchronized (this) {
            if (held.contains(name)) {
                return;
            }
            last = removed(name);
        }
        last.ifPresent(named -> named.factory().close());
        try {
            // by now it may be wanted again
            change(now -> held.contains(name) ? now : now.withoutLeaving(name));
        } catch (IpamException e) {
            // the next start finds a leaving factory without resources, and tries again
            events.warning("SelectionNotWritten", name, String.valueOf(e.getMessage()));
        }
    }

    /** The policy that was chosen, whether it could be opened or not. */
    public String selectedPolicy() {
        return selection().policy();
    }

    synchronized PluginSelection selection() {
        return selection;
    }

    /** The policy that answers, which is not the selected one while that cannot be opened. */
    public synchronized String policyInForce() {
        return policy.map(PolicyPort::name).orElse(selection.policy());
    }

    /** Another policy answers from now on; returns the one before. */
    synchronized Optional<PolicyPort> policy(PolicyPort next) {
        Optional<PolicyPort> before = policy;
        policy = Optional.of(next);
        return before;
    }

    /**
     * Changes the selection, on disk first.
     *
     * @throws IpamException if it cannot be written; then nothing is changed
     */
    synchronized void change(UnaryOperator<PluginSelection> change) {
        PluginSelection next = change.apply(selection);
        try {
            next.write(file);
            selection = next;
        } catch (IOException e) {
            throw new IpamException(
                    ErrorCode.STORE_FAILED,
                    "what is in force cannot be written down: " + IoReason.withFile(e),
                    "see that the daemon's directory is writable and has room; nothing was changed",
                    e);
        }
    }

    /** Closes every factory that is open for the pool. */
    @Override
    public void close() {
        List<NamedFactory> all;
        synchronized (this) {
            all = List.copyOf(open.values());
            open.clear();
        }
        all.forEach(named -> named.factory().close());
    }

    /**
     * A factory a start needs, whether it can be opened yet or not. As long as it cannot, it makes nothing and has nothing, and
     * each {@link #list()}, which the engine repeats until it is answered, tries to open it again. Thread-safe.
     */
    static final class DeferredFactory implements ResourceFactory {
        private static final Capabilities NOTHING = new Capabilities(Set.of(Family.IPV4), 0, 1, false);
        private static final ResourceKind UNKNOWN = new ResourceKind("unknown");

        private final String name;
        private final Supplier<NamedFactory> opener;
        private final Executor blocking;
        private final Object opening = new Object();
        private volatile Optional<NamedFactory> open = Optional.empty();
        private volatile String trouble = "it is not open yet";
        private volatile boolean closed;

        /** @param opener opens the factory, which blocks; throws {@link FactoryException} if it cannot be opened */
        DeferredFactory(String name, Supplier<NamedFactory> opener, Executor blocking) {
            this.name = name;
            this.opener = opener;
            this.blocking = blocking;
        }

        /** Tries to open it now; blocks. Returns it, or nothing if it cannot be opened. */
        Optional<NamedFactory> tryOpen() {
            try {
                return Optional.of(opened());
            } catch (FactoryException e) {
                return Optional.empty();
            }
        }

        /** Why it is not open; empty if it is. */
        Optional<String> trouble() {
            return open.isPresent() || closed ? Optional.empty() : Optional.of("factory " + name + ": " + trouble);
        }

        private NamedFactory opened() {
            synchronized (opening) {
                if (open.isPresent()) {
                    return open.get();
                }
                if (!closed) {
                    try {
                        open = Optional.of(opener.get());
                    } catch (FactoryException e) {
                        trouble = String.valueOf(e.getMessage());
                        throw e;
                    }
                }
                if (closed) {
                    endHold();
                    throw new FactoryException(ErrorKind.UNAVAILABLE, "factory " + name + " is closed");
                }
                return open.get();
            }
        }

        private Optional<ResourceFactory> now() {
            return open.map(NamedFactory::factory);
        }

        @Override
        public ResourceKind kind() {
            return now().map(ResourceFactory::kind).orElse(UNKNOWN);
        }

        @Override
        public Capabilities capabilities() {
            return now().map(ResourceFactory::capabilities).orElse(NOTHING);
        }

        @Override
        public List<CompletionStage<CreateResult>> create(List<CreateRequest> requests) {
            return now().map(factory -> factory.create(requests))
                    .orElseGet(() -> requests.stream()
                            .map(request -> CompletableFuture.<CreateResult>completedStage(away()))
                            .toList());
        }

        @Override
        public List<CompletionStage<DisposeResult>> dispose(List<Resource> resources) {
            return now().map(factory -> factory.dispose(resources))
                    .orElseGet(() -> resources.stream()
                            .map(resource -> CompletableFuture.<DisposeResult>completedStage(away()))
                            .toList());
        }

        @Override
        public CompletionStage<List<Resource>> list() {
            Optional<ResourceFactory> factory = now();
            return factory.isPresent()
                    ? factory.get().list()
                    : CompletableFuture.supplyAsync(this::opened, blocking)
                            .thenCompose(named -> named.factory().list());
        }

        /** Ends it; one that is being opened just now is closed as soon as it is open. */
        @Override
        public void close() {
            closed = true;
            trouble = "it is closed";
            endHold();
        }

        private void endHold() {
            Optional<NamedFactory> last = open;
            open = Optional.empty();
            // closing twice is harmless: a hold ends once
            last.ifPresent(named -> named.factory().close());
        }

        private Failed away() {
            return Failed.of(ErrorKind.UNAVAILABLE, trouble().orElse("factory " + name + " was just opened"));
        }
    }
}
