package io.enipam.emulator.fault;

import io.enipam.emulator.api.ActionCall;
import io.enipam.emulator.cloud.CloudState;
import io.enipam.emulator.cloud.EmulatedEni;
import io.enipam.emulator.cloud.EniStatus;
import io.enipam.emulator.fault.Effect.Stick;
import io.enipam.emulator.fault.ThrottleLimits.ThrottleWindows;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The faults that the gateway applies to each call: the rules, the ENIs that stick, and the flow control. */
public record FaultInjection(FaultPlan plan, StickyEnis sticky, ThrottleWindows windows) {
    /**
     * ENIs that stick in a passing status. That an ENI is stuck is in the cloud's state, and outlives a restart with it; which
     * of them a second call sets free is known here alone, and a restart forgets it: they then wait for an operator to release them.
     * Thread-safe.
     */
    public static final class StickyEnis {
        /** By status, the call that leads to it and may be made again. */
        private static final Map<EniStatus, String> REISSUED = Map.of(
                EniStatus.DETACHING, "DetachNetworkInterface",
                EniStatus.DELETING, "DeleteNetworkInterface");

        private final Set<String> freedByReissue = ConcurrentHashMap.newKeySet();

        /**
         * The state after a call on an ENI.
         *
         * @param stick whether the ENI is to stick
         * @param after the state it made
         */
        public CloudState settle(String action, ActionCall call, Optional<Stick> stick, CloudState after) {
            Optional<EmulatedEni> eni = call.params()
                    .get("NetworkInterfaceId")
                    .flatMap(after::eni)
                    .filter(touched -> !touched.attachment().status().isSteady());
            if (eni.isEmpty()) {
                return after;
            }
            String id = eni.get().id();
            boolean began = call.state()
                    .eni(id)
                    .filter(old ->
                            old.attachment().status() == eni.get().attachment().status())
                    .isEmpty();
            if (began && stick.isPresent()) {
                note(id, stick.get().untilReissued());
                return after.changed(eni.get().stuck());
            }
            boolean again = action.equals(REISSUED.get(eni.get().attachment().status())) && stick.isEmpty();
            // an id that stays in the set does no harm: its ENI is not stuck any more, and if it sticks again it is
            // noted
            // anew
            if (!began && again && eni.get().sticks() && freedByReissue.contains(id)) {
                return after.changed(
                        eni.get().resumed(call.endOf(eni.get().attachment().status())));
            }
            return after;
        }

        /** Notes of an ENI that is made to stick whether a second call sets it free. */
        public void note(String eni, boolean untilReissued) {
            if (untilReissued) {
                freedByReissue.add(eni);
            } else {
                freedByReissue.remove(eni);
            }
        }

        /** No ENI waits for a second call any more. */
        public void forget() {
            freedByReissue.clear();
        }
    }

    /**
     * The time as the gateway and the metadata service have it: right, or wrong on purpose. What the cloud itself does (how
     * long an attach takes, when a minute begins) uses the right time. Thread-safe.
     */
    public static final class SkewedClock implements InstantSource {
        private final InstantSource trueInstant;
        private volatile Duration skew = Duration.ZERO;

        public SkewedClock(InstantSource right) {
            this.trueInstant = right;
        }

        @Override
        public Instant instant() {
            return trueInstant.instant().plus(skew);
        }

        public Instant trueInstant() {
            return trueInstant.instant();
        }

        /** How far it is ahead; negative if it is behind. */
        public Duration skew() {
            return skew;
        }

        public void skew(Duration ahead) {
            skew = ahead;
        }
    }
}
