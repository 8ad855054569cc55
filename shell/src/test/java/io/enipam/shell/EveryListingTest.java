package io.enipam.shell;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.shell.attach.DaemonConnection;
import io.enipam.shell.core.Grammar;
import io.enipam.shell.core.OutputFormat;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.Session;
import io.enipam.shell.core.Session.SessionOutput;
import io.enipam.shell.core.Session.TerminalSize;
import io.enipam.shell.core.ShellCommand;
import io.enipam.shell.core.Table;
import io.enipam.shell.core.TableListing.Column;
import io.enipam.shell.pipe.CommandRunner;
import io.enipam.v1.Event;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** That what lists can do what every listing can, and that somebody thought about each command whether it lists. */
class EveryListingTest {
    private static final Set<String> LIST_OPTIONS = Set.of("--columns", "--sort-by", "--watch");
    private static final PrintStream NOWHERE =
            new PrintStream(OutputStream.nullOutputStream(), true, StandardCharsets.UTF_8);
    private static final Map<String, CommandLine> GRAMMAR = Grammar.leaves(CommandTree.all(Session.detached(
            new SessionOutput(NOWHERE, NOWHERE, Palette.PLAIN, Palette.PLAIN, false),
            OutputFormat.TABLE,
            CommandTree::of,
            InstantSource.fixed(Instant.EPOCH),
            ZoneOffset.UTC)));

    /** What commands print that list nothing. */
    private static final Map<String, String> NO_LISTS = no();

    private static Map<String, String> no() {
        Map<String, String> all = new TreeMap<>();
        say(all, "one thing", "status", "version", "pool show", "eni show", "pod show", "db get", "plugin info");
        say(all, "one thing", "cni status", "gc status", "cloud latency", "cloud throttle", "runbook show");
        say(
                all,
                "an account of one thing",
                "explain",
                "cni check",
                "db verify",
                "runbook check",
                "plugin run",
                "plugin help",
                "lab advise",
                "lab fuzz",
                "lab replay");
        say(
                all,
                "what became of a change",
                "pool warm",
                "pool drain",
                "pool sync",
                "pool retry",
                "eni sweep",
                "pod delete");
        say(all, "what became of a change", "cni add", "cni del", "cni gc", "gc run", "db backup", "db restore");
        say(all, "what became of a change", "db import", "db compact", "plugin swap policy", "plugin swap factory");
        say(all, "what became of a change", "cloud fault add", "cloud fault remove", "cloud reset", "cloud detach");
        say(all, "what became of a change", "cloud take-ip", "cloud stick", "cloud release", "cloud expire");
        say(all, "what became of a change", "cloud skew", "plugin swap cancel", "plugin reload");
        say(all, "a file", "db export", "support-bundle", "lab generate", "lab record", "lab import");
        say(all, "a screen of its own, or text to read", "top", "run", "help", "exit", "use", "watch", "at", "clear");
        return all;
    }

    private static void say(Map<String, String> all, String what, String... commands) {
        for (String command : commands) {
            all.put(command, what);
        }
    }

    private static boolean lists(CommandLine command) {
        return !Grammar.columns(command).isEmpty();
    }

    @Test
    void everyCommandEitherListsOrIsKnownNotTo() {
        Set<String> listing = GRAMMAR.keySet().stream()
                .filter(name -> lists(GRAMMAR.get(name)))
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(listing).contains("events", "log", "trace", "doctor", "history", "pool policy", "pool idle");
        assertThat(listing).doesNotContainAnyElementsOf(NO_LISTS.keySet());
        Set<String> all = new TreeSet<>(listing);
        all.addAll(NO_LISTS.keySet());
        assertThat(GRAMMAR.keySet()).containsExactlyInAnyOrderElementsOf(all);
    }

    @Test
    void whatListsTakesColumnsAnOrderAndAWatchAndEveryFormatAndNothingElseDoes() {
        GRAMMAR.forEach((name, command) -> {
            Set<String> options = command.getCommandSpec().optionsMap().keySet();
            if (lists(command)) {
                assertThat(options).as(name).containsAll(LIST_OPTIONS).contains("-o", "--output");
            } else {
                assertThat(options).as(name).doesNotContainAnyElementsOf(LIST_OPTIONS);
            }
        });
    }

