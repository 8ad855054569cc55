package io.enipam.lab.replay;

import io.enipam.lab.trace.Trace;
import io.enipam.lab.trace.Trace.Sandbox;
import io.enipam.lab.trace.TraceFile;
import io.enipam.lab.trace.TraceGenerator;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Nodes of one account, which share its vSwitches and its flow control.
 *
 * @param traces at least one, all of one length; they are dealt to the nodes in turn
 * @param nodes 1 to 10,000
 * @param events what happens to them, in any order
 */
public record Fleet(List<Trace> traces, int nodes, List<ScenarioEvent> events) {
    /** A trace that is dealt again is turned by whole minutes below this. */
    private static final int TURNED_MINUTES = 60;

    public Fleet {
        traces = List.copyOf(traces);
        events = List.copyOf(events);
        requireCount(nodes, traces.size());
        long lengths = traces.stream().map(Trace::length).distinct().count();
        if (lengths != 1) {
            throw new IllegalArgumentException("the traces of a fleet are of one length; these have " + lengths);
        }
        for (ScenarioEvent event : events) {
            if (event.at().compareTo(traces.get(0).length()) >= 0) {
                throw new IllegalArgumentException(
                        "an event at " + event.at().toSeconds() + "s comes after the trace's end at "
                                + traces.get(0).length().toSeconds() + "s");
            }
        }
    }

    /** Throws IllegalArgumentException if so many nodes do not go with so many traces. */
    public static void requireCount(int nodes, int traces) {
        if (nodes < 1 || nodes > TraceFile.MOST_NODES) {
            throw new IllegalArgumentException("a fleet has 1 to " + TraceFile.MOST_NODES + " nodes, not " + nodes);
        }
        if (nodes < traces) {
            throw new IllegalArgumentException(traces + " traces are for as many nodes at least, not for " + nodes);
        }
    }

    /** One node with one trace. */
    public static Fleet of(Trace trace) {
        return new Fleet(List.of(trace), 1, List.of());
    }

    Duration length() {
        return traces.get(0).length();
    }

    /** What comes to a node. */
    Arrivals arrivals(int node, long seed) {
        Trace trace = traces.get(node % traces.size());
        if (node < traces.size()) {
            return new Arrivals(trace, Duration.ZERO);
        }
        SplittableRandom random = new SplittableRandom(TraceGenerator.seed(seed, node));
        Duration by = Duration.ofMinutes(random.nextInt(TURNED_MINUTES)).plusMillis(random.nextInt(1000));
        return new Arrivals(
                trace, Duration.ofMillis(by.toMillis() % trace.length().toMillis()));
    }

    /** A trace, turned: what comes in its last part comes first. */
    static final class Arrivals {
        private final Trace trace;
        private final long byMillis;
        private final int first;
        private int given;

        private Arrivals(Trace trace, Duration by) {
            this.trace = trace;
            this.byMillis = by.toMillis();
            long from = trace.length().toMillis() - byMillis;
            int low = 0;
            int high = trace.sandboxes().size();
            while (low < high) {
                int middle = (low + high) >>> 1;
                if (trace.sandboxes().get(middle).at().toMillis() < from) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            this.first = low;
        }

        /** How many are still to come. */
        int left() {
            return trace.sandboxes().size() - given;
        }

        /** The next, with its time on this node. */
        Arrival next() {
            int number = given++;
            List<Sandbox> all = trace.sandboxes();
            Sandbox sandbox = all.get(byMillis == 0 ? number : (first + number) % all.size());
            long length = trace.length().toMillis();
            long at = byMillis == 0 ? sandbox.at().toMillis() : (sandbox.at().toMillis() + byMillis) % length;
            return new Arrival(Duration.ofMillis(at), sandbox);
        }
    }

    /** @param at from the trace's beginning */
    record Arrival(Duration at, Sandbox sandbox) {}
}
