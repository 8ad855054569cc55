package io.enipam.shell;

import static io.enipam.shell.attach.ExitStatus.DONE;
import static io.enipam.shell.attach.ExitStatus.INTERRUPTED;
import static io.enipam.shell.attach.ExitStatus.REFUSED;

import io.enipam.shell.LaunchOptions.Where;
import io.enipam.shell.attach.DaemonConnection;
import io.enipam.shell.attach.DaemonRoute;
import io.enipam.shell.attach.ExamplePlugins;
import io.enipam.shell.attach.Sandbox;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.CommandLineLexer;
import io.enipam.shell.core.ErrorLine;
import io.enipam.shell.core.Moment;
import io.enipam.shell.core.OutputFormat;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.ProgressLine;
import io.enipam.shell.core.Session;
import io.enipam.shell.core.Session.SessionOutput;
import io.enipam.shell.core.Session.TerminalSize;
import io.enipam.shell.core.UsageErrors;
import io.enipam.shell.fleet.NodeRoute;
import io.enipam.shell.pipe.CommandRunner;
import io.enipam.shell.repl.PagedOutput;
import io.enipam.shell.repl.Repl;
import io.enipam.shell.runbook.ScriptSource;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/**
 * The program but for the process: arguments and streams in, an exit status out.
 *
 * @param home the project's or the installation's directory, in which {@code runtime/bin/enipamd} is
 * @param scratch where a sandbox makes its directory
 * @param terminals which of the streams are a terminal
 * @param clock what ages are counted to
 */
public record ShellProgram(Path home, Path scratch, Terminals terminals, InstantSource clock, ZoneId zone) {
    private static final Duration SANDBOX_START = Duration.ofSeconds(60);

    public static CommandLine options() {
        return new LaunchOptions().parser();
    }

    /** Runs the program; the exit status. It reads HOME, NO_COLOR, TERM and ENIPAM_READ_ONLY of the environment. */
    public int run(String[] args, InputStream in, PrintStream out, PrintStream err, Map<String, String> env) {
        SessionOutput screen = new SessionOutput(
                out, err, palette(terminals.out(), env), palette(terminals.err(), env), terminals.err());
        LaunchOptions options = new LaunchOptions();
        try {
            ParseResult given = options.parser().parseArgs(args);
            return new Run(options, screen, in, env).run(given);
        } catch (RuntimeException | Error e) {
            // a line and a code, as for every failure
            ShellException known = e instanceof ParameterException wrong ? UsageErrors.of(wrong) : ShellException.of(e);
            return failed(screen, ErrorLine.isForProgram(OutputFormat.TABLE, List.of(args)), "", known);
        }
    }

    private static Palette palette(boolean terminal, Map<String, String> env) {
        boolean wanted = env.getOrDefault("NO_COLOR", "").isEmpty()
                && !env.getOrDefault("TERM", "dumb").equals("dumb");
        return terminal && wanted ? Palette.COLOUR : Palette.PLAIN;
    }

    private static int failed(SessionOutput screen, boolean forProgram, String what, ShellException e) {
        if (e.exit() != INTERRUPTED) {
            String line =
                    forProgram ? ErrorLine.forProgram(what, e) : ErrorLine.forPerson(screen.errPalette(), what, e);
            screen.err().println(line);
        }
        return e.exit().status();
    }

    private final class Run {
        private final LaunchOptions options;
        private final SessionOutput screen;
        private final InputStream in;
        private final Map<String, String> env;
        private @Nullable String stdin;

        Run(LaunchOptions options, SessionOutput screen, InputStream in, Map<String, String> env) {
            this.options = options;
            this.screen = screen;
            this.in = in;
            this.env = env;
        }

        private int failed(String what, ShellException e) {
            return ShellProgram.failed(screen, options.output.structured(), what, e);
        }

        int run(ParseResult given) {
            if (options.help) {
                screen.out().print(options.parser().getUsageMessage(CommandLine.Help.Ansi.OFF));
                screen.out().println("\nCommands:");
                options.command = List.of("help");
            }
            if (options.version) {
                screen.out().println("enipam " + Session.version());
                return DONE.status();
            }
            if (options.commands != null && !options.command.isEmpty()) {
                String hint = "Put '" + options.command.get(0) + "' into -c";
                return failed("", ShellException.usage("both -c and a command", hint));
            }
            options.readOnly |= switchedOn(env.getOrDefault("ENIPAM_READ_ONLY", ""));
            Where where = options.help ? new Where() : options.where;
            List<String> daemonWords;
            OptionalInt nodes;
            try {
                daemonWords = options.help ? List.of() : options.sandbox.words(where.sandbox);
                nodes = options.help ? OptionalInt.empty() : options.madeNodes();
                options.cluster.check(
                        given, where.inCluster() || options.help, where.allNodes || options.help, nodes.isPresent());
            } catch (ShellException e) {
                return failed("", e);
            }
            // a typing error need not wait for a sandbox or a cluster
            int mistake = where.sandbox || where.node != null ? checked() : DONE.status();
            if (mistake != DONE.status()) {
                return mistake;
            }
            if (where.inCluster()) {
                return inCluster();
            }
            return where.sandbox
                    ? sandboxed(daemonWords, nodes)
                    : attached(options::socket, history(), interrupt -> {});
        }

