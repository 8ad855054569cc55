package io.enipam.emulator.fault;

import io.enipam.emulator.fault.Effect.Delay;
import io.enipam.emulator.fault.Effect.DropAnswer;
import io.enipam.emulator.fault.Effect.DropRequest;
import io.enipam.emulator.fault.Effect.Fail;
import io.enipam.emulator.fault.Effect.Stick;
import io.enipam.emulator.fault.Effect.Tear;
import io.enipam.emulator.fault.Effect.Throttle;
import io.enipam.emulator.fault.Effect.TruncationPoint;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;

/**
 * One thing that goes wrong: which calls it sees, at which of them it acts, how often at most, and what it does.
 * Written as one sentence: {@code FaultRule.on("AssignPrivateIpAddresses").percent(10).dropAnswer()}. Immutable.
 *
 * @param api an action's name, {@code *} for all actions, {@code metadata} for the metadata service, or
 *     {@code metadata/PATH} for its paths that begin so, below {@code latest/meta-data/} or {@code latest/}
 * @param eni only calls whose parameter NetworkInterfaceId is this; empty: all calls
 * @param when at which of the calls that it sees
 * @param atMost how often in all; empty: without end
 * @param effect what it does
 */
public record FaultRule(String api, Optional<String> eni, FaultTrigger when, OptionalLong atMost, Effect effect) {
    /** Every action of the API, but not the metadata service. */
    public static final String ANY = "*";

    /** The calls that put an ENI in a passing status; a rule that makes ENIs stick sees no other. */
    private static final Set<String> BEGINNING =
            Set.of("AttachNetworkInterface", "DetachNetworkInterface", "DeleteNetworkInterface");

    /** The metadata service. */
    public static final String METADATA = "metadata";

