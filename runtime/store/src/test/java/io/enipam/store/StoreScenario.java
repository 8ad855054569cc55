package io.enipam.store;

import static io.enipam.store.TestRecords.CLOCK;
import static io.enipam.store.TestRecords.NOON;
import static io.enipam.store.TestRecords.hold;
import static io.enipam.store.TestRecords.intent;
import static io.enipam.store.TestRecords.owner;
import static io.enipam.store.TestRecords.put;
import static io.enipam.store.TestRecords.resource;
import static io.enipam.store.TestRecords.row;

import io.enipam.engine.model.NodeIdentity;
import io.enipam.engine.model.NodeIdentity.NodeRecord;
import io.enipam.engine.model.Pod;
import io.enipam.engine.model.Pod.PodCopy;
import io.enipam.engine.model.ResourceKey;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.CloudJournal;
import io.enipam.engine.port.CloudOperation;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.simulation.MemoryDb;
import io.enipam.engine.simulation.VirtualTime;
import io.enipam.engine.testing.CrashPoint;
import io.enipam.sdk.PodRef;
import io.enipam.store.testing.SimulatedDisk;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The life of a small database, the same each time: every kind of change, commits one by one and commits that share a force,
 * several journal files and checkpoints, a close and a second opening. Beside it, what the database holds after each commit.
 */
final class StoreScenario {
    /** The smallest journal files: seven commits or so fill one. */
    static final StoreOptions TINY = new StoreOptions(8 << 10, 64, CLOCK);

    private static final int BURST = 4;
    private static final int CLOSE_AFTER = 14;

    static final List<List<Change>> COMMITS = commits();
    /** The records after that many commits. */
    static final List<Set<Object>> STATES = states();

    private StoreScenario() {}

    private static List<List<Change>> commits() {
        List<List<Change>> commits = new ArrayList<>();
        commits.add(List.of(
                new Change.PutNode(new NodeRecord(Optional.of(new NodeIdentity("i-1", "cn-hangzhou")), false))));
        for (int n = 0; n < 10; n++) {
            String pod = "default/web-" + n;
            commits.add(List.of(new Change.PutIntent(intent(n))));
            commits.add(List.of(put(n), new Change.RemoveIntent("token-" + n), new Change.PutPod(copy(pod, n))));
            if (n % 2 == 1) {
                commits.add(List.of(
                        new Change.RemoveLease(owner(n - 1)),
                        new Change.PutHold(hold(n - 1)),
                        new Change.PutRow(row(n - 1))));
            }
            if (n % 4 == 3) {
                CloudJournal.Entry entry =
                        new CloudJournal.Entry("op-" + n, NOON, new CloudOperation.Delete("eni-" + n));
                commits.add(List.of(
                        new Change.PutOperation(entry), new Change.RemoveHold(ResourceKey.of(resource(n - 1)))));
                commits.add(List.of(
                        new Change.RemoveOperation("op-" + n),
                        new Change.RemovePod(PodRef.parse("default/web-" + (n - 1))),
                        new Change.RemoveRow(row(n - 1).path())));
            }
        }
        commits.add(List.of(new Change.PutNode(new NodeRecord(Optional.empty(), true))));
        return commits;
    }

    private static PodCopy copy(String pod, int n) {
        Pod seen = new Pod(PodRef.parse(pod), "uid-" + n, false, Duration.ZERO);
        return new PodCopy(seen, NOON, n % 3 == 0 ? Optional.of(NOON.plusSeconds(3600)) : Optional.empty());
    }

    private static List<Set<Object>> states() {
        VirtualTime time = new VirtualTime();
        MemoryDb model = new MemoryDb(time, () -> Duration.ZERO);
        List<Set<Object>> states = new ArrayList<>();
        states.add(records(model));
        for (List<Change> commit : COMMITS) {
            model.commit(commit);
            time.settle();
            states.add(records(model));
        }
        if (new HashSet<>(states).size() < states.size()) {
            throw new IllegalStateException("a commit changes nothing, or all back");
        }
        return states;
    }

