package io.enipam.lab;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.enipam.config.ConfigFile;
import io.enipam.emulator.api.Action;
import io.enipam.emulator.fault.FaultRule;
import io.enipam.emulator.fault.ThrottleLimits;
import io.enipam.engine.concurrent.DaemonThreads;
import io.enipam.engine.pool.PoolSettings.Watermarks;
import io.enipam.lab.LabMain.LabCommand;
import io.enipam.lab.Sweep.Marks;
import io.enipam.lab.Sweep.Point;
import io.enipam.lab.Sweep.Range;
import io.enipam.lab.replay.CloudProfile;
import io.enipam.lab.replay.Fleet;
import io.enipam.lab.replay.FleetResult;
import io.enipam.lab.replay.PolicyCatalog;
import io.enipam.lab.replay.PolicyChoice;
import io.enipam.lab.replay.Replay;
import io.enipam.lab.replay.ReplayResult;
import io.enipam.lab.replay.ScenarioEvent;
import io.enipam.lab.trace.Trace;
import io.enipam.lab.trace.TraceFile;
import io.enipam.lab.trace.TraceFile.TraceException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The replay of traces with policies, and that of one trace with many watermarks. */
final class ReplayCommands {
    private ReplayCommands() {}

    /** What replays need to know beside policies. */
    static final class Conditions {
        @Parameters(index = "0", paramLabel = "TRACE", description = "A trace: JSON lines, as generate makes them.")
        Path file = Path.of("");

        @Option(
                names = "--cloud",
                paramLabel = "FILE",
                description = "Configuration of node and emulated cloud, as enipam.yaml.")
        Optional<Path> cloud = Optional.empty();

        @Option(names = "--throttle", paramLabel = "LIMITS", description = "Calls a minute: off, default or API=N,...")
        String throttle = "default";

        @Option(
                names = "--errors",
                paramLabel = "API=PERCENT",
                split = ",",
                description = "So many calls fail with InternalError.")
        Map<String, Double> errors = new TreeMap<>();

        @Option(names = "--plugin", paramLabel = "PATH", description = "A jar, or a directory of jars.")
        List<Path> plugins = new ArrayList<>();

        @Option(
                names = "--example",
                paramLabel = "PATH",
                description = "The same, which gives way to another of its id.")
        List<Path> examples = new ArrayList<>();

        @Option(
                names = "--seed",
                description = "Another one gives other latencies and errors. By default ${DEFAULT-VALUE}.")
        long seed = 1;

        @Option(names = "--progress", description = "Print how far it is, about once a second.")
        boolean progress;

        CloudProfile profile() {
            errors.forEach((api, percent) -> {
                if (!(percent > 0 && percent <= 100)) {
                    throw new IllegalArgumentException(
                            "--errors " + api + " is " + percent + ", and may be above 0 and up to 100");
                }
                if (!api.equals(FaultRule.ANY) && !Action.names().contains(api)) {
                    throw new IllegalArgumentException("--errors: there is no action " + api + "; there are * and "
                            + String.join(", ", Action.names()));
                }
            });
            return new CloudProfile(
                    cloud.map(ConfigFile::named).stream().toList(), ThrottleLimits.parse(throttle), errors);
        }

        PolicyCatalog catalog(List<PolicyChoice> choices) {
            List<Path> jars = new ArrayList<>(plugins);
            choices.forEach(choice -> choice.jar().ifPresent(jars::add));
            return new PolicyCatalog(jars, examples);
        }
    }

    /** The nodes of a run, and what happens to them. */
    static final class Nodes {
        @Option(
                names = "--nodes",
                paramLabel = "N",
                description =
                        "So many nodes share vSwitches and API limits; 0 for one a trace. By default ${DEFAULT-VALUE}.")
        int nodes = 0;

        @Option(
                names = "--event",
                paramLabel = "EVENT",
                description = {
                    "rolling-upgrade(at=,batch=,every=,down=),",
                    "zone-outage(at=,for=[,zone=]) or quota-cut(at=,for=,api=,limit=). Repeatable."
                })
        List<String> events = new ArrayList<>();

        Fleet fleet(List<Path> files) throws TraceException {
            List<ScenarioEvent> parsed =
                    events.stream().map(ScenarioEvent::parse).toList();
            Fleet.requireCount(nodes == 0 ? files.size() : nodes, files.size());
            List<Trace> traces = new ArrayList<>();
            for (Path file : files) {
                traces.addAll(TraceFile.readAll(file));
            }
            return new Fleet(traces, nodes == 0 ? traces.size() : nodes, parsed);
        }
    }

