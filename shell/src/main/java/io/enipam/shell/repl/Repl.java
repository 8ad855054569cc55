package io.enipam.shell.repl;

import static io.enipam.shell.attach.ExitStatus.DONE;
import static io.enipam.shell.attach.ExitStatus.INTERRUPTED;
import static io.enipam.shell.attach.ExitStatus.NOT_ATTACHED;

import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.Interrupts;
import io.enipam.shell.core.Moment;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.Session;
import io.enipam.shell.core.Table;
import io.enipam.shell.core.TimeFormat;
import io.enipam.shell.core.Tone;
import io.enipam.shell.pipe.CommandRunner;
import io.enipam.shell.repl.CompletionValues.CachedCompletionValues;
import io.enipam.shell.repl.GrammarCompleter.UsageHints;
import io.enipam.shell.repl.GrammarWalker.EditorGrammar;
import io.enipam.shell.repl.LineAnalysis.GrammarHighlighter;
import io.enipam.shell.repl.LineAnalysis.ShellParser;
import io.enipam.shell.repl.PersistentHistory.HistoryFile;
import io.enipam.shell.repl.PersistentHistory.HistoryRedactor;
import io.enipam.shell.repl.PromptStatusPoller.PromptStatus;
import io.enipam.shell.status.NodeCommands;
import io.enipam.v1.GetStatusReply;
import io.enipam.v1.GetStatusRequest;
import java.io.IOError;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jline.keymap.KeyMap;
import org.jline.reader.Candidate;
import org.jline.reader.EndOfFileException;
import org.jline.reader.LineReader;
import org.jline.reader.Reference;
import org.jline.reader.UserInterruptException;
import org.jline.reader.impl.LineReaderImpl;
import org.jline.terminal.Terminal;
import org.jline.terminal.Terminal.Signal;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStringBuilder;
import org.jline.utils.AttributedStyle;
import org.jline.utils.InfoCmp.Capability;
import org.jline.widget.AutosuggestionWidgets;

/** Reads lines and runs them until {@code exit}, Ctrl-D, or Ctrl-C twice on an empty line; once, it ends a command. */
public final class Repl {
    private static final Duration GREETING = Duration.ofSeconds(10);
    private static final Duration LOOK = Duration.ofSeconds(2);
    /** For the commands, which a busy machine may not have read when the first Tab is pressed; the daemon's take 5 s at most. */
    private static final Duration COMMANDS = Duration.ofSeconds(20);
    /** How soon a second Ctrl-C has to come to leave: the first may have been meant for a command that has just ended. */
    private static final Duration TO_LEAVE = Duration.ofSeconds(2);

    private static final String TOGGLE_TIPS = "toggle-tips";
    private static final String AGAIN = "!!";

    private final Session session;
    private final CommandRunner runner;
    private final Terminal terminal;
    private final PagedOutput paged;
    private final PersistentHistory history;
    private final EditingReader reader;
    private final CachedCompletionValues values;
    /** Made anew when plugins bring other commands. */
    private volatile Future<EditorGrammar> grammar;
    /** That of the last line; 0 after an empty one, and after Ctrl-C. */
    private volatile int lastExit;

    private final ExecutorService background =
            Executors.newFixedThreadPool(2, Interrupts.daemonThreads("enipam-values"));

    /** @param session writes to {@code paged}; without {@code file} only this run remembers what is typed */
    public Repl(Session session, Terminal terminal, PagedOutput paged, Optional<Path> file, boolean tips) {
        this.session = session;
        this.runner = new CommandRunner(session);
        this.terminal = terminal;
        this.paged = paged;
        this.history = new PersistentHistory(file.flatMap(HistoryFile::open));
        this.values =
                new CachedCompletionValues(new DaemonCompletionValues(session::daemon), background, System::nanoTime);
        CompletableFuture<EditorGrammar> built =
                CompletableFuture.supplyAsync(() -> EditorGrammar.of(session), background);
        this.grammar = built;
        Supplier<Optional<EditorGrammar>> ready = () -> within(Duration.ZERO, grammar);
        this.reader = new EditingReader(terminal, new UsageHints(ready), tips);
        reader.setParser(new ShellParser());
        reader.setCompleter(new GrammarCompleter(this::grammar, values));
        boolean colour = session.screen().outPalette() == Palette.COLOUR;
        reader.setHighlighter(colour ? new GrammarHighlighter(ready) : (editor, line) -> new AttributedString(line));
        prepare();
        built.thenRun(reader::redraw); // with what it says of a line that was typed before
    }

