package io.enipam.shell;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.shell.core.Grammar;
import io.enipam.shell.core.OutputFormat;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.Session;
import io.enipam.shell.core.Session.SessionOutput;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
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
                "plugin help");
        say(all, "what became of a change", "pool warm", "pool drain", "pool sync", "eni sweep", "pod delete");
        say(all, "what became of a change", "cni add", "cni del", "cni gc", "gc run", "db backup", "db restore");
        say(all, "what became of a change", "db import", "db compact", "plugin swap policy", "plugin swap factory");
        say(all, "what became of a change", "cloud fault add", "cloud fault remove", "cloud reset", "cloud detach");
        say(all, "what became of a change", "cloud take-ip", "cloud stick", "cloud release", "cloud expire");
        say(all, "what became of a change", "cloud skew", "plugin swap cancel", "plugin reload");
        say(all, "a file", "db export", "support-bundle");
        say(all, "a screen of its own, or text to read", "top", "run", "help", "exit", "use", "at");
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
}
