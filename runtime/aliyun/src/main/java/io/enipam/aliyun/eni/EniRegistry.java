package io.enipam.aliyun.eni;

import io.enipam.aliyun.api.EcsException;
import io.enipam.aliyun.eni.AddressRequest.AddressDisposal;
import io.enipam.aliyun.eni.CloudFactory.KnownAddressPairs;
import io.enipam.aliyun.eni.EniAddress.Holder;
import io.enipam.aliyun.eni.EniOperation.Goal;
import io.enipam.aliyun.eni.FactorySettings.LostEniPolicy;
import io.enipam.aliyun.eni.PollSchedule.DescriptionLag;
import io.enipam.engine.model.Event;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.TimeSource;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.DisposeResult;
import io.enipam.sdk.Disposed;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Failed;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The registry of ENIs, touched in {@link StateLock} alone, and what a turn notes besides calls of the cloud
 * ({@link JournaledCalls}).
 *
 * <p><b>What a reader would get wrong.</b> Between the turn that starts a call and the turn that takes its outcome,
 * anything may have happened to the ENI: outcome handlers look at the state again, and {@link Eni#busy} is what keeps a
 * second address call off. A future completed by turn A may complete after one of a later turn B of another thread. The
 * number of ENI operations is counted from the ENIs, never kept beside them, so that it cannot leak.
 */
final class EniRegistry extends StateLock {
    private final Map<String, Eni> enis = new LinkedHashMap<>();
    private final TimeSource time;
    private final Scheduler scheduler;
    private final EventSink events;
    private boolean ended;
    private boolean inhibited;
    private long inhibitedUntilNanos;
    private long freedWhenInhibited;
    private final Map<String, Long> removed = new HashMap<>();

    /** Runs at the end of every turn. Set once, before the first turn. */
    Runnable placement = () -> {};
    /** Whether it takes no more requests. */
    boolean closed;

    long creates;
    /** Requests bound to no ENI yet, next first. */
    final Deque<AddressRequest> waiting = new ArrayDeque<>();

    final FactorySettings settings;
    final VSwitches vswitches;
    final EniSlots slots;
    final JournaledCalls cloud;
    final MinimumEnis minimum = new MinimumEnis(this);
    final AddressPairing pairing = new AddressPairing();
    final KnownAddressPairs known;
    final DescriptionLag lag = new DescriptionLag();
    LostEniPolicy lostEni = LostEniPolicy.REATTACH;

    EniRegistry(FactorySettings settings, VSwitches vswitches, CloudFactory.Context context) {
        this.known = context.known();
        this.settings = settings;
        this.vswitches = vswitches;
        this.time = context.time();
        this.scheduler = context.scheduler();
        this.events = context.events();
        this.slots = context.slots();
        this.cloud = new JournaledCalls(this, context);
        slots.watch(settings.use(), () -> applyOutcome(() -> {}));
    }

    @Override
    void settle() {
        tellSlots();
        placement.run();
        tellSlots();
    }

    /**
     * A fleet that ended publishes nothing: another one of the same use may have taken its place. An ENI off the
     * instance that is not attached again takes no slot.
     */
    private void tellSlots() {
        Set<String> holding = enis.values().stream()
                .filter(EniRegistry::holdsSlot)
                .map(Eni::id)
                .collect(Collectors.toSet());
        if (!ended && slots.setHeld(settings.use(), holding, leavingEnis())) {
            defer(() -> slots.wakeOthers(settings.use()));
        }
    }

    private static boolean holdsSlot(Eni eni) {
        return !eni.is(EniState.LOST) || eni.operation.underWay;
    }

    /** ENIs that hold their slots only until the cloud has deleted them. */
    int leavingEnis() {
        return (int) enis.values().stream()
                .filter(EniRegistry::holdsSlot)
                .filter(eni -> eni.operation.goal() == Goal.ABSENT
                        || eni.retirement.isPresent()
                        || (isDraining() && eni.count(Holder.ENGINE) == 0))
                .count();
    }

    // ---- notes: called inside a turn, carried out after it

    /** Has the journal forget all that is open about an ENI: what it did is known, or does not matter any more. */
    void endOperations(Eni eni) {
        eni.openOperations.forEach(cloud::endOperation);
        eni.openOperations.clear();
    }

    /** Runs a change in a turn of its own, after a delay; false if not, since a fleet that ended does nothing more. */
    boolean schedule(Duration delay, Runnable change) {
        if (!ended) {
            defer(() -> scheduler.after(delay, () -> applyOutcome(change)));
        }
        return !ended;
    }

    void scheduleDeadline(AddressRequest ticket, Duration delay, Runnable expired) {
        defer(() -> {
            Scheduler.Cancellable timer = scheduler.after(delay, () -> applyOutcome(expired));
            boolean late = read(() -> {
                ticket.timer(timer);
                return ticket.answered();
            });
            if (late) {
                timer.cancel();
            }
        });
    }

    /** Answers a ticket once; later answers are dropped. */
    void complete(AddressRequest ticket, CreateResult result) {
        if (ticket.claim()) {
            defer(() -> ticket.result().complete(result));
        }
    }

    void complete(AddressDisposal disposal, DisposeResult result) {
        defer(() -> disposal.result().complete(result));
    }

    void publish(Event.Severity severity, String type, String subject, String message, Map<String, String> attributes) {
        defer(() -> events.publish(severity, type, subject, message, attributes));
    }

    // ---- the registry

    Collection<Eni> enis() {
        return enis.values();
    }

    Optional<Eni> eni(String id) {
        return Optional.ofNullable(enis.get(id));
    }

    void add(Eni eni) {
        enis.put(eni.id(), eni);
    }

    /** The cloud has it no more. What waited for it waits in front of the queue. */
    void remove(Eni eni) {
        enis.remove(eni.id());
        removed.values().removeIf(then -> nanos() - then >= PollSchedule.REMEMBERED.toNanos());
        removed.put(eni.id(), nanos());
        eni.operation.complete();
        eni.version++;
        releasePendingWork(eni);
    }

    /** Ends the work on an ENI that is gone: requests wait in front of the queue, disposals have nothing left to do. */
    void releasePendingWork(Eni eni) {
        requeue(eni);
        List<AddressDisposal> gone = new ArrayList<>(eni.disposals);
        gone.addAll(eni.unassigning);
        eni.retirement.ifPresent(gone::add);
        eni.disposals.clear();
        eni.unassigning.clear();
        eni.retirement = Optional.empty();
        gone.forEach(disposal -> complete(disposal, new Disposed(disposal.id())));
    }

    /** Whether an ENI left the registry so lately that a list that was asked for then may still show it. */
    boolean wasRemovedRecently(String id, long asked) {
        Long then = removed.get(id);
        return then != null && asked - then < lag.settledUnseen().toNanos();
    }

    /** Takes an ENI out of the registry that is off the instance through another actor. */
    void removeLost(Eni eni, String why) {
        remove(eni);
        endOperations(eni);
        publish(Event.Severity.ERROR, "EniLost", eni.id(), "ENI " + eni.id() + ": " + why, eni.attributes());
    }

    /** Makes no more ENIs in a vSwitch that the cloud says cannot serve this node, and says so once. */
    void disableVSwitch(String vswitch, EcsException failure) {
        if (!vswitches.disable(vswitch)) {
            return;
        }
        List<String> left = vswitches.preferred();
        String cure = VSwitches.lacksIpv6(failure) ? "turn on IPv6 for it, or take it" : "take it";
        String others = left.isEmpty() ? "no other is left" : "ENIs are made in " + String.join(", ", left);
        publish(
                left.isEmpty() ? Event.Severity.ERROR : Event.Severity.WARNING,
                "VSwitchUnusable",
                vswitch,
                "vSwitch " + vswitch + " is used no more: " + failure.getMessage() + "; " + cure
                        + " out of 'vswitches'; " + others,
                failure.attributes());
    }

    /** Unbinds the requests of an ENI: they are next in the queue, in their order. */
    void requeue(Eni eni) {
        while (!eni.backlog.isEmpty()) {
            waiting.addFirst(eni.backlog.removeLast());
        }
    }

    /** Fills the backlog of an ENI from the queue, so that its next call is a full one. */
    void fillBacklog(Eni eni) {
        while (!waiting.isEmpty() && eni.backlog.size() < Eni.BACKLOG && capacityLeft(eni) > 0) {
            eni.backlog.add(waiting.removeFirst());
        }
    }

    void failBacklog(Eni eni, Failed failure) {
        eni.backlog.forEach(ticket -> complete(ticket, failure));
        eni.backlog.clear();
    }

    /**
     * The names of what waits for an ENI, for traces: the requests bound to it, what is to leave it, and, while it is
     * on its way here, the requests that are bound to no ENI yet.
     */
    List<String> waitingFor(Eni eni) {
        boolean comes = !eni.is(EniState.IN_USE) && eni.operation.goal() == Goal.ATTACHED;
        Stream<AddressRequest> bound = Stream.concat(eni.assigning.stream(), eni.backlog.stream());
        Stream<String> requests = AddressRequest.names(comes ? Stream.concat(bound, waiting.stream()) : bound).stream();
        Stream<String> leaving = Stream.concat(eni.unassigning.stream(), eni.retirement.stream())
                .map(disposal -> disposal.id().value());
        return Stream.concat(requests, leaving).limit(AddressRequest.MOST_NAMED).toList();
    }

    /** ENI operations under way: creates, attaches, detaches, deletes. */
    int operations() {
        return (int) enis.values().stream().filter(eni -> eni.operation.counted).count();
    }

    /** Until then, or until an ENI that is not of this registry has left the instance: its slot is one more than there was. */
    void inhibitCreates(Duration duration) {
        inhibited = true;
        freedWhenInhibited = slots.freedByOthers(settings.use());
        inhibitedUntilNanos = nanos() + duration.toNanos();
    }

    /** How long no create is tried; zero if any may be. */
    Duration inhibition() {
        boolean holds = inhibited && slots.freedByOthers(settings.use()) == freedWhenInhibited;
        long left = holds ? inhibitedUntilNanos - nanos() : 0;
        inhibited = left > 0;
        return Duration.ofNanos(Math.max(0, left));
    }

    int capacityLeft(Eni eni) {
        return canServe(eni) ? eni.capacityLeft(settings.perEni(), vswitches.batch(eni.vswitch()) > 0) : 0;
    }

    /** Whether the vSwitch of an ENI has what a resource needs: IPv6, where it takes that. */
    boolean canServe(Eni eni) {
        return !settings.dual() || vswitches.hasIpv6(eni.vswitch());
    }

    /** Whether a request waits that this ENI could serve. */
    boolean isWanted(Eni eni) {
        return canServe(eni) && (!waiting.isEmpty() || !eni.backlog.isEmpty());
    }

    /** An ENI that is new to the registry, as the settings have it. */
    Eni eni(String id, String vswitch, EniState state, Goal goal) {
        Eni eni = new Eni(id, vswitch, state, now(), new EniOperation(goal), settings.dual());
        // on one that serves already, pods of an earlier run may have addresses
        eni.understood = !settings.dual() || state != EniState.IN_USE;
        return eni;
    }

    Instant now() {
        return time.now();
    }

    long nanos() {
        return time.nanoTime();
    }

    /** No more timers, and every request and disposal is answered. */
    void close() {
        drain();
        ended = true;
    }

    /** Every request and disposal is answered, and no more are taken; ENIs on their way are followed on. */
    void drain() {
        closed = true;
        Failed closing = Failed.of(ErrorKind.UNAVAILABLE, "the factory is closing");
        waiting.forEach(ticket -> complete(ticket, closing));
        waiting.clear();
        for (Eni eni : enis.values()) {
            failBacklog(eni, closing);
            eni.assigning.forEach(ticket -> complete(ticket, closing));
            eni.disposals.forEach(disposal -> complete(disposal, closing));
            eni.unassigning.forEach(disposal -> complete(disposal, closing));
            eni.retirement.ifPresent(disposal -> complete(disposal, closing));
        }
    }

    /** Whether it serves no more, but has ENIs to see off. */
    boolean isDraining() {
        return closed && !ended;
    }

    /**
     * Terway's {@code min_eni}: so many ENIs stay attached without a pod, so that a pod need not wait for an attach.
     * Guarded by the fleet's lock.
     *
     * <p>An ENI that is there for the minimum's sake alone is {@link Eni#kept}: its primary address is spare, a list leaves
     * it out lest the pool take it for one too many and give it back again, and the next request gets it at once.
     */
    static final class MinimumEnis {
        /** How long after a failure an ENI without a request is tried again. */
        private static final Duration REST = Duration.ofSeconds(30);

        private final EniRegistry fleet;
        private boolean begun;
        private boolean resting;

        MinimumEnis(EniRegistry fleet) {
            this.fleet = fleet;
        }

        /** The cloud has been read: what is in the registry is all there is, and what is missing may be made. */
        void begin() {
            begun = true;
        }

        /** Whether there are fewer than there shall be. */
        boolean isShort() {
            return begun && !fleet.closed && staying() < fleet.settings.limits().minEnis();
        }

        /** Whether one more ENI is to be made now, though no request waits for it. */
        boolean wantsOne() {
            return isShort() && !resting;
        }

        /** Whether an ENI whose last address is given back stays all the same. */
        boolean mustKeep(Eni eni) {
            return eni.serves() && staying() <= fleet.settings.limits().minEnis();
        }

        /** Keeps an attached ENI that no pod needs any more. */
        void keep(Eni eni) {
            eni.addresses().get(eni.primaryIp()).become(Holder.SPARE);
            eni.kept = true;
            eni.version++;
        }

        /** An ENI without a request could not be made: it is tried again after a while. */
        void failed(Duration atLeast) {
            resting = true;
            fleet.schedule(atLeast.compareTo(REST) > 0 ? atLeast : REST, () -> resting = false);
        }

        /** ENIs that are here or coming and shall stay, those of other uses included: the minimum is the node's. */
        private int staying() {
            return (int) fleet.enis().stream().filter(Eni::serves).count()
                    + fleet.slots.heldByOthers(fleet.settings.use());
        }
    }
}
