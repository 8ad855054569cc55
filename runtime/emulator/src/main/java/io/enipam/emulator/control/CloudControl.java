package io.enipam.emulator.control;

import static io.enipam.emulator.control.CloudControl.ControlException.Kind.CONFLICT;
import static io.enipam.emulator.control.CloudControl.ControlException.Kind.NOT_FOUND;

import io.enipam.emulator.api.Account;
import io.enipam.emulator.cloud.CloudSnapshot;
import io.enipam.emulator.cloud.CloudState;
import io.enipam.emulator.cloud.CloudStateStore;
import io.enipam.emulator.cloud.EmulatedEni;
import io.enipam.emulator.cloud.EmulatedEni.EniKind;
import io.enipam.emulator.cloud.EniStatus;
import io.enipam.emulator.cloud.Latency;
import io.enipam.emulator.cloud.Latency.LatencySampler;
import io.enipam.emulator.fault.Effect.Stick;
import io.enipam.emulator.fault.FaultInjection;
import io.enipam.emulator.fault.FaultInjection.SkewedClock;
import io.enipam.emulator.fault.FaultPlan;
import io.enipam.emulator.fault.FaultRule;
import io.enipam.emulator.fault.ThrottleLimits;
import io.enipam.emulator.http.CallCounts;
import io.enipam.emulator.http.CallCounts.ActionCallStats;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.BiFunction;

/**
 * Controls a running cloud in ways that its API does not offer. Each method works at once; calls under way may or may not see the
 * change. Thread-safe.
 */
public final class CloudControl {
    public static final class ControlException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        public enum Kind {
            /** What it names is not there. */
            NOT_FOUND,
            /** What it names is not in a state for it. */
            CONFLICT
        }

        private final Kind kind;

        ControlException(Kind kind, String message) {
            super(message);
            this.kind = kind;
        }

