package io.enipam.lab;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.enipam.engine.concurrent.DaemonThreads;
import io.enipam.engine.simulation.fuzz.Script;
import io.enipam.engine.simulation.fuzz.ScriptGenerator;
import io.enipam.engine.simulation.fuzz.Shrinker;
import io.enipam.engine.simulation.fuzz.Shrinker.Shrunk;
import io.enipam.engine.simulation.fuzz.Simulation;
import io.enipam.engine.simulation.fuzz.Violation;
import io.enipam.lab.LabMain.LabCommand;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The search for faults of the engine, and the replay of one that it found. Exit status {@link #FOUND} if an invariant is broken. */
final class FuzzCommands {
    static final int FOUND = 3;

    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private FuzzCommands() {}

    /** What is common to both. */
    abstract static class SimulationCommand extends LabCommand {
        @Option(names = "--progress", description = "Print how far it is, about once a second.")
        boolean progress;

        /** The engine as it ships; a test plants a fault. */
        Simulation simulation = new Simulation();

        private long told = System.nanoTime();

        /** Whether a second has passed since it was asked for the last time and said so. */
        final boolean progressDue() {
            long now = System.nanoTime();
            if (!progress || now - told < SECOND) {
                return false;
            }
            told = now;
            return true;
        }

        static ObjectNode fields(Violation violation) {
            return JSON.createObjectNode()
                    .put("invariant", violation.invariant())
                    .put("at", violation.where())
                    .put("expected", violation.expected())
                    .put("seen", violation.seen());
        }

        static void add(ArrayNode texts, List<String> lines) {
            lines.forEach(texts::add);
        }
    }

    @Command(
            name = "fuzz",
            description = "Run random scripts against the engine, and shrink those that break an invariant.")
    static final class Fuzz extends SimulationCommand {
        /** A script that is found late is still made short for so long. */
        private static final long LATE = 10 * SECOND;

        private static final long MOST_SEED = 999_999_999_999_999_999L;

        @Option(names = "--hours", description = "How long it runs.")
        Optional<Double> hours = Optional.empty();

        @Option(names = "--minutes", description = "The same. By default 1, unless --seeds or --hours are given.")
        Optional<Double> minutes = Optional.empty();

        @Option(names = "--seeds", description = "How many scripts it runs at most.")
        Optional<Long> seeds = Optional.empty();

        @Option(names = "--first", description = "The first seed; the others follow it. By default a random one.")
        Optional<Long> first = Optional.empty();

        private final long begun = System.nanoTime();
        private long done;
        private long failed;

        private record Running(long seed, Future<Optional<Violation>> result) {}

        @Override
        public Integer call() throws InterruptedException {
            long limit = limit();
            long count = seeds.orElse(MOST_SEED);
            long from = first.orElseGet(() -> ThreadLocalRandom.current().nextLong(1_000_000_000));
            if (count <= 0 || from < 0 || from > MOST_SEED - 1) {
                throw new IllegalArgumentException("--seeds is at least 1 and --first from 0 to " + (MOST_SEED - 1));
            }
            long end = Math.min(MOST_SEED, from > MOST_SEED - count ? MOST_SEED : from + count);
            int cores = Runtime.getRuntime().availableProcessors();
            ExecutorService threads = Executors.newFixedThreadPool(cores, DaemonThreads.numbered("lab-fuzz"));
            Set<String> broken = new TreeSet<>();
            try {
                Deque<Running> ahead = new ArrayDeque<>();
                for (long next = from; ; ) {
                    for (; ahead.size() < 4 * cores && next < end && since(begun) < limit; next++) {
                        long seed = next;
                        ahead.add(
                                new Running(seed, threads.submit(() -> simulation.run(ScriptGenerator.script(seed)))));
                    }
                    if (ahead.isEmpty()) {
                        break;
                    }
                    Running one = ahead.remove();
                    Optional<Violation> violation = got(one.result);
                    done++;
                    if (violation.isPresent()) {
                        failed++;
                        if (broken.add(violation.get().invariant())) {
                            print("finding", finding(one.seed, violation.get(), limit));
                        }
                    }
                    if (progressDue()) {
                        double part = Math.max((double) since(begun) / limit, (double) done / (end - from));
                        String rate = String.format(Locale.ROOT, "%.0f a second", done * 1e9 / since(begun));
                        progress(far() + ", " + rate, Math.min(1, part), since(begun) * (1 - part) / part);
                    }
                }
            } finally {
                threads.shutdownNow();
            }
            print(
                    "fuzz",
                    JSON.createObjectNode()
                            .put("first", from)
                            .put("scripts", done)
                            .put("failed", failed)
                            .put("findings", broken.size()));
            return broken.isEmpty() ? 0 : FOUND;
        }

        /** In nanoseconds; the greatest number if there is none. */
        private long limit() {
            if (hours.isEmpty() && minutes.isEmpty() && seeds.isPresent()) {
                return Long.MAX_VALUE;
            }
            double asked = hours.isEmpty() && minutes.isEmpty() ? 1 : 60 * hours.orElse(0.0) + minutes.orElse(0.0);
            if (!(asked > 0 && asked <= 31 * 24 * 60)) {
                throw new IllegalArgumentException("--hours and --minutes are more than 0 and up to 31 days");
            }
            return Math.round(asked * 60 * SECOND);
        }

        private static long since(long then) {
            return System.nanoTime() - then;
        }

        private String far() {
            return done + (done == 1 ? " script, " : " scripts, ") + failed + " failed";
        }

        private ObjectNode finding(long seed, Violation violation, long limit) {
            Script script = ScriptGenerator.script(seed);
            long shrinking = System.nanoTime();
            BooleanSupplier goOn = () -> {
                if (progressDue()) {
                    progress(far() + ", shrinking seed " + seed, Math.min(1, (double) since(begun) / limit), 0);
                }
                return since(begun) < limit || since(shrinking) < LATE;
            };
            Shrunk shrunk = Shrinker.shrink(simulation, script, violation, goOn);
            ObjectNode fields = JSON.createObjectNode().put("seed", seed);
            fields.setAll(fields(shrunk.violation()));
            fields.put("at", violation.where())
                    .put("steps", script.steps().size())
                    .put("shrunk", shrunk.script().steps().size())
                    .put("runs", shrunk.runs());
            add(fields.putArray("script"), shrunk.script().lines());
            return fields.put("replay", "lab replay " + seed);
        }

        private static <T> T got(Future<T> future) throws InterruptedException {
            try {
                return future.get();
            } catch (ExecutionException e) {
                throw new IllegalStateException("a script could not be run", e.getCause());
            }
        }
    }

    @Command(name = "replay", description = "Run a script step by step, and say what the engine does.")
    static final class Replay extends SimulationCommand {
        private static final long LONGEST_FILE = 16 << 20;

        @Parameters(paramLabel = "SEED|FILE", description = "A seed of fuzz, or a script in a file.")
        String what = "";

        @Option(names = "--whole", description = "Of a seed, all steps, also where a few of them break an invariant.")
        boolean whole;

        @Override
        public Integer call() {
            Script script = script();
            ObjectNode head = JSON.createObjectNode()
                    .put("seed", script.seed())
                    .put("steps", script.steps().size());
            add(head.putArray("lines"), script.lines());
            print("script", head);
            Optional<Violation> broken = simulation.run(script, report -> {
                ObjectNode step = JSON.createObjectNode()
                        .put("atMs", report.at().toMillis())
                        .put("step", report.step());
                add(step.putArray("news"), report.news());
                print("step", step);
            });
            broken.ifPresent(violation -> print("violation", fields(violation)));
            return broken.isEmpty() ? 0 : FOUND;
        }

        private Script script() {
            if (!what.matches("[0-9]{1,18}")) {
                return read(Path.of(what));
            }
            Script script = ScriptGenerator.script(Long.parseLong(what));
            if (whole) {
                return script;
            }
            return simulation
                    .run(script)
                    .map(violation -> Shrinker.shrink(simulation, script, violation, () -> {
                                if (progressDue()) {
                                    progress("shrinking", 0, 0);
                                }
                                return true;
                            })
                            .script())
                    .orElse(script);
        }

        private static Script read(Path file) {
            try {
                if (Files.size(file) > LONGEST_FILE) {
                    throw new IllegalArgumentException("it is longer than 16 MiB");
                }
                return Script.parse(Files.readAllLines(file, StandardCharsets.UTF_8));
            } catch (IOException e) {
                throw new IllegalArgumentException(file + " cannot be read: " + e, e);
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(file + ": " + e.getMessage(), e);
            }
        }
    }
}
