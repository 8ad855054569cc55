package io.enipam.sdk.testkit;

import io.enipam.sdk.Controller;
import io.enipam.sdk.Extension;
import io.enipam.sdk.Journal;
import io.enipam.sdk.JournalBounds;
import io.enipam.sdk.JournalException;
import io.enipam.sdk.Next;
import io.enipam.sdk.Source;
import io.enipam.sdk.ledger.Ledger;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The rules of {@link Controller} as tests. Random choices come from a seed that a failure names and
 * {@code -Denipam.contract.seed=N} sets.
 *
 * <p>A subclass says what the world is: it changes the objects of a few keys, and says what is wrong and what is missing. The
 * controller is opened with a journal in memory and a directory of its own, and after each crash with the same ones; what it
 * changes outside of them, a subclass undoes before each test. The README of the SDK shows a controller; its test is a subclass.
 */
public abstract class ControllerContract {
    private static final int STEPS = 40;
    private static final int MOST_ROUNDS = 100;

    private static final ContractRule TOLD = new ContractRule(
            "each source says when it is synced, and tells each key whose object exists or changes",
            "Call changed for each object first and synced then, and changed at each change, of an object that is gone as well.");
    private static final ContractRule REPEATABLE = new ContractRule(
            "reconcile run twice on the same tables answers the same and writes the same",
            "Decide by the key, the transaction and what the sources know: no other fields, no clock, no random numbers.");
    private static final ContractRule INVARIANT = new ContractRule(
            "the controller's invariants hold after each step, whatever the order of steps",
            "Write what is decided into a table, in the transaction of reconcile, and read it there.");
    private static final ContractRule CONVERGES = new ContractRule(
            "after the last change all comes to be as wanted, whatever crashed before",
            "Write an effect for each change outside in the transaction that decides on it, and let a source tell the keys of the"
                    + " controller's own rows (Source.ofTable).");
    private static final ContractRule QUIET = new ContractRule(
            "where all is as wanted, reconcile writes nothing and asks for nothing",
            "Compare before you put, delete or write an effect, and answer done.");
    private static final ContractRule ORDER = new ContractRule(
            "the order in which keys are reconciled does not matter",
            "Decide on a key by itself; where it needs another one's row, answer again, or retry.");

    @TempDir
    Path directory;

    /** The controller under test. */
    protected abstract Extension extension();

    /** A few keys, at least two, of objects that {@link #change} changes. */
    protected abstract List<String> keys();

    /** Changes the object of a key, so that a source tells the key: makes it if there is none, else alters or removes it. */
    protected abstract void change(String key, Random random);

    /** What there is outside of the tables, as far as the controller's effects change it. */
    protected abstract Set<String> outside();

    /**
     * What is not as wanted, where nothing is left to do; empty if all is.
     *
     * @param tables the controller's, to be read
     */
    protected abstract Optional<String> unwanted(Journal tables);

    /**
     * What is wrong, at any time; empty if nothing is.
     *
     * @param tables the controller's, to be read
     */
    protected Optional<String> violated(Journal tables) {
        return Optional.empty();
    }

    /**
     * Tables with which a controller that keeps what it has read recognizes its own commits; it writes something else there each time, and
     * that is not compared. Where it finds another one's, it writes nothing and answers again, and is asked again. By default none: a
     * controller keeps nothing.
     */
    protected Set<String> markers() {
        return Set.of();
    }

    /** Adds what the controller needs to be lent: settings and their values. */
    protected void prepare(TestContext.Builder host) {}

    /** How many random histories are run. */
    protected int histories() {
        return 100;
    }

    /** How long one call, and what a source tells, may take. */
    protected Duration patience() {
        return Duration.ofSeconds(30);
    }

    /** Has the controller reconcile the keys that its sources tell. */
    private final class ControllerHost extends PerformerHost<Controller> {
        private List<AutoCloseable> sources = List.of();
        /** Those that are to be reconciled, and those with a time to wait. */
        private final Set<String> queued = new TreeSet<>(); // by this

        private final Set<String> waiting = new TreeSet<>();
        private final Map<String, Integer> told = new HashMap<>(); // by this
        private final Set<String> synced = new HashSet<>(); // by this
        private String lost = ""; // by this

