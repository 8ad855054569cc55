package io.enipam.pluginhost.operator;

import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.port.EventSink;
import io.enipam.pluginhost.extension.Extensions.PartListener;
import io.enipam.pluginhost.extension.Extensions.RunningPart;
import io.enipam.pluginhost.guard.GuardedCalls;
import io.enipam.sdk.Check;
import io.enipam.sdk.Command;
import io.enipam.sdk.CommandSpec;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Feed;
import io.enipam.sdk.Part;
import io.enipam.sdk.RpcService;
import io.enipam.sdk.Setting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The commands, checks and services of the parts that run. A part is asked for them once, when it runs, on a thread of its plugin; what
 * it answers is copied, and asking the copies for a name runs none of the plugin's code. A part whose commands cannot be taken runs
 * without any, and an event says why. Thread-safe; {@code this} guards all fields.
 */
public final class OperatorParts implements PartListener, AutoCloseable {
    private static final Duration ASKING = Duration.ofSeconds(5);
    private static final int MOST = 100;
    private static final int MOST_FEEDS = 256;
    private static final Pattern CHECK = Pattern.compile("[a-z][a-z0-9-]{0,62}");
    private static final Pattern TITLE = Pattern.compile("[^\\p{Cntrl}]{1,200}");

    private final Set<String> reserved;
    private final Function<String, GuardedCalls> lanes;
    private final EventSink events;
    /** By the extension's name: the part that was opened last, whether it was asked already or not. */
    private final Map<String, Offer> open = new TreeMap<>();
    /** Extensions whose parts have not said yet what they bring. */
    private final Set<String> asked = new HashSet<>();
    /** Why something of a part is not taken, by the extension's name. */
    private final Map<String, String> refusals = new TreeMap<>();
    /** What callers follow, with the extension that it is of. */
    private final Map<FeedReader<?>, String> feeds = new HashMap<>();

    private boolean closed;

    /**
     * @param reserved first words that no plugin's command has
     * @param lanes where a plugin is called for operators, by its id: apart from its parts' own calls, so that no command and no
     *     check spoils those
     */
    public OperatorParts(Set<String> reserved, Function<String, GuardedCalls> lanes, EventSink events) {
        this.reserved = Set.copyOf(reserved);
        this.lanes = lanes;
        this.events = events;
    }

    /** What a part brings; nothing before it was asked. Constant. */
    private record Offer(RunningPart part, Read read) {}

    /**
     * A command with what it said of itself.
     *
     * @param explains whether {@code explain} asks it
     * @param file the name of the option that says where the shell writes the answer
     * @param follows the name of the flag with which it is followed
     */
    public record OfferedCommand(
            RunningPart part,
            CommandSpec spec,
            boolean explains,
            Optional<String> file,
            Optional<String> follows,
            Command command,
            GuardedCalls calls) {
        /** Its id. */
        public String plugin() {
            return part.plugin();
        }
    }

    /** A service, and where it is called. */
    public record OfferedService(RunningPart part, RpcService service, GuardedCalls calls) {}

    /** A check with what it said of itself. */
    public record OfferedCheck(String plugin, String name, String title, Check check, GuardedCalls calls) {
        /** Among all checks of the doctor. */
        public String id() {
            return plugin + "/" + name;
        }
    }

    private record Read(List<OfferedCommand> commands, List<OfferedCheck> checks, List<OfferedService> services) {
        static final Read NOTHING = new Read(List.of(), List.of(), List.of());
    }

    @Override
    public void opened(RunningPart part) {
        GuardedCalls calls = lanes.apply(part.plugin());
        Offer empty = new Offer(part, Read.NOTHING);
        synchronized (this) {
            open.put(part.name(), empty);
            refusals.remove(part.name());
            asked.add(part.name());
        }
        calls.call("commands, checks and services of " + part.name(), ASKING, () -> read(part, calls))
                .whenComplete((read, failure) -> {
                    if (failure == null) {
                        take(empty, read);
                    } else {
                        refused(part, String.valueOf(Stages.cause(failure).getMessage()));
                    }
                    answered(empty);
                });
    }

    @Override
    public void closing(RunningPart part) {
        synchronized (this) {
            refusals.remove(part.name());
            open.computeIfPresent(part.name(), (name, offer) -> offer.part() == part ? null : offer);
        }
        stopFeeds(part.name());
    }

