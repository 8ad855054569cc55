package io.enipam.bench;

import java.io.IOException;
import java.io.PrintStream;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.CommandLineOptionException;
import org.openjdk.jmh.runner.options.CommandLineOptions;

/**
 * Runs the benchmarks (JMH's own options apply) and prints the median and the least of each beside its peer's: the time that passes
 * for one operation, whichever thread makes it.
 */
public final class JmhMain {
    private JmhMain() {}

    public static void main(String[] args) throws RunnerException, CommandLineOptionException, IOException {
        Collection<RunResult> results = new Runner(new CommandLineOptions(args)).run();
        table(results, System.out);
    }

    private static void table(Collection<RunResult> results, PrintStream out) throws IOException {
        Map<String, RunResult> byName = new TreeMap<>();
        results.forEach(result -> byName.put(name(result), result));
        out.println(
                "\nbenchmark                                idle         enipam           peer  enipam/peer    enipam-peer"
                        + "  least: enipam   peer");
        for (Map.Entry<String, RunResult> each : byName.entrySet()) {
            String name = each.getKey();
            RunResult ours = each.getValue();
            RunResult peer = byName.get("peer" + Character.toUpperCase(name.charAt(0)) + name.substring(1));
            if (peer != null) {
                double mine = median(ours);
                double theirs = median(peer);
                String unit = ours.getPrimaryResult().getScoreUnit();
                String benchmark = name.substring(0, name.indexOf('@'));
                out.printf("%-36s %8s %8.0f %s %8.0f %s", benchmark, idle(ours), mine, unit, theirs, unit);
                out.printf(" %12.3f %8.0f %s", mine / theirs, mine - theirs, unit);
                out.printf(" %13.0f %6.0f%n", least(ours), least(peer));
                Ratios.report("pool/" + name, mine, theirs);
            }
        }
    }

    /** Of the iterations: on a machine that others use as well, a mean says how busy it was. */
    private static double median(RunResult result) {
        return result.getPrimaryResult().getStatistics().getPercentile(50) / threads(result);
    }

    private static double least(RunResult result) {
        return result.getPrimaryResult().getStatistics().getMin() / threads(result);
    }

    /** JMH's average is what one thread waits for an operation, in which each of the others finishes one as well. */
    private static int threads(RunResult result) {
        return result.getParams().getThreads();
    }

    private static String name(RunResult result) {
        String full = result.getParams().getBenchmark();
        return full.substring(full.lastIndexOf('.') + 1) + "@" + idle(result);
    }

    private static String idle(RunResult result) {
        return result.getParams().getParamsKeys().contains("idle")
                ? result.getParams().getParam("idle")
                : "-";
    }
}
