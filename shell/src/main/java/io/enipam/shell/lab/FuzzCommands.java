package io.enipam.shell.lab;

import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import com.google.protobuf.util.Values;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.Completes;
import io.enipam.shell.core.CompletionKind;
import io.enipam.shell.core.DaemonCommand;
import io.enipam.shell.core.ForceOption;
import io.enipam.shell.core.ListReply;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.Prose;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.Table;
import io.enipam.shell.core.Tone;
import io.enipam.shell.eni.EniMap;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The search for faults of the engine, and the replay of one that it found. */
public final class FuzzCommands {
    private FuzzCommands() {}

    /** What both are: the program runs scripts, and what it found is printed. */
    abstract static class SimulationCommand extends DaemonCommand {
        /** It takes a while, and says nothing of this node. */
        @Override
        public List<String> inBundle() {
            return List.of();
        }

        /** A line that is cut into ones of the terminal's width, or of 80 characters where there is none. */
        static Stream<String> narrow(String line, RenderContext look) {
            return Prose.wrapped(Palette.clean(line), look.columnsOr(EniMap.PLAIN_WIDTH), Prose.indent(line) + 2)
                    .stream();
        }

        static List<Struct> structs(Struct reply, String field) {
            return reply.getFieldsOrDefault(field, Values.of(List.of())).getListValue().getValuesList().stream()
                    .map(Value::getStructValue)
                    .toList();
        }

        static List<String> texts(Struct reply, String field) {
            return reply.getFieldsOrDefault(field, Values.of(List.of())).getListValue().getValuesList().stream()
                    .map(Value::getStringValue)
                    .toList();
        }
    }

    @Command(name = "fuzz", description = "Search for faults of the engine with random scripts, and shrink them.")
    public static final class Fuzz extends SimulationCommand {
        @Option(names = "--hours", paramLabel = "H", description = "How long it runs.")
        @Nullable
        Double hours;

        @Option(names = "--minutes", paramLabel = "M", description = "The same. By default 1, unless --seeds is given.")
        @Nullable
        Double minutes;

        @Option(names = "--seeds", paramLabel = "N", description = "How many scripts it runs at most.")
        @Nullable
        Long seeds;

        @Option(names = "--first", paramLabel = "SEED", description = "The first seed. By default a random one.")
        @Nullable
        Long first;

        @Override
        public void run() {
            List<String> words = new ArrayList<>(List.of("fuzz", "--progress"));
            add(words, "--hours", hours);
            add(words, "--minutes", minutes);
            add(words, "--seeds", seeds);
            add(words, "--first", first);
            List<Value> findings = new ArrayList<>();
            Struct.Builder done = Struct.newBuilder();
            boolean whole = Replays.run(session, name(), words, said -> {
                if (said.has("finding")) {
                    findings.add(Values.of(LabResults.struct(said.getAsJsonObject("finding"))));
                } else if (said.has("progress")) {
                    done.putFields(
                            "far",
                            Values.of(said.getAsJsonObject("progress")
                                    .get("policy")
                                    .getAsString()));
                } else if (said.has("fuzz")) {
                    done.clear().mergeFrom(LabResults.struct(said.getAsJsonObject("fuzz")));
                }
            });
            done.putFields("findings", Values.of(findings)).putFields("whole", Values.of(whole));
            show(
                    done.build(),
                    Fuzz::lines,
                    reply -> structs(reply, "findings").stream()
                            .map(finding -> ListReply.text(finding, "seed"))
                            .toList());
            if (!findings.isEmpty()) {
                throw ShellException.verdict(
                        "",
                        Table.counted(findings.size(), "invariant") + " of the engine "
                                + (findings.size() == 1 ? "is" : "are") + " broken",
                        "See it step by step: lab replay SEED");
            }
        }

        private static void add(List<String> words, String option, @Nullable Object value) {
            if (value != null) {
                words.add(option + "=" + value);
            }
        }

