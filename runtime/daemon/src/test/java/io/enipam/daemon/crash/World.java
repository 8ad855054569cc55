package io.enipam.daemon.crash;

import io.enipam.engine.port.Scheduler;
import io.enipam.engine.simulation.MemoryDatapath;
import io.enipam.engine.simulation.MemoryFactory;
import io.enipam.engine.simulation.MemoryPods;
import io.enipam.engine.simulation.VirtualTime;
import io.enipam.engine.testing.CrashPoint;
import io.enipam.store.testing.SimulatedDisk;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What outlives the daemon: time, disk, kernel, cloud, pods. */
final class World {
    static final int CAPACITY = 8;

    final VirtualTime time = new VirtualTime();
    final MemoryPods pods = new MemoryPods();
    final MemoryDatapath kernel = new MemoryDatapath();
    /** Does what it is asked at once; the answer's way back takes time. */
    final MemoryFactory cloud = new MemoryFactory(new AtOnce(), CAPACITY, () -> Duration.ZERO, Optional::empty);
    /** Calls that had left the daemon when it died, and have not reached the cloud yet. */
    final List<Runnable> onTheirWay = new ArrayList<>();

    private final Path directory;
    private SimulatedDisk disk;
    private int lives;

    World(Path directory) {
        this.directory = directory;
        this.disk = new SimulatedDisk(directory.resolve("none"), CrashPoint.never());
    }

    /** The disk as the next process finds it. */
    SimulatedDisk nextDisk(CrashPoint fate) {
        lives++;
        disk = disk.afterKill(directory.resolve("life-" + lives), fate);
        return disk;
    }

    /** What was on its way arrives. */
    void deliver() {
        List.copyOf(onTheirWay).forEach(Runnable::run);
        onTheirWay.clear();
    }

    private static final class AtOnce implements Scheduler {
        @Override
        public void execute(Runnable task) {
            task.run();
        }

        @Override
        public Cancellable after(Duration delay, Runnable task) {
            task.run();
            return () -> {};
        }
    }
}
