package io.enipam.shell;

import io.enipam.shell.attach.DaemonConnection;
import io.enipam.shell.attach.DaemonRoute;
import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.CommandLineLexer;
import io.enipam.shell.core.ErrorLine;
import io.enipam.shell.core.OutputFormat;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.ProgressLine;
import io.enipam.shell.core.Session;
import io.enipam.shell.core.Session.TerminalSize;
import io.enipam.shell.core.SessionOutput;
import io.enipam.shell.core.UsageErrors;
import io.enipam.shell.fleet.NodeRoute;
import io.enipam.shell.pager.PagedOutput;
import io.enipam.shell.pipe.CommandRunner;
import io.enipam.shell.repl.Repl;
import io.enipam.shell.sandbox.Sandbox;
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
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/**
 * The program but for the process: arguments and streams in, an exit status out.
 *
 * @param home the project's or the installation's directory, in which {@code runtime/bin/enipamd} is
 * @param scratch where a sandbox makes its directory
 * @param terminals which of the streams are a terminal
 * @param clock what ages are counted to
 */
public record ShellProgram(Path home, Path scratch, Terminals terminals, InstantSource clock, ZoneId zone) {
    private static final Duration SANDBOX_START = Duration.ofSeconds(30);

    /** What may stand before the command, as a model. */
    public static CommandLine options() {
        return new LaunchOptions().parser();
    }

    /**
     * Runs the program.
     *
     * @param env the environment: HOME, NO_COLOR, TERM and ENIPAM_READ_ONLY are read
     * @return the exit status
     */
    public int run(String[] args, InputStream in, PrintStream out, PrintStream err, Map<String, String> env) {
        SessionOutput screen = new SessionOutput(
                out, err, palette(terminals.out(), env), palette(terminals.err(), env), terminals.err());
        try {
            return run(args, in, out, screen, env);
        } catch (RuntimeException | Error e) {
            // a line and a code, as for every failure
            return failed(
                    screen,
                    ErrorLine.isForProgram(OutputFormat.TABLE, List.of(args)),
                    "",
                    e instanceof ShellException known ? known : ShellException.bug(e));
        }
    }

    private int run(String[] args, InputStream in, PrintStream out, SessionOutput screen, Map<String, String> env) {
        LaunchOptions options = new LaunchOptions();
        CommandLine parser = options.parser();
        try {
            parser.parseArgs(args);
        } catch (ParameterException e) {
            return failed(screen, ErrorLine.isForProgram(OutputFormat.TABLE, List.of(args)), "", UsageErrors.of(e));
        }
        if (options.help) {
            out.print(parser.getUsageMessage(CommandLine.Help.Ansi.OFF));
            out.println("\nCommands:");
            options.command = List.of("help");
        }
        if (options.version) {
            out.println("enipam " + Session.version());
            return ExitStatus.DONE.status();
        }
        if (options.commands != null && !options.command.isEmpty()) {
            return failed(
                    screen,
                    options.output.structured(),
                    "",
                    ShellException.usage("both -c and a command", "Put '" + options.command.get(0) + "' into -c"));
        }
        options.readOnly |= switchedOn(env.getOrDefault("ENIPAM_READ_ONLY", ""));
        List<String> daemonWords;
        try {
            daemonWords = options.help ? List.of() : options.sandbox.words(options.where.sandbox);
            options.cluster.check(options.where.inCluster() || options.help, options.where.allNodes || options.help);
        } catch (ShellException e) {
            return failed(screen, options.output.structured(), "", e);
        }
        if (options.where.inCluster() && !options.help) {
            return inCluster(options, screen, in, new StdinText(in), env);
        }
        return options.where.sandbox && !options.help
                ? sandboxed(options, daemonWords, screen, in, new StdinText(in))
                : attached(
                        options,
                        DaemonRoute.local(options.socket()),
                        screen,
                        in,
                        new StdinText(in),
                        history(env),
                        interrupt -> {});
    }

