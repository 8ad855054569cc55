package io.enipam.engine.testing;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Where a process dies: at one operation on what outlives it (disk, kernel, cloud), before the operation, in the middle of
 * it, or when it has taken effect and nobody has heard so. The fakes of these things ask with each operation; from the death
 * on, nothing the process still attempts has any effect. A fate that lets the process live counts the points at which another
 * may let it die, which is how a test gets to all of them.
 *
 * <p>Points are counted for each actor apart: what two threads do has no order, what one does has. Thread-safe: operations
 * happen one at a time.
 */
public final class Fate {
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
    public record Point(String actor, int number, Moment moment) {}

    /** An operation, or the first half of one. */
    @FunctionalInterface
    public interface Deed {
        void run() throws IOException;
    }

    /** What a dead process hears; it acts on it in vain. */
    public static final class Died extends IOException {
        private static final long serialVersionUID = 1L;

        Died() {
            super("the process is dead");
        }
    }

    private final Optional<Point> end;
    private final Optional<Point> mishap;
    private final Map<String, Integer> counts = new LinkedHashMap<>(); // by this
    private final Map<Point, String> points = new LinkedHashMap<>(); // by this
    private boolean dead; // by this
    private String death = "no death"; // by this

    private Fate(Optional<Point> end, Optional<Point> mishap) {
        this.end = end;
        this.mishap = mishap;
    }

    /** The process lives. */
    public static Fate life() {
        return new Fate(Optional.empty(), Optional.empty());
    }

    /** The process dies at a point, if it gets there. */
    public static Fate deathAt(Point point) {
        return new Fate(Optional.of(point), Optional.empty());
    }

    /** The same, and one operation fails meanwhile, before, in the middle of, or after its work. */
    public Fate afterMishapAt(Point failing) {
        return new Fate(end, Optional.of(failing));
    }

    /** An operation that is done or not done. */
    public void cross(String actor, String operation, Deed whole) throws Died, IOException {
        cross(actor, operation, whole, Optional.empty());
    }

    /**
     * An operation.
     *
     * @param operation what it is, to be told
     * @param half what it has done when the process dies in the middle of it
     * @throws Died if the process dies here, or has died before
     * @throws IOException what the operation throws
     */
    public void cross(String actor, String operation, Deed whole, Deed half) throws Died, IOException {
        cross(actor, operation, whole, Optional.of(half));
    }

    private synchronized void cross(String actor, String operation, Deed whole, Optional<Deed> half)
            throws IOException {
        if (dead) {
            throw new Died();
        }
        int number = counts.merge(actor, 1, Integer::sum);
        points.put(new Point(actor, number, Moment.BEFORE), operation);
        half.ifPresent(torn -> points.put(new Point(actor, number, Moment.MIDWAY), operation));
        points.put(new Point(actor, number, Moment.AFTER), operation);
        Optional<Moment> death = momentOf(end, actor, number);
        Optional<Moment> trouble = momentOf(mishap, actor, number);
        if (death.isPresent()) {
            dead = true;
            this.death = "death of " + actor + " at operation " + number + ", " + death.get() + " " + operation;
            run(death.get(), whole, half);
            throw new Died();
        }
        if (trouble.isPresent()) {
            run(trouble.get(), whole, half);
            throw new IOException("Input/output error");
        }
        whole.run();
    }

    private static void run(Moment moment, Deed whole, Optional<Deed> half) throws IOException {
        if (moment == Moment.AFTER) {
            whole.run();
        } else if (moment == Moment.MIDWAY) {
            half.orElse(() -> {}).run(); // what was to be halved may come at another number where threads take turns
        }
    }

    private static Optional<Moment> momentOf(Optional<Point> fate, String actor, int number) {
        return fate.filter(point -> point.actor().equals(actor) && point.number() == number)
                .map(Point::moment);
    }

    /** The process dies now, between two operations, if it is not dead yet. */
    public synchronized void kill() {
        if (!dead) {
            dead = true;
            death = "death between two operations";
        }
    }

    public synchronized boolean dead() {
        return dead;
    }

    /** How the process died, in words. */
    public synchronized String death() {
        return death;
    }

    /** Every point met so far, in the order of time. */
    public synchronized List<Point> points() {
        return List.copyOf(points.keySet());
    }

    /** The same, each with its operation. */
    public synchronized Map<Point, String> told() {
        return new LinkedHashMap<>(points);
    }
}
