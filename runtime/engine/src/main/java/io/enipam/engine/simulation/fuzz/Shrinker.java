package io.enipam.engine.simulation.fuzz;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * Makes a script that breaks an invariant short: it leaves out steps, by delta debugging (Zeller and Hildebrandt, "Simplifying and
 * Isolating Failure-Inducing Input", 2002), and makes values simple, as long as the same invariant breaks. What is left is, unless it was
 * ended before, a script of which no step can be left out alone. For one script; not thread-safe.
 */
public final class Shrinker {
    private final Simulation simulation;
    private final BooleanSupplier goOn;
    private Shrunk best;
    private int runs;

    /**
     * @param script breaks the invariant, and ends with the step that does
     * @param runs how many scripts were run to find it
     */
    public record Shrunk(Script script, Violation violation, int runs) {}

    private Shrinker(Simulation simulation, Shrunk first, BooleanSupplier goOn) {
        this.simulation = simulation;
        this.best = first;
        this.goOn = goOn;
    }

    /**
     * Shrinks a script.
     *
     * @param violation what its run gave
     * @param goOn asked before each run; once it says no, the shortest until then is the result
     */
    public static Shrunk shrink(Simulation simulation, Script script, Violation violation, BooleanSupplier goOn) {
        Shrinker shrinker = new Shrinker(simulation, new Shrunk(upTo(violation, script), violation, 0), goOn);
        shrinker.shrink();
        return new Shrunk(shrinker.best.script, shrinker.best.violation, shrinker.runs);
    }

    private void shrink() {
        boolean better = true;
        while (better && goOn.getAsBoolean()) {
            better = leaveOutSteps();
            better |= calmTheOutside();
            better |= simplifyValues();
            better |= rename();
        }
    }

    private static Script upTo(Violation violation, Script script) {
        List<Step> steps = new ArrayList<>();
        if (violation.step() != 0) {
            for (Step step : script.steps()) {
                steps.add(step);
                if (step.number() == violation.step()) {
                    break;
                }
            }
        }
        return script.with(steps);
    }

    /** Takes a script in the place of the best one if it breaks the same invariant. */
    private boolean takes(Script candidate) {
        if (candidate.equals(best.script) || !goOn.getAsBoolean()) {
            return false;
        }
        runs++;
        Optional<Violation> seen = simulation.run(candidate);
        if (seen.isEmpty() || !seen.get().invariant().equals(best.violation.invariant())) {
            return false;
        }
        best = new Shrunk(upTo(seen.get(), candidate), seen.get(), runs);
        return true;
    }

    /** Parts of half of the steps first, then smaller ones down to single steps. */
    private boolean leaveOutSteps() {
        boolean better = false;
        for (int part = Math.max(1, best.script.steps().size() / 2); part > 0; part /= 2) {
            boolean again = true;
            while (again) {
                again = leaveOutParts(part);
                better |= again;
            }
        }
        return better;
    }

    private boolean leaveOutParts(int part) {
        boolean better = false;
        int from = 0;
        while (from < best.script.steps().size()) {
            List<Step> steps = new ArrayList<>(best.script.steps());
            steps.subList(from, Math.min(steps.size(), from + part)).clear();
            if (takes(best.script.with(steps))) {
                better = true; // what followed has moved up to here
            } else {
                from += part;
            }
        }
        return better;
    }

    private boolean calmTheOutside() {
        Script.Outside now = best.script.outside();
        boolean better = takes(best.script.with(new Script.Outside(0, now.latency(), now.disk())));
        now = best.script.outside();
        better |= takes(best.script.with(new Script.Outside(now.failures(), 0, now.disk())));
        now = best.script.outside();
        return takes(best.script.with(new Script.Outside(now.failures(), now.latency(), 0))) || better;
    }

    private boolean simplifyValues() {
        boolean better = false;
        for (int i = 0; i < best.script.steps().size(); i++) {
            for (Value value : best.script.steps().get(i).action().parameters()) {
                better |= !value.isName() && simplify(i, value);
            }
        }
        return better;
    }

    /** The least value, or one as near to it as halving gets. */
    private boolean simplify(int index, Value value) {
        int now = best.script.steps().get(index).value(value);
        int floor = value.least();
        if (now == floor || takes(index, value, floor)) {
            return now != floor;
        }
        boolean better = false;
        while (now - floor > 1 && index < best.script.steps().size()) {
            int middle = (floor + now) / 2;
            if (takes(index, value, middle)) {
                better = true;
                now = middle;
            } else {
                floor = middle;
            }
        }
        return better;
    }

    private boolean takes(int index, Value value, int number) {
        List<Step> steps = new ArrayList<>(best.script.steps());
        steps.set(index, steps.get(index).with(value, number));
        return takes(best.script.with(steps));
    }

    /** Containers and steps are counted from the first one on. Steps draw other things then. */
    private boolean rename() {
        Map<Integer, Integer> containers = new HashMap<>();
        List<Step> renamed = new ArrayList<>();
        List<Step> counted = new ArrayList<>();
        for (Step step : best.script.steps()) {
            boolean names = step.action().parameters().contains(Value.CONTAINER);
            Step same = names
                    ? step.with(
                            Value.CONTAINER,
                            containers.computeIfAbsent(step.value(Value.CONTAINER), old -> containers.size()))
                    : step;
            renamed.add(same);
            counted.add(same.numbered(counted.size() + 1));
        }
        Script before = best.script;
        return takes(before.with(counted)) || takes(before.with(renamed));
    }
}
