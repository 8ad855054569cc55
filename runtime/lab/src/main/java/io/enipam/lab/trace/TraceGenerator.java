package io.enipam.lab.trace;

import io.enipam.lab.trace.Trace.Sandbox;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Makes traces by formulas, which {@code runtime/lab/README.md} explains. The same wishes give the same trace, on every JDK: all
 * numbers come from 53 bits of one generator and from {@link StrictMath}.
 */
public final class TraceGenerator {
    private static final double WAVE_SECONDS = 5;
    private static final double READY_SECONDS = 10;
    private static final double DAY_SECONDS = 86_400;
    private static final int BURST = 20;

    private final Wishes wishes;
    private final SplittableRandom random;
    private final double seconds;
    /** By Little's law: so long a pod lives on average if that many run on average. */
    private final double life;

    private final List<Sandbox> made = new ArrayList<>();

    private TraceGenerator(Wishes wishes) {
        this.wishes = wishes;
        this.random = new SplittableRandom(wishes.seed());
        this.seconds = wishes.length().toMillis() / 1000.0;
        this.life = wishes.running() * seconds / wishes.pods();
    }

    /** How pods come and go. */
    public enum Pattern {
        /** Releases of one deployment, in waves of a quarter of it. */
        DEPLOY,
        /** Jobs at the full minute, three times as many at each fifth. */
        CRON,
        /** Bursts at random moments. */
        BATCH,
        /** A steady stream, and twice in eight hours the pods of a drained node. */
        DRAIN,
        /** More by day than by night. */
        DIURNAL,
        /** A Poisson process: as many by day as by night, each on its own. */
        STEADY;

        /** As it is typed. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * What is to be made.
     *
     * @param pods how many come in all, 1 to {@link TraceFile#MOST_SANDBOXES}
     * @param length a minute to 31 days
     * @param running how many run at one time on average, at least 1
     */
    public record Wishes(Pattern pattern, int pods, Duration length, int running, long seed) {
        public Wishes {
            if (pods < 1 || pods > TraceFile.MOST_SANDBOXES) {
                throw new IllegalArgumentException(
                        "a trace has 1 to " + TraceFile.MOST_SANDBOXES + " pods, not " + pods);
            }
            if (length.compareTo(Duration.ofMinutes(1)) < 0 || length.compareTo(TraceFile.LONGEST) > 0) {
                throw new IllegalArgumentException("a trace is a minute to 31 days long, not " + length);
            }
            if (running < 1) {
                throw new IllegalArgumentException("at least 1 pod runs on average, not " + running);
            }
        }

        private Wishes withSeed(long other) {
            return new Wishes(pattern, pods, length, running, other);
        }
    }

    /**
     * The traces of a fleet, in the order of its nodes: each has as many pods as is wished for and a seed of its own, the first the seed
     * that is wished for. Throws IllegalArgumentException if there are more pods in all than a file has.
     *
     * @param nodes 1 to {@link TraceFile#MOST_NODES}
     */
    public static List<Trace> fleet(Wishes wishes, int nodes) {
        if (nodes < 1 || nodes > TraceFile.MOST_NODES) {
            throw new IllegalArgumentException("a fleet has 1 to " + TraceFile.MOST_NODES + " nodes, not " + nodes);
        }
        if ((long) nodes * wishes.pods() > TraceFile.MOST_SANDBOXES) {
            throw new IllegalArgumentException(nodes + " nodes of " + wishes.pods() + " pods each are more than the "
                    + TraceFile.MOST_SANDBOXES + " pods of a file");
        }
        return IntStream.range(0, nodes)
                .mapToObj(node -> make(wishes.withSeed(seed(wishes.seed(), node))))
                .toList();
    }

    /** The seed of a node of a fleet: the first, of number 0, has that of the fleet. */
    public static long seed(long fleet, int node) {
        return node == 0 ? fleet : new SplittableRandom(fleet ^ Long.rotateLeft(node, 32)).nextLong();
    }

