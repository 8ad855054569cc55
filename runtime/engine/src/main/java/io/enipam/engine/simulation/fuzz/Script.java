package io.enipam.engine.simulation.fuzz;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What happens to a node, step by step. Its text is a head and a line for each step:
 *
 * <pre>
 * enipam-lab-script 1 seed=42 failures=10% latency=3000ms disk=2000us
 * 1 add container=0 pod=3 created then=120ms
 * 2 crash lost
 * </pre>
 *
 * Blank lines and those that begin with {@code #} are left out.
 *
 * @param seed of what is drawn: latencies, failures, jitter, and the order of tasks that are due at the same time
 */
public record Script(long seed, Outside outside, List<Step> steps) {
    private static final String FORMAT = "enipam-lab-script 1";
    private static final Pattern HEAD = Pattern.compile(
            FORMAT + " seed=([0-9]{1,18}) failures=([0-9]{1,3})% latency=([0-9]{1,5})ms disk=([0-9]{1,5})us");
    private static final int MOST_STEPS = 100_000;

    /**
     * What cloud and disk do without being told to by a step. Each value is uniform from 0.
     *
     * @param failures of how many of a hundred calls that make or free an address fail
     * @param latency the most that such a call or a list takes, in milliseconds
     * @param disk the most that a commit takes, in microseconds
     */
    public record Outside(int failures, int latency, int disk) {
        static final Outside USUAL = new Outside(10, 3_000, 2_000);

        public Outside {
            if (failures > 100) {
                throw new IllegalArgumentException("failures is " + failures + "%, and may be from 0 to 100");
            }
        }
    }

    public Script {
        steps = List.copyOf(steps);
        Set<Integer> numbers = new HashSet<>();
        steps.forEach(step -> {
            if (!numbers.add(step.number())) {
                throw new IllegalArgumentException("two steps have the number " + step.number());
            }
        });
    }

    Script with(List<Step> others) {
        return new Script(seed, outside, others);
    }

    Script with(Outside other) {
        return new Script(seed, other, steps);
    }

    /** The lines of its text. */
    public List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add(FORMAT + " seed=" + seed + " failures=" + outside.failures + "% latency=" + outside.latency
                + "ms disk=" + outside.disk + "us");
        steps.forEach(step -> lines.add(step.text()));
        return lines;
    }

    /** Reads one. Throws IllegalArgumentException with the number of the line, what is wrong and what would be right. */
    public static Script parse(List<String> lines) {
        Script script = null;
        List<Step> steps = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            try {
                if (script == null) {
                    script = head(line);
                } else if (steps.size() == MOST_STEPS) {
                    throw new IllegalArgumentException("there are more than " + MOST_STEPS + " steps");
                } else {
                    steps.add(Step.parse(line));
                }
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("line " + (i + 1) + ": " + e.getMessage(), e);
            }
        }
        if (script == null) {
            throw new IllegalArgumentException("the script is empty");
        }
        return script.with(steps);
    }

    private static Script head(String line) {
        Matcher head = HEAD.matcher(line);
        if (!head.matches()) {
            throw new IllegalArgumentException("a script begins with '"
                    + new Script(1, Outside.USUAL, List.of()).lines().get(0) + "', with such numbers as these");
        }
        return new Script(
                Long.parseLong(head.group(1)),
                new Outside(
                        Integer.parseInt(head.group(2)),
                        Integer.parseInt(head.group(3)),
                        Integer.parseInt(head.group(4))),
                List.of());
    }
}
