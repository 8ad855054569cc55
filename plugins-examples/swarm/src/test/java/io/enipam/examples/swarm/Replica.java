package io.enipam.examples.swarm;

import io.enipam.sdk.Ballots;
import io.enipam.sdk.Controller;
import io.enipam.sdk.Coordinator;
import io.enipam.sdk.Extension;
import io.enipam.sdk.Host;
import io.enipam.sdk.Journal;
import io.enipam.sdk.JournalException;
import io.enipam.sdk.Next;
import io.enipam.sdk.NodeInfo;
import io.enipam.sdk.Part;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.Settings;
import io.enipam.sdk.Signals;
import io.enipam.sdk.Vote;
import io.enipam.sdk.Voter;
import io.enipam.sdk.ledger.BallotRows.Outcome;
import io.enipam.sdk.ledger.BallotRows.Question;
import io.enipam.sdk.ledger.CastClaim;
import io.enipam.sdk.ledger.HeldVote;
import io.enipam.sdk.ledger.Ledger;
import io.enipam.sdk.testkit.ControllerSteps;
import io.enipam.sdk.testkit.InMemoryJournal;
import io.enipam.sdk.testkit.TestClock;
import io.enipam.sdk.testkit.TestContext;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletionException;

/**
 * A host that runs the allocator and voters of its ballot, and does one step when a test says so; several may share a store. Voters keep
 * their rows in a store of their own, as those of another plugin do. For one thread.
 */
public final class Replica implements AutoCloseable {
    private static final int MOST_STEPS = 100_000;
    /** A pause that is no more than a way to say: at once, in another transaction. */
    private static final Duration AT_ONCE = Duration.ofMillis(10);

    private final InMemoryJournal store;
    private final InMemoryJournal voters;
    private final TestClock clock;
    private final Map<String, List<String>> settings;
    /** The extensions of voters that are registered, by name. */
    public final Map<String, Extension> registered = new TreeMap<>();
    /** Those that hang: they are registered, and say nothing. */
    public final Set<String> hanging = new TreeSet<>();

    private final ControllerSteps steps = new ControllerSteps();
    private final Map<String, Instant> later = new LinkedHashMap<>();
    private final Map<String, Voter> running = new TreeMap<>();
    private final Map<String, Instant> askAgain = new LinkedHashMap<>();
    private TestContext context;
    private Ledger ledger;
    private Part part;
    private boolean leads;

    public Replica(InMemoryJournal store, InMemoryJournal voters, TestClock clock, Map<String, List<String>> settings) {
        this.store = store;
        this.voters = voters;
        this.clock = clock;
        this.settings = Map.copyOf(settings);
        start();
    }

    private void start() {
        ledger = new Ledger(store, "swarm", clock);
        context = context(ledger);
        part = new SwarmPlugin()
                .extensions().stream()
                        .filter(each -> each.name().equals("swarm"))
                        .findFirst()
                        .orElseThrow()
                        .open(new Lent(context, ledger.ballots()));
    }

    private TestContext context(Ledger of) {
        return TestContext.builder()
                .settings(new SwarmPlugin().settings())
                .values(settings)
                .journal(of.journal())
                .clock(clock)
                .build();
    }

    /** As the testkit lends it, with ballots. */
    private record Lent(TestContext context, Ballots ballots) implements Host {
        @Override
        public Settings settings() {
            return context.settings();
        }

        @Override
        public Clock clock() {
            return context.clock();
        }

        @Override
        public Path directory() {
            return context.directory();
        }

        @Override
        public Journal journal() {
            return context.journal();
        }

        @Override
        public NodeInfo node() {
            return context.node();
        }

        @Override
        public Signals signals() {
            return context.signals();
        }

        @Override
        public ResourceFactory factory(String name) {
            return context.factory(name);
        }

        @Override
        public <T> Optional<T> service(Class<T> type) {
            return context.service(type);
        }
    }

    public Part part() {
        return part;
    }

    public TestContext context() {
        return context;
    }

    public Ballots ballots() {
        return ledger.ballots();
    }

    public Journal journal() {
        return ledger.journal();
    }

    public boolean leads() {
        return leads;
    }

    /** It leads from now on: its sources are opened. */
    public void lead() {
        if (leads) {
            return;
        }
        leads = true;
        steps.open(((Controller) part).watches());
    }

    /** It leads no more. */
    public void follow() {
        leads = false;
        steps.close();
        later.clear();
        running.values().forEach(Part::close);
        running.clear();
        askAgain.clear();
    }

    /** The process ends and comes back. */
    public void crash() {
        follow();
        part.close();
        start();
    }