        /** Whether a variable that is set says yes: all but the words for no. */
        private static boolean switchedOn(String value) {
            return !List.of("", "0", "false", "no", "off")
                    .contains(value.strip().toLowerCase(Locale.ROOT));
        }

        private Optional<Path> history() {
            return Optional.ofNullable(env.get("HOME")).map(directory -> Path.of(directory, ".enipam_history"));
        }

        /** @param nodes of a cluster in memory, which a program of its own makes before it runs the daemon; that has settings of its own */
        private int sandboxed(List<String> daemonWords, OptionalInt nodes) {
            Path launcher =
                    home.resolve(nodes.isPresent() ? "runtime/bin/enipam-cluster-sandbox" : "runtime/bin/enipamd");
            List<String> words = new ArrayList<>();
            nodes.ifPresent(count -> words.addAll(List.of("--nodes", Integer.toString(count))));
            ExamplePlugins examples = ExamplePlugins.of(home);
            if (options.sandbox.role == LaunchOptions.DaemonRole.cluster && nodes.isEmpty()) {
                words.addAll(examples.demonstrated("swarm")); // before the files that are named, which win
            }
            words.addAll(daemonWords);
            words.addAll(examples.options());
            try (Sandbox sandbox = ProgressLine.during(
                    screen, "starting a sandbox", () -> Sandbox.start(launcher, words, scratch, SANDBOX_START))) {
                return attached(sandbox::socket, Optional.empty(), sandbox::beforeShutdown);
            } catch (ShellException e) {
                return failed("sandbox", e);
            }
        }

        private int inCluster() {
            try (FleetProgram fleet = FleetProgram.open(options, scratch, env)) {
                if (options.where.node == null) {
                    return fanned(fleet);
                }
                try (NodeRoute route = fleet.route(options.where.node, screen)) {
                    return attached(route, history(), interrupt -> {});
                }
            } catch (ShellException e) {
                return failed(options.where.allNodes ? "" : "attach", e);
            }
        }

        private int fanned(FleetProgram fleet) {
            try (Session nowhere = nowhere()) {
                askerOn(nowhere, lines());
                Optional<TerminalSize> size = terminals.out() ? TerminalSize.ofTerminal() : Optional.empty();
                return fleet.all(nowhere, size);
            }
        }

        /** Throws a usage error for what is no time. */
        private Optional<Instant> past() {
            return options.at.isEmpty()
                    ? Optional.empty()
                    : Optional.of(Moment.parse(options.at, clock.instant(), zone));
        }

        private Session nowhere() {
            Session nowhere = Session.detached(screen, options.output, CommandTree::of, clock, zone);
            nowhere.home(home);
            nowhere.input(this::stdin);
            nowhere.readOnly(options.readOnly);
            nowhere.past(past());
            return nowhere;
        }

        /** Reports a command that is no command; the exit status. */
        private int checked() {
            try (Session nowhere = nowhere()) {
                CommandRunner runner = new CommandRunner(nowhere);
                if (options.commands != null) {
                    return runner.check(options.commands);
                }
                return options.command.isEmpty() ? DONE.status() : runner.check(options.command);
            }
        }

        private int attached(DaemonRoute route, Optional<Path> history, Consumer<Runnable> beforeShutdown) {
            boolean given = options.commands != null || !options.command.isEmpty();
            if (!given && terminals.interactive()) {
                return interactive(route, history, beforeShutdown);
            }
            try (Session session = session(route, screen, beforeShutdown)) {
                if (terminals.out()) {
                    session.size(TerminalSize::ofTerminal);
                }
                CommandRunner runner = new CommandRunner(session);
                BufferedReader lines = lines();
                askerOn(session, lines);
                if (terminals.interactive()) {
                    session.terminal(ShellProgram::lend);
                }
                if (given) {
                    session.input(this::stdin);
                }
                if (options.commands != null) {
                    return runner.line(options.commands);
                }
                return options.command.isEmpty() ? script(session, runner, lines) : runner.command(options.command);
            }
        }

        private BufferedReader lines() {
            return new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
        }

