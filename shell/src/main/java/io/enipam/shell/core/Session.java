package io.enipam.shell.core;

import io.enipam.shell.attach.DaemonConnection;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.TableListing.TableBuffer;
import io.enipam.v1.ListCommandsRequest;
import io.enipam.v1.ListPodsRequest;
import io.enipam.v1.PluginCommand;
import io.enipam.v1.PodInfo;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jline.terminal.Terminal;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/** Shared by the commands of one run of the shell. Not thread-safe but for {@link #interrupts} and {@link #daemon}. */
public final class Session implements AutoCloseable {
    private static final Duration PLUGIN_COMMANDS_FRESH = Duration.ofSeconds(1);
    private static final Duration PODS_WAIT = Duration.ofSeconds(60);
    private static final Duration PLUGIN_COMMANDS_WAIT = Duration.ofSeconds(5);

    private final SessionOutput screen;
    private final OutputFormat format;
    private final Grammar grammar;
    private final Supplier<DaemonConnection> attach;
    private final InstantSource clock;
    private final ZoneId zone;
    private final Interrupts interrupts;
    private final boolean attended;
    private final boolean detached;
    private @Nullable DaemonConnection connection;
    private @Nullable Predicate<String> asker;
    private @Nullable TerminalAccess terminal;
    private Supplier<List<HistoryEntry>> history = List::of;
    private Optional<Supplier<String>> input = Optional.empty();
    private Supplier<Optional<TerminalSize>> size = Optional::empty;
    private IntSupplier width = () -> size().map(TerminalSize::columns).orElse(0);
    private List<PluginCommand> pluginCommands = List.of();
    private Optional<Instant> pluginCommandsAsked = Optional.empty();
    private String namespace = "";
    private Path home = Path.of(".");
    private boolean readOnly;
    private Optional<Instant> past = Optional.empty();
    private boolean remote;
    private @Nullable TableBuffer tableBuffer;
    private OptionalInt requestedExitStatus = OptionalInt.empty();

    /** @param format what a command prints unless it names another; {@code attach} is called once, unless it throws */
    public Session(
            SessionOutput screen,
            OutputFormat format,
            Grammar grammar,
            Supplier<DaemonConnection> attach,
            InstantSource clock,
            ZoneId zone) {
        this(screen, format, grammar, attach, clock, zone, false);
    }

    private Session(
            SessionOutput screen,
            OutputFormat format,
            Grammar grammar,
            Supplier<DaemonConnection> attach,
            InstantSource clock,
            ZoneId zone,
            boolean detached) {
        this.detached = detached;
        this.screen = screen;
        this.format = format;
        this.grammar = grammar;
        this.attach = attach;
        this.clock = clock;
        this.zone = zone;
        this.interrupts = new Interrupts();
        this.attended = true;
    }

    private Session(Session outer, SessionOutput screen, OutputFormat format) {
        this.screen = screen;
        this.format = format;
        this.grammar = outer.grammar;
        this.attach = outer::daemon;
        this.clock = outer.clock;
        this.zone = outer.zone;
        this.interrupts = outer.interrupts;
        this.attended = false;
        this.detached = outer.detached;
        this.namespace = outer.namespace;
        this.home = outer.home;
        this.readOnly = outer.readOnly;
        this.past = outer.past;
        this.remote = outer.remote;
    }

    /** A session without a daemon, for what reads only the grammar. */
    public static Session detached(
            SessionOutput screen, OutputFormat format, Grammar grammar, InstantSource clock, ZoneId zone) {
        Supplier<DaemonConnection> none = () -> {
            throw new IllegalStateException("this session has no daemon");
        };
        return new Session(screen, format, grammar, none, clock, zone, true);
    }

    /** The same daemon and interrupts without an operator, writing elsewhere. This session closes the connection. */
    public Session unattended(SessionOutput elsewhere, OutputFormat its) {
        return new Session(this, elsewhere, its);
    }

    /** What commands print in a session of the same daemon, errors as well, line by line. */
    public List<String> capture(OutputFormat its, Consumer<Session> commands) {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        PrintStream to = new PrintStream(text, false, StandardCharsets.UTF_8);
        // not closed: that would close the connection, which is this session's
        Session inner = unattended(new SessionOutput(to, to, screen.outPalette(), screen.errPalette(), false), its);
        inner.size(size);
        commands.accept(inner);
        to.flush();
        return text.toString(StandardCharsets.UTF_8).lines().toList();
    }