        public Kind kind() {
            return kind;
        }
    }

    private final CloudStateStore cloud;
    private final FaultInjection faults;
    private final LatencySampler latency;
    private final Latency configuredLatency;
    private final ThrottleLimits configuredLimits;
    private final Account account;
    private final SkewedClock clock;
    private final CallCounts counts;

    /** Controls the cloud that has these parts; {@code configuredLatency} is the latency after a reset. */
    public CloudControl(
            CloudStateStore cloud,
            FaultInjection faults,
            LatencySampler latency,
            Latency configuredLatency,
            Account account,
            SkewedClock clock,
            CallCounts counts) {
        this.cloud = cloud;
        this.faults = faults;
        this.latency = latency;
        this.configuredLatency = configuredLatency;
        this.configuredLimits = faults.windows().limits();
        this.account = account;
        this.clock = clock;
        this.counts = counts;
    }

    public FaultPlan faults() {
        return faults.plan();
    }

    public Latency latency() {
        return latency.latency();
    }

    /**
     * Changes the latency; what is under way ends as it would have. Throws IllegalArgumentException if it names an
     * action that there is not.
     */
    public void latency(Latency next) {
        requireActions(next.ranges().keySet());
        latency.change(next);
    }

    public ThrottleLimits throttle() {
        return faults.windows().limits();
    }

    /**
     * Puts other limits in force; calls of this minute stay counted. Throws IllegalArgumentException if they name an
     * action that there is not.
     */
    public void throttle(ThrottleLimits limits) {
        requireActions(limits.perMinute().keySet());
        faults.windows().limit(limits);
    }

    /**
     * Removes all faults: no rules, latency and limits as configured, closed windows open, the clock right, the access key valid,
     * no ENI stuck. What the faults did stays: detached ENIs, addresses taken, role credentials ended.
     */
    public void reset() {
        faults.plan().clear();
        faults.windows().limit(configuredLimits);
        faults.windows().reopen();
        latency.change(configuredLatency);
        clock.skew(Duration.ZERO);
        account.restore();
        cloud.change((state, now) -> {
            CloudState free = state;
            for (EmulatedEni eni : stuck(state)) {
                free = free.changed(eni.resumed(now));
            }
            return new Step(free);
        });
        faults.sticky().forget();
    }

    /**
     * Takes a secondary ENI off its instance at once, as an operator could in the console. Throws ControlException
     * NOT_FOUND if there is no such ENI; CONFLICT if it is primary, on no instance, or a trunk with members.
     */
    public void detachEni(String id) {
        if (cloud.now().enis().values().stream()
                .anyMatch(eni -> eni.attachment().trunkId().filter(id::equals).isPresent())) {
            throw new ControlException(CONFLICT, id + " is a trunk that carries other ENIs; detach them first");
        }
        changeEni(id, (eni, now) -> {
            if (eni.kind() == EniKind.PRIMARY) {
                throw new ControlException(CONFLICT, id + " is a primary ENI, which stays with its instance");
            }
            if (eni.attachment().instanceId().isEmpty()) {
                throw new ControlException(CONFLICT, id + " is on no instance");
            }
            return eni.becoming(EniStatus.AVAILABLE, Optional.empty());
        });
    }

    /**
     * Takes a secondary or an IPv6 address, as the API writes it, off its ENI at once; the vSwitch may give it to
     * another. Returns the ENI that had it. Throws ControlException NOT_FOUND if no ENI has it; CONFLICT if it is the
     * primary one of its ENI.
     */
    public String takeIp(String address) {
        String owner = cloud.now().enis().values().stream()
                .filter(eni ->
                        eni.addresses().contains(address) || eni.ips().ipv6s().contains(address))
                .map(EmulatedEni::id)
                .findFirst()
                .orElseThrow(() -> new ControlException(NOT_FOUND, "no ENI has the address " + address));
        changeEni(owner, (eni, now) -> {
            if (eni.ips().primaryIp().equals(address)) {
                throw new ControlException(
                        CONFLICT, address + " is the primary address of " + owner + ", which it has for life");
            }
            List<String> gone = List.of(address);
            return eni.unassigned(gone, List.of(), gone);
        });
        return owner;
    }

    /**
     * Keeps an ENI in its passing status until it is released; one whose status is a lasting one will stick in the next
     * passing one. Returns the id of the rule that waits for the ENI; empty if it sticks already. Throws
     * ControlException NOT_FOUND if there is no such ENI.
     */
    public OptionalLong stick(String id) {
        boolean atOnce = changeEni(id, (eni, now) -> eni.attachment().status().isSteady() ? eni : eni.stuck())
                .sticks();
        faults.sticky().note(id, false);
        return atOnce
                ? OptionalLong.empty()
                : OptionalLong.of(faults.plan()
                        .add(FaultRule.on(FaultRule.ANY).eni(id).atMost(1).does(new Stick(false))));
    }

    /**
     * Lets an ENI go on, and takes back the rules that would have it stick. Throws ControlException NOT_FOUND if there
     * is no such ENI; CONFLICT if it neither sticks nor is going to.
     */
    public void release(String id) {
        List<Long> waiting = faults.plan().list().stream()
                .filter(entry -> entry.rule().eni().filter(id::equals).isPresent())
                .filter(entry -> entry.rule().effect() instanceof Stick)
                .map(FaultPlan.Entry::id)
                .toList();
        waiting.forEach(faults.plan()::remove);
        changeEni(id, (eni, now) -> {
            if (!eni.sticks() && waiting.isEmpty()) {
                throw new ControlException(
                        CONFLICT, id + " is " + eni.attachment().status().wireName() + " and does not stick");
            }
            return eni.sticks() ? eni.resumed(now) : eni;
        });
    }

    /** The ENIs that stick, in the order of creation. */
    public List<String> stuckEnis() {
        return stuck(cloud.now()).stream().map(EmulatedEni::id).toList();
    }

    /**
     * Ends the time of the role's newest credentials; the metadata service gives out others at once. Returns the access
     * key id that has expired.
     */
    public String expireRole() {
        String newest = account.roleCredentials(clock.instant()).accessKeyId();
        expireKey(newest);
        return newest;
    }

    /**
     * Expires a key: the account's own, or one of the role's. Throws ControlException NOT_FOUND if it is neither, or
     * has expired already.
     */
    public void expireKey(String accessKeyId) {
        if (!account.expire(accessKeyId, clock.instant())) {
            throw new ControlException(NOT_FOUND, "there is no good access key " + accessKeyId);
        }
    }

    /** How far the gateway's and the metadata service's clock is ahead; negative if it is behind. */
    public Duration clockSkew() {
        return clock.skew();
    }

    /** Puts that clock ahead, or behind by a negative duration. How long things take does not change. */
    public void skewClock(Duration ahead) {
        clock.skew(ahead);
    }

    public List<ActionCallStats> calls() {
        return counts.stats();
    }

    public CloudSnapshot snapshot() {
        return CloudSnapshot.of(cloud.now(), counts.calls());
    }

    /** Actions begin with a capital; statuses, the metadata service and the asterisk do not. */
    private void requireActions(Set<String> names) {
        names.stream().filter(name -> Character.isUpperCase(name.charAt(0))).forEach(faults.plan()::requireAction);
    }

    private static List<EmulatedEni> stuck(CloudState state) {
        return state.enis().values().stream().filter(EmulatedEni::sticks).toList();
    }

    private EmulatedEni changeEni(String id, BiFunction<EmulatedEni, Instant, EmulatedEni> change) {
        Step done = cloud.change((state, now) -> {
            EmulatedEni eni = state.eni(id).orElseThrow(() -> new ControlException(NOT_FOUND, "there is no ENI " + id));
            return new Step(state.changed(change.apply(eni, now)));
        });
        return done.state().eni(id).orElseThrow();
    }

    private record Step(CloudState state) implements CloudStateStore.Transition {}
}
