package io.enipam.emulator.fault;

import io.enipam.emulator.fault.Effect.Delay;
import io.enipam.emulator.fault.Effect.Ending;
import io.enipam.emulator.fault.Effect.Stick;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;

/**
 * The rules in force, which each call is held against. Thread-safe.
 *
 * <p>A call meets the rules in the order in which they were added. Delays add up. The first rule that decides how the call
 * ends is the last one that sees it: a rule behind it neither counts the call nor acts.
 *
 * <p>Whether a rule acts at its n-th call depends on the emulator's seed, on how many rules were added before it since the
 * start, and on n: on nothing else. Two runs of one program with one seed and one order of calls go wrong in the same way;
 * where callers race, the n-th call may be another caller's, but it ends in the same way.
 */
public final class FaultPlan {
    /** A rule in force, how many calls it saw, and at how many of them it acted. Ids begin with 1. */
    public record Entry(long id, FaultRule rule, long seen, long applied) {}

    /**
     * What the plan has for one call.
     *
     * @param ending how it ends instead; empty: as it would
     * @param stick whether its ENI sticks
     * @param draw a random number for whatever the ending has to choose
     * @param rules the ids of the rules that act, in order; empty if none does
     */
    public record FaultDecision(
            Duration delay, Optional<Ending> ending, Optional<Stick> stick, long draw, List<Long> rules) {
        public static final FaultDecision NONE =
                new FaultDecision(Duration.ZERO, Optional.empty(), Optional.empty(), 0, List.of());

        public boolean hasEffect() {
            return !rules.isEmpty();
        }
    }

    private final long seed;
    private final Set<String> apis;
    private final Map<Long, Entry> entries = new LinkedHashMap<>();
    private long added;

    /** An empty plan; {@code apis} are the actions there are. */
    public FaultPlan(long seed, Set<String> apis) {
        this.seed = seed;
        this.apis = Set.copyOf(apis);
    }

    /**
     * Puts a rule in force, behind the others. Returns its id. Throws IllegalArgumentException if there is no such
     * action.
     */
    public synchronized long add(FaultRule rule) {
        if (!rule.api().equals(FaultRule.ANY) && !FaultRule.ofMetadata(rule.api())) {
            requireAction(rule.api());
        }
        added++;
        entries.put(added, new Entry(added, rule, 0, 0));
        return added;
    }

    /**
     * Refuses a name that no action has: a rule on it would never act. Throws IllegalArgumentException if there is no
     * such action.
     */
    public void requireAction(String name) {
        if (!apis.contains(name)) {
            throw new IllegalArgumentException("there is no action '" + name + "'; there are " + FaultRule.ANY + ", "
                    + FaultRule.METADATA + ", " + String.join(", ", new TreeSet<>(apis)));
        }
    }

    /** Takes a rule out of force; false if there is none of that id. */
    public synchronized boolean remove(long id) {
        return entries.remove(id) != null;
    }

    /** Takes all rules out of force; what they did stays done. Returns how many there were. */
    public synchronized int clear() {
        int count = entries.size();
        entries.clear();
        return count;
    }

    /** The rules in force, in order. A rule that has acted as often as it may stays in the list, and does nothing. */
    public synchronized List<Entry> list() {
        return List.copyOf(entries.values());
    }

    public synchronized Optional<Entry> find(long id) {
        return Optional.ofNullable(entries.get(id));
    }

    /** The names of all actions, sorted. */
    public List<String> apis() {
        return List.copyOf(new TreeSet<>(apis));
    }

    /** Decides what happens to a call of an action or of {@code metadata/PATH}, and counts the call. */
    public synchronized FaultDecision onCall(String called, Optional<String> eni) {
        if (entries.isEmpty()) {
            return FaultDecision.NONE;
        }
        Duration delay = Duration.ZERO;
        Optional<Stick> stick = Optional.empty();
        List<Long> acting = new ArrayList<>();
        for (Entry entry : List.copyOf(entries.values())) {
            if (!entry.rule().sees(called, eni)) {
                continue;
            }
            long number = entry.seen() + 1;
            SplittableRandom random = random(entry.id(), number);
            boolean acts = mayAct(entry) && entry.rule().when().matches(number, random);
            entries.put(
                    entry.id(),
                    new Entry(entry.id(), entry.rule(), number, acts ? entry.applied() + 1 : entry.applied()));
            if (!acts) {
                continue;
            }
            acting.add(entry.id());
            Effect effect = entry.rule().effect();
            if (effect instanceof Delay longer) {
                delay = delay.plus(longer.by());
            } else if (effect instanceof Stick sticky) {
                stick = Optional.of(sticky);
            } else if (effect instanceof Ending ending) {
                return new FaultDecision(delay, Optional.of(ending), stick, random.nextLong(), acting);
            }
        }
        return new FaultDecision(delay, Optional.empty(), stick, 0, acting);
    }

    private static boolean mayAct(Entry entry) {
        return entry.rule().atMost().isEmpty()
                || entry.applied() < entry.rule().atMost().getAsLong();
    }

    private SplittableRandom random(long rule, long number) {
        long ofRule = new SplittableRandom(seed ^ 0x6661756c74L).nextLong() + rule;
        return new SplittableRandom(new SplittableRandom(ofRule).nextLong() + number);
    }
}
