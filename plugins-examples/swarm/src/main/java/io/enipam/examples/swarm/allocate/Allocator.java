package io.enipam.examples.swarm.allocate;

import io.enipam.examples.swarm.model.Task;
import io.enipam.examples.swarm.model.Task.State;
import io.enipam.examples.swarm.networks.NetworkAllocator;
import io.enipam.examples.swarm.pools.Turns;
import io.enipam.examples.swarm.state.Keys;
import io.enipam.examples.swarm.state.Tables;
import io.enipam.sdk.Controller;
import io.enipam.sdk.Coordinator;
import io.enipam.sdk.Effect;
import io.enipam.sdk.EffectResult;
import io.enipam.sdk.Journal;
import io.enipam.sdk.Next;
import io.enipam.sdk.Row;
import io.enipam.sdk.Source;
import io.enipam.sdk.Tally;
import io.enipam.sdk.Transaction;
import io.enipam.sdk.Vote;
import java.time.Clock;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The event loop of swarmkit's allocator as a controller: its keys are the objects of the swarm, reported by the tables, but for tasks,
 * which have one; and the host has queue, back-off and leadership. Thread-safe: one transaction at a time, under {@code this}.
 *
 * <p><b>Memory and tables.</b> Which addresses, ports and VNIs are taken is in memory, for speed; the tables are the truth. A transaction
 * that allocates changes the memory first and writes the rows and a new cursor; whether it was committed, the next one sees by the cursor
 * that it finds. If it is not the memory's, the memory is dropped and read anew, in a transaction that writes nothing and so cannot
 * conflict. By that one rule nothing survives in memory that was not committed: after a commit that failed, a conflict with a user's
 * change, an exception, a crash, and a time in which another one led. While a transaction runs, the field is empty, so that one which
 * throws leaves none.
 *
 * <p><b>Order.</b> After memory was read, what is not allocated is tried in the order networks, nodes, services, tasks. After that
 * objects are brought up to date as they are told. What cannot be allocated waits, with the reason, until something was given back or the
 * interval is over ({@code swarmkit}'s rule): a network that comes late does not wake the tasks that wait for it. Tasks that are told
 * together have their addresses before their nodes have: swarmkit assigns tasks to nodes when they have addresses.
 *
 * <p><b>Batches.</b> All tasks have one key, and a transaction deals with some of those that were told. What it took is not told again if
 * it is not committed: then the memory is read anew, and all is tried.
 */
public class Allocator implements Controller, Coordinator {
    private static final Duration AT_ONCE = Duration.ofMillis(1);
    private static final int MOST_READS = 1_000;
    private static final String PENDING = "pending task scheduling";

    /** The key of all tasks that were told. */
    private static final String TASKS = "tasks";

    /** The key of what waits and is to be tried again. */
    private static final String RETRY = "retry";

    private final Journal journal;
    private final Clock clock;
    private final Supplier<Duration> retryInterval;
    private final Function<Turns, NetworkAllocator> networks;
    private final String writer;
    private final Set<String> toldTasks = new LinkedHashSet<>(); // by itself
    private final RetrySource retries = new RetrySource();
    private Optional<Memory> memory = Optional.empty(); // by this
    private volatile Map<String, String> waiting = Map.of();
    private volatile boolean reopened;
    private long transactions; // by this

    /**
     * @param writer distinguishes this allocator's commits from those of any other one, ever
     * @param networks makes an allocator that holds nothing
     */
    public Allocator(
            Journal journal,
            Clock clock,
            Supplier<Duration> retryInterval,
            Function<Turns, NetworkAllocator> networks,
            String writer) {
        this.journal = journal;
        this.clock = clock;
        this.retryInterval = retryInterval;
        this.networks = networks;
        this.writer = writer;
        Tables.open(journal);
        journal.open(Memory.CURSOR);
    }

    /** Tells {@link #RETRY} when something has begun to wait, or was given back; open where this replica leads. */
    private static final class RetrySource implements Source {
        private volatile Optional<Sink> sink = Optional.empty();

        @Override
        public String name() {
            return RETRY;
        }

        @Override
        public AutoCloseable open(Sink opened) {
            sink = Optional.of(opened);
            opened.synced();
            return () -> sink = Optional.empty();
        }

        boolean isOpen() {
            return sink.isPresent();
        }

        void tell() {
            sink.ifPresent(open -> open.changed(RETRY));
        }
    }

    @Override
    public List<Source> watches() {
        return List.of(
                new TableSource(journal, Tables.NETWORKS, this::reopened, Keys.NETWORK::concat),
                new TableSource(journal, Tables.NODES, this::reopened, Keys.NODE::concat),
                new TableSource(journal, Tables.SERVICES, this::reopened, Keys.SERVICE::concat),
                new TableSource(journal, Tables.TASKS, this::reopened, this::told),
                retries);
    }

    /** What was deleted while nothing watched is not told. */
    private void reopened() {
        reopened = true;
        waiting = Map.of();
    }

    private String told(String task) {
        synchronized (toldTasks) {
            toldTasks.add(task);
        }
        return TASKS;
    }

    /** One at a time: the host's other workers would only wait for the memory. */
    @Override
    public Limits limits() {
        Limits usual = Limits.DEFAULT;
        return new Limits(1, usual.queue(), usual.firstPause(), Duration.ofSeconds(30), usual.retries());
    }

    @Override
    public synchronized Next reconcile(String key, Transaction tx) {
        int told = toldSoFar();
        Optional<Memory> kept = memory;
        memory = Optional.empty();
        String cursor = tx.get(Memory.CURSOR, Memory.CURSOR_KEY).map(Row::value).orElse("");
        if (reopened || kept.filter(known -> known.cursor.equals(cursor)).isEmpty()) {
            reopened = false;
            Turns turns = new Turns();
            Memory read = new Memory(turns, networks.apply(turns), cursor, clock.instant());
            read.restore(tx);
            kept.ifPresent(read::turnsOf);
            return through(read, Next.again(AT_ONCE, "what is allocated was read anew"));
        }
        Memory current = kept.get();
        current.turns.begin();
        Pass pass = new Pass(current, tx);
        nodes(current, pass);
        boolean more = key.equals(RETRY) ? retry(current, pass) : bring(key, current, pass, told);
        more |= !current.changedNodes.isEmpty();
        if (pass.changed()) {
            transactions++;
            current.cursor = writer + " " + transactions;
            tx.put(Memory.CURSOR, Memory.CURSOR_KEY, current.cursor);
        }
        return through(current, more ? Next.again(AT_ONCE, "there is more to do") : next(key, current));
    }

    private Next through(Memory current, Next next) {
        memory = Optional.of(current);
        current.toldWaiting().ifPresent(now -> waiting = now);
        if (current.retryChanged()) {
            retries.tell();
        }
        return next;
    }

    /** Returns whether the key has to be asked about once more. */
    private boolean bring(String key, Memory current, Pass pass, int told) {
        if (untried(current, pass)) {
            return true;
        }
        boolean more = false;
        if (key.equals(TASKS)) {
            more = tasks(current, pass, told);
        } else {
            pass.bring(key);
        }
        return untried(current, pass) || more || pass.unfinished();
    }

    private int toldSoFar() {
        synchronized (toldTasks) {
            return toldTasks.size();
        }
    }

    /**
     * Some of the tasks that were told. Returns whether there are others.
     *
     * @param told how many were when the transaction began: it may have those that came later as they were before, and conflict
     */
    private boolean tasks(Memory current, Pass pass, int told) {
        Optional<String> task = nextTask();
        // those that have all and those that lack something are dealt with apart: so a decision that is under way about
        // one of the former is in no conflict with what is allocated
        boolean has = task.filter(current.heldTasks::containsKey).isPresent();
        for (int reads = 0;
                reads < Math.min(told, MOST_READS)
                        && pass.room()
                        && task.isPresent()
                        && current.heldTasks.containsKey(task.get()) == has;
                reads++) {
            synchronized (toldTasks) {
                toldTasks.remove(task.get());
            }
            pass.bring(Keys.TASK + task.get());
            task = nextTask();
        }
        return task.isPresent();
    }

    /** Those whose tasks were changed by transactions before, once no task is left that was told. */
    private void nodes(Memory current, Pass pass) {
        if (!current.untried.isEmpty() || nextTask().isPresent()) {
            return;
        }
        for (String node : List.copyOf(current.changedNodes)) {
            if (pass.room()) {
                current.changedNodes.remove(node);
                pass.bring(Keys.NODE + node);
            }
        }
    }

    private Optional<String> nextTask() {
        synchronized (toldTasks) {
            return toldTasks.stream().findFirst();
        }
    }

    /** The first pass. Returns whether something of it is left. */
    private static boolean untried(Memory current, Pass pass) {
        for (int reads = 0; reads < MOST_READS && pass.room() && !current.untried.isEmpty(); reads++) {
            pass.bring(current.untried.remove());
        }
        return !current.untried.isEmpty();
    }

    /** Tries what waits: networks, nodes and services before tasks. */
    private boolean retry(Memory current, Pass pass) {
        boolean due = current.deallocated || !clock.instant().isBefore(current.lastRetry.plus(retryInterval.get()));
        if (due && current.untried.isEmpty()) {
            current.deallocated = false;
            current.lastRetry = clock.instant();
            for (String kind : List.of(Keys.NETWORK, Keys.NODE, Keys.SERVICE, Keys.TASK)) {
                current.untried.addAll(current.waiting(kind));
            }
        }
        return untried(current, pass);
    }

    private Next next(String key, Memory current) {
        if (!key.equals(RETRY) || !current.anyWaits()) {
            return Next.done();
        }
        if (current.deallocated) {
            return Next.again(AT_ONCE, "something was given back");
        }
        Duration left = Duration.between(clock.instant(), current.lastRetry.plus(retryInterval.get()));
        return Next.again(left.compareTo(AT_ONCE) < 0 ? AT_ONCE : left, "objects wait to be allocated");
    }

    @Override
    public synchronized void decided(Tally tally, Transaction tx) {
        String row = tally.claim().text();
        Optional<Task> task = tx.get(Tables.TASKS, row).map(Row::value);
        if (task.filter(known -> known.status().state() == State.NEW).isEmpty()) {
            return; // it is gone, or further
        }
        Task.Status now = tally.refusal()
                .map(Vote.No::why)
                .map(why -> new Task.Status(State.REJECTED, why, clock.millis()))
                .orElseGet(() -> new Task.Status(State.PENDING, PENDING, clock.millis()));
        tx.put(Tables.TASKS, row, task.get().with(now));
    }

    /** What is not allocated and why, by {@code KIND/ROW}; empty where this replica does not lead. */
    public Map<String, String> waiting() {
        return leads() ? waiting : Map.of();
    }

    /** Whether this replica allocates, and knows what waits. */
    public boolean leads() {
        return retries.isOpen();
    }

    /** How many subnets, addresses, VXLANs, services with virtual IPs and ports are held in memory; empty where there is none. */
    public synchronized List<Integer> held() {
        return memory.map(Memory::held).orElse(List.of());
    }

    @Override
    public CompletionStage<EffectResult> perform(Effect effect) {
        return CompletableFuture.completedStage(EffectResult.performed()); // it writes none
    }
}