        private void askerOn(Session session, BufferedReader lines) {
            if (terminals.in() && terminals.err()) {
                session.asker(question -> {
                    screen.err().print(question + " [y/N] ");
                    screen.err().flush();
                    String answer = String.valueOf(next(lines)).strip();
                    return answer.equalsIgnoreCase("y") || answer.equalsIgnoreCase("yes");
                });
            }
        }

        /** What holds for every way to give commands. */
        private Session session(DaemonRoute route, SessionOutput output, Consumer<Runnable> beforeShutdown) {
            Session session = new Session(
                    output, options.output, CommandTree::of, () -> DaemonConnection.open(route), clock, zone);
            session.home(home);
            session.readOnly(options.readOnly);
            session.past(past());
            session.remote(!route.caller().isEmpty());
            beforeShutdown.accept(session.interrupts()::interrupt);
            return session;
        }

        private int interactive(DaemonRoute route, Optional<Path> history, Consumer<Runnable> beforeShutdown) {
            try (Terminal terminal = systems().dumb(true).build()) {
                PagedOutput paged = new PagedOutput(terminal, screen.out(), screen.err(), !options.noPager);
                SessionOutput onPages = new SessionOutput(
                        paged.out(), paged.err(), screen.outPalette(), screen.errPalette(), screen.errIsTerminal());
                try (Session session = session(route, onPages, beforeShutdown)) {
                    session.size(() -> shown(terminal));
                    session.columns(terminal::getWidth);
                    return new Repl(session, terminal, paged, history, !options.noTips).run();
                }
            } catch (ShellException e) {
                return ShellProgram.failed(screen, false, "attach", e);
            } catch (IOException e) {
                throw new UncheckedIOException("the terminal cannot be used", e);
            }
        }

        /** Runs lines up to the first that cannot be done; one that was done and found something wrong ends no script. */
        private int script(Session session, CommandRunner runner, BufferedReader lines) {
            int found = DONE.status();
            try {
                for (String line = whole(lines); line != null; line = whole(lines)) {
                    int status = runner.line(line);
                    if (session.requestedExitStatus().isPresent()) {
                        return status;
                    }
                    if (status != DONE.status()) {
                        if (!runner.endedByVerdict()) {
                            return status;
                        }
                        found = status;
                    }
                }
                return found;
            } catch (ShellException e) {
                return failed("", e);
            }
        }

        /** All of stdin as text, read when it is first wanted: a runbook from there is checked, and later run. */
        private String stdin() {
            String known = stdin;
            if (known == null) {
                try {
                    known = ScriptSource.read("stdin", in);
                } catch (IOException e) {
                    throw unreadable(e);
                }
                stdin = known;
            }
            return known;
        }
    }

    /** The system's terminal, with the characters of its locale: JLine takes Unicode for granted. */
    private static TerminalBuilder systems() {
        String locale =
                System.getProperty("native.encoding", Charset.defaultCharset().name());
        return TerminalBuilder.builder().name("enipam").system(true).encoding(locale);
    }

    /** Lends the terminal to a command that wants all of it; nothing else of a one-shot command needs one. */
    private static void lend(Consumer<Terminal> act) {
        try (Terminal terminal = systems().build()) {
            act.accept(terminal);
        } catch (IOException e) {
            throw new UncheckedIOException("the terminal cannot be used", e);
        }
    }

    private static Optional<TerminalSize> shown(Terminal terminal) {
        boolean known = !terminal.getType().startsWith(Terminal.TYPE_DUMB)
                && terminal.getWidth() > 0
                && terminal.getHeight() > 0;
        return known ? Optional.of(new TerminalSize(terminal.getWidth(), terminal.getHeight())) : Optional.empty();
    }

    /** A line with those that it goes on in, as at the prompt. */
    private static @Nullable String whole(BufferedReader lines) {
        String whole = next(lines);
        while (whole != null && CommandLineLexer.lex(whole).missing().isPresent()) {
            String more = next(lines);
            if (more == null) {
                break; // the command says what it lacks
            }
            whole = whole + "\n" + more;
        }
        return whole;
    }

    private static @Nullable String next(BufferedReader lines) {
        try {
            return lines.readLine();
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    private static ShellException unreadable(IOException e) {
        String why = "stdin cannot be read: " + e.getMessage();
        return new ShellException(REFUSED, "STDIN", why, "Give the commands with -c, or in a file", e);
    }

    /** Which of the standard streams are a terminal, as the launcher found out: Java says it only of two at once. */
    public record Terminals(boolean in, boolean out, boolean err) {
        /** What the launcher found, in the property {@code enipam.tty}: "02" if stdin and stderr are terminals. */
        public static Terminals fromSystem() {
            String digits = System.getProperty("enipam.tty", "");
            return new Terminals(digits.contains("0"), digits.contains("1"), digits.contains("2"));
        }

        public boolean interactive() {
            return in && out;
        }
    }
}