    public static Trace make(Wishes wishes) {
        TraceGenerator generator = new TraceGenerator(wishes);
        switch (wishes.pattern()) {
            case DEPLOY -> generator.deploy();
            case CRON -> generator.cron();
            case BATCH -> generator.batch();
            case DRAIN -> generator.drain();
            case DIURNAL -> generator.diurnal();
            case STEADY -> generator.steady();
        }
        generator.made.sort(Comparator.comparing(Sandbox::at));
        String origin = "generated: " + wishes.pattern().text() + ", " + wishes.pods() + " pods, " + wishes.running()
                + " running, seed " + wishes.seed();
        return new Trace(origin, wishes.length(), generator.made);
    }

    /** 0 to 1, without 1. */
    private double uniform() {
        return (random.nextLong() >>> 11) * 0x1.0p-53;
    }

    private double exponential(double mean) {
        return -mean * StrictMath.log(1 - uniform());
    }

    /** A second, and an exponential rest. */
    private Optional<Duration> life() {
        return Optional.of(millis(1 + exponential(Math.max(0, life - 1))));
    }

    private static Duration millis(double seconds) {
        return Duration.ofMillis(StrictMath.round(seconds * 1000));
    }

    private void add(double at, String name, Optional<Duration> lives, String owner) {
        double last = seconds - 0.001;
        made.add(new Sandbox(millis(Math.min(at, last)), "default/" + name, lives, owner));
    }

    private void deploy() {
        int size = Math.min(wishes.running(), wishes.pods());
        int wave = Math.max(1, (size + 3) / 4);
        int releases = (wishes.pods() + size - 1) / size;
        double[] at = new double[wishes.pods()];
        for (int pod = 0; pod < at.length; pod++) {
            int release = pod / size;
            // each release has the first half of its part of the time to begin in
            double begin = pod % size == 0 ? seconds * (release + 0.5 * uniform()) / releases : at[release * size];
            at[pod] = begin + WAVE_SECONDS * (pod % size / wave) + (pod % size == 0 ? 0 : exponential(0.5));
        }
        for (int pod = 0; pod < at.length; pod++) {
            int successor = pod + size;
            Optional<Duration> lives = successor < at.length
                    ? Optional.of(millis(Math.max(1, at[successor] + READY_SECONDS - at[pod])))
                    : Optional.empty();
            add(at[pod], "web-" + pod / size + "-" + pod % size, lives, "ReplicaSet");
        }
    }

    private void cron() {
        int minutes = Math.max(1, (int) (seconds / 60));
        long whole = 0;
        for (int minute = 0; minute < minutes; minute++) {
            whole += weight(minute);
        }
        long sum = 0;
        int before = 0;
        for (int minute = 0; minute < minutes; minute++) {
            sum += weight(minute);
            int until = (int) (wishes.pods() * sum / whole);
            for (; before < until; before++) {
                add(60.0 * minute + 2 * uniform(), "job-" + before, life(), "Job");
            }
        }
    }

    private static int weight(int minute) {
        return minute % 5 == 0 ? 3 : 1;
    }

    private void batch() {
        int burst = 0;
        for (int pod = 0; pod < wishes.pods(); burst++) {
            double begin = seconds * uniform();
            int size = 1 + (int) exponential(BURST - 1);
            for (int i = 0; i < size && pod < wishes.pods(); i++, pod++) {
                add(begin + exponential(0.3), "batch-" + burst + "-" + i, life(), "Job");
            }
        }
    }

    private void drain() {
        int drains = (int) Math.max(1, StrictMath.round(seconds / (DAY_SECONDS / 6)));
        int moved = wishes.pods() * 2 / 5;
        for (int pod = 0; pod < wishes.pods(); pod++) {
            double at = pod < moved ? seconds * (pod % drains + 0.5) / drains + 30 * uniform() : seconds * uniform();
            add(at, (pod < moved ? "moved-" : "app-") + pod, life(), "ReplicaSet");
        }
    }

    private void diurnal() {
        for (int pod = 0; pod < wishes.pods(); ) {
            double at = seconds * uniform();
            double rate = 1 + 0.8 * StrictMath.sin(2 * StrictMath.PI * at / DAY_SECONDS - StrictMath.PI / 2);
            if (uniform() * 1.8 < rate) {
                add(at, "app-" + pod, life(), "ReplicaSet");
                pod++;
            }
        }
    }

    private void steady() {
        for (int pod = 0; pod < wishes.pods(); pod++) {
            add(seconds * uniform(), "app-" + pod, life(), "ReplicaSet");
        }
    }
}