    /** The same settings for the daemon of another node, with a connection and interrupts of its own. */
    public Session elsewhere(SessionOutput output, OutputFormat its, Supplier<DaemonConnection> itsDaemon) {
        Session other = new Session(output, its, grammar, itsDaemon, clock, zone);
        other.namespace = namespace;
        other.home = home;
        other.readOnly = readOnly;
        other.past = past;
        other.remote = true;
        other.input = input;
        return other;
    }

    /** The same for a filter or a file: no colour, no advice, {@code json} by default if so said, the same operator. */
    public Session into(PrintStream elsewhere, boolean json) {
        SessionOutput there =
                new SessionOutput(elsewhere, screen.err(), Palette.PLAIN, screen.errPalette(), screen.errIsTerminal());
        Session inner = unattended(there, json ? OutputFormat.JSON : format);
        inner.asker = asker;
        inner.history = history;
        return inner;
    }

    public SessionOutput screen() {
        return screen;
    }

    public OutputFormat format() {
        return format;
    }

    public CommandLine commands(List<String> words) {
        return grammar.of(this, words);
    }

    public Interrupts interrupts() {
        return interrupts;
    }

    public synchronized DaemonConnection daemon() {
        DaemonConnection open = connection == null ? attach.get() : connection;
        connection = open;
        return open;
    }

    /** Whether it has no daemon, and reads only the grammar. */
    public boolean detached() {
        return detached;
    }

    /** The commands that plugins of the daemon bring, as of a second ago at most; none if the daemon does not say so soon. */
    public synchronized List<PluginCommand> pluginCommands() {
        Instant now = clock.instant();
        boolean fresh = pluginCommandsAsked
                .filter(at -> Duration.between(at, now).abs().compareTo(PLUGIN_COMMANDS_FRESH) < 0)
                .isPresent();
        if (!detached && !fresh) {
            pluginCommands = askedForCommands();
            pluginCommandsAsked = Optional.of(now);
        }
        return pluginCommands;
    }

    private List<PluginCommand> askedForCommands() {
        try {
            return daemon().inspect(
                            PLUGIN_COMMANDS_WAIT, stub -> stub.listCommands(ListCommandsRequest.getDefaultInstance()))
                    .getCommandsList();
        } catch (ShellException away) {
            return List.of(); // no daemon, or one without such commands; the command itself says what is wrong
        }
    }

    /**
     * The pod that a name without a namespace means: the one of the namespace in use, else the only one of that name that the
     * daemon knows. Throws a usage error for a name that none has, or several.
     */
    public String podNamed(String name) {
        if (!namespace.isEmpty()) {
            return namespace + "/" + name;
        }
        List<String> named = new ArrayList<>();
        daemon().list(PODS_WAIT, stub -> stub.listPods(ListPodsRequest.getDefaultInstance()))
                .forEachRemaining(part -> part.getPodsList().stream()
                        .map(PodInfo::getPod)
                        .filter(pod -> pod.endsWith("/" + name))
                        .forEach(named::add));
        if (named.size() == 1) {
            return named.get(0);
        }
        throw named.isEmpty()
                ? ShellException.usage(
                        "no pod is called '" + name + "', and a new one is NAMESPACE/NAME; did you mean 'default/"
                                + name + "'?",
                        "")
                : ShellException.usage(
                        named.size() + " pods are called '" + name + "': " + String.join(", ", named),
                        "Say which, as NAMESPACE/NAME, or 'use namespace' once");
    }

    /** From now on pods that are named without a namespace are of this one; empty for none. */
    public void namespace(String used) {
        namespace = used;
    }

    /** The project's or the installation's directory, in which the programs beside this one are. */
    public Path home() {
        return home;
    }

    public void home(Path directory) {
        this.home = directory;
    }

    /** For the width of the terminal, which a single command learns by a process: not for each item of a list. */
    public RenderContext renderContext() {
        return renderContext(columns());
    }

    /** For lines of so many cells; 0 for any number. */
    public RenderContext renderContext(int columns) {
        return new RenderContext(screen.outPalette(), now(), zone, attended, columns);
    }

    /** What commands take for the present: the moment of the past that they are about, or the clock's. */
    public Instant now() {
        return past.orElseGet(clock::instant);
    }

