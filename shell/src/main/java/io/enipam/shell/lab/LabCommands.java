package io.enipam.shell.lab;

import com.google.protobuf.Struct;
import com.google.protobuf.util.Values;
import io.enipam.shell.attach.ExamplePlugins;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.Completes;
import io.enipam.shell.core.CompletionKind;
import io.enipam.shell.core.ConfirmationOption;
import io.enipam.shell.core.DaemonCommand;
import io.enipam.shell.core.DurationParser.DurationConverter;
import io.enipam.shell.core.ForceOption;
import io.enipam.shell.core.ListCommand;
import io.enipam.shell.core.ListPrinter.Listed;
import io.enipam.shell.core.ListReply;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.eni.EniMap;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "lab",
        description = "Replays of a day of pods with other settings and policies, in virtual time.",
        subcommands = {
            LabRecordCommand.class,
            LabImportCommand.class,
            LabCommands.Generate.class,
            LabCommands.Run.class,
            LabCommands.Sweep.class,
            LabCommands.Advise.class,
            FuzzCommands.Fuzz.class,
            FuzzCommands.Replay.class
        })
public final class LabCommands {
    /** Fewer points make no picture. */
    private static final int FEW = 2;

    private LabCommands() {}

    @Command(name = "generate", description = "Make a trace: which pods come when, and how long they live.")
    public static final class Generate extends TraceCommand {
        @Option(
                names = "--pattern",
                required = true,
                paramLabel = "PATTERN",
                completionCandidates = Patterns.class,
                description = "How they come: ${COMPLETION-CANDIDATES}.")
        String pattern = "";

        @Option(names = "--pods", paramLabel = "N", description = "How many in all. By default ${DEFAULT-VALUE}.")
        int pods = 1000;

        @Option(names = "--hours", paramLabel = "H", description = "How long it is. By default ${DEFAULT-VALUE}.")
        double hours = 24;

        @Option(
                names = "--running",
                paramLabel = "N",
                description = "How many run at one time, on average. By default ${DEFAULT-VALUE}.")
        int running = 20;

        @Option(names = "--seed", paramLabel = "S", description = "Another one gives another trace.")
        long seed = 1;

        @Option(
                names = "--nodes",
                paramLabel = "N",
                description = "So many nodes, each with pods of its own. By default ${DEFAULT-VALUE}.")
        int nodes = 1;

        @Completes(CompletionKind.FILES)
        @Parameters(paramLabel = "FILE", arity = "0..1", description = "A file that is made, or replaced with --yes.")
        @Nullable
        Path file;

        @Mixin
        ConfirmationOption consent = new ConfirmationOption();

        static final class Patterns extends ArrayList<String> {
            private static final long serialVersionUID = 1L;

            Patterns() {
                super(List.of("deploy", "cron", "batch", "drain", "diurnal", "steady"));
            }
        }

        @Override
        public void prepare() {
            if (!new Patterns().contains(pattern)) {
                throw ShellException.usage(
                        "there is no pattern '" + pattern + "'", "There are " + String.join(", ", new Patterns()));
            }
        }

        @Override
        public boolean writesLocalFile() {
            return file != null;
        }

        @Override
        public void run() {
            List<String> words = List.of(
                    "generate",
                    "--pattern=" + pattern,
                    "--pods=" + pods,
                    "--hours=" + hours,
                    "--running=" + running,
                    "--seed=" + seed,
                    "--nodes=" + nodes);
            trace(words, file, consent.yes);
        }
    }

    /** The trace that is replayed, and where. */
    static final class Conditions {
        @Completes(CompletionKind.FILES)
        @Parameters(index = "0", paramLabel = "TRACE", description = "A trace, as lab generate or lab record makes it.")
        Path trace = Path.of("");

        @Completes(CompletionKind.FILES)
        @Option(
                names = "--cloud",
                paramLabel = "FILE",
                description = "Node and emulated cloud, as a sandbox's enipam.yaml: emulator.*, pool.*")
        @Nullable
        Path cloud;

        @Option(
                names = "--throttle",
                paramLabel = "LIMITS",
                description = "Calls a minute that the cloud takes: off, default or API=N,...")
        String throttle = "default";

        @Option(
                names = "--errors",
                paramLabel = "API=PERCENT",
                description = "So many calls of an API, or of * all, fail. Several with commas.")
        String errors = "";

        @Option(names = "--seed", paramLabel = "S", description = "Another one gives other latencies and errors.")
        long seed = 1;