        ControllerHost() {
            super(
                    Controller.class,
                    ControllerContract.this::extension,
                    ControllerContract.this::prepare,
                    directory,
                    patience(),
                    CONVERGES);
            watch();
        }

        @Override
        Set<String> outside() {
            return ControllerContract.this.outside();
        }

        private void watch() {
            sources = new ArrayList<>();
            List<Source> watched = part.watches();
            watched.forEach(source -> sources.add(source.open(new NotingSink(source.name()))));
            watched.forEach(
                    source -> await(() -> synced.contains(source.name()), () -> source.name() + " is not synced"));
        }

        /** What the sources of one opening tell. */
        private final class NotingSink implements Source.Sink {
            private final String source;
            private final Ledger of = ledger;

            NotingSink(String source) {
                this.source = source;
            }

            @Override
            public void changed(String key) {
                try {
                    JournalBounds.key(key);
                } catch (JournalException e) {
                    throw new IllegalArgumentException(e.getMessage(), e);
                }
                note(() -> {
                    queued.add(key);
                    told.merge(key, 1, Integer::sum);
                });
            }

            @Override
            public void synced() {
                note(() -> synced.add(source));
            }

            @Override
            public void lost(String why) {
                note(() -> lost = "source " + source + " is lost: " + why);
            }

            private void note(Runnable news) {
                synchronized (ControllerHost.this) {
                    if (of == ledger) {
                        news.run();
                        ControllerHost.this.notifyAll();
                    }
                }
            }
        }

        private synchronized void await(Supplier<Boolean> condition, Supplier<String> missing) {
            long until = System.nanoTime() + patience().toNanos();
            while (!condition.get()) {
                long left = Duration.ofNanos(until - System.nanoTime()).toMillis();
                TOLD.check(lost.isEmpty(), () -> lost);
                TOLD.check(left > 0, missing);
                try {
                    wait(left);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new AssertionError("interrupted", e);
                }
            }
        }

        @Override
        void crash() {
            unwatch();
            super.crash();
            synchronized (this) {
                queued.clear();
                waiting.clear();
                synced.clear();
            }
            watch();
        }

        void change(String key, Random random) {
            int before = toldOf(key);
            ControllerContract.this.change(key, random);
            await(() -> told.getOrDefault(key, 0) > before, () -> "key " + key + " was changed, and is not told");
        }

        private synchronized int toldOf(String key) {
            return told.getOrDefault(key, 0);
        }

        /** The keys to be reconciled, ascending. */
        synchronized List<String> queued() {
            return List.copyOf(queued);
        }

        void reconcile(String key) {
            synchronized (this) {
                queued.remove(key);
                waiting.remove(key);
            }
            Next next = get(ledger.reconcile(key, part, () -> true));
            if (!(next instanceof Next.Done)) {
                waiting.add(key);
            }
        }

        /** What reconciling a key writes and answers. */
        private List<String> decided(String key) {
            List<String> story = List.of();
            for (int i = 0; i < MOST_ROUNDS; i++) {
                List<Next> answers = new ArrayList<>();
                story = dry(tx -> {
                    answers.add(part.reconcile(key, tx));
                    return answers.get(0);
                });
                boolean asksAgain = !markers().isEmpty() && answers.get(0) instanceof Next.Again && story.size() == 1;
                if (!asksAgain) {
                    break;
                }
            }
            return story.stream()
                    .filter(line -> markers().stream().noneMatch(table -> line.startsWith("put " + table + " ")))
                    .toList();
        }

        /** Does what is to be done, until nothing is. */
        void drain(Comparator<String> order) {
            for (int round = 0; round < MOST_ROUNDS; round++) {
                List<String> keys = new ArrayList<>(queued());
                if (keys.isEmpty() && ledger.effects().isEmpty()) {
                    keys.addAll(waiting);
                    if (keys.isEmpty()) {
                        return;
                    }
                }
                keys.sort(order);
                keys.forEach(this::reconcile);
                performAll();
            }
            throw CONVERGES.broken(
                    "after " + MOST_ROUNDS + " rounds there is still to do: " + queued() + ", later " + waiting);
        }

