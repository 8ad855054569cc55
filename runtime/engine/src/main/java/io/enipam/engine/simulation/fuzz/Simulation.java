package io.enipam.engine.simulation.fuzz;

import io.enipam.engine.EnginePorts;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * Runs scripts, each on a node of its own, up to the first invariant that does not hold. The same script gives the same run. Thread-safe,
 * if the plug is.
 *
 * @param plug what stands between each engine that starts and its ports: a test plants a fault there
 */
public record Simulation(UnaryOperator<EnginePorts> plug) {
    /**
     * What came of a step.
     *
     * @param step its text, or what happens behind the last one
     * @param at when it began, from the beginning of the run
     * @param news what the engine answered and told until the next step, a line each
     */
    public record Report(String step, Duration at, List<String> news) {
        public Report {
            news = List.copyOf(news);
        }
    }

    /** With nothing between. */
    public Simulation() {
        this(UnaryOperator.identity());
    }

    /** @return the invariant that did not hold; empty if all did */
    public Optional<Violation> run(Script script) {
        return run(script, report -> {});
    }

    /** The same, which tells what came of each step, the one that broke an invariant included. */
    public Optional<Violation> run(Script script, Consumer<Report> reports) {
        SimulatedNode node = new SimulatedNode(script, plug);
        Optional<Violation> broken = broken(0, node::start);
        for (int i = 0; broken.isEmpty() && i < script.steps().size(); i++) {
            Step step = script.steps().get(i);
            broken = observed(node, step.number(), step.text(), () -> node.run(step), reports);
        }
        return broken.isPresent()
                ? broken
                : observed(node, Violation.AT_END, "end: faults end, pods go, 25 minutes pass", node::end, reports);
    }

    private static Optional<Violation> observed(
            SimulatedNode node, int number, String text, Runnable work, Consumer<Report> reports) {
        Duration at = node.elapsed();
        Optional<Violation> broken = broken(number, work);
        reports.accept(new Report(text, at, node.news()));
        return broken;
    }

    private static Optional<Violation> broken(int step, Runnable work) {
        try {
            work.run();
            return Optional.empty();
        } catch (Violation.Broken e) {
            return Optional.of(e.at(step));
        } catch (RuntimeException | AssertionError | StackOverflowError e) {
            // whatever the engine throws at its caller or its scheduler is a fault of it
            StackTraceElement[] trace = e.getStackTrace();
            return Optional.of(new Violation(
                    step,
                    "the engine throws no " + e.getClass().getName(),
                    "nothing thrown",
                    e.getMessage() + (trace.length == 0 ? "" : " at " + trace[0])));
        }
    }
}