        private List<String> words(String command) {
            List<String> words = new ArrayList<>(
                    List.of(command, trace.toString(), "--throttle=" + throttle, "--seed=" + seed, "--progress"));
            if (cloud != null) {
                words.add("--cloud=" + cloud);
            }
            if (!errors.isEmpty()) {
                words.add("--errors=" + errors);
            }
            return words;
        }
    }

    /** The files that show results as pictures. */
    static final class Pictures {
        @Completes(CompletionKind.FILES)
        @Option(names = "--html", paramLabel = "FILE", description = "A page with figures and pictures, for a browser.")
        @Nullable
        Path html;

        @Completes(CompletionKind.FILES)
        @Option(
                names = "--svg",
                paramLabel = "FILE",
                description = "The picture of waiting against idle addresses alone.")
        @Nullable
        Path svg;

        @Mixin
        ForceOption force = new ForceOption();

        boolean wanted() {
            return html != null || svg != null;
        }

        /** Replays, and then writes the files; where one cannot be made, that is said before. */
        private void around(ListCommand<Struct> command, Runnable replaying, Supplier<LabReport> report) {
            if (wanted() && command.endless()) {
                throw ShellException.usage("--html and --svg do not go with --watch", "Leave it out");
            }
            begun(
                    html,
                    () -> begun(svg, replaying, () -> report.get().chart().picture()),
                    () -> report.get().page());
        }

        private void begun(@Nullable Path file, Runnable first, Supplier<String> text) {
            if (file == null) {
                first.run();
                return;
            }
            force.write(file, () -> {
                first.run();
                return text.get();
            });
        }
    }

    /** The nodes of a run, and what happens to them. */
    static final class Nodes {
        @Option(names = "--nodes", paramLabel = "N", description = "So many nodes share one account; else one a trace.")
        int nodes = 0;

        @Option(
                names = "--event",
                paramLabel = "EVENT",
                description = {
                    "rolling-upgrade(at=,batch=,every=,down=), quota-cut(at=,for=,api=,limit=)",
                    "or zone-outage(at=,for=[,zone=]). Repeatable."
                })
        List<String> events = new ArrayList<>();

        private List<String> words() {
            List<String> words = new ArrayList<>();
            if (nodes != 0) {
                words.add("--nodes=" + nodes);
            }
            events.forEach(event -> words.add("--event=" + event));
            return words;
        }

        /** Of each fleet, what no column says. */
        private static List<String> below(List<Struct> results) {
            return results.stream()
                    .filter(result -> result.containsFields("nodes"))
                    .map(result -> Palette.clean(String.format(
                            Locale.ROOT,
                            "%s: of %d nodes number %d fared worst (%d of %d pods unserved, P99 %s);"
                                    + " %d calls found no free address in a vSwitch",
                            LabResults.policy(result),
                            LabResults.whole(result, "nodes"),
                            LabResults.whole(result, "worstNode"),
                            LabResults.whole(result, "worstNodePods") - LabResults.whole(result, "worstNodeServed"),
                            LabResults.whole(result, "worstNodePods"),
                            LabResults.span(LabResults.whole(result, "worstNodeP99Ms")),
                            LabResults.whole(result, "vswitchRefusals"))))
                    .toList();
        }
    }

    /** A list of replays of a trace, and the files that show them as pictures. */
    abstract static class ReplayList extends ListCommand<Struct> {
        @Mixin
        Conditions conditions = new Conditions();

        @Mixin
        Pictures pictures = new Pictures();

        Optional<Replays> replays = Optional.empty();

        @Override
        public boolean writesLocalFile() {
            return pictures.wanted();
        }

        @Override
        protected void run() {
            pictures.around(this, super::run, () -> replays.orElseThrow().report(conditions.trace));
        }
    }

    @Command(name = "run", description = "Replay a trace with policies, and say how long pods would have waited.")
    public static final class Run extends ReplayList {
        @Mixin
        Nodes nodes = new Nodes();

        @Completes(CompletionKind.FILES)
        @Parameters(
                index = "1..*",
                arity = "0..*",
                paramLabel = "TRACE",
                description = "More traces: they are dealt to the nodes in turn.")
        List<Path> more = new ArrayList<>();

        @Completes(CompletionKind.POLICIES)
        @Option(
                names = "--policy",
                required = true,
                paramLabel = "POLICY",
                description = {
                    "NAME, NAME(setting=value,...) or FILE.jar:NAME. Repeatable. Of every",
                    "policy min, max, capacity and cool_down can be said."
                })
        List<String> policies = new ArrayList<>();