    /** What has to be typed behind a listing that needs more than its name. */
    private static final Map<String, String> ARGUMENTS = Map.of(
            "who", " 10.0.1.3",
            "lease history", " default/web-0",
            "diff", " --from 10m",
            "doctor", " --list");

    /** Names of 253 characters, the longest that Kubernetes takes, on the terminals that people have at hand. */
    @ParameterizedTest
    @ValueSource(ints = {80, 40})
    void noListingIsWiderThanTheTerminalAndNoColumnGoesMissingUnsaid(int columns, @TempDir Path directory)
            throws IOException {
        StringBuilder screens = new StringBuilder();
        try (FakeDaemon daemon = new FakeDaemon(directory.resolve("s"))) {
            daemon.lengthenNames(253);
            GRAMMAR.forEach((name, command) -> {
                // the fake daemon has no effects, and the lab asks none
                if (lists(command) && !name.equals("plugin effects") && !name.startsWith("lab ")) {
                    String line = name + ARGUMENTS.getOrDefault(name, "");
                    List<String> lines =
                            seen(directory.resolve("s"), line, () -> Optional.of(new TerminalSize(columns, 24)));
                    assertThat(lines)
                            .as(line)
                            .allSatisfy(shown -> assertThat(Table.width(shown)).isLessThanOrEqualTo(columns));
                    requireEveryColumnAccountedFor(line, (ShellCommand) command.getCommand(), lines);
                    screens.append("$ ").append(line).append('\n');
                    lines.stream()
                            .limit(23)
                            .forEach(shown -> screens.append(shown).append('\n'));
                }
            });
        }
        assertThat(screens.toString())
                .isEqualTo(GoldenOutputTest.golden("listings " + columns + "x24", "txt", screens.toString()));
    }

    private static void requireEveryColumnAccountedFor(String line, ShellCommand command, List<String> lines) {
        List<Column<?>> columns =
                new ArrayList<>(command.lists().orElseThrow().listing().columns(false));
        boolean table = lines.get(0).startsWith(columns.get(0).heading());
        if (!table || line.contains("--columns")) {
            return; // an answer that there is none, or columns that were chosen
        }
        long missing = columns.stream()
                .filter(column -> !column.prose() && !lines.get(0).contains(column.heading()))
                .count();
        String said = lines.get(lines.size() - 1);
        assertThat(missing == 0 ? "" : said)
                .as(line + "\n" + String.join("\n", lines))
                .matches(missing == 0 ? "" : missing + " columns? hidden: -o wide");
    }

    /** A single command learns the size by a process. */
    @Test
    void aListAsksForTheTerminalsSizeAFewTimesHoweverLongItIs(@TempDir Path directory) throws IOException {
        AtomicInteger asked = new AtomicInteger();
        try (FakeDaemon daemon = new FakeDaemon(directory.resolve("s"))) {
            for (int i = 0; i < 500; i++) {
                daemon.happened(Event.newBuilder()
                        .setSequence(100 + i)
                        .setSeverity("INFO")
                        .setType("LeaseGranted")
                        .setMessage("lent")
                        .build());
            }
            seen(directory.resolve("s"), "events --limit 0", () -> {
                asked.incrementAndGet();
                return Optional.of(new TerminalSize(80, 24));
            });
        }
        assertThat(asked).hasValueLessThan(20);
    }

    private static List<String> seen(Path socket, String line, Supplier<Optional<TerminalSize>> size) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        PrintStream screen = new PrintStream(out, true, StandardCharsets.UTF_8);
        try (Session session = new Session(
                new SessionOutput(screen, screen, Palette.PLAIN, Palette.PLAIN, false),
                OutputFormat.TABLE,
                CommandTree::of,
                () -> DaemonConnection.open(socket),
                InstantSource.fixed(CannedReplies.NOW),
                ZoneOffset.UTC)) {
            session.size(size);
            assertThat(new CommandRunner(session).line(line))
                    .as(line + ": " + out)
                    .isZero();
        }
        return out.toString(StandardCharsets.UTF_8).lines().toList();
    }
}
