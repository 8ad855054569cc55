package io.enipam.engine.simulation.fuzz;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** Makes the script of a seed: 150 steps, and in each third seed the date is set every now and then. The same seed makes the same script. */
public final class ScriptGenerator {
    static final int STEPS = 150;
    private static final int CLOCKS_EVERY = 3;

    private final SplittableRandom random;
    private final List<Step> steps = new ArrayList<>();
    /** Containers that were added and not deleted. */
    private final List<Integer> containers = new ArrayList<>();

    private int added;

    private ScriptGenerator(long seed) {
        this.random = new SplittableRandom(seed);
    }

    /** @param seed at least 0 */
    public static Script script(long seed) {
        ScriptGenerator generator = new ScriptGenerator(seed);
        for (int i = 0; i < STEPS; i++) {
            if (setsTheClock(seed) && generator.oneIn(6)) {
                generator.step(Action.CLOCK, Map.of(Value.DIRECTION, generator.random.nextInt(2)));
            }
            generator.next();
        }
        return new Script(seed, Script.Outside.USUAL, generator.steps);
    }

    /** Whether the date is set in the script of a seed. */
    static boolean setsTheClock(long seed) {
        return seed % CLOCKS_EVERY == 0;
    }

    private void next() {
        switch (random.nextInt(34)) {
            case 0, 1, 2, 3, 4, 5, 6 -> add();
            case 7, 8, 9, 10 -> del();
            case 11 -> step(Action.VANISH, drawn(Value.POD));
            case 12 -> step(Action.COLLECT, drawn(Value.DRY));
            case 13 -> step(Action.CRASH, drawn(Value.TASKS), Map.of(Value.LOST, flag(oneIn(4))));
            case 14 -> step(Action.DISK, fails());
            case 15 -> step(Action.CLOUD, drawn(Value.FACTORY), fails());
            case 16 -> step(Action.API, fails());
            case 17 -> step(Action.SETUP, fails());
            case 18 -> step(Action.TEARDOWN, fails());
            case 19 -> step(Action.SWITCH, drawn(Value.FACTORY));
            case 20 -> policy();
            case 21 -> step(Action.WAIT, drawn(Value.SPAN));
            case 22, 23 -> take();
            case 24 -> step(Action.RETURN, drawn(Value.ADDRESS));
            case 25 -> meddle();
            case 26 -> step(Action.RECONCILE);
            case 27 -> step(Action.LISTS, drawn(Value.FACTORY), drawn(Value.LISTING), drawn(Value.DELAY));
            case 28 -> step(Action.KERNEL, fails());
            case 29 -> step(Action.NAMES, fails());
            case 30 -> step(Action.NAMES);
            case 31 -> step(Action.CONFIGURE, drawn(Value.MIN), drawn(Value.ABOVE), drawn(Value.CAPACITY));
            default -> step(Action.WATCH);
        }
    }

    private void add() {
        boolean created = !oneIn(4);
        containers.add(added);
        step(
                Action.ADD,
                Map.of(Value.CONTAINER, added++),
                drawn(Value.POD),
                Map.of(
                        Value.CREATED,
                        flag(created),
                        Value.STICKY,
                        flag(created && oneIn(3)),
                        Value.TWICE,
                        flag(oneIn(5))),
                drawn(Value.UID));
    }

    private void del() {
        if (containers.isEmpty()) {
            step(Action.WATCH);
        } else {
            step(Action.DEL, Map.of(Value.CONTAINER, containers.remove(random.nextInt(containers.size()))));
        }
    }

    private void policy() {
        boolean other = random.nextBoolean();
        step(Action.POLICY, Map.of(Value.POLICY, flag(other)), other ? drawn(Value.SEED) : Map.of(), drawn(Value.LATE));
    }

    private void take() {
        step(Action.TAKE, drawn(Value.ROLE), oneIn(6) ? Map.of(Value.ALL, 1) : drawn(Value.ADDRESS));
    }

    private void meddle() {
        if (random.nextBoolean()) {
            step(Action.APPEAR, drawn(Value.ROLE));
        } else {
            step(Action.MOVE, drawn(Value.ROLE), drawn(Value.ADDRESS));
        }
    }

    @SafeVarargs
    private void step(Action action, Map<Value, Integer>... values) {
        Map<Value, Integer> all = new EnumMap<>(Value.class);
        for (Map<Value, Integer> some : values) {
            all.putAll(some);
        }
        if (action != Action.CLOCK) {
            all.putAll(drawn(Value.THEN));
        }
        steps.add(new Step(steps.size() + 1, action, all));
    }

    private Map<Value, Integer> drawn(Value value) {
        return Map.of(value, random.nextInt(value.least(), value.most() + 1));
    }

    private Map<Value, Integer> fails() {
        return Map.of(Value.STATE, flag(oneIn(3)));
    }

    private boolean oneIn(int many) {
        return random.nextInt(many) == 0;
    }

    private static int flag(boolean set) {
        return set ? 1 : 0;
    }
}
