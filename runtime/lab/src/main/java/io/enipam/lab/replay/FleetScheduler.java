package io.enipam.lab.replay;

import io.enipam.engine.concurrent.DaemonThreads;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Runs the nodes of a simulation on several workers, with the result of running all their tasks in one order: by virtual time, and at one
 * time by the nodes' numbers.
 *
 * <p>A node runs on one worker at a time, its tasks one after another. Nodes meet in two ways alone: in what clouds of one account share,
 * before which a call says {@link #awaitTurn}, and in what the caller does between two {@link #advance}. So a worker runs a node ahead of
 * the others until a call of it begins or awaits its turn; then the node is held, and the worker takes another. The held node that is
 * first in the order goes on when no worker is at a task as early as that: nothing earlier can come any more, since tasks make tasks of
 * their own node alone, and none before their own time.
 *
 * <p>Calls block, so each has a thread, for the sake of its stack. A worker is no thread, but the right to be one of those that run: a
 * thread that waits passes its worker on. To do so costs more than most tasks. So a thread whose call sleeps runs the tasks of its node
 * itself, of which most often the next one is the end of that sleep, and passes the worker on when it is another thread's turn or the
 * node is held. A call does not begin before it is its node's turn: it needs no thread to wait by.
 *
 * <p>The lock guards the queues and the nodes in them. A node that runs belongs to its worker's thread; with the worker, semaphores
 * publish it to the next one.
 */
final class FleetScheduler implements AutoCloseable {
    private static final ThreadFactory THREADS = DaemonThreads.numbered("lab-call");

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition later = lock.newCondition();
    private final List<Node> nodes = new ArrayList<>();
    /** Nodes whose next task may run at once. */
    private final PriorityQueue<Node> free = new PriorityQueue<>();
    /** Nodes of which a call waits until they are the first. */
    private final PriorityQueue<Node> held = new PriorityQueue<>();

    private final List<Worker> workers = new ArrayList<>();
    private final Deque<CallThread> idle = new ArrayDeque<>();
    private final ThreadLocal<CallThread> mine = new ThreadLocal<>();
    private final Semaphore over = new Semaphore(0);
    private long until;
    /** Workers that wait until the first held node may go on, and when that is. Written under the lock. */
    private volatile int waiting;

    private volatile long heldAt = Long.MAX_VALUE;

    private volatile @Nullable Throwable failure;
    private volatile boolean closed;

    /** What a node does: a queue of tasks with times. */
    interface Tasks {
        /** When the next task is due; the greatest number if there is none. */
        long nextDue();

        /** Runs it. */
        void runNext(long at);
    }

    /** A node of the simulation. */
    static final class Node implements Comparable<Node> {
        private final int number;
        private final Tasks tasks;
        /** While it is in a queue, the time of what it will do next. */
        private long at;
        /** A call that begins next. */
        private @Nullable Runnable call;
        /** The thread whose turn it is next; null if it is the next task's. */
        private @Nullable CallThread turn;

        private Node(int number, Tasks tasks) {
            this.number = number;
            this.tasks = tasks;
        }

        @Override
        public int compareTo(Node other) {
            return at != other.at ? Long.compare(at, other.at) : Integer.compare(number, other.number);
        }
    }

    private static final class Worker {
        private static final long NOWHERE = Long.MAX_VALUE;

        /** Its node does nothing more before that time. */
        private volatile long at = NOWHERE;

        private @Nullable Node node;
    }

    /** A thread for calls, what it waits by for its turn, and its call. */
    static final class CallThread {
        private final Semaphore its = new Semaphore(0);
        private @Nullable Worker worker;
        private @Nullable Runnable call;
        private boolean calling;
        /** Whether it runs a task of a node, which must not wait. */
        private boolean stepping;
    }

    /** @param workers at least 1 */
    FleetScheduler(int workers) {
        for (int i = 0; i < workers; i++) {
            this.workers.add(new Worker());
        }
    }

    /** One more node, with the next number. Called before time passes. */
    Node add(Tasks tasks) {
        Node node = new Node(nodes.size(), tasks);
        nodes.add(node);
        return node;
    }

    /**
     * Runs all tasks up to a moment, each at its own time. Called by one thread, which is none of these.
     *
     * @throws IllegalStateException with what a task or a call has thrown
     */
    void advance(long moment) {
        advance(moment, workers.size());
    }

    /** The same, all tasks one after another in their order: they may touch other nodes than their own. */
    void advanceInOrder(long moment) {
        advance(moment, 1);
    }

    private void advance(long moment, int most) {
        int running;
        lock.lock();
        try {
            until = moment;
            free.clear();
            nodes.forEach(this::enqueue);
            running = Math.min(most, free.size());
        } finally {
            lock.unlock();
        }
        run(workers.subList(0, running));
        Throwable bug = failure;
        if (bug != null) {
            throw new IllegalStateException("a step of the simulation failed", bug);
        }
    }

    private void enqueue(Node node) {
        node.at = node.tasks.nextDue();
        if (node.at <= until) {
            free.add(node);
        }
    }

    private void run(List<Worker> some) {
        for (Worker worker : some) {
            CallThread thread = idle();
            thread.worker = worker;
            thread.its.release();
        }
        over.acquireUninterruptibly(some.size());
    }

    /** A node has another next task than before. Called by a task of another node, in {@link #advanceInOrder}. */
    void changed(int number) {
        lock.lock();
        try {
            Node node = nodes.get(number);
            if (!held.contains(node)) {
                free.remove(node);
                enqueue(node);
            }
        } finally {
            lock.unlock();
        }
    }

    /** This thread, which has to be that of a call. Throws IllegalStateException if it is none. */
    CallThread current() {
        CallThread self = mine.get();
        if (self == null || self.stepping) {
            throw new IllegalStateException("only a task of this executor can sleep");
        }
        return self;
    }

    /** Called by a task of the node: that thread goes on next. */
    void wake(Node node, CallThread thread) {
        node.turn = thread;
    }

    /** Called by a task of the node: that call begins next. */
    void begin(Node node, Runnable call) {
        node.call = call;
    }

    /** Returns when a task has woken this thread. */
    void sleep(CallThread self) {
        runNodes(self);
    }

    /** Returns when all that comes before what this thread does now has happened, on all nodes. */
    void awaitTurn(Node node, CallThread self) {
        if (!closed && !isTurn(node, self, self.worker)) {
            runNodes(self);
        }
    }

    /** Ends the wait of a thread before its time. Called when no more time passes. */
    void end(CallThread thread) {
        closed = true;
        thread.worker = workers.get(0);
        thread.its.release();
        over.acquireUninterruptibly();
    }

    /** Ends the threads that have no call. */
    @Override
    public void close() {
        idle.forEach(thread -> thread.its.release());
        idle.clear();
    }

    private void live(CallThread self) {
        mine.set(self);
        self.its.acquireUninterruptibly();
        while (self.worker != null) {
            do {
                Runnable call = self.call;
                self.call = null;
                self.calling = true;
                try {
                    if (call != null) {
                        call.run();
                    }
                } catch (Throwable bug) {
                    failure = bug;
                }
                self.calling = false;
            } while (runNodes(self));
            self.its.acquireUninterruptibly();
        }
    }

    /**
     * Runs nodes on the worker of this thread, one with a call its own node alone, until it is this thread's turn or the worker is
     * another's. A thread with a call then waits until it is its turn.
     *
     * @return whether it is its turn
     */
    private boolean runNodes(CallThread self) {
        Worker worker = self.worker;
        while (worker != null) {
            Node node = worker.node;
            if (node == null || node.turn == null && (closed || failure != null)) {
                if (self.calling) {
                    // a thread that ran other nodes could not go on when it is its turn
                    worker.node = null;
                    return pass(self, idle());
                }
                node = take(worker);
                worker.node = node;
            }
            if (node == null) {
                return pass(self, null);
            }
            CallThread next = node.turn;
            node.turn = null;
            if (next == null && node.call == null) {
                step(node, worker, self);
            } else if (next == null && isTurn(node, null, worker)) {
                next = self.calling ? idle() : self;
                next.call = node.call;
                node.call = null;
            }
            if (next != null) {
                return next == self || pass(self, next);
            }
        }
        return false;
    }

    /** Runs a node's next task, if it is due by now. */
    private void step(Node node, Worker worker, CallThread self) {
        long due = node.tasks.nextDue();
        boolean ends = due > until;
        worker.at = ends ? Worker.NOWHERE : due;
        if (waiting > 0 && worker.at > heldAt) {
            wakeWorkers();
        }
        if (ends) {
            worker.node = null;
            return;
        }
        self.stepping = true;
        try {
            node.tasks.runNext(due);
        } catch (Throwable bug) {
            failure = bug;
        }
        self.stepping = false;
    }

    private void wakeWorkers() {
        lock.lock();
        try {
            later.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** What a worker runs next; null if there is nothing for it up to this moment. */
    private @Nullable Node take(Worker worker) {
        boolean announced = false;
        lock.lock();
        try {
            worker.at = Worker.NOWHERE;
            while (failure == null && !closed) {
                Node first = held.peek();
                if (first != null && isFirst(first, worker)) {
                    worker.at = first.at;
                    return held.poll();
                }
                Node open = free.poll();
                if (open != null) {
                    worker.at = open.at;
                    return open;
                } else if (first == null) {
                    return null;
                } else if (announced) {
                    later.awaitUninterruptibly();
                } else {
                    // and looks again: a worker that got on meanwhile has not known that this one waits
                    waiting++;
                    announced = true;
                }
            }
            return null;
        } finally {
            waiting -= announced ? 1 : 0;
            heldFirst();
            later.signalAll();
            lock.unlock();
        }
    }

    /** Whether what a node does now is the first of all; if not, it is held, with that thread's turn next. */
    private boolean isTurn(Node node, @Nullable CallThread thread, @Nullable Worker worker) {
        if (worker == null) {
            throw new IllegalStateException("a thread without a worker runs");
        }
        lock.lock();
        try {
            node.at = worker.at;
            if (isFirst(node, worker)) {
                return true;
            }
            node.turn = thread;
            held.add(node);
            heldFirst();
            worker.node = null;
            return false;
        } finally {
            lock.unlock();
        }
    }

    private void heldFirst() {
        Node first = held.peek();
        heldAt = first == null ? Long.MAX_VALUE : first.at;
    }

    private boolean isFirst(Node node, Worker its) {
        Node first = held.peek();
        Node open = free.peek();
        if (first != null && first.compareTo(node) < 0 || open != null && open.compareTo(node) < 0) {
            return false;
        }
        // of two workers at one time neither is the first: both nodes are held, and then the one with the lower number
        // is
        return workers.stream().allMatch(worker -> worker == its || worker.at > node.at);
    }

    /** A thread that has no call. */
    private CallThread idle() {
        lock.lock();
        try {
            if (!idle.isEmpty()) {
                return idle.pop();
            }
        } finally {
            lock.unlock();
        }
        CallThread fresh = new CallThread();
        THREADS.newThread(() -> live(fresh)).start();
        return fresh;
    }

    /** Passes the worker of this thread on, or, with none, says that it is done. */
    private boolean pass(CallThread self, @Nullable CallThread other) {
        Worker worker = self.worker;
        self.worker = null;
        boolean calling = self.calling;
        if (!calling) {
            lock.lock();
            try {
                // from here on this thread may get another worker
                idle.push(self);
            } finally {
                lock.unlock();
            }
        }
        if (other == null) {
            over.release();
        } else {
            other.worker = worker;
            other.its.release();
        }
        if (calling) {
            self.its.acquireUninterruptibly();
        }
        return calling;
    }
}
