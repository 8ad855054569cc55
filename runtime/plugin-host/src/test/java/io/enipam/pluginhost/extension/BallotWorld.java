package io.enipam.pluginhost.extension;

import static org.awaitility.Awaitility.await;

import io.enipam.engine.port.Leadership;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.simulation.RecordedEvents;
import io.enipam.platform.ExecutorScheduler;
import io.enipam.platform.SystemTime;
import io.enipam.pluginhost.extension.Extensions.Candidate;
import io.enipam.pluginhost.guard.GuardLimits;
import io.enipam.pluginhost.guard.GuardLimits.BreakerRule;
import io.enipam.pluginhost.guard.PluginGuard;
import io.enipam.sdk.Claim;
import io.enipam.sdk.ClaimId;
import io.enipam.sdk.Codec;
import io.enipam.sdk.Coordinator;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Extension;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Family;
import io.enipam.sdk.Host;
import io.enipam.sdk.Journal;
import io.enipam.sdk.JournalException;
import io.enipam.sdk.Part;
import io.enipam.sdk.Role;
import io.enipam.sdk.Settings;
import io.enipam.sdk.Subject;
import io.enipam.sdk.Table;
import io.enipam.sdk.Tally;
import io.enipam.sdk.Transaction;
import io.enipam.sdk.Vote;
import io.enipam.sdk.Voter;
import io.enipam.sdk.Wishes;
import io.enipam.sdk.ledger.Ledger;
import io.enipam.sdk.testkit.InMemoryJournal;
import java.net.InetAddress;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A daemon with a coordinator, {@code swarm}, and voters, each with a journal of its own; it dies and comes back with what is
 * durable. Pauses are a fiftieth of what they are.
 */
final class BallotWorld implements AutoCloseable {
    static final String BALLOT = "tasks";
    static final String COORDINATOR = "swarm";

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int HASTE = 50;
    private static final Table<String> TOLD = new Table<>("told", 1, Codec.text());
    private static final Table<String> TAKEN = new Table<>("taken", 1, Codec.text());
    private static final GuardLimits LIMITS = new GuardLimits(
            Duration.ofMillis(50),
            Duration.ofSeconds(2),
            Duration.ofSeconds(60),
            Duration.ofSeconds(5),
            8,
            64,
            new BreakerRule(5, 20, Duration.ofMillis(50)));

    private final ExecutorScheduler threads = new ExecutorScheduler();
    private final Scheduler engine = new Scheduler() {
        @Override
        public void execute(Runnable task) {
            threads.execute(task);
        }

        @Override
        public Cancellable after(Duration delay, Runnable task) {
            return threads.after(delay.dividedBy(HASTE), task);
        }
    };
    private final SystemTime time = new SystemTime();
    private final PluginGuard guard =
            new PluginGuard("net", getClass().getClassLoader(), LIMITS, time, threads, threads, health -> {});
    private final Leadership leadership = new Leadership() {
        @Override
        public boolean leads() {
            return leads;
        }

        @Override
        public Optional<String> leader() {
            return Optional.of("node-1");
        }

        @Override
        public void follow(Consumer<Boolean> listener) {
            follower = listener;
            listener.accept(leads);
        }

        @Override
        public void close() {}
    };
    private volatile boolean leads = true;
    private volatile Consumer<Boolean> follower = now -> {};
    private final Map<String, Function<Claim, Vote>> voters = new ConcurrentHashMap<>();
    private final Set<String> broken = ConcurrentHashMap.newKeySet();
    /** The claims whose decision the coordinator does not take the next time. */
    final Set<String> notTaken = ConcurrentHashMap.newKeySet();

    private final Map<String, MortalJournal> journals = new HashMap<>();
    private final ReadWriteLock death = new ReentrantReadWriteLock();
    private Set<String> enabled = Set.of();
    private Extensions extensions;
    private Voting voting;

    BallotWorld() {
        start();
    }

    /** A journal of one process: no commit goes through after its death. */
    private final class MortalJournal implements Journal {
        final InMemoryJournal rows;
        private final AtomicInteger commits = new AtomicInteger();
        private volatile boolean dead;

        MortalJournal(InMemoryJournal rows) {
            this.rows = rows;
        }

        @Override
        public void open(Table<?> table) {
            rows.open(table);
        }

        @Override
        public <R> CompletionStage<R> commit(Function<Transaction, R> change) {
            death.readLock().lock();
            commits.incrementAndGet();
            try {
                return dead
                        ? CompletableFuture.failedStage(
                                new JournalException(ErrorKind.UNAVAILABLE, "the process is dead"))
                        : rows.commit(change);
            } finally {
                death.readLock().unlock();
            }
        }

        @Override
        public <R> R read(Function<Transaction, R> query) {
            return rows.read(query);
        }
    }

    private final class Caster implements Coordinator {
        Caster(Host host) {
            host.journal().open(TOLD);
        }

        @Override
        public void decided(Tally tally, Transaction tx) {
            if (notTaken.remove(tally.claim().text())) {
                throw new IllegalStateException("it is not taken this time");
            }
            String before = tx.get(TOLD, tally.claim().text())
                    .map(row -> row.value() + " ")
                    .orElse("");
            tx.put(TOLD, tally.claim().text(), before + tally.state());
        }
    }

    /** Notes each claim that it voted on, until it is withdrawn. */
    private final class Noting implements Voter {
        private final String name;

        Noting(String name, Host host) {
            this.name = name;
            if (broken.contains(name)) {
                throw new FactoryException(ErrorKind.UNAVAILABLE, "its server is down");
            }
            host.journal().open(TAKEN);
        }