    /** The moment of the past that commands are about, in which nothing can be changed; empty for the present. */
    public Optional<Instant> past() {
        return past;
    }

    public void past(Optional<Instant> moment) {
        past = moment;
    }

    /** Whether every command that changes something is refused before anything is sent. */
    public boolean readOnly() {
        return readOnly;
    }

    public void readOnly(boolean only) {
        this.readOnly = only;
    }

    public boolean remote() {
        return remote;
    }

    public void remote(boolean remote) {
        this.remote = remote;
    }

    /** What takes the rows of tables in place of the screen; empty if they are printed. */
    public Optional<TableBuffer> tableBuffer() {
        return Optional.ofNullable(tableBuffer);
    }

    public void tableBuffer(TableBuffer rows) {
        this.tableBuffer = rows;
    }

    /** Asks the operator at the keyboard a question: true for a clear yes. Empty if there is no such operator. */
    public Optional<Predicate<String>> asker() {
        return Optional.ofNullable(asker);
    }

    public void asker(Predicate<String> person) {
        this.asker = person;
    }

    /** The operator's terminal, for what draws on all of it; empty if there is none. */
    public Optional<TerminalAccess> terminal() {
        return Optional.ofNullable(terminal);
    }

    public void terminal(TerminalAccess access) {
        this.terminal = access;
    }

    public InstantSource clock() {
        return clock;
    }

    /** How much the terminal shows that answers are printed on; empty if they are not printed on one. */
    public Optional<TerminalSize> size() {
        return size.get();
    }

    public void size(Supplier<Optional<TerminalSize>> terminal) {
        this.size = terminal;
    }

    /** How many cells a line of a table may take; 0 for any number. */
    public int columns() {
        return width.getAsInt();
    }

    /** @param columns those of a terminal that cannot be drawn on, and has no {@link #size} */
    public void columns(IntSupplier columns) {
        width = columns;
    }

    public List<HistoryEntry> history() {
        return history.get();
    }

    public void history(Supplier<List<HistoryEntry>> lines) {
        this.history = lines;
    }

    /** All of stdin as text, for a command that reads it; empty if the commands themselves come from there. */
    public Optional<Supplier<String>> input() {
        return input;
    }

    /** @param text reads it once, and returns the same afterwards */
    public void input(Supplier<String> text) {
        this.input = Optional.of(text);
    }

    /** The exit status that the command {@code exit} asked for; empty as long as it was not given. */
    public OptionalInt requestedExitStatus() {
        return requestedExitStatus;
    }

    public void requestExit(int status) {
        requestedExitStatus = OptionalInt.of(status);
    }

    @Override
    public synchronized void close() {
        if (connection != null) {
            connection.close();
            connection = null;
        }
    }

    /** The version of this shell, as its jar says; "unpackaged" if the classes do not come from the jar. */
    public static String version() {
        @Nullable String version = Session.class.getPackage().getImplementationVersion();
        return version == null ? "unpackaged" : version;
    }

    /** Where a command may draw on all of the operator's terminal. */
    @FunctionalInterface
    public interface TerminalAccess {
        void withTerminal(Consumer<Terminal> act);
    }

    /** A command that was typed earlier, perhaps over several lines. Numbers count from one, the oldest first. */
    public record HistoryEntry(int number, Instant time, String line) {}

    public record TerminalSize(int columns, int rows) {
        /** That of the terminal that the program runs on; empty if it cannot be had. It takes a few milliseconds. */
        public static Optional<TerminalSize> ofTerminal() {
            try {
                Process stty = new ProcessBuilder("stty", "size")
                        .redirectInput(new File("/dev/tty"))
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
                String answer = new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
                if (!stty.waitFor(1, TimeUnit.SECONDS) || !answer.matches("[1-9][0-9]{0,4} [1-9][0-9]{0,4}")) {
                    return Optional.empty();
                }
                String[] figures = answer.split(" ");
                return Optional.of(new TerminalSize(Integer.parseInt(figures[1]), Integer.parseInt(figures[0])));
            } catch (IOException e) {
                return Optional.empty();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return Optional.empty();
            }
        }
    }

    /** Where a session writes: answers to {@code out}; errors, questions and erasable progress to {@code err}. */
    public record SessionOutput(
            PrintStream out, PrintStream err, Palette outPalette, Palette errPalette, boolean errIsTerminal) {}
}