    @Command(name = "run", description = "Replay traces with each policy, on one node or many.")
    static final class Run extends LabCommand {
        @Mixin
        Conditions conditions = new Conditions();

        @Mixin
        Nodes nodes = new Nodes();

        @Parameters(
                index = "1..*",
                arity = "0..*",
                paramLabel = "TRACE",
                description = "More traces: they are dealt to the nodes in turn.")
        List<Path> more = new ArrayList<>();

        @Option(
                names = "--policy",
                required = true,
                paramLabel = "POLICY",
                description = "NAME, NAME(setting=value,...) or FILE.jar:NAME. Repeatable.")
        List<String> policies = new ArrayList<>();

        @Override
        public Integer call() throws TraceException {
            List<PolicyChoice> choices =
                    policies.stream().map(PolicyChoice::parse).toList();
            CloudProfile profile = conditions.profile();
            List<Path> files = new ArrayList<>(List.of(conditions.file));
            files.addAll(more);
            Fleet fleet = nodes.fleet(files);
            try (PolicyCatalog catalog = conditions.catalog(choices)) {
                for (int i = 0; i < choices.size(); i++) {
                    PolicyChoice choice = choices.get(i);
                    Replay.run(
                                    fleet,
                                    profile,
                                    choice,
                                    catalog,
                                    conditions.seed,
                                    conditions.progress
                                            ? new Progress(this, choice.text(), i, choices.size())
                                            : part -> {},
                                    () -> !Thread.currentThread().isInterrupted())
                            .ifPresent(result -> print("result", fields(result)));
                }
            }
            return 0;
        }
    }

    @Command(name = "sweep", description = "Replay a trace with many watermarks, and say which are worth having.")
    static final class Sweeping extends LabCommand {
        @Mixin
        Conditions conditions = new Conditions();

        @Option(names = "--min", paramLabel = "A..B", description = "Lower watermarks. By default ${DEFAULT-VALUE}.")
        String min = "0..20";

        @Option(names = "--max", paramLabel = "A..B", description = "Upper watermarks. By default ${DEFAULT-VALUE}.")
        String max = "5..40";

        @Option(names = "--step", paramLabel = "N", description = "Between two of them; 0 for at most 40 replays.")
        int step = 0;

        @Option(names = "--p99", paramLabel = "MS", description = "What is advised lets 99 of 100 pods wait no longer.")
        long p99 = 1000;

        @Override
        public Integer call() throws TraceException, InterruptedException {
            if (step < 0 || p99 < 0) {
                throw new IllegalArgumentException("--step and --p99 are at least 0");
            }
            List<Marks> grid = new ArrayList<>(Sweep.grid(Range.parse(min), Range.parse(max), step));
            CloudProfile profile = conditions.profile();
            Trace trace = TraceFile.read(conditions.file);
            ExecutorService threads = Executors.newFixedThreadPool(
                    Runtime.getRuntime().availableProcessors(), DaemonThreads.numbered("lab-replay"));
            try (PolicyCatalog catalog = conditions.catalog(List.of())) {
                Watermarks marks = profile.watermarks(catalog);
                Marks yours = new Marks(marks.minIdle(), marks.maxIdle());
                if (!grid.contains(yours)) {
                    grid.add(yours);
                }
                List<Future<Point>> running = grid.stream()
                        .map(point -> threads.submit(() -> replay(point, trace, profile, catalog)))
                        .toList();
                List<Point> points = new ArrayList<>();
                long begun = System.nanoTime();
                for (Future<Point> one : running) {
                    Point point = got(one);
                    points.add(point);
                    print("result", fields(point.result()));
                    if (conditions.progress) {
                        double part = (double) points.size() / grid.size();
                        progress(point.marks().toString(), part, (System.nanoTime() - begun) * (1 - part) / part);
                    }
                }
                Sweep sweep = new Sweep(yours, points);
                ObjectNode said = LabCommand.JSON.createObjectNode();
                ArrayNode front = said.putArray("front");
                sweep.front().forEach(point -> front.add(point.result().policy()));
                said.put("present", choice(yours));
                said.put("place", sweep.place());
                ArrayNode advice = said.putArray("advice");
                sweep.advice(Duration.ofMillis(p99), trace.length()).forEach(advice::add);
                print("sweep", said);
            } finally {
                threads.shutdownNow();
            }
            return 0;
        }

