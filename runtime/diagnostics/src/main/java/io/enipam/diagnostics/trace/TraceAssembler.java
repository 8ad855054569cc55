package io.enipam.diagnostics.trace;

import io.enipam.engine.port.Trace.Operation;
import io.enipam.engine.trace.TraceSnapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Joins traces that belong together: a create for a waiting ADD is part of its wait, and the calls of the cloud are
 * part of the create or dispose that made them. One call that served ten requests is part of each one's trace.
 *
 * <p>Each step is followed by those that are part of it, in the order they began. Used by one caller at a time.
 */
public final class TraceAssembler {
    /** How many are shown under one step, the latest ones: operators read traces. */
    private static final int MOST_CALLS = 40;

    private static final int MOST_FAILURES = 5;
    private static final int MOST_STEPS = 300;

    private final List<TraceSnapshot> creates;
    private final Map<String, List<TraceSnapshot>> callsFor = new HashMap<>();

    /** @param all everything that is remembered, oldest first */
    public TraceAssembler(List<TraceSnapshot> all) {
        this.creates = all.stream()
                .filter(trace -> trace.operation() == Operation.CREATE)
                .toList();
        for (TraceSnapshot trace : all) {
            if (trace.operation() == Operation.CLOUD) {
                for (String served : trace.subject().serves()) {
                    callsFor.computeIfAbsent(served, whom -> new ArrayList<>()).add(trace);
                }
            }
        }
    }

    /** The calls of the cloud that a request, or a resource on its way back, waited for. */
    public List<TraceSnapshot> callsFor(TraceSnapshot trace) {
        return callsFor.getOrDefault(trace.subject().name(), List.of()).stream()
                .filter(call -> overlap(call, trace))
                .toList();
    }

    /** The trace with all that is part of it. */
    public TraceSnapshot whole(TraceSnapshot trace) {
        Flat flat = new Flat();
        flat.children(trace, 0, 0, 0);
        return trace.with(new TraceSnapshot.Steps(flat.steps, trace.dropped() + flat.dropped));
    }

    /** What was made while an ADD waited: what it got, else what was tried and failed, or goes on. */
    private List<TraceSnapshot> madeFor(TraceSnapshot add, TraceSnapshot.Step wait) {
        long begun = begunAt(add) + wait.offset().toNanos();
        List<TraceSnapshot> meanwhile = creates.stream()
                .filter(create ->
                        !isOver(begun, wait.took(), begunAt(create)) && !isOver(begunAt(create), create.took(), begun))
                .toList();
        Predicate<TraceSnapshot> got =
                create -> add.resource().isPresent() && create.resource().equals(add.resource()) && !create.failed();
        List<TraceSnapshot> others = meanwhile.stream()
                .filter(create -> create.failed()
                        || (add.resource().isEmpty() && create.took().isEmpty()))
                .toList();
        return Stream.concat(
                        last(others, MOST_FAILURES).stream(), meanwhile.stream().filter(got))
                .sorted(Comparator.comparingLong(TraceSnapshot::id))
                .toList();
    }

    private static long begunAt(TraceSnapshot trace) {
        return trace.period().begunNanos();
    }

    private static boolean overlap(TraceSnapshot one, TraceSnapshot other) {
        return !isOver(begunAt(one), one.took(), begunAt(other)) && !isOver(begunAt(other), other.took(), begunAt(one));
    }

    /** Whether what began then, and took so long if it has ended, was over at a time. */
    private static boolean isOver(long begun, Optional<Duration> took, long time) {
        return took.isPresent() && time - (begun + took.get().toNanos()) > 0;
    }

    private static <T> List<T> last(List<T> all, int most) {
        return all.subList(Math.max(0, all.size() - most), all.size());
    }

    private final class Flat {
        private final List<TraceSnapshot.Step> steps = new ArrayList<>();
        private int dropped;

        /**
         * Adds the steps that are part of a step of a trace, each with its own parts.
         *
         * @param of the step in the trace; 0 for the trace itself
         * @param parent the same in the list
         * @param offset from the list's beginning to the trace's, in nanoseconds
         */
        void children(TraceSnapshot trace, int of, int parent, long offset) {
            for (TraceSnapshot.Step step : trace.steps()) {
                if (step.parent() == of) {
                    int place = add(step, parent, offset);
                    if (place > 0) {
                        children(trace, step.id(), place, offset);
                        grafted(trace, step, place, offset);
                    }
                }
            }
        }

        private void grafted(TraceSnapshot trace, TraceSnapshot.Step step, int place, long offset) {
            if (trace.operation() == Operation.ADD
                    && step.name().equals("ACQUIRE")
                    && "waited".equals(step.attributes().get("how"))) {
                madeFor(trace, step).forEach(create -> graft(create, trace, place, offset));
            }
            boolean supply = trace.operation() == Operation.CREATE || trace.operation() == Operation.DISPOSE;
            if (supply && step.name().equals("FACTORY")) {
                List<TraceSnapshot> calls = callsFor(trace).stream()
                        .filter(call -> within(call, trace, step))
                        .toList();
                dropped += Math.max(0, calls.size() - MOST_CALLS);
                last(calls, MOST_CALLS).forEach(call -> graft(call, trace, place, offset));
            }
        }

        /** Whether a call began during a step: of a disposal that is tried again, each try has its own calls. */
        private boolean within(TraceSnapshot call, TraceSnapshot trace, TraceSnapshot.Step step) {
            long begun = begunAt(trace) + step.offset().toNanos();
            return begunAt(call) - begun >= 0 && !isOver(begun, step.took(), begunAt(call));
        }

        private void graft(TraceSnapshot other, TraceSnapshot into, int parent, long offset) {
            long itsOffset = offset + begunAt(other) - begunAt(into);
            Map<String, String> details = new LinkedHashMap<>(other.attributes());
            details.put(
                    other.operation() == Operation.CLOUD ? "target" : "token",
                    other.subject().name());
            int served = other.subject().serves().size();
            if (served > 1) {
                details.put("serves", Integer.toString(served));
            }
            other.resource()
                    .ifPresent(resource -> details.put("resource", resource.id().value()));
            TraceSnapshot.Step step = new TraceSnapshot.Step(
                    0, 0, other.operation().name(), Duration.ZERO, other.took(), other.outcome(), other.why(), details);
            int place = add(step, parent, itsOffset);
            if (place > 0) {
                children(other, 0, place, itsOffset);
            }
        }

        private int add(TraceSnapshot.Step step, int parent, long offset) {
            if (steps.size() == MOST_STEPS) {
                dropped++;
                return 0;
            }
            steps.add(new TraceSnapshot.Step(
                    steps.size() + 1,
                    parent,
                    step.name(),
                    step.offset().plusNanos(offset),
                    step.took(),
                    step.outcome(),
                    step.why(),
                    step.attributes()));
            return steps.size();
        }
    }
}