    /** All that a database holds, in no order. */
    static Set<Object> records(ResourceDb db) {
        ResourceDb.Contents all = db.contents();
        Set<Object> records = new HashSet<>(all.leases());
        records.addAll(all.holds());
        records.addAll(all.intents());
        records.addAll(all.operations());
        records.addAll(all.pods());
        records.addAll(db.rows());
        all.node().ifPresent(records::add);
        return records;
    }

    /** How far a life got. */
    static final class Progress {
        private int sent;
        private int acknowledged;

        /** What is known after two lives, of which this is the later one. */
        Progress together(Progress earlier) {
            Progress both = new Progress();
            both.sent = Math.max(sent, earlier.sent);
            both.acknowledged = Math.max(acknowledged, earlier.acknowledged);
            return both;
        }

        /** What an opening shows is there for good, whether it was acknowledged before or not: callers act on it. */
        private void shown(Set<Object> records) {
            for (int state = acknowledged; state < STATES.size(); state++) {
                if (STATES.get(state).equals(records)) {
                    acknowledged = state;
                    sent = Math.max(sent, state);
                }
            }
        }

        /** Commits that the database was asked for. */
        int sent() {
            return sent;
        }

        /** Commits that it said are durable. */
        int acknowledged() {
            return acknowledged;
        }
    }

    /** Lives from a commit to another, or to its death. */
    static Progress live(Path directory, SimulatedDisk disk, CrashPoint fate, int from, int to)
            throws InterruptedException {
        return live(directory, disk, fate, from, to, TINY, db -> {});
    }

    /** A whole life whose checkpoints keep up: what files there are does not depend on how busy the machine is. */
    static Progress liveUnhurried(Path directory, SimulatedDisk disk, CrashPoint fate, StoreOptions options)
            throws InterruptedException {
        // it reads the files while no checkpoint is written, and so waits for the one that a commit began
        return live(
                directory,
                disk,
                fate,
                0,
                COMMITS.size(),
                options,
                db -> db.tools().verify());
    }

    private static Progress live(
            Path directory,
            SimulatedDisk disk,
            CrashPoint fate,
            int from,
            int to,
            StoreOptions options,
            Consumer<JournaledResourceDb> afterEach)
            throws InterruptedException {
        Progress progress = new Progress();
        progress.sent = from;
        progress.acknowledged = from;
        while (progress.sent < to && !fate.hasCrashed()) {
            int until = progress.sent < CLOSE_AFTER ? Math.min(to, CLOSE_AFTER) : to;
            try (JournaledResourceDb db = JournaledResourceDb.open(directory, options, disk)) {
                progress.shown(records(db));
                live(db, disk, until, progress, afterEach);
            } catch (StoreException | CompletionException e) {
                if (!fate.hasCrashed()) {
                    throw e;
                }
            }
        }
        return progress;
    }

    private static void live(
            JournaledResourceDb db,
            SimulatedDisk disk,
            int until,
            Progress progress,
            Consumer<JournaledResourceDb> afterEach)
            throws InterruptedException {
        while (progress.sent < until) {
            List<CompletableFuture<Void>> answers = new ArrayList<>();
            if (progress.sent % 10 == 5 && progress.sent + BURST < until) {
                // the writer is busy with the first one: the others get into one group
                SimulatedDisk.Gate gate = disk.holdForces();
                answers.add(send(db, progress));
                gate.awaitForce();
                for (int i = 1; i < BURST; i++) {
                    answers.add(send(db, progress));
                }
                gate.open();
            } else {
                answers.add(send(db, progress));
            }
            for (CompletableFuture<Void> answer : answers) {
                answer.orTimeout(60, TimeUnit.SECONDS).join();
                progress.acknowledged++;
            }
            afterEach.accept(db);
        }
    }

    private static CompletableFuture<Void> send(ResourceDb db, Progress progress) {
        return db.commit(COMMITS.get(progress.sent++)).toCompletableFuture();
    }
}