        private static String choice(Marks marks) {
            return "watermark(" + marks + ")";
        }

        private Point replay(Marks marks, Trace trace, CloudProfile profile, PolicyCatalog catalog) {
            PolicyChoice choice = PolicyChoice.parse(choice(marks));
            ReplayResult result = Replay.run(trace, profile, choice, catalog, conditions.seed, part -> {}, () -> true)
                    .orElseThrow();
            return new Point(marks, result);
        }

        private static Point got(Future<Point> future) throws InterruptedException {
            try {
                return future.get();
            } catch (ExecutionException e) {
                throw e.getCause() instanceof RuntimeException known ? known : new IllegalStateException(e.getCause());
            }
        }
    }

    /**
     * Tells about once a second how far several replays are, and how long the rest will take at this pace; while nodes start, how many have,
     * and how long it will be until the trace begins.
     */
    private static final class Progress implements Replay.Progress {
        private static final long EVERY = Duration.ofSeconds(1).toNanos();

        private final LabCommand command;
        private final String what;
        private final int before;
        private final int all;
        private final long begun = System.nanoTime();
        private long told = begun;
        /** The first nodes take longer than others: the JVM has not compiled anything yet. */
        private Optional<Moment> first = Optional.empty();

        private Optional<Long> started = Optional.empty();

        private record Moment(long at, double part) {}

        Progress(LabCommand command, String what, int before, int all) {
            this.command = command;
            this.what = what;
            this.before = before;
            this.all = all;
        }

        @Override
        public void starting(int ready, int nodes, double part) {
            long now = System.nanoTime();
            Moment since = first.orElse(new Moment(now, part));
            first = Optional.of(since);
            if (due(now, part - since.part())) {
                double left = (1 - part) * (now - since.at()) / (part - since.part());
                ObjectNode fields = LabCommand.how(what, (double) before / all, left);
                command.print("progress", fields.put("started", ready).put("nodes", nodes));
            }
        }

        @Override
        public void replayed(double part) {
            long now = System.nanoTime();
            long from = started.orElse(now);
            started = Optional.of(from);
            if (due(now, part)) {
                double rest = (1 - part) * (now - from) / part;
                double others = (all - before - 1) * (from - begun + (now - from) / part);
                command.progress(what, (before + part) / all, rest + others);
            }
        }

        private boolean due(long now, double part) {
            boolean due = now - told >= EVERY && part > 0;
            told = due ? now : told;
            return due;
        }
    }

    private static ObjectNode fields(FleetResult fleet) {
        ObjectNode json = fields(fleet.total());
        if (fleet.nodes() > 1) {
            ReplayResult.Waits worst = fleet.worstNode().waits();
            json.put("nodes", fleet.nodes());
            json.put("vswitchRefusals", fleet.exhausted());
            json.put("worstNode", fleet.worst());
            json.put("worstNodePods", worst.pods());
            json.put("worstNodeServed", worst.served());
            json.put("worstNodeP99Ms", worst.p99Millis());
        }
        return json;
    }

    static ObjectNode fields(ReplayResult result) {
        ObjectNode json = LabCommand.JSON.createObjectNode();
        json.put("policy", result.policy());
        json.put("seed", result.seed());
        json.put("pods", result.waits().pods());
        json.put("served", result.waits().served());
        json.put("waitedShare", LabCommand.decimal(result.waits().share(), 4));
        json.put("waitMeanMs", LabCommand.decimal(result.waits().meanMillis(), 1));
        json.put("waitP50Ms", result.waits().p50Millis());
        json.put("waitP99Ms", result.waits().p99Millis());
        json.put("waitMostMs", result.waits().mostMillis());
        json.put("failures", result.failed());
        ObjectNode failures = json.putObject("failuresByCode");
        result.failures().forEach(failures::put);
        json.put("apiCalls", result.cloud().total());
        ObjectNode calls = json.putObject("callsByApi");
        result.cloud().calls().forEach(calls::put);
        json.put("throttled", result.cloud().throttled());
        json.put("eniChanges", result.cloud().eniChanges());
        json.put("idleAddressHours", LabCommand.decimal(result.addresses().idleHours(), 2));
        json.put("heldAddressHours", LabCommand.decimal(result.addresses().heldHours(), 2));
        json.put("mostAddresses", result.addresses().mostHeld());
        return json;
    }
}
