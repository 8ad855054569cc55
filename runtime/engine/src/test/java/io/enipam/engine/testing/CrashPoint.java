package io.enipam.engine.testing;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Where a process dies: at one operation on what outlives it (disk, kernel, cloud), before the operation, in the middle of
 * it, or when it has taken effect and no caller has got the answer. The fakes of these things ask with each operation; from the death
 * on, nothing the process still attempts has any effect. A fate that lets the process live counts the points at which another
 * may let it die, which is how a test gets to all of them.
 *
 * <p>Points are counted for each actor apart: what two threads do has no order, what one does has. Thread-safe: operations
 * happen one at a time.
 */
public final class CrashPoint {
    /** When, with respect to the operation. */
    public enum Moment {
        BEFORE,
        MIDWAY,
        AFTER
    }

    /**
     * One operation to die at.
     *
     * @param actor who does it
     * @param number which of the actor's operations, from 1
     */
    public record Location(String actor, int number, Moment moment) {}

    /** An operation, or the first half of one. */
    @FunctionalInterface
    public interface Operation {
        void run() throws IOException;
    }

    /** What a dead process hears; it acts on it in vain. */
    public static final class ProcessDied extends IOException {
        private static final long serialVersionUID = 1L;

        ProcessDied() {
            super("the process is dead");
        }
    }

    private final Optional<Location> end;
    private final Optional<Location> mishap;
    private final Map<String, Integer> counts = new LinkedHashMap<>(); // by this
    private final Map<Location, String> points = new LinkedHashMap<>(); // by this
    private boolean hasCrashed; // by this
    private String describe = "no death"; // by this

    private CrashPoint(Optional<Location> end, Optional<Location> mishap) {
        this.end = end;
        this.mishap = mishap;
    }

    /** The process lives. */
    public static CrashPoint never() {
        return new CrashPoint(Optional.empty(), Optional.empty());
    }

    /** The process dies at a point, if it gets there. */
    public static CrashPoint crashAt(Location point) {
        return new CrashPoint(Optional.of(point), Optional.empty());
    }

    /** The same, and one operation fails meanwhile, before, in the middle of, or after its work. */
    public CrashPoint withFailureAt(Location failing) {
        return new CrashPoint(end, Optional.of(failing));
    }

    /** An operation that is done or not done. */
    public void execute(String actor, String operation, Operation whole) throws ProcessDied, IOException {
        execute(actor, operation, whole, Optional.empty());
    }

    /**
     * An operation.
     *
     * @param operation what it is, to be told
     * @param half what it has done when the process dies in the middle of it
     * @throws ProcessDied if the process dies here, or has died before
     * @throws IOException what the operation throws
     */
    public void execute(String actor, String operation, Operation whole, Operation half)
            throws ProcessDied, IOException {
        execute(actor, operation, whole, Optional.of(half));
    }

    private synchronized void execute(String actor, String operation, Operation whole, Optional<Operation> half)
            throws IOException {
        if (hasCrashed) {
            throw new ProcessDied();
        }
        int number = counts.merge(actor, 1, Integer::sum);
        points.put(new Location(actor, number, Moment.BEFORE), operation);
        half.ifPresent(torn -> points.put(new Location(actor, number, Moment.MIDWAY), operation));
        points.put(new Location(actor, number, Moment.AFTER), operation);
        Optional<Moment> death = momentOf(end, actor, number);
        Optional<Moment> trouble = momentOf(mishap, actor, number);
        if (death.isPresent()) {
            hasCrashed = true;
            this.describe = "death of " + actor + " at operation " + number + ", " + death.get() + " " + operation;
            run(death.get(), whole, half);
            throw new ProcessDied();
        }
        if (trouble.isPresent()) {
            run(trouble.get(), whole, half);
            throw new IOException("Input/output error");
        }
        whole.run();
    }

    private static void run(Moment moment, Operation whole, Optional<Operation> half) throws IOException {
        if (moment == Moment.AFTER) {
            whole.run();
        } else if (moment == Moment.MIDWAY) {
            half.orElse(() -> {}).run(); // what was to be halved may come at another number where threads take turns
        }
    }

    private static Optional<Moment> momentOf(Optional<Location> fate, String actor, int number) {
        return fate.filter(point -> point.actor().equals(actor) && point.number() == number)
                .map(Location::moment);
    }

    /** The process dies now, between two operations, if it is not dead yet. */
    public synchronized void kill() {
        if (!hasCrashed) {
            hasCrashed = true;
            describe = "death between two operations";
        }
    }

    public synchronized boolean hasCrashed() {
        return hasCrashed;
    }

    /** How the process died, in words. */
    public synchronized String describe() {
        return describe;
    }

    /** Every point met so far, in the order of time. */
    public synchronized List<Location> points() {
        return List.copyOf(points.keySet());
    }

    /** The same, each with its operation. */
    public synchronized Map<Location, String> describedPoints() {
        return new LinkedHashMap<>(points);
    }
}