        private static List<String> lines(Struct reply, RenderContext look) {
            List<String> lines = new ArrayList<>();
            for (Struct finding : structs(reply, "findings")) {
                Stream.of(
                                "seed " + ListReply.text(finding, "seed") + ", behind " + ListReply.text(finding, "at")
                                        + " of " + ListReply.text(finding, "steps") + ": "
                                        + ListReply.text(finding, "invariant"),
                                "  expected  " + ListReply.text(finding, "expected"),
                                "  seen      " + ListReply.text(finding, "seen"),
                                "  replay    " + ListReply.text(finding, "replay"),
                                "  script, " + Table.counted(LabResults.whole(finding, "shrunk"), "step") + " after "
                                        + ListReply.text(finding, "runs") + " runs:")
                        .flatMap(line -> narrow(line, look))
                        .forEach(lines::add);
                texts(finding, "script").forEach(line -> lines.add("    " + Palette.clean(line)));
            }
            if (reply.getFieldsOrThrow("whole").getBoolValue()) {
                long first = LabResults.whole(reply, "first");
                long scripts = LabResults.whole(reply, "scripts");
                lines.add(Table.counted(scripts, "script") + ", from seed " + first + " to " + (first + scripts - 1)
                        + ": " + ListReply.text(reply, "failed") + " failed");
            } else {
                lines.add(look.paint(
                        Tone.WAIT,
                        "ended after " + (reply.containsFields("far") ? ListReply.text(reply, "far") : "no script")));
            }
            return lines;
        }
    }

    @Command(name = "replay", description = "Show a script step by step: a seed of lab fuzz, or a file.")
    public static final class Replay extends SimulationCommand {
        @Completes(CompletionKind.FILES)
        @Parameters(paramLabel = "SEED|FILE", description = "A seed of lab fuzz, or a script in a file.")
        String what = "";

        @Option(names = "--whole", description = "Of a seed, all steps, also where a few of them break an invariant.")
        boolean whole;

        @Completes(CompletionKind.FILES)
        @Option(names = "--save", paramLabel = "FILE", description = "Write the script to a file.")
        @Nullable
        Path save;

        @Mixin
        ForceOption force = new ForceOption();

        @Override
        public boolean writesLocalFile() {
            return save != null;
        }

        @Override
        public void run() {
            List<String> words = new ArrayList<>(List.of("replay", what, "--progress"));
            if (whole) {
                words.add("--whole");
            }
            List<Value> steps = new ArrayList<>();
            Struct.Builder reply = Struct.newBuilder();
            Runnable replay = () -> {
                boolean ended = Replays.run(session, name(), words, said -> {
                    if (said.has("step")) {
                        steps.add(Values.of(LabResults.struct(said.getAsJsonObject("step"))));
                    } else if (!said.has("progress")) {
                        reply.mergeFrom(LabResults.struct(said));
                    }
                });
                if (!ended) {
                    throw ShellException.interrupted();
                }
            };
            if (save == null) {
                replay.run();
            } else {
                force.write(save, () -> {
                    replay.run();
                    Struct script = reply.getFieldsOrThrow("script").getStructValue();
                    return String.join("\n", texts(script, "lines")) + "\n";
                });
            }
            reply.putFields("steps", Values.of(steps));
            show(reply.build(), Replay::lines, all -> {
                throw noNames();
            });
            if (reply.containsFields("violation")) {
                Struct violation = reply.getFieldsOrThrow("violation").getStructValue();
                throw ShellException.verdict(
                        "", "an invariant is broken: " + ListReply.text(violation, "invariant"), "");
            }
        }

        private static List<String> lines(Struct reply, RenderContext look) {
            List<String> lines = new ArrayList<>();
            for (Struct step : structs(reply, "steps")) {
                double seconds = LabResults.whole(step, "atMs") / 1000.0;
                String at = String.format(Locale.ROOT, "%9.3fs  ", seconds);
                narrow(at + ListReply.text(step, "step"), look).forEach(lines::add);
                texts(step, "news")
                        .forEach(text -> narrow(" ".repeat(14) + text, look)
                                .forEach(line -> lines.add(look.paint(Tone.LABEL, line))));
            }
            if (reply.containsFields("violation")) {
                Struct violation = reply.getFieldsOrThrow("violation").getStructValue();
                lines.add(look.paint(Tone.BAD, "behind " + ListReply.text(violation, "at") + " this does not hold:"));
                for (String field : List.of("invariant", "expected", "seen")) {
                    narrow(String.format(Locale.ROOT, "  %-9s  %s", field, ListReply.text(violation, field)), look)
                            .forEach(lines::add);
                }
            } else {
                lines.add("every invariant held");
            }
            return lines;
        }
    }
}
