package io.enipam.daemon.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.EngineConfig;
import io.enipam.engine.pool.PoolSettings.Watermarks;
import io.enipam.engine.testing.CrashPoint;
import io.enipam.sdk.Family;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A day of a node, the same each time: sandboxes come and go, a StatefulSet's pod comes back, pods vanish, the pool grows and
 * shrinks, journal files fill. Processes die as their fates are; each time the next one is started and asked again for what the
 * dead one had not answered.
 */
final class Day {
    private static final EngineConfig KNOBS = new EngineConfig(
            new Watermarks(1, 2, Integer.MAX_VALUE),
            Set.of(Family.IPV4),
            Duration.ofSeconds(10),
            Duration.ofSeconds(30),
            new EngineConfig.Intervals(Duration.ofMinutes(5), Duration.ofSeconds(20), Duration.ofSeconds(60)));
    /** Longer than everything that ends by itself but the reservation. */
    private static final Duration REST = Duration.ofMinutes(3);

    private final World world;
    private final Kubelet kubelet;
    private final boolean late;
    private String stateful = "";

    private Day(Path directory, boolean late) {
        this.world = new World(directory);
        this.kubelet = new Kubelet(world);
        this.late = late;
    }

    /** One thing that is asked for; answers false if the process died meanwhile. */
    @FunctionalInterface
    private interface Step {
        boolean of(Process process);
    }

    private List<Step> steps() {
        return List.of(
                process -> kubelet.add(process, "a", "b", "c"),
                process -> kubelet.del(process, "b"),
                process -> kubelet.add(process, "db-0_1", "d"),
                this::rememberTheAddress,
                process -> kubelet.del(process, "db-0_1", "a"),
                process -> kubelet.add(process, "db-0_2", "e"),
                this::theAddressIsTheSame,
                process -> kubelet.add(process, "e", "f"),
                process -> kubelet.collect(process, "d", "f"),
                process -> kubelet.del(process, "c"),
                process -> process.live(Duration.ofSeconds(30)),
                process -> process.await(process.engine.reconcile()).isPresent(),
                process -> kubelet.add(process, "g"),
                process -> process.live(REST));
    }

    private boolean rememberTheAddress(Process process) {
        stateful = kubelet.address("db-0_1").orElseThrow();
        return true;
    }

    private boolean theAddressIsTheSame(Process process) {
        assertThat(kubelet.address("db-0_2")).contains(stateful);
        return true;
    }

    /** Lives a day; processes have these fates one after the other, and those after them live. Fails if anything is wrong. */
    static void live(Path directory, boolean late, CrashPoint... fates) {
        new Day(directory, late).live(List.of(fates).iterator());
    }

    private void live(Iterator<CrashPoint> fates) {
        Optional<Process> process = Optional.empty();
        for (Step step : steps()) {
            boolean done = false;
            while (!done) {
                if (process.isEmpty()) {
                    process = begin(fates);
                }
                done = process.isPresent() && step.of(process.get());
                if (!done && process.isPresent()) {
                    process.get().close();
                    process = Optional.empty();
                }
            }
        }
        process.ifPresent(Process::close);
        while (!theMorningAfter(fates)) {
            // another process has died
        }
    }

    private Optional<Process> begin(Iterator<CrashPoint> fates) {
        CrashPoint fate = fates.hasNext() ? fates.next() : CrashPoint.never();
        Optional<Process> process = Process.begin(world, fate, late, KNOBS);
        process.ifPresent(kubelet::allIsAsTold);
        if (process.isPresent()) {
            world.deliver();
        }
        return process;
    }

    /** Everything comes to rest; false if the process died before. */
    private boolean theMorningAfter(Iterator<CrashPoint> fates) {
        Optional<Process> begun = begin(fates);
        if (begun.isEmpty()) {
            return false;
        }
        try (Process process = begun.get()) {
            boolean rested = process.live(REST)
                    && process.await(process.engine.reconcile()).isPresent()
                    && process.live(REST);
            if (rested) {
                kubelet.allIsAsTold(process);
                kubelet.nothingIsLeft(process);
            }
            return rested;
        }
    }
}