    private int sandboxed(
            LaunchOptions options, List<String> words, SessionOutput screen, InputStream in, StdinText stdin) {
        int mistake = checked(options, screen, stdin);
        if (mistake != ExitStatus.DONE.status()) {
            return mistake;
        }
        try (Sandbox sandbox = started(screen, words)) {
            return attached(
                    options,
                    DaemonRoute.local(sandbox.socket()),
                    screen,
                    in,
                    stdin,
                    Optional.empty(),
                    sandbox::beforeShutdown);
        } catch (ShellException e) {
            return failed(screen, options.output.structured(), "sandbox", e);
        }
    }

    private int inCluster(
            LaunchOptions options, SessionOutput screen, InputStream in, StdinText stdin, Map<String, String> env) {
        int mistake = options.where.allNodes ? ExitStatus.DONE.status() : checked(options, screen, stdin);
        if (mistake != ExitStatus.DONE.status()) {
            return mistake;
        }
        try (FleetProgram fleet = FleetProgram.open(options, scratch, env)) {
            if (options.where.node == null) {
                return fanned(options, fleet, screen, in, stdin);
            }
            try (NodeRoute route = fleet.route(options.where.node, screen)) {
                return attached(options, route, screen, in, stdin, history(env), interrupt -> {});
            }
        } catch (ShellException e) {
            return failed(screen, options.output.structured(), options.where.allNodes ? "" : "attach", e);
        }
    }

    private int fanned(
            LaunchOptions options, FleetProgram fleet, SessionOutput screen, InputStream in, StdinText stdin) {
        try (Session nowhere = nowhere(options, screen, stdin)) {
            if (terminals.in() && terminals.err()) {
                BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
                nowhere.asker(question -> agrees(question, screen, lines));
            }
            Optional<TerminalSize> size = terminals.out() ? TerminalSize.ofTerminal() : Optional.empty();
            return fleet.all(nowhere, size);
        }
    }

    private Session nowhere(LaunchOptions options, SessionOutput screen, StdinText stdin) {
        Session nowhere = Session.detached(screen, options.output, CommandTree::of, clock, zone);
        nowhere.input(stdin);
        nowhere.readOnly(options.readOnly);
        return nowhere;
    }

    /** A command that is no command is told at once: nobody waits for a sandbox to hear of a typing error. */
    private int checked(LaunchOptions options, SessionOutput screen, StdinText stdin) {
        try (Session nowhere = nowhere(options, screen, stdin)) {
            CommandRunner runner = new CommandRunner(nowhere);
            if (options.commands != null) {
                return runner.check(options.commands);
            }
            return options.command.isEmpty() ? ExitStatus.DONE.status() : runner.check(options.command);
        }
    }

    private Sandbox started(SessionOutput screen, List<String> words) {
        return ProgressLine.during(
                screen,
                "starting a sandbox",
                () -> Sandbox.start(home.resolve("runtime/bin/enipamd"), words, scratch, SANDBOX_START));
    }

    private int attached(
            LaunchOptions options,
            DaemonRoute route,
            SessionOutput screen,
            InputStream in,
            StdinText stdin,
            Optional<Path> history,
            Consumer<Runnable> beforeShutdown) {
        if (options.commands == null && options.command.isEmpty() && terminals.interactive()) {
            return interactive(options, route, screen, history, beforeShutdown);
        }
        try (Session session = session(options, route, screen, beforeShutdown)) {
            if (terminals.out()) {
                session.size(TerminalSize::ofTerminal);
            }
            CommandRunner runner = new CommandRunner(session);
            BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
            if (terminals.in() && terminals.err()) {
                session.asker(question -> agrees(question, screen, lines));
            }
            if (terminals.interactive()) {
                session.terminal(ShellProgram::lend);
            }
            if (options.commands != null || !options.command.isEmpty()) {
                session.input(stdin);
            }
            if (options.commands != null) {
                return runner.line(options.commands);
            }
            return options.command.isEmpty() ? script(session, runner, lines) : runner.command(options.command);
        }
    }

