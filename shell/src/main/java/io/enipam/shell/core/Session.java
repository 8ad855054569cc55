package io.enipam.shell.core;

import io.enipam.shell.attach.DaemonConnection;
import java.io.PrintStream;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jline.terminal.Terminal;
import org.jspecify.annotations.Nullable;

/**
 * What the commands of one run of the shell share. The daemon is called at the first command that needs it, so that
 * {@code help} works without one. Not thread-safe but for {@link #interrupts} and {@link #daemon}.
 */
public final class Session implements AutoCloseable {
    private final SessionOutput screen;
    private final OutputFormat format;
    private final Supplier<DaemonConnection> attach;
    private final InstantSource clock;
    private final ZoneId zone;
    private final Interrupts interrupts;
    private final boolean attended;
    private @Nullable DaemonConnection connection;
    private @Nullable ConfirmationPrompt asker;
    private @Nullable TerminalAccess lender;
    private Supplier<List<HistoryEntry>> history = List::of;
    private Optional<Supplier<String>> input = Optional.empty();
    private Supplier<Optional<TerminalSize>> size = Optional::empty;
    private boolean readOnly;
    private boolean remote;
    private @Nullable TableBuffer tableBuffer;
    private OptionalInt requestedExitStatus = OptionalInt.empty();

    /**
     * @param format what a command prints that is not told otherwise
     * @param attach makes the connection; called at most once, unless it throws
     */
    public Session(
            SessionOutput screen,
            OutputFormat format,
            Supplier<DaemonConnection> attach,
            InstantSource clock,
            ZoneId zone) {
        this(screen, format, attach, clock, zone, new Interrupts(), true);
    }

    private Session(
            SessionOutput screen,
            OutputFormat format,
            Supplier<DaemonConnection> attach,
            InstantSource clock,
            ZoneId zone,
            Interrupts interrupts,
            boolean attended) {
        this.screen = screen;
        this.format = format;
        this.attach = attach;
        this.clock = clock;
        this.zone = zone;
        this.interrupts = interrupts;
        this.attended = attended;
    }

    /**
     * The same daemon with nobody at the keyboard, writing elsewhere. What interrupts this session interrupts that one,
     * and this one closes the connection.
     */
    public Session unattended(SessionOutput elsewhere, OutputFormat its) {
        Session inner = new Session(elsewhere, its, this::daemon, clock, zone, interrupts, false);
        inner.readOnly = readOnly;
        inner.remote = this.remote;
        return inner;
    }

    /**
     * The same session, whose answers are for a filter or a file: no colour and no advice. Who is at the keyboard can still be
     * asked.
     *
     * @param json whether a command that is not told otherwise prints JSON
     */
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

    public Interrupts interrupts() {
        return interrupts;
    }

    /** The daemon, attached to at the first call. */
    public synchronized DaemonConnection daemon() {
        DaemonConnection open = connection;
        if (open == null) {
            open = attach.get();
            connection = open;
        }
        return open;
    }

    public RenderContext renderContext() {
        return new RenderContext(screen.outPalette(), clock.instant(), zone, attended);
    }

    /** Whether every command that changes something is refused before anything is sent. */
    public boolean readOnly() {
        return readOnly;
    }

    public void readOnly(boolean only) {
        this.readOnly = only;
    }

    /** Whether the daemon is on another machine than this shell. */
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

    /** The person at the keyboard, if there is one. */
    public Optional<ConfirmationPrompt> asker() {
        return Optional.ofNullable(asker);
    }

    public void asker(ConfirmationPrompt person) {
        this.asker = person;
    }

    /** The person's terminal, for what draws on all of it; empty if there is none. */
    public Optional<TerminalAccess> terminal() {
        return Optional.ofNullable(lender);
    }

    public void terminal(TerminalAccess terminal) {
        this.lender = terminal;
    }

    /** What ages are counted to. */
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
        return size().map(TerminalSize::columns).orElse(0);
    }

    /** Earlier commands, oldest first. */
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

    /** Where a command may draw on all of the person's terminal. */
    @FunctionalInterface
    public interface TerminalAccess {
        /** Lends the terminal for an act, which leaves it as it found it. */
        public void withTerminal(Consumer<Terminal> act);
    }

    /**
     * A command that was typed earlier.
     *
     * @param number counted from one, the oldest first
     * @param line what was typed; several lines if it was that
     */
    public record HistoryEntry(int number, Instant time, String line) {}
}