    /** Ends what callers follow: the daemon ends. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        feedsOf(extension -> true).forEach(FeedReader::stop);
    }

    private void stopFeeds(String extension) {
        feedsOf(extension::equals).forEach(FeedReader::stop);
    }

    private synchronized List<FeedReader<?>> feedsOf(Predicate<String> extension) {
        return feeds.entrySet().stream()
                .filter(entry -> extension.test(entry.getValue()))
                .<FeedReader<?>>map(Map.Entry::getKey)
                .toList();
    }

    /**
     * Has a caller read a feed of a part's, until one of them ends.
     *
     * @param what it is, for operators
     * @param opening makes it, given what it runs when there may be more; on the plugin's thread
     * @throws IpamException if there are too many
     */
    <T> FeedReader<T> follow(
            RunningPart part,
            String what,
            GuardedCalls calls,
            Function<Runnable, Feed<T>> opening,
            FeedReader.Reader<T> caller) {
        FeedReader<T> reader = new FeedReader<>(what, calls, caller, this::forget);
        boolean runs;
        synchronized (this) {
            if (feeds.size() >= MOST_FEEDS) {
                throw new IpamException(
                        ErrorCode.TRY_AGAIN,
                        what + " is not followed: " + MOST_FEEDS + " callers follow something of plugins already",
                        "end one of them");
            }
            Offer offer = open.get(part.name());
            runs = !closed && offer != null && offer.part() == part;
            if (runs) {
                feeds.put(reader, part.name());
            }
        }
        if (runs) {
            reader.begin(opening);
        } else {
            reader.stop();
        }
        return reader;
    }

    private synchronized void forget(FeedReader<?> reader) {
        feeds.remove(reader);
    }

    private synchronized void answered(Offer offer) {
        Offer last = open.get(offer.part().name());
        if (last == null || last.part() == offer.part()) {
            asked.remove(offer.part().name());
        }
    }

    /** Whether a part runs that has not said yet what it brings. */
    synchronized boolean asking() {
        return !asked.isEmpty();
    }

    /** Those of all parts, by their words. */
    public synchronized List<OfferedCommand> commands() {
        return open.values().stream()
                .flatMap(offer -> offer.read().commands().stream())
                .sorted((a, b) -> String.join(" ", a.spec().path())
                        .compareTo(String.join(" ", b.spec().path())))
                .toList();
    }

    /** Those of all parts. */
    public synchronized List<OfferedCheck> checks() {
        return open.values().stream()
                .flatMap(offer -> offer.read().checks().stream())
                .toList();
    }

    /** The service of this name. */
    public synchronized Optional<OfferedService> service(String name) {
        return services().stream()
                .filter(each -> each.service().name().equals(name))
                .findFirst();
    }

    /** Those of all parts. */
    public synchronized List<OfferedService> services() {
        return open.values().stream()
                .flatMap(offer -> offer.read().services().stream())
                .toList();
    }

    /** Why commands and checks of parts that run are not taken, by the extension's name. */
    public synchronized Map<String, String> refused() {
        return Map.copyOf(refusals);
    }

    private void refused(RunningPart part, String why) {
        synchronized (this) {
            refusals.put(part.name(), "its commands, checks and services are not taken: " + why);
        }
        events.error(
                "PluginCommandsRefused",
                part.name(),
                "extension " + part.name() + " runs without its commands, checks and services: " + why);
    }

    private void take(Offer asked, Read read) {
        try {
            synchronized (this) {
                // closed meanwhile, and perhaps opened anew
                if (open.get(asked.part().name()) == asked) {
                    read.commands().forEach(this::requirePlace);
                    read.checks().forEach(this::requirePlace);
                    read.services().forEach(this::requirePlace);
                    open.put(asked.part().name(), new Offer(asked.part(), read));
                }
            }
        } catch (FactoryException e) {
            refused(asked.part(), String.valueOf(e.getMessage()));
        }
    }

    private void requirePlace(OfferedCommand command) {
        String noun = command.spec().path().get(0);
        if (reserved.contains(noun)) {
            throw refusal("'" + noun + "' is a word of the shell's own; the plugin must call its commands differently");
        }
        for (OfferedCommand other : commands()) {
            if (other.spec().path().get(0).equals(noun) && !other.plugin().equals(command.plugin())) {
                throw refusal("plugin " + other.plugin() + " has the noun '" + noun + "'");
            }
            requireApart(command.spec(), other.spec());
        }
    }

    private void requirePlace(OfferedCheck check) {
        if (checks().stream().anyMatch(other -> other.id().equals(check.id()))) {
            throw refusal("there is a check " + check.id() + " already");
        }
    }