        @Override
        public Vote vote(Claim claim, Transaction tx) {
            Vote vote = voters.get(name).apply(claim);
            String before = tx.get(TAKEN, claim.id().text())
                    .map(row -> row.value() + " ")
                    .orElse("");
            tx.put(TAKEN, claim.id().text(), before + vote.getClass().getSimpleName());
            return vote;
        }

        @Override
        public void withdrawn(ClaimId claim, Transaction tx) {
            tx.delete(TAKEN, claim.text());
        }
    }

    private void start() {
        extensions = new Extensions(time, engine, new RecordedEvents(time), new SplittableRandom(1));
        voting = new Voting(leadership, extensions, engine, new SplittableRandom(1));
        extensions.follow(voting);
        add(Extension.of(COORDINATOR, Set.of(Role.NODE), Caster::new));
        voters.keySet().forEach(this::add);
    }

    private void add(String voter) {
        add(Extension.voter(voter, Set.of(Role.NODE), BALLOT, host -> new Noting(voter, host)));
    }

    private void add(Extension extension) {
        String name = extension.name();
        MortalJournal journal = journals.computeIfAbsent(name, made -> new MortalJournal(new InMemoryJournal()));
        extensions.add(List.of(new Candidate(
                "net",
                extension,
                guard.extension(name),
                () -> new LedgerHost(Settings.usual(List.of()), new Ledger(journal, name, Clock.systemUTC())))));
    }

    /** Installs a voter, which is not enabled yet. */
    void voter(String name, Function<Claim, Vote> votes) {
        if (voters.put(name, votes) == null) {
            add(name);
        }
    }

    /** An extension of another shape. */
    void install(String name, String ballot, Function<Host, Part> open) {
        add(Extension.voter(name, Set.of(Role.NODE), ballot, open));
    }

    /** From now on it cannot be opened, or can again. */
    void broken(String voter, boolean isBroken) {
        if (isBroken) {
            broken.add(voter);
        } else {
            broken.remove(voter);
        }
    }

    /** The coordinator runs besides those. */
    void enable(String... names) {
        Set<String> all = new HashSet<>(Set.of(names));
        all.add(COORDINATOR);
        enabled = all;
        extensions.configure(enabled, plugin -> Settings.usual(List.of()));
        await().atMost(PATIENCE).until(() -> extensions.running(COORDINATOR).isPresent());
    }

    Extensions extensions() {
        return extensions;
    }

    Voting voting() {
        return voting;
    }

    /** How many transactions one of them has begun in this process. */
    int commits(String name) {
        return journals.get(name).commits.get();
    }

    /** Commits of one of them fail, or work again. */
    void failing(String name, boolean failing) {
        journals.get(name).rows.failing(failing);
    }

    /** The process dies at one moment, and comes back with what is durable then. */
    void crash() {
        death.writeLock().lock();
        try {
            journals.replaceAll((name, journal) -> {
                journal.dead = true;
                return new MortalJournal(journal.rows.reopened());
            });
        } finally {
            death.writeLock().unlock();
        }
        extensions.close();
        start();
        extensions.configure(enabled, plugin -> Settings.usual(List.of()));
        await().atMost(PATIENCE).until(() -> extensions.running(COORDINATOR).isPresent());
    }

    /** The host leads from now on, or does not. */
    void lead(boolean now) {
        leads = now;
        follower.accept(now);
    }

    void cast(String claim) {
        commit(tx -> tx.cast(BALLOT, claim(claim)));
    }

    void withdraw(String claim) {
        commit(tx -> tx.withdraw(BALLOT, new ClaimId(claim)));
    }

    void commit(Consumer<Transaction> change) {
        extensions
                .running(COORDINATOR)
                .orElseThrow()
                .host()
                .journal()
                .update(change)
                .toCompletableFuture()
                .join();
    }

    /** How the coordinator sees it. */
    Optional<Tally> tally(String claim) {
        return extensions
                .running(COORDINATOR)
                .flatMap(part -> part.host().ledger().ballots().tally(BALLOT, new ClaimId(claim)));
    }

    /** What the coordinator was told of each claim, all of it. */
    Map<String, String> told() {
        return rows(COORDINATOR, TOLD);
    }

    /** What a voter has voted on and not taken back, with all of its votes. */
    Map<String, String> taken(String voter) {
        return rows(voter, TAKEN);
    }

    private Map<String, String> rows(String of, Table<String> table) {
        InMemoryJournal rows = journals.get(of).rows;
        rows.open(table);
        Map<String, String> found = new HashMap<>();
        rows.read(tx -> {
            tx.scan(table, "").forEach(row -> found.put(row.key(), row.value()));
            return true;
        });
        return found;
    }

    @Override
    public void close() {
        extensions.close();
        guard.close();
        threads.close();
    }

    static Claim claim(String id) {
        record Task(Kind kind, String name, Map<String, String> labels, Map<String, String> annotations)
                implements Subject {}
        record Asked(Set<Family> families, List<InetAddress> addresses, Map<String, String> parameters)
                implements Wishes {}
        record Made(ClaimId id, Subject subject, Wishes wishes, Instant deadline) implements Claim {}
        return new Made(
                new ClaimId(id),
                new Task(Subject.Kind.TASK, id, Map.of("service", "web \"1\""), Map.of()),
                new Asked(Set.of(Family.IPV6), List.of(InetAddress.getLoopbackAddress()), Map.of("a", "b\n")),
                Instant.parse("2026-11-26T12:00:00Z"));
    }
}