    /** What holds for every way to give commands. */
    private Session session(
            LaunchOptions options, DaemonRoute route, SessionOutput screen, Consumer<Runnable> beforeShutdown) {
        Session session =
                new Session(screen, options.output, CommandTree::of, () -> DaemonConnection.open(route), clock, zone);
        session.readOnly(options.readOnly);
        session.remote(!route.caller().isEmpty());
        beforeShutdown.accept(session.interrupts()::interrupt);
        return session;
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

    private int interactive(
            LaunchOptions options,
            DaemonRoute route,
            SessionOutput screen,
            Optional<Path> history,
            Consumer<Runnable> beforeShutdown) {
        try (Terminal terminal = systems().dumb(true).build()) {
            PagedOutput paged = new PagedOutput(terminal, screen.out(), screen.err(), !options.noPager);
            SessionOutput onPages = new SessionOutput(
                    paged.out(), paged.err(), screen.outPalette(), screen.errPalette(), screen.errIsTerminal());
            try (Session session = session(options, route, onPages, beforeShutdown)) {
                session.size(() -> shown(terminal));
                return new Repl(session, new CommandRunner(session), terminal, paged, history, !options.noTips).run();
            }
        } catch (ShellException e) {
            return failed(screen, false, "attach", e);
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

    private static int script(Session session, CommandRunner runner, BufferedReader lines) {
        int status = ExitStatus.DONE.status();
        try {
            for (String line = whole(lines); line != null; line = whole(lines)) {
                status = runner.line(line);
                if (status != ExitStatus.DONE.status()
                        || session.requestedExitStatus().isPresent()) {
                    break;
                }
            }
            return status;
        } catch (ShellException e) {
            return failed(session.screen(), session.format().structured(), "", e);
        }
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

    private static boolean agrees(String question, SessionOutput screen, BufferedReader lines) {
        screen.err().print(question + " [y/N] ");
        screen.err().flush();
        String answer = next(lines);
        return answer != null
                && (answer.strip().equalsIgnoreCase("y") || answer.strip().equalsIgnoreCase("yes"));
    }

    private static @Nullable String next(BufferedReader lines) {
        try {
            return lines.readLine();
        } catch (IOException e) {
            throw StdinText.unreadable(e);
        }
    }

    private static int failed(SessionOutput screen, boolean forProgram, String what, ShellException e) {
        if (e.exit() != ExitStatus.INTERRUPTED) {
            screen.err()
                    .println(
                            forProgram
                                    ? ErrorLine.forProgram(what, e)
                                    : ErrorLine.forPerson(screen.errPalette(), what, e));
        }
        return e.exit().status();
    }

    /** Whether a variable that is set says yes: all but the words for no. */
    private static boolean switchedOn(String value) {
        return !List.of("", "0", "false", "no", "off").contains(value.strip().toLowerCase(Locale.ROOT));
    }

    private static Palette palette(boolean terminal, Map<String, String> env) {
        boolean wanted = env.getOrDefault("NO_COLOR", "").isEmpty()
                && !env.getOrDefault("TERM", "dumb").equals("dumb");
        return terminal && wanted ? Palette.COLOUR : Palette.PLAIN;
    }

    private static Optional<Path> history(Map<String, String> env) {
        return Optional.ofNullable(env.get("HOME")).map(home -> Path.of(home, ".enipam_history"));
    }

    /**
     * Which of the three standard streams are a terminal. The launcher finds that out, since Java says it only of two at
     * once, and differently in each version.
     */
    public record Terminals(boolean in, boolean out, boolean err) {
        /** The system property with the digits of those that are: "02" if stdin and stderr are terminals. */
        public static final String PROPERTY = "enipam.tty";

        /** What the launcher found; none if it was not asked. */
        public static Terminals fromSystem() {
            String digits = System.getProperty(PROPERTY, "");
            return new Terminals(digits.contains("0"), digits.contains("1"), digits.contains("2"));
        }

        public static Terminals none() {
            return new Terminals(false, false, false);
        }

        /** Whether somebody can type and see. */
        public boolean interactive() {
            return in && out;
        }
    }
}