    private void requirePlace(OfferedService service) {
        String name = service.service().name();
        service(name).ifPresent(other -> {
            throw refusal("extension " + other.part().name() + " of plugin "
                    + other.part().plugin() + " serves " + name + " already");
        });
    }

    private static void requireApart(CommandSpec one, CommandSpec other) {
        int shorter = Math.min(one.path().size(), other.path().size());
        if (one.path().subList(0, shorter).equals(other.path().subList(0, shorter))) {
            throw refusal("'" + String.join(" ", one.path()) + "' and '" + String.join(" ", other.path())
                    + "' cannot both be commands");
        }
    }

    /** Asks the part. Nothing about the lists is trusted. */
    private static Read read(RunningPart running, GuardedCalls calls) {
        Part part = running.part();
        List<OfferedCommand> commands = new ArrayList<>();
        for (Command command : list("commands()", part.commands())) {
            CommandSpec spec = given("spec() of a command", command.spec());
            spec.parameters().forEach(OperatorParts::requireComplete);
            commands.forEach(other -> requireApart(spec, other.spec()));
            commands.add(offered(running, spec, command, calls));
        }
        List<OfferedCheck> checks = new ArrayList<>();
        Set<String> ids = new HashSet<>();
        for (Check check : list("checks()", part.checks())) {
            String id = given("id() of a check", check.id());
            String title = given("title() of a check", check.title());
            if (!CHECK.matcher(id).matches() || !TITLE.matcher(title).matches() || !ids.add(id)) {
                throw refusal("checks(): the id '" + id + "' is not allowed or there twice, or its title is");
            }
            checks.add(new OfferedCheck(running.plugin(), id, title, check, calls));
        }
        String prefix = "enipam." + running.plugin().replace('-', '_') + ".";
        List<OfferedService> services = new ArrayList<>();
        for (RpcService service : list("services()", part.services())) {
            boolean again =
                    services.stream().anyMatch(other -> other.service().name().equals(service.name()));
            if (!service.name().startsWith(prefix) || again) {
                throw refusal("services(): " + service.name() + " is there twice, or does not begin with " + prefix);
            }
            services.add(new OfferedService(running, service, calls));
        }
        return new Read(
                Collections.unmodifiableList(commands),
                Collections.unmodifiableList(checks),
                Collections.unmodifiableList(services));
    }

    private static OfferedCommand offered(RunningPart part, CommandSpec spec, Command command, GuardedCalls calls) {
        boolean explains = command.explains();
        Optional<Setting<String>> file = given("file() of a command", command.file());
        Optional<Setting<Boolean>> follows = given("follows() of a command", command.follows());
        boolean reads = spec.impact() == CommandSpec.Impact.READ;
        boolean aboutOne =
                spec.operands().size() == 1 && !spec.operands().get(0).list();
        String words = "'" + String.join(" ", spec.path()) + "'";
        if (explains && !(reads && aboutOne)) {
            throw refusal(words + " explains, for which a command is READ and has one operand that is no list");
        }
        if (file.isPresent() && !(reads && spec.options().contains(file.get()))) {
            throw refusal(words + " writes to a file, for which a command is READ and has an option for it");
        }
        if (follows.isPresent()
                && !(reads
                        && spec.options().contains(follows.get())
                        && follows.get().usual().equals(false))) {
            throw refusal(
                    words + " follows, for which a command is READ and has a flag for it that is false by default");
        }
        return new OfferedCommand(
                part, spec, explains, file.map(Setting::name), follows.map(Setting::name), command, calls);
    }

    /** A setting's own methods were called by the plugin, which may have given them null. */
    private static void requireComplete(Setting<?> parameter) {
        given(parameter + ".allowed()", parameter.allowed());
        given(parameter + ".unit()", parameter.unit());
        given(parameter + ".doc()", parameter.doc());
        given(parameter + ".usual()", parameter.usual());
        parameter.choices().forEach(choice -> given(parameter + ".choices()", choice));
    }

    private static <T> List<T> list(String what, @Nullable List<T> list) {
        List<T> copy = new ArrayList<>();
        for (T each : given(what, list)) {
            copy.add(given("an element of " + what, each));
            if (copy.size() > MOST) {
                throw refusal(what + ": the list has more than " + MOST + " elements");
            }
        }
        return copy;
    }

    private static <T> T given(String what, @Nullable T value) {
        if (value == null) {
            throw refusal(what + " is null");
        }
        return value;
    }

    private static FactoryException refusal(String why) {
        return new FactoryException(ErrorKind.MISCONFIGURED, why);
    }
}
