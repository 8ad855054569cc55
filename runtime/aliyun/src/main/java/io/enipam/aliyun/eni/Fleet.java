package io.enipam.aliyun.eni;

import io.enipam.aliyun.api.EcsApi;
import io.enipam.aliyun.api.EcsFailure;
import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.model.Event;
import io.enipam.engine.port.CloudJournal;
import io.enipam.engine.port.CloudOperation;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The book of ENIs under one lock, and the way in and out of that lock.
 *
 * <p><b>Turns.</b> All of the factory's state (ENIs, tickets, disposals, vSwitch memory) is touched only inside a turn:
 * {@link #turn} takes the lock, runs one change, lets the placement settle, and releases the lock. A turn never calls the
 * cloud, the scheduler, the event sink or anybody's future. It notes what is to happen ({@link #call}, {@link #later},
 * {@link #answer}, {@link #publish}), and the notes are carried out after the lock is released, by the thread that held it,
 * in order. A cloud call's outcome comes back as another turn.
 *
 * <p><b>What a reader would get wrong.</b> Between the turn that starts a call and the turn that takes its outcome, anything
 * may have happened to the ENI: outcome handlers look at the state again, and {@link Eni#busy} is what keeps a second address
 * call off. A future completed by turn A may complete after one of a later turn B of another thread. The number of ENI
 * operations is counted from the ENIs, never kept beside them, so that it cannot leak.
 *
 * <p><b>Written first.</b> A call that makes, moves or destroys something goes out when the journal of cloud operations has it
 * on disk, and not at all if the disk refuses. No turn waits for that: it is one more step between the turn that starts the
 * call and the turn that takes its outcome.
 */
final class Fleet {
    private static final Logger LOG = LoggerFactory.getLogger(Fleet.class);

    private final ReentrantLock lock = new ReentrantLock();
    private final List<Runnable> notes = new ArrayList<>();
    private final Map<String, Eni> enis = new LinkedHashMap<>();
    private final TimeSource time;
    private final Scheduler scheduler;
    private final EventSink events;
    private final Executor calls;
    private final EcsApi api;
    private final CloudJournal journal;
    private Runnable settle = () -> {};
    private long inhibitedUntilNanos;
    private boolean inhibited;
    private boolean closed;
    private boolean ended;
    private long creates;
    private long operationsNamed;
    private final Map<String, Long> removed = new HashMap<>();

    /** Wishes bound to no ENI yet, next first. */
    final Deque<Ticket> waiting = new ArrayDeque<>();

    final FactorySettings settings;
    final VSwitches vswitches;
    final Slots slots;
    final Minimum minimum = new Minimum(this);

    Fleet(
            FactorySettings settings,
            VSwitches vswitches,
            EcsApi api,
            CloudJournal journal,
            TimeSource time,
            Scheduler scheduler,
            EventSink events,
            Executor calls,
            Slots slots) {
        this.settings = settings;
        this.vswitches = vswitches;
        this.api = api;
        this.journal = journal;
        this.time = time;
        this.scheduler = scheduler;
        this.events = events;
        this.calls = calls;
        this.slots = slots;
    }

    /** What runs at the end of every turn. Set once, before the first turn. */
    void onSettle(Runnable placement) {
        settle = placement;
    }

    /** Runs a change under the lock, then what it noted outside of it. */
    <T> T turn(Supplier<T> change) {
        List<Runnable> todo;
        T result;
        lock.lock();
        try {
            result = change.get();
            tellSlots();
            settle.run();
            tellSlots();
        } finally {
            todo = List.copyOf(notes);
            notes.clear();
            lock.unlock();
        }
        todo.forEach(Fleet::carryOut);
        return result;
    }

    /** A fleet that ended speaks no more: another one of the same use may have taken its place. */
    private void tellSlots() {
        if (!ended) {
            slots.has(settings.use(), enis.keySet());
        }
    }

    /** One note that fails costs nobody the others: a look that is never planned would leave an ENI on its way for ever. */
    private static void carryOut(Runnable note) {
        try {
            note.run();
        } catch (RuntimeException e) {
            LOG.error("a note of the book of ENIs could not be carried out; this is a bug of enipam", e);
        }
    }

    /** Reads under the lock; nothing settles, nothing is noted. */
    <T> T read(Supplier<T> look) {
        lock.lock();
        try {
            return look.get();
        } finally {
            lock.unlock();
        }
    }

    private void outcome(Runnable change) {
        try {
            turn(() -> {
                change.run();
                return true;
            });
        } catch (RuntimeException e) {
            LOG.error("the book of ENIs met a case it does not know; the next reconcile reads the cloud again", e);
        }
    }

    // ---- notes: called inside a turn, carried out after it

    /** Calls the cloud on the factory's threads; the outcome is handled in a turn of its own. */
    <T> void call(Function<EcsApi, T> action, Consumer<T> done, Consumer<EcsFailure> failed) {
        notes.add(() -> onCalls(failed, () -> callNow(action, done, failed)));
    }

    /**
     * The same for an operation that is written down first, and is over when the cloud has said yes or no. If the answer is
     * lost, it stays open until the handler has found out.
     */
    <T> void call(
            CloudJournal.Entry operation, Function<EcsApi, T> action, Consumer<T> done, Consumer<EcsFailure> failed) {
        callLasting(operation, cloud -> ended(operation, action, cloud), done, failed);
    }

    /** The same for an operation that the cloud's answer only begins: it stays open until the handlers say it is over. */
    <T> void callLasting(
            CloudJournal.Entry operation, Function<EcsApi, T> action, Consumer<T> done, Consumer<EcsFailure> failed) {
        notes.add(() -> onCalls(failed, () -> written(operation, failed, () -> callNow(action, done, failed))));
    }

    private void onCalls(Consumer<EcsFailure> failed, Runnable work) {
        try {
            calls.execute(work);
        } catch (RejectedExecutionException e) {
            EcsFailure closing = new EcsFailure("Close", "SDK.Closed", 0, "", "the factory is closing");
            outcome(() -> failed.accept(closing));
        }
    }

    /** Ends it before the outcome's turn: what that turn begins on the same ENI must come after the end in the journal. */
    private <T> T ended(CloudJournal.Entry operation, Function<EcsApi, T> action, EcsApi cloud) {
        try {
            T answer = action.apply(cloud);
            journal.end(operation.id());
            return answer;
        } catch (EcsFailure e) {
            if (!e.outcomeUnknown()) {
                journal.end(operation.id());
            }
            throw e;
        }
    }

    private void written(CloudJournal.Entry operation, Consumer<EcsFailure> failed, Runnable then) {
        CompletableFuture<Void> durable =
                Stages.call(() -> journal.begin(operation)).toCompletableFuture();
        if (durable.isDone() && !durable.isCompletedExceptionally()) {
            then.run();
            return;
        }
        // The database's thread is not ours to work on.
        durable.whenComplete((done, refusal) -> onCalls(
                failed,
                refusal == null
                        ? then
                        : () -> outcome(() -> failed.accept(Unwritten.failure(operation, Stages.cause(refusal))))));
    }

    private <T> void callNow(Function<EcsApi, T> action, Consumer<T> done, Consumer<EcsFailure> failed) {
        T answer;
        try {
            answer = action.apply(api);
        } catch (EcsFailure e) {
            outcome(() -> failed.accept(e));
            return;
        } catch (RuntimeException e) {
            LOG.error("a call of the cloud ended in a way the client does not know", e);
            EcsFailure bug =
                    new EcsFailure("Call", "SDK.Unknown", 0, "", e.getClass().getSimpleName());
            outcome(() -> failed.accept(bug));
            return;
        }
        outcome(() -> done.accept(answer));
    }

    /** Names an operation that is to be written down. */
    CloudJournal.Entry operation(CloudOperation operation) {
        return CloudJournal.Entry.of(operation, time.now(), ++operationsNamed);
    }

    /** Has the journal forget an operation: its outcome is known. */
    void over(CloudJournal.Entry operation) {
        notes.add(() -> journal.end(operation.id()));
    }

    /** Has the journal forget all that is open about an ENI: what it did is known, or does not matter any more. */
    void over(Eni eni) {
        eni.openOperations.forEach(this::over);
        eni.openOperations.clear();
    }

    /** What an earlier run left open. Reads memory. */
    List<CloudJournal.Entry> openOperations() {
        return journal.open();
    }

    /** Runs a change in a turn of its own, after a delay. */
    void later(Duration delay, Runnable change) {
        if (!ended) {
            notes.add(() -> scheduler.after(delay, () -> outcome(change)));
        }
    }

    /** Arms the deadline of a ticket. */
    void arm(Ticket ticket, Duration delay, Runnable expired) {
        notes.add(() -> {
            Scheduler.Cancellable timer = scheduler.after(delay, () -> outcome(expired));
            if (read(ticket::answered)) {
                timer.cancel();
            } else {
                read(() -> {
                    ticket.timer(timer);
                    return true;
                });
            }
        });
    }

    /** Answers a ticket once; later answers are dropped. */
    void answer(Ticket ticket, CreateResult result) {
        if (ticket.claim()) {
            notes.add(() -> ticket.result().complete(result));
        }
    }

    /** Answers a disposal. */
    void answer(Disposal disposal, DisposeResult result) {
        notes.add(() -> disposal.result().complete(result));
    }

    /** Has the placement settle once more, in a turn of its own. */
    void again() {
        notes.add(() -> outcome(() -> {}));
    }

    /** Runs something after the turn. */
    void afterwards(Runnable note) {
        notes.add(note);
    }

    void publish(Event.Severity severity, String type, String subject, String message, Map<String, String> attributes) {
        notes.add(() -> events.publish(severity, type, subject, message, attributes));
    }

    // ---- the book

    Collection<Eni> enis() {
        return enis.values();
    }

    Optional<Eni> eni(String id) {
        return Optional.ofNullable(enis.get(id));
    }

    void add(Eni eni) {
        enis.put(eni.id(), eni);
    }

    /** Takes an ENI out of the book: the cloud has it no more. What waited for it waits in front of the queue. */
    void remove(Eni eni) {
        enis.remove(eni.id());
        removed.values().removeIf(then -> nanos() - then >= Pace.REMEMBERED.toNanos());
        removed.put(eni.id(), nanos());
        eni.journey.arrive();
        eni.version++;
        requeue(eni);
        List<Disposal> gone = new ArrayList<>(eni.disposals);
        gone.addAll(eni.unassigning);
        eni.retirement.ifPresent(gone::add);
        eni.disposals.clear();
        eni.unassigning.clear();
        eni.retirement = Optional.empty();
        gone.forEach(disposal -> answer(disposal, new Disposed(disposal.id())));
    }

    /**
     * Whether an ENI left the book so lately that a list may still show it.
     *
     * @param asked when the list was asked for
     */
    boolean wasRemovedLately(String id, long asked) {
        Long then = removed.get(id);
        return then != null && asked - then < Pace.SETTLED.toNanos();
    }

    /** Takes an ENI out of the book that the cloud has lost behind our back. */
    void lose(Eni eni, String why) {
        remove(eni);
        over(eni);
        publish(
                Event.Severity.ERROR,
                "EniLost",
                eni.id(),
                "ENI " + eni.id() + ": " + why,
                Map.of("vswitch", eni.vswitch(), "mac", eni.mac(), "primaryIp", eni.primaryIp()));
    }

    /** Makes no more ENIs in a vSwitch that the cloud says cannot serve this node, and says so once. */
    void dismiss(String vswitch, EcsFailure failure) {
        if (!vswitches.dismiss(vswitch)) {
            return;
        }
        List<String> left = vswitches.preferred();
        publish(
                left.isEmpty() ? Event.Severity.ERROR : Event.Severity.WARNING,
                "VSwitchUnusable",
                vswitch,
                "vSwitch " + vswitch + " is used no more: " + failure.getMessage() + "; take it out of 'vswitches'; "
                        + (left.isEmpty() ? "no other is left" : "ENIs are made in " + String.join(", ", left)),
                Map.of("code", failure.code(), "requestId", failure.requestId()));
    }

    /** Unbinds the wishes of an ENI: they are next in the queue, in their order. */
    void requeue(Eni eni) {
        while (!eni.backlog.isEmpty()) {
            waiting.addFirst(eni.backlog.removeLast());
        }
    }

    /** Fills the backlog of an ENI from the queue, so that its next call is a full one. */
    void topUp(Eni eni) {
        while (!waiting.isEmpty() && eni.backlog.size() < Eni.BACKLOG && room(eni) > 0) {
            eni.backlog.add(waiting.removeFirst());
        }
    }

    /** Fails the wishes bound to an ENI. */
    void failBacklog(Eni eni, Failed failure) {
        eni.backlog.forEach(ticket -> answer(ticket, failure));
        eni.backlog.clear();
    }

    /** ENI operations under way: creates, attaches, detaches, deletes. */
    int operations() {
        return (int) enis.values().stream().filter(eni -> eni.journey.counted).count();
    }

    /** Counts one more create, and gives its number. */
    long nextCreate() {
        return ++creates;
    }

    /** How many creates there were. */
    long creates() {
        return creates;
    }

    int room(Eni eni) {
        return eni.room(settings.ipv4PerEni(), vswitches.batch(eni.vswitch()) > 0);
    }

    // ---- creates that must not be tried for a while

    void inhibit(Duration duration) {
        inhibited = true;
        inhibitedUntilNanos = time.nanoTime() + duration.toNanos();
    }

    Duration inhibition() {
        long left = inhibited ? inhibitedUntilNanos - time.nanoTime() : 0;
        inhibited = left > 0;
        return Duration.ofNanos(Math.max(0, left));
    }

    Instant now() {
        return time.now();
    }

    long nanos() {
        return time.nanoTime();
    }

    /** No more timers, and every wish and disposal is answered. */
    void close() {
        leave();
        ended = true;
    }

    /** Every wish and disposal is answered, and no more are taken; ENIs on their way are followed on. */
    void leave() {
        closed = true;
        Failed closing = Failed.of(ErrorKind.UNAVAILABLE, "the factory is closing");
        waiting.forEach(ticket -> answer(ticket, closing));
        waiting.clear();
        for (Eni eni : enis.values()) {
            failBacklog(eni, closing);
            eni.assigning.forEach(ticket -> answer(ticket, closing));
            eni.disposals.forEach(disposal -> answer(disposal, closing));
            eni.unassigning.forEach(disposal -> answer(disposal, closing));
            eni.retirement.ifPresent(disposal -> answer(disposal, closing));
        }
    }

    boolean closed() {
        return closed;
    }

    /** Whether it serves no more, but has ENIs to see off. */
    boolean seesOff() {
        return closed && !ended;
    }
}