    private static <T> Optional<T> within(Duration patience, Future<T> value) {
        try {
            return Optional.of(value.get(patience.toNanos(), TimeUnit.NANOSECONDS));
        } catch (TimeoutException | ExecutionException notThere) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    private void prepare() {
        // of what JLine does for an exclamation mark only !! is done here, and no backslash is lost
        reader.option(LineReader.Option.DISABLE_EVENT_EXPANSION, true);
        reader.option(LineReader.Option.AUTO_FRESH_LINE, true);
        reader.setVariable(LineReader.HISTORY_SIZE, HistoryFile.KEPT);
        reader.setVariable(LineReader.SECONDARY_PROMPT_PATTERN, "%M> ");
        reader.setHistory(history);
        reader.getWidgets().put(TOGGLE_TIPS, reader::toggleTips);
        new AutosuggestionWidgets(reader).enable(); // the right arrow and End take what is shown in grey
        String f1 = KeyMap.key(terminal, Capability.key_f1);
        reader.getKeyMaps().get(LineReader.MAIN).bind(new Reference(TOGGLE_TIPS), f1 == null ? "\033OP" : f1);
    }

    /** Serves until the operator leaves; the exit status. Throws {@link ShellException} without a daemon at the start. */
    public int run() {
        GetStatusReply status = status(GREETING);
        greet(status);
        session.history(history::all);
        session.asker(this::agrees);
        session.terminal(act -> act.accept(terminal));
        paged.whenLeft(session.interrupts()::interrupt);
        terminal.handle(Signal.INT, signal -> {
            session.interrupts().interrupt();
            paged.interrupt();
        });
        Palette palette = session.screen().outPalette();
        try (PromptStatusPoller watch = new PromptStatusPoller(
                PromptStatus.of(status),
                () -> PromptStatus.of(status(LOOK)),
                seen -> reader.refresh(prompt(seen, palette)),
                reader::tell)) {
            return loop(watch, palette);
        } finally {
            background.shutdownNow();
        }
    }

    private GetStatusReply status(Duration within) {
        return session.daemon().inspect(within, stub -> stub.getStatus(GetStatusRequest.getDefaultInstance()));
    }

    private int loop(PromptStatusPoller watch, Palette palette) {
        Optional<Instant> warned = Optional.empty();
        while (session.requestedExitStatus().isEmpty()) {
            try {
                String line = reader.line(prompt(watch.state(), palette));
                warned = Optional.empty();
                lastExit = DONE.status();
                if (!line.isBlank()) {
                    run(line, watch);
                }
            } catch (UserInterruptException ctrlC) {
                if (!ctrlC.getPartialLine().isBlank()) {
                    warned = Optional.empty();
                } else if (warned.filter(this::isRecent).isPresent()) {
                    return DONE.status();
                } else {
                    warned = Optional.of(session.clock().instant());
                    print(session.screen().out(), "Ctrl-C again within two seconds, or Ctrl-D, to leave");
                }
            } catch (EndOfFileException ctrlD) {
                return DONE.status();
            } catch (IllegalStateException | IOError e) {
                if (closed()) {
                    return DONE.status(); // a signal ends the process, with a status of its own
                }
                throw e;
            }
        }
        return session.requestedExitStatus().getAsInt();
    }

    /** Says when commands are about, unless that is now. */
    private String prompt(PromptStatus seen, Palette palette) {
        String past = session.past()
                .map(then -> palette.paint(
                                Tone.WAIT,
                                "[at "
                                        + Moment.show(
                                                then,
                                                session.clock().instant(),
                                                session.renderContext().zone()) + "]")
                        + " ")
                .orElse("");
        return past + seen.prompt(palette, lastExit);
    }

    private boolean isRecent(Instant warning) {
        return Duration.between(warning, session.clock().instant()).compareTo(TO_LEAVE) <= 0;
    }

    private boolean closed() {
        try {
            terminal.reader();
            return false;
        } catch (IllegalStateException closed) {
            return true;
        }
    }

    private void run(String line, PromptStatusPoller watch) {
        boolean wasHere = watch.state().here();
        paged.begin();
        int status;
        try {
            status = runner.line(line);
        } finally {
            paged.end();
        }
        lastExit = status == INTERRUPTED.status() ? DONE.status() : status;
        if (status == INTERRUPTED.status()) {
            print(session.screen().out(), "");
        }
        if (status == NOT_ATTACHED.status() && !wasHere) {
            String away = "the daemon is away for " + TimeFormat.span(watch.away());
            print(session.screen().err(), away + "; this shell goes on trying and says when it is back");
        }
        values.expire();
        background.execute(this::renewGrammar);
        if (session.requestedExitStatus().isEmpty()) {
            watch.now();
        }
    }

    /** For a completion: what plugins bring meanwhile is there at the next one. */
    private Optional<EditorGrammar> grammar() {
        background.execute(this::renewGrammar);
        return within(COMMANDS, grammar);
    }

    private void renewGrammar() {
        boolean other = within(Duration.ZERO, grammar)
                .filter(known -> !known.plugins().equals(session.pluginCommands()))
                .isPresent();
        if (other) {
            grammar = CompletableFuture.completedFuture(EditorGrammar.of(session));
        }
    }

    private static void print(PrintStream to, String line) {
        to.println(line);
        to.flush();
    }

    private void greet(GetStatusReply status) {
        String node = Palette.clean(status.getNode()) + (status.getSandbox() ? " (sandbox)" : "");
        String pool = NodeCommands.isOfNode(status)
                ? status.hasPool() ? ": " + NodeCommands.pool(status.getPool()) : ""
                : ": " + NodeCommands.role(status);
        PrintStream out = session.screen().out();
        out.println("enipam " + Session.version() + " on " + node + pool);
        print(out, "help lists the commands, TAB completes, Ctrl-D leaves");
    }

    /** Asks in the middle of a command. Ctrl-C ends the command, and those behind it on the line. */
    private boolean agrees(String question) {
        paged.end();
        reader.setVariable(LineReader.DISABLE_HISTORY, true);
        reader.setVariable(LineReader.DISABLE_COMPLETION, true);
        reader.setAutosuggestion(LineReader.SuggestionType.NONE);
        try {
            String answer = reader.readLine(question + " [y/N] ").strip();
            return answer.equalsIgnoreCase("y") || answer.equalsIgnoreCase("yes");
        } catch (UserInterruptException ctrlC) {
            session.screen().out().print("nothing was changed");
            throw new ShellException(INTERRUPTED, "", "interrupted", "", ctrlC);
        } catch (EndOfFileException no) {
            return false;
        } finally {
            reader.setVariable(LineReader.DISABLE_HISTORY, false);
            reader.setVariable(LineReader.DISABLE_COMPLETION, false);
            reader.setAutosuggestion(LineReader.SuggestionType.HISTORY);
            paged.begin();
        }
    }

    /** JLine's reader with tips that go with the line; JLine's own keep lines of the terminal while commands run. */
    private static final class EditingReader extends LineReaderImpl {
        private final UsageHints tips;
        private final List<String> news = new ArrayList<>();
        private boolean tipsShown;
        private boolean listing;
        private boolean refreshable;
        private String shownPrompt = "";

        /** @param tips the lines to show for the line up to the cursor */
        EditingReader(Terminal terminal, UsageHints tips, boolean tipsShown) {
            super(terminal, "enipam", new HashMap<>());
            this.tips = tips;
            this.tipsShown = tipsShown;
        }

        boolean toggleTips() {
            tipsShown = !tipsShown;
            return true;
        }

        /** A list that is too long for the screen is printed below the line, where the tips would show through. */
        @Override
        protected boolean doList(
                List<Candidate> possible,
                String completed,
                boolean runLoop,
                BiFunction<CharSequence, Boolean, CharSequence> escaper) {
            listing = true;
            try {
                return super.doList(aligned(possible), completed, runLoop, escaper);
            } finally {
                listing = false;
            }
        }

        @Override
        protected boolean doMenu(
                List<Candidate> original, String completed, BiFunction<CharSequence, Boolean, CharSequence> escaper) {
            return super.doMenu(aligned(original), completed, escaper);
        }

        /** With descriptions that begin in one column: JLine puts them in parentheses at the right. */
        private List<Candidate> aligned(List<Candidate> candidates) {
            int width = candidates.stream()
                    .mapToInt(candidate -> Table.width(candidate.displ()))
                    .max()
                    .orElse(0);
            return candidates.stream()
                    .map(one -> new Candidate(
                            one.value(),
                            one.descr() == null ? one.displ() : beside(one, width),
                            one.group(),
                            null,
                            one.suffix(),
                            one.key(),
                            one.complete(),
                            one.sort()))
                    .collect(Collectors.toCollection(ArrayList::new)); // which JLine sorts
        }

        private String beside(Candidate candidate, int width) {
            String gap = " ".repeat(width - Table.width(candidate.displ()) + 2);
            return Table.clipped(candidate.displ() + gap + candidate.descr(), Math.max(1, size.getColumns() - 2));
        }

        @Override
        public AttributedString getDisplayedBufferWithPrompts(List<AttributedString> secondaryPrompts) {
            boolean editing = doAutosuggestion && post == null && !listing && refreshable;
            AttributedString line = super.getDisplayedBufferWithPrompts(secondaryPrompts);
            if (!editing || plainTerminal()) {
                return line;
            }
            AttributedStringBuilder full = new AttributedStringBuilder().append(line);
            if (getTailTip().isEmpty() && buf.cursor() == buf.length()) {
                setTailTip(tips.rest(buf.toString())); // no line of the history begins like this one
                full.styled(AttributedStyle::faint, getTailTip());
            }
            if (!tipsShown) {
                return full.toAttributedString();
            }
            int width = size.getColumns() - 1;
            for (String tip : tips.of(buf.upToCursor())) {
                full.append("\n").styled(AttributedStyle::faint, cut(tip, width));
            }
            return full.toAttributedString();
        }

        /** {@code !!} at the beginning stands for the last line; one in which a secret was hidden is shown, and not run. */
        @Override
        protected boolean acceptLine() {
            String typed = buf.toString();
            if (refreshable && typed.startsWith(AGAIN) && !history.isEmpty()) {
                String last = history.get(history.last());
                buf.clear();
                buf.write(last + typed.substring(AGAIN.length()));
                if (last.contains(HistoryRedactor.HIDDEN)) {
                    return true;
                }
            }
            return super.acceptLine();
        }

        private static String cut(String text, int width) {
            return width < 4 || text.length() <= width ? text : text.substring(0, width - 3) + "...";
        }

        /** Reads a line of commands; its prompt follows {@link #refresh} and news are printed above it. */
        String line(String firstPrompt) {
            lock.lock();
            try {
                news.forEach(terminal.writer()::println);
                news.clear();
                shownPrompt = firstPrompt;
                refreshable = true;
            } finally {
                lock.unlock();
            }
            try {
                return readLine(firstPrompt);
            } finally {
                refreshable = false;
            }
        }

        /** Puts another prompt before the line that is being typed, by any thread; does nothing between lines. */
        void refresh(String newPrompt) {
            lock.lock();
            try {
                if (reading && refreshable && !plainTerminal() && !newPrompt.equals(shownPrompt)) {
                    shownPrompt = newPrompt;
                    setPrompt(newPrompt);
                    redraw();
                }
            } finally {
                lock.unlock();
            }
        }

        /** Draws the line that is being typed anew, by any thread. */
        void redraw() {
            lock.lock();
            try {
                if (reading && refreshable && !plainTerminal()) {
                    redisplay();
                    terminal.flush();
                }
            } finally {
                lock.unlock();
            }
        }

        /** Prints something above the line that is being typed, or before the next one. Thread-safe. */
        void tell(String text) {
            lock.lock();
            try {
                if (reading && refreshable && !plainTerminal()) {
                    printAbove(text);
                } else {
                    news.add(text);
                }
            } finally {
                lock.unlock();
            }
        }

        private boolean plainTerminal() {
            return terminal.getType().startsWith(Terminal.TYPE_DUMB);
        }
    }
}
