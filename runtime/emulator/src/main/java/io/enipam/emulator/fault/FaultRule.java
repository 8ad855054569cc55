package io.enipam.emulator.fault;

import io.enipam.emulator.fault.Effect.Stick;
import io.enipam.emulator.fault.Effect.Throttle;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;

/**
 * One thing that goes wrong: which calls it sees, at which of them it acts, how often at most, and what it does.
 * Written as one sentence: {@code FaultRule.on("AssignPrivateIpAddresses").percent(10).does(new DropAnswer())}.
 * Immutable.
 *
 * @param api an action's name, {@code *} for all actions, {@code metadata} for the metadata service, or {@code
 *     metadata/PATH} for its paths that begin so, below {@code latest/meta-data/} or {@code latest/}
 * @param eni only calls whose parameter NetworkInterfaceId is this; empty: all calls
 * @param atMost how often in all; empty: without end
 */
public record FaultRule(String api, Optional<String> eni, FaultTrigger when, OptionalLong atMost, Effect effect) {
    /** Every action of the API, but not the metadata service. */
    public static final String ANY = "*";

    /** The calls that put an ENI in a passing status; a rule that makes ENIs stick sees no other. */
    private static final Set<String> BEGINNING =
            Set.of("AttachNetworkInterface", "DetachNetworkInterface", "DeleteNetworkInterface");

    public static final String METADATA = "metadata";

    public FaultRule {
        if (atMost.isPresent() && atMost.getAsLong() < 1) {
            throw new IllegalArgumentException("a rule must act at least once, not " + atMost.getAsLong() + " times");
        }
        if (effect instanceof Stick && !api.equals(ANY) && !BEGINNING.contains(api) && !ofMetadata(api)) {
            throw new IllegalArgumentException(
                    "ENIs stick at " + String.join(", ", new TreeSet<>(BEGINNING)) + ", not at " + api);
        }
        if (ofMetadata(api)) {
            if (effect instanceof Stick || effect instanceof Throttle) {
                throw new IllegalArgumentException("the metadata service can neither stick nor throttle");
            }
            if (eni.isPresent()) {
                throw new IllegalArgumentException("a request to the metadata service names no ENI");
            }
        }
    }

    /** Begins a rule on an action, or on all with {@link #ANY}. */
    public static Builder on(String api) {
        return new Builder(api, Optional.empty(), new FaultTrigger(TriggerKind.ALWAYS, 1), OptionalLong.empty());
    }

    /** Whether a name means the metadata service or a part of it. */
    static boolean ofMetadata(String api) {
        return api.equals(METADATA) || api.startsWith(METADATA + "/");
    }

    /** Whether it sees a call of an action or of {@code metadata/PATH}. */
    boolean sees(String called, Optional<String> calledEni) {
        boolean sameApi =
                ofMetadata(called) ? ofMetadata(api) && called.startsWith(api) : api.equals(ANY) || api.equals(called);
        boolean fit = !(effect instanceof Stick) || BEGINNING.contains(called);
        return sameApi && fit && (eni.isEmpty() || eni.equals(calledEni));
    }

    /** A rule without its effect. Each method returns another builder, or the rule. By default it acts at each call. */
    public record Builder(String api, Optional<String> eni, FaultTrigger when, OptionalLong atMost) {
        /** At the n-th call alone, from 1. */
        public Builder nth(long n) {
            return when(TriggerKind.NTH, n);
        }

        /** At the n-th call, the 2n-th and so on. */
        public Builder every(long n) {
            return when(TriggerKind.EVERY, n);
        }

        /** At each call with that probability, more than 0 and at most 100 percent. */
        public Builder percent(double percent) {
            return when(TriggerKind.PERCENT, percent);
        }

        /** At the calls that this says; see {@link FaultTrigger}. */
        public Builder when(TriggerKind kind, double number) {
            return new Builder(api, eni, new FaultTrigger(kind, number), atMost);
        }

        public Builder atMost(long times) {
            return new Builder(api, eni, when, OptionalLong.of(times));
        }

        /** Only at calls whose NetworkInterfaceId is that. */
        public Builder eni(String id) {
            return new Builder(api, Optional.of(id), when, atMost);
        }

        /** Refuses, before the work is done, with a code that the cloud is known to use. */
        public FaultRule fail(String code) {
            return does(Effect.Fail.known(code, false)
                    .orElseThrow(() -> new IllegalArgumentException("the error code " + code + " is not known")));
        }

        public FaultRule does(Effect effect) {
            return new FaultRule(api, eni, when, atMost, effect);
        }
    }

    /** How a rule chooses among the calls that it sees. */
    public enum TriggerKind {
        ALWAYS,
        NTH,
        EVERY,
        PERCENT
    }

    /**
     * At which of the calls that a rule sees it acts. The number, from 1, is which call or every how many; or a
     * percentage, more than 0 and 100 at most.
     */
    public record FaultTrigger(TriggerKind kind, double number) {
        public FaultTrigger {
            if (kind == TriggerKind.PERCENT && !(number > 0 && number <= 100)) {
                throw new IllegalArgumentException(
                        "a probability must be more than 0 and at most 100 percent, not " + number);
            }
            if (kind != TriggerKind.PERCENT && number < 1) {
                throw new IllegalArgumentException("calls are counted from 1, not from " + (long) number);
            }
        }

        /**
         * Whether a call, by its number from 1, is one. The random numbers are of that number alone, so that neither
         * other rules nor other calls change what is drawn.
         */
        boolean matches(long call, SplittableRandom random) {
            return switch (kind) {
                case ALWAYS -> true;
                case NTH -> call == number;
                case EVERY -> call % number == 0;
                case PERCENT -> random.nextDouble() * 100 < number;
            };
        }
    }
}