        void drain() {
            drain(Comparator.naturalOrder());
        }

        void requireWanted(ContractRule rule, String when) {
            unwanted(ledger.journal()).ifPresent(why -> {
                throw rule.broken(when + why);
            });
        }

        void requireInvariants() {
            violated(ledger.journal()).ifPresent(why -> {
                throw INVARIANT.broken(why);
            });
        }

        private void unwatch() {
            for (AutoCloseable source : sources) {
                try {
                    source.close();
                } catch (Exception e) {
                    throw new AssertionError("a source cannot be closed", e);
                }
            }
        }

        @Override
        public void close() {
            unwatch();
            super.close();
        }
    }

    private void changeAll(ControllerHost host, Random random) {
        keys().forEach(key -> host.change(key, random));
    }

    @Test
    void theSourcesTellEachKeyThatExistsOrChanges() {
        try (ControllerHost host = new ControllerHost()) {
            Random random = new Random(Seed.value());
            changeAll(host, random);
            host.drain();
            host.crash();
            Set<String> missing = new TreeSet<>(keys());
            missing.removeAll(host.queued());
            TOLD.check(missing.isEmpty(), () -> "after a restart these objects are not told: " + missing);
        }
    }

    @Test
    void reconcileRunAgainDoesTheSame() {
        try (ControllerHost host = new ControllerHost()) {
            Random random = new Random(Seed.value());
            for (int i = 0; i < 3; i++) {
                for (String key : keys()) {
                    host.change(key, random);
                    host.requireRepeatable(REPEATABLE, () -> host.decided(key));
                    host.reconcile(key);
                }
            }
        }
    }

    @Test
    void anEffectPerformedAgainChangesNothing() {
        try (ControllerHost host = new ControllerHost()) {
            Random random = new Random(Seed.value());
            for (int i = 0; i < 3; i++) {
                changeAll(host, random);
                keys().forEach(host::reconcile);
                host.replayAll();
            }
        }
    }

    @Test
    void nothingIsWrittenWhereAllIsAsWanted() {
        try (ControllerHost host = new ControllerHost()) {
            Random random = new Random(Seed.value());
            for (int i = 0; i < 3; i++) {
                changeAll(host, random);
                host.drain();
                for (String key : keys()) {
                    List<String> story = host.dry(tx -> host.part.reconcile(key, tx));
                    QUIET.check(
                            story.equals(List.of(Next.done().toString())),
                            () -> "key " + key + " has nothing to do: " + story);
                }
            }
        }
    }

    @Test
    void theOrderOfKeysDoesNotMatter() {
        try (ControllerHost host = new ControllerHost()) {
            Random random = new Random(Seed.value());
            for (Comparator<String> order :
                    List.of(Comparator.<String>naturalOrder(), Comparator.<String>reverseOrder())) {
                for (int i = 0; i < 3; i++) {
                    changeAll(host, random);
                    host.drain(order);
                    host.requireWanted(ORDER, "");
                }
            }
        }
    }

    @Test
    void allComesToBeAsWantedWhateverCrashes() throws InterruptedException {
        Seed.telling(seed -> {
            try (ControllerHost host = new ControllerHost()) {
                for (int i = 0; i < histories(); i++) {
                    history(host, new Random(seed + i));
                    host.drain();
                    host.requireInvariants();
                    host.requireWanted(CONVERGES, "");
                }
            }
        });
    }

    /** Objects change, keys are reconciled and effects performed now and then, and the process ends at any moment. */
    private void history(ControllerHost host, Random random) {
        for (int step = 0; step < STEPS; step++) {
            switch (random.nextInt(8)) {
                case 0, 1 -> host.change(keys().get(random.nextInt(keys().size())), random);
                case 2, 3, 4 -> {
                    List<String> keys = host.queued();
                    if (!keys.isEmpty()) {
                        host.reconcile(keys.get(random.nextInt(keys.size())));
                    }
                }
                case 5 -> host.performOne(random);
                case 6 -> host.performOneAndCrash(random);
                default -> host.crash();
            }
            host.requireInvariants();
        }
    }
}