    /**
     * Checks it.
     *
     * @throws IllegalArgumentException with what is wrong
     */
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
        return new Builder(api, Optional.empty(), new FaultTrigger.Always(), OptionalLong.empty());
    }

    /** Begins a rule on the whole metadata service. */
    public static Builder onMetadata() {
        return on(METADATA);
    }

    /** Begins a rule on the metadata paths that begin so, as in {@code ram/security-credentials/}. */
    public static Builder onMetadata(String path) {
        return on(METADATA + "/" + path);
    }

    /** Whether a name means the metadata service or a part of it. */
    static boolean ofMetadata(String api) {
        return api.equals(METADATA) || api.startsWith(METADATA + "/");
    }

    /**
     * Whether it sees a call.
     *
     * @param called an action's name, or {@code metadata/PATH}
     */
    boolean sees(String called, Optional<String> calledEni) {
        boolean sameApi;
        if (ofMetadata(called)) {
            sameApi = ofMetadata(api) && called.startsWith(api);
        } else {
            sameApi = api.equals(ANY) || api.equals(called);
        }
        boolean fit = !(effect instanceof Stick) || BEGINNING.contains(called);
        return sameApi && fit && (eni.isEmpty() || eni.equals(calledEni));
    }

    /**
     * A rule without its effect. Immutable: each method returns another builder, or the rule. By default it acts at
     * each call.
     */
    public record Builder(String api, Optional<String> eni, FaultTrigger when, OptionalLong atMost) {
        /** At the n-th call alone, from 1. */
        public Builder nth(long n) {
            return new Builder(api, eni, new FaultTrigger.Nth(n), atMost);
        }

        /** At the n-th call, the 2n-th and so on. */
        public Builder every(long n) {
            return new Builder(api, eni, new FaultTrigger.Every(n), atMost);
        }

        /** At each call with that probability, more than 0 and at most 100 percent. */
        public Builder percent(double percent) {
            return new Builder(api, eni, new FaultTrigger.Percent(percent), atMost);
        }

        /** So many times in all. */
        public Builder atMost(long times) {
            return new Builder(api, eni, when, OptionalLong.of(times));
        }

        /** Once in all. */
        public Builder once() {
            return atMost(1);
        }

        /** Only at calls whose NetworkInterfaceId is that. */
        public Builder eni(String id) {
            return new Builder(api, Optional.of(id), when, atMost);
        }

        /**
         * Refuses with a code that the cloud is known to use, with its HTTP status and message.
         *
         * @throws IllegalArgumentException if the code is not known; then status and message have to be given
         */
        public FaultRule fail(String code) {
            return does(known(code, false));
        }

        /** Refuses with any code; the work is not done. */
        public FaultRule fail(int httpStatus, String code, String message) {
            return does(new Fail(httpStatus, code, message, false));
        }

        /** Does the work and says, with a code that is known, that it failed. */
        public FaultRule failAfterWork(String code) {
            return does(known(code, true));
        }

        /** Does the work and says with any code that it failed. */
        public FaultRule failAfterWork(int httpStatus, String code, String message) {
            return does(new Fail(httpStatus, code, message, true));
        }

        /** Lets time pass before the work is done. */
        public FaultRule delay(Duration by) {
            return does(new Delay(by));
        }

        /** Does the work and closes the connection without an answer. */
        public FaultRule dropAnswer() {
            return does(new DropAnswer());
        }

        /** Closes the connection without an answer; nothing is done. */
        public FaultRule dropRequest() {
            return does(new DropRequest());
        }

        /** Does the work and sends the first part of the answer; Content-Length is that of the whole. */
        public FaultRule tear(TruncationPoint at) {
            return does(new Tear(at, true));
        }

        /** Does the work and sends the first part of the answer as if it were all. */
        public FaultRule tearUnnoticed(TruncationPoint at) {
            return does(new Tear(at, false));
        }

        /** Lets the ENI stay in the passing status that the call puts it in, until it is released. */
        public FaultRule stick() {
            return does(new Stick(false));
        }

        /** Lets the ENI stay in the passing status until the call is made once more. */
        public FaultRule stickUntilReissued() {
            return does(new Stick(true));
        }

        /** Refuses this call and all others of the API until the next minute. */
        public FaultRule throttle() {
            return does(new Throttle());
        }

        private static Fail known(String code, boolean afterWork) {
            return Fail.known(code, afterWork)
                    .orElseThrow(() -> new IllegalArgumentException(
                            "the error code " + code + " is not known: say its HTTP status and message too"));
        }

        /** Has that effect. */
        public FaultRule does(Effect effect) {
            return new FaultRule(api, eni, when, atMost, effect);
        }
    }

    /** At which of the calls that a rule sees it does something. Immutable. */
    public interface FaultTrigger {
        /**
         * Whether this call is one.
         *
         * @param number the call's, as the rule counts, from 1
         * @param random of that number alone, so that neither other rules nor other calls change what is drawn
         */
        boolean matches(long number, SplittableRandom random);

        /** Each call. */
        record Always() implements FaultTrigger {
            @Override
            public boolean matches(long number, SplittableRandom random) {
                return true;
            }
        }

        /**
         * One call.
         *
         * @param n which, from 1
         */
        record Nth(long n) implements FaultTrigger {
            public Nth {
                requirePositive(n);
            }

            @Override
            public boolean matches(long number, SplittableRandom random) {
                return number == n;
            }
        }

        /**
         * The n-th call, the 2n-th and so on.
         *
         * @param n from 1
         */
        record Every(long n) implements FaultTrigger {
            public Every {
                requirePositive(n);
            }

            @Override
            public boolean matches(long number, SplittableRandom random) {
                return number % n == 0;
            }
        }

        /**
         * Each call with a probability.
         *
         * @param percent more than 0, 100 at most
         */
        record Percent(double percent) implements FaultTrigger {
            public Percent {
                if (!(percent > 0 && percent <= 100)) {
                    throw new IllegalArgumentException(
                            "a probability must be more than 0 and at most 100 percent, not " + percent);
                }
            }

            @Override
            public boolean matches(long number, SplittableRandom random) {
                return random.nextDouble() * 100 < percent;
            }
        }

        private static void requirePositive(long n) {
            if (n < 1) {
                throw new IllegalArgumentException("calls are counted from 1, not from " + n);
            }
        }
    }
}