    /** Reconciles one key. Returns whether that worked, as far as the host goes. */
    public boolean reconcile(String key) {
        steps.lost().ifPresent(why -> {
            throw new AssertionError("a source is lost: " + why);
        });
        if (!leads || !steps.synced()) {
            return false;
        }
        later.remove(key);
        Next next = steps.reconcile(ledger, (Controller) part, key, () -> leads);
        if (next instanceof Next.Again again) {
            later.put(key, clock.instant().plus(again.after()));
        } else if (next instanceof Next.Retry) {
            later.put(key, clock.instant());
        }
        return !(next instanceof Next.Retry);
    }

    /** The keys whose time has come. */
    public List<String> due() {
        Set<String> due = new LinkedHashSet<>(steps.queue());
        Instant until = clock.instant().plus(AT_ONCE);
        later.forEach((key, at) -> {
            if (!at.isAfter(until)) {
                due.add(key);
            }
        });
        return List.copyOf(due);
    }

    /** One step for each claim on a ballot, as the host takes them, many together: a vote, a decision, or the news that it was withdrawn. */
    public boolean ballot() {
        boolean any = step(ledger.ballots().casts());
        for (Map.Entry<String, Extension> each : registered.entrySet()) {
            any |= leads && takeBack(each.getKey());
        }
        return any;
    }

    /** One step for these claims. */
    public boolean step(List<CastClaim> casts) {
        List<CastClaim> open =
                casts.stream().filter(cast -> leads && !cast.decided()).toList();
        Map<CastClaim, Map<String, Vote>> votes = new LinkedHashMap<>();
        open.forEach(cast -> votes.put(cast, new TreeMap<>()));
        registered.keySet().forEach(voter -> vote(voter, votes));
        List<Outcome> outcomes = new ArrayList<>();
        votes.forEach((cast, said) -> {
            boolean refused = said.values().stream().anyMatch(Vote.No.class::isInstance);
            boolean allocated = said.keySet().equals(registered.keySet())
                    && said.values().stream().allMatch(Vote.Yes.class::isInstance);
            if (refused || allocated) {
                outcomes.add(new Outcome(cast, said));
            }
        });
        return decided(outcomes) || (outcomes.size() > 1 && outcomes.stream().anyMatch(one -> decided(List.of(one))));
    }

    private boolean decided(List<Outcome> outcomes) {
        return !outcomes.isEmpty()
                && done(ledger.ballots().decide(outcomes, (Coordinator) part).toCompletableFuture()::join, List.of())
                        .contains(true);
    }

    private void vote(String voter, Map<CastClaim, Map<String, Vote>> votes) {
        List<CastClaim> due = votes.keySet().stream()
                .filter(cast -> !hanging.contains(voter)
                        && Optional.ofNullable(askAgain.get(asked(voter, cast)))
                                .filter(at -> at.isAfter(clock.instant()))
                                .isEmpty())
                .toList();
        if (due.isEmpty()) {
            return;
        }
        List<Question> questions =
                due.stream().map(cast -> new Question("swarm", cast)).toList();
        List<Vote> said =
                done(ledgerOf(voter).ballots().vote(questions, running(voter)).toCompletableFuture()::join, List.of());
        for (int i = 0; i < said.size(); i++) {
            votes.get(due.get(i)).put(voter, said.get(i));
            if (said.get(i) instanceof Vote.Later later) {
                askAgain.put(asked(voter, due.get(i)), clock.instant().plus(later.after()));
            }
        }
    }

    private static String asked(String voter, CastClaim cast) {
        return voter + " " + cast.claim().id() + " " + cast.round();
    }

    private boolean takeBack(String voter) {
        boolean any = false;
        for (HeldVote held : ledgerOf(voter).ballots().votes()) {
            boolean stands = ledger.ballots()
                    .cast(held.ballot(), held.claim())
                    .filter(cast -> cast.decided() || cast.round() == held.round())
                    .isPresent();
            if (!stands && !hanging.contains(voter)) {
                any |= done(
                        ledgerOf(voter).ballots().takeBack(held, running(voter)).toCompletableFuture()::join, false);
            }
        }
        return any;
    }

    private interface Joined<T> {
        T join();
    }

    /** What came of a call, where the store took it. */
    private static <T> T done(Joined<T> call, T otherwise) {
        try {
            return call.join();
        } catch (CompletionException e) {
            if (!(e.getCause() instanceof JournalException)) {
                throw e;
            }
            return otherwise;
        }
    }

    private Ledger ledgerOf(String voter) {
        return new Ledger(voters, voter, clock);
    }

    private Voter running(String voter) {
        return running.computeIfAbsent(
                voter, name -> (Voter) registered.get(name).open(context(ledgerOf(name))));
    }

    /** Does what is to be done, until there is nothing but what waits for its time. */
    public void drain() {
        for (int i = 0; i < MOST_STEPS; i++) {
            List<String> due = due();
            due.stream().findFirst().ifPresent(this::reconcile);
            if (due.isEmpty() && !ballot()) {
                return;
            }
        }
        throw new AssertionError("there is still to do: " + due());
    }

    @Override
    public void close() {
        follow();
        part.close();
    }
}