        @Completes(CompletionKind.FILES)
        @Option(
                names = "--plugin",
                paramLabel = "PATH",
                description = "A plugin: a jar, or a directory of jars. Repeatable.")
        List<Path> plugins = new ArrayList<>();

        @Override
        protected Listed<Struct> listed() {
            return new Listed<>(LabResults.RESULTS, this::replay)
                    .with((results, look) -> Stream.concat(
                                    Nodes.below(results).stream(),
                                    replays.map(all -> all.unfinished(look)).stream()
                                            .flatMap(List::stream))
                            .toList());
        }

        private ListReply<Struct> replay() {
            List<String> words = conditions.words("run");
            words.addAll(nodes.words());
            more.forEach(trace -> words.add(trace.toString()));
            policies.forEach(policy -> words.add("--policy=" + policy));
            plugins.forEach(plugin -> words.add("--plugin=" + plugin));
            words.addAll(ExamplePlugins.of(session.home()).options());
            Replays all = Replays.of(session, name(), words);
            replays = Optional.of(all);
            return ListReply.of(all.results);
        }
    }

    /** Which watermarks are replayed. */
    static final class Grid {
        @Option(names = "--min", paramLabel = "A..B", description = "Lower watermarks. By default ${DEFAULT-VALUE}.")
        String min = "0..20";

        @Option(names = "--max", paramLabel = "A..B", description = "Upper watermarks. By default ${DEFAULT-VALUE}.")
        String max = "5..40";

        @Option(names = "--step", paramLabel = "N", description = "Between two of them; 0 for at most 40 replays.")
        int step = 0;

        private List<String> words(Conditions conditions) {
            List<String> words = conditions.words("sweep");
            words.addAll(List.of("--min=" + min, "--max=" + max, "--step=" + step));
            return words;
        }
    }

    @Command(name = "sweep", description = "Replay a trace with many watermarks, and list those worth having.")
    public static final class Sweep extends ReplayList {
        @Mixin
        Grid grid = new Grid();

        @Option(names = "--all", description = "List all that were replayed.")
        boolean all;

        @Override
        protected Listed<Struct> listed() {
            return new Listed<>(LabResults.RESULTS, this::replay)
                    .with((results, look) ->
                            replays.map(done -> below(done, look)).orElse(List.of()));
        }

        private ListReply<Struct> replay() {
            Replays done = Replays.of(session, name(), grid.words(conditions));
            replays = Optional.of(done);
            List<String> front = done.texts("front");
            // without an end there is no front: what was replayed is shown
            return ListReply.of(
                    all || front.isEmpty()
                            ? done.results
                            : front.stream()
                                    .flatMap(policy -> done.results.stream()
                                            .filter(result ->
                                                    LabResults.policy(result).equals(policy)))
                                    .toList());
        }

        private List<String> below(Replays done, RenderContext look) {
            if (!done.swept()) {
                return done.unfinished(look);
            }
            List<String> lines = new ArrayList<>();
            if (done.results.size() > FEW) {
                lines.addAll(done.report(conditions.trace).chart().lines(look, look.columnsOr(EniMap.PLAIN_WIDTH)));
            }
            done.texts("place").forEach(sentence -> lines.add(Palette.clean(sentence)));
            return lines;
        }
    }

    @Command(name = "advise", description = "Say in three sentences which watermarks to take for a trace.")
    public static final class Advise extends DaemonCommand {
        @Mixin
        Conditions conditions = new Conditions();

        @Mixin
        Grid grid = new Grid();

        @Option(
                names = "--p99",
                paramLabel = "SPAN",
                converter = DurationConverter.class,
                description = "99 of 100 pods are to wait no longer. By default 1s.")
        Duration bound = Duration.ofSeconds(1);

        @Override
        public void run() {
            List<String> words = grid.words(conditions);
            words.add("--p99=" + bound.toMillis());
            List<String> advice = Replays.of(session, name(), words).texts("advice");
            if (advice.isEmpty()) {
                throw ShellException.interrupted();
            }
            Struct said = Struct.newBuilder()
                    .putFields(
                            "advice", Values.of(advice.stream().map(Values::of).toList()))
                    .build();
            show(said, (reply, look) -> advice.stream().map(Palette::clean).toList(), reply -> {
                throw noNames();
            });
        }
    }
}
