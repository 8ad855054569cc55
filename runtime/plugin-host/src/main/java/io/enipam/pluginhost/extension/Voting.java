package io.enipam.pluginhost.extension;

import io.enipam.engine.concurrent.Backoff;
import io.enipam.engine.concurrent.KeyedQueue;
import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.port.Leadership;
import io.enipam.engine.port.Scheduler;
import io.enipam.pluginhost.extension.Extensions.ExtensionView;
import io.enipam.pluginhost.extension.Extensions.PartListener;
import io.enipam.pluginhost.extension.Extensions.RunningPart;
import io.enipam.pluginhost.extension.OpenClaim.Asking;
import io.enipam.sdk.ClaimId;
import io.enipam.sdk.Coordinator;
import io.enipam.sdk.Tally;
import io.enipam.sdk.Vote;
import io.enipam.sdk.Voter;
import io.enipam.sdk.ledger.BallotRows;
import io.enipam.sdk.ledger.BallotRows.Outcome;
import io.enipam.sdk.ledger.BallotRows.Question;
import io.enipam.sdk.ledger.CastClaim;
import io.enipam.sdk.ledger.HeldVote;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has voters vote on the claims that coordinators cast, decides, and tells. Thread-safe.
 *
 * <p>The rows are the truth: the claims in the coordinators' journals, the votes in the voters'. There is no transaction over both, so
 * this brings them together step by step, and begins each step by what the rows say:
 *
 * <ul>
 *   <li>a claim that is not decided lacks the vote of a registered voter that runs: the voter is asked, in a transaction of its own
 *   <li>all that are registered have said yes, or one has said no: the coordinator is told, in the transaction that marks the claim as
 *       decided
 *   <li>a voter has a vote on a claim that is not there any more, or is in a later round: the voter is told, in the transaction
 *       that deletes the vote
 * </ul>
 *
 * A claim on a ballot without voters needs no step: the transaction that casts it marks it as decided, and tells the coordinator.
 *
 * <p>A crash between two steps loses nothing, and a step that is made twice changes nothing the second time. The steps of one claim
 * come one after the other ({@link #turns}), and none waits for a voter's answer: an answer, a commit of the coordinator, an extension
 * that comes or goes, and the end of a pause each begin another step. A call that was late and commits after all begins one, too.
 *
 * <p>Of hosts that share their journals the one that leads makes the steps; one that leads no more and makes another one does no harm.
 *
 * <p>Which voters are registered is read when a step decides. What waits for the same part is asked of it together ({@link BatchedCalls}).
 */
public final class Voting implements PartListener {
    /** For the part's code and the commit together. */
    private static final Duration CALL = Duration.ofSeconds(5);

    /** Until a claim whose row could not be read is looked at again. */
    private static final Duration UNREADABLE = Duration.ofSeconds(5);

    private static final Backoff BACKOFF =
            Backoff.doubling(Duration.ofMillis(500), Duration.ofMinutes(1)).spread(0.2);

    /** In the place of a voter: telling the coordinator. No extension has this name. */
    private static final String DECISION = "";

    private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);
    private static final Logger LOG = LoggerFactory.getLogger(Voting.class);

    private final Leadership leadership;
    private final Extensions extensions;
    private final Scheduler engine;
    private final RandomGenerator random;
    private final KeyedQueue<ClaimKey> turns = new KeyedQueue<>();
    private final BatchedCalls calls = new BatchedCalls(CALL);
    private final Map<ClaimKey, OpenClaim> open = new ConcurrentHashMap<>();
    /** Why voters could not be told yet that a claim was withdrawn. */
    private final Map<TakingBack, Untold> takingBack = new ConcurrentHashMap<>();

    /**
     * @param leadership under which steps are made
     * @param engine for the steps, and the pauses between tries
     * @param random spreads them
     */
    public Voting(Leadership leadership, Extensions extensions, Scheduler engine, RandomGenerator random) {
        this.leadership = leadership;
        this.extensions = extensions;
        this.engine = engine;
        this.random = random;
        leadership.follow(this::led);
    }

    /** @param coordinator the extension that cast it */
    private record ClaimKey(String coordinator, String ballot, ClaimId claim) {}

    private record TakingBack(String voter, HeldVote vote) {}

    /** Of a voter that could not be told. */
    private record Untold(int failures, String trouble) {}

    /**
     * A claim on a ballot.
     *
     * @param plugin that of the extension, which cast it
     * @param state as {@link Tally.State} has it, or {@code WITHDRAWN}: a voter could not be told that yet
     * @param since when it was cast; of one that is withdrawn, when the voter voted
     */
    public record BallotView(
            String plugin,
            String extension,
            String ballot,
            ClaimId claim,
            String state,
            Instant since,
            List<VoteView> votes) {
        /** The voters that it waits for. */
        public List<VoteView> missing() {
            return votes.stream().filter(VoteView::missing).toList();
        }
    }

    /**
     * @param voter its extension
     * @param vote YES, NO, LATER or MISSING
     * @param why it is not YES
     */
    public record VoteView(String voter, String vote, String why) {
        static final String MISSING = "MISSING";
        static final String LATER = "LATER";

        boolean missing() {
            return vote.equals(MISSING) || vote.equals(LATER);
        }
    }

    @Override
    public void opened(RunningPart part) {
        if (part.part() instanceof Coordinator coordinator) {
            rows(part)
                    .decidesAtOnce(
                            coordinator,
                            ballot -> leadership.leads()
                                    && extensions.voters(ballot).isEmpty());
            rows(part).explainedBy(cast -> tally(part.name(), cast));
            part.host()
                    .ledger()
                    .followBallots(
                            changed -> changed.forEach(claim -> step(key(part.name(), claim.ballot(), claim.claim()))));
        }
        begin(part);
    }

    /** Takes up what the rows say of a part. */
    private void begin(RunningPart part) {
        if (part.part() instanceof Coordinator) {
            rows(part).casts().forEach(cast -> step(key(part.name(), cast)));
            running(Voter.class)
                    .forEach(voter -> sweep(voter, vote -> vote.coordinator().equals(part.name())));
        }
        if (part.part() instanceof Voter) {
            open.forEach((key, claim) -> step(key, () -> claim.due(part.name())));
            sweep(part, vote -> true);
        }
    }

    private void led(boolean now) {
        if (now) {
            extensions.running().forEach(this::begin);
        } else {
            open.clear();
            takingBack.clear();
        }
    }

    @Override
    public void closing(RunningPart part) {
        open.keySet().removeIf(key -> key.coordinator().equals(part.name()));
        takingBack.keySet().removeIf(id -> id.voter().equals(part.name()));
        calls.forget(part);
    }

    @Override
    public void configured() {
        open.keySet().forEach(this::step);
    }

    private Stream<RunningPart> running(Class<?> kind) {
        return extensions.running().stream().filter(part -> kind.isInstance(part.part()));
    }

    private static BallotRows rows(RunningPart part) {
        return part.host().ledger().ballots();
    }

    private static ClaimKey key(String coordinator, CastClaim cast) {
        return key(coordinator, cast.ballot(), cast.claim().id());
    }

    private static ClaimKey key(String coordinator, String ballot, ClaimId claim) {
        return new ClaimKey(coordinator, ballot, claim);
    }

    private void step(ClaimKey key) {
        step(key, () -> {});
    }

    /** @param first what is noted in the claim's turn before */
    private void step(ClaimKey key, Runnable first) {
        turns.run(key, () -> {
                    first.run();
                    return next(key);
                })
                .whenComplete((done, failure) -> {
                    if (failure != null) {
                        LOG.warn("claim {} on ballot {} cannot be read: {}", key.claim(), key.ballot(), failure);
                        engine.after(UNREADABLE, () -> step(key));
                    }
                });
    }

    private CompletableFuture<Void> next(ClaimKey key) {
        Optional<RunningPart> coordinator =
                extensions.running(key.coordinator()).filter(part -> part.part() instanceof Coordinator);
        if (coordinator.isEmpty() || !leadership.leads()) {
            open.remove(key);
            return DONE;
        }
        Optional<CastClaim> cast = rows(coordinator.get()).cast(key.ballot(), key.claim());
        if (cast.isEmpty() || cast.get().decided()) {
            open.remove(key);
            if (cast.isEmpty()) {
                running(Voter.class)
                        .forEach(voter -> rows(voter)
                                .vote(key.coordinator(), key.claim())
                                .ifPresent(vote -> takeBack(voter.name(), vote, 0)));
            }
            return DONE;
        }
        long round = cast.get().round();
        OpenClaim claim = open.compute(
                key,
                (same, known) -> known != null && known.cast().round() == round ? known : new OpenClaim(cast.get()));
        Set<String> registered = extensions.voters(key.ballot());
        registered.forEach(voter -> ask(key, claim, voter));
        Map<String, Vote> votes = claim.votes(registered);
        votes.values().removeIf(Vote.Later.class::isInstance);
        boolean decided = votes.values().stream().anyMatch(Vote.No.class::isInstance)
                || votes.keySet().equals(registered);
        return decided && claim.ask(DECISION) ? decide(key, claim, votes, coordinator.get()) : DONE;
    }

    /** Has a voter vote if it runs, unless it is asked already, or has a pause. */
    private void ask(ClaimKey key, OpenClaim claim, String name) {
        Optional<RunningPart> running = extensions.running(name).filter(part -> part.part() instanceof Voter);
        if (running.isEmpty() || !claim.ask(name)) {
            return;
        }
        RunningPart voter = running.get();
        calls.run(voter, "vote", key.claim(), new AskedClaim(key, claim), asked -> vote(voter, asked))
                .whenComplete((vote, failure) -> step(key, () -> answered(key, claim, name, vote, failure)));
    }

    private record AskedClaim(ClaimKey key, OpenClaim claim) {}

    private CompletionStage<List<Vote>> vote(RunningPart voter, List<AskedClaim> asked) {
        List<Question> questions = asked.stream()
                .map(each -> new Question(each.key().coordinator(), each.claim().cast()))
                .toList();
        return rows(voter)
                .vote(questions, (Voter) voter.part())
                .whenComplete((votes, failure) -> asked.stream()
                        .filter(each -> open.get(each.key()) != each.claim())
                        .forEach(each -> step(each.key())));
    }

    private void answered(ClaimKey key, OpenClaim claim, String voter, Vote vote, @Nullable Throwable failure) {
        if (failure != null) {
            Asking paused = claim.failed(voter, message(failure));
            pause(key, claim, voter, paused, BACKOFF.pause(paused.failures(), random));
        } else if (vote instanceof Vote.Later later) {
            pause(key, claim, voter, claim.later(voter, later), later.after());
        } else {
            claim.voted(voter, vote);
        }
    }

    private void pause(ClaimKey key, OpenClaim claim, String voter, Asking paused, Duration time) {
        engine.after(time, () -> step(key, () -> claim.due(voter, paused)));
    }

    private CompletableFuture<Void> decide(
            ClaimKey key, OpenClaim claim, Map<String, Vote> votes, RunningPart coordinator) {
        return calls.run(
                        coordinator,
                        "decided",
                        key.claim(),
                        new Outcome(claim.cast(), votes),
                        outcomes -> rows(coordinator).decide(outcomes, (Coordinator) coordinator.part()))
                .handle((done, failure) -> {
                    if (failure == null) {
                        open.remove(key, claim);
                    } else {
                        Asking paused = claim.failed(DECISION, message(failure));
                        pause(key, claim, DECISION, paused, BACKOFF.pause(paused.failures(), random));
                    }
                    return null;
                });
    }

    /** Has a voter take back what it has voted on and is not there any more. */
    private void sweep(RunningPart voter, Predicate<HeldVote> which) {
        rows(voter).votes().stream().filter(which).forEach(vote -> takeBack(voter.name(), vote, 0));
    }

    /**
     * Tells a voter that a claim was withdrawn, until that works or one of the two is closed; it begins anew when that is opened. A claim that is there in the round of the
     * vote was not; one that is not there will not be in that round again.
     */
    private void takeBack(String name, HeldVote vote, int failures) {
        TakingBack id = new TakingBack(name, vote);
        Optional<RunningPart> voter = extensions.running(name).filter(part -> part.part() instanceof Voter);
        Optional<RunningPart> coordinator = extensions.running(vote.coordinator());
        if (!leadership.leads()
                || voter.isEmpty()
                || coordinator.isEmpty()
                || rows(coordinator.get())
                        .cast(vote.ballot(), vote.claim())
                        .filter(cast -> cast.round() == vote.round())
                        .isPresent()) {
            takingBack.remove(id);
            return;
        }
        calls.run(
                        voter.get(),
                        "withdrawn",
                        vote.claim(),
                        vote,
                        votes -> rows(voter.get())
                                .takeBack(votes, (Voter) voter.get().part()))
                .whenComplete((told, failure) -> {
                    if (failure == null) {
                        takingBack.remove(id);
                        return;
                    }
                    Untold untold = new Untold(failures + 1, message(failure));
                    takingBack.put(id, untold);
                    engine.after(BACKOFF.pause(untold.failures(), random), () -> {
                        if (untold.equals(takingBack.get(id))) {
                            takeBack(name, vote, untold.failures());
                        }
                    });
                });
    }

    private static String message(Throwable failure) {
        return String.valueOf(Stages.cause(failure).getMessage());
    }

    private Tally tally(String coordinator, CastClaim cast) {
        if (cast.decided()) {
            return cast.tally(cast.votes(), Map.of());
        }
        ClaimKey key = key(coordinator, cast);
        Optional<OpenClaim> claim =
                Optional.ofNullable(open.get(key)).filter(known -> known.cast().round() == cast.round());
        Set<String> registered = extensions.voters(key.ballot());
        Map<String, Vote> votes = claim.map(known -> known.votes(registered)).orElseGet(TreeMap::new);
        Map<String, String> missing = new TreeMap<>();
        for (String voter : registered) {
            if (!votes.containsKey(voter) || votes.get(voter) instanceof Vote.Later) {
                missing.put(voter, why(voter, claim));
            }
        }
        claim.flatMap(known -> known.known(DECISION))
                .filter(telling -> !telling.trouble().isEmpty())
                .ifPresent(telling -> missing.put(coordinator, "it does not take the decision: " + telling.trouble()));
        return cast.tally(votes, missing);
    }

    private String why(String voter, Optional<OpenClaim> claim) {
        if (extensions.running(voter).isPresent()) {
            return claim.flatMap(known -> known.known(voter))
                    .map(Asking::trouble)
                    .filter(trouble -> !trouble.isEmpty())
                    .orElse("it is asked now");
        }
        return extensions
                .view(voter)
                .map(view -> "it is " + view.state() + (view.cause().isEmpty() ? "" : ": " + view.cause()))
                .orElse("it is enabled, and no plugin that is loaded has it");
    }

    /** The claims on ballots of all coordinators that run, by coordinator, ballot and claim; then what voters could not be told. */
    public List<BallotView> all() {
        Stream<BallotView> claims = running(Coordinator.class)
                .flatMap(part -> rows(part).casts().stream().map(cast -> view(part, tally(part.name(), cast))));
        Stream<BallotView> withdrawn = takingBack.entrySet().stream()
                .map(entry -> withdrawn(
                        entry.getKey().voter(),
                        entry.getKey().vote(),
                        entry.getValue().trouble()))
                .sorted(Comparator.comparing(view -> view.claim().text()));
        return Stream.concat(claims, withdrawn).toList();
    }

    private BallotView withdrawn(String voter, HeldVote vote, String trouble) {
        return new BallotView(
                extensions.view(vote.coordinator()).map(ExtensionView::plugin).orElse(""),
                vote.coordinator(),
                vote.ballot(),
                vote.claim(),
                "WITHDRAWN",
                vote.since(),
                List.of(new VoteView(voter, VoteView.MISSING, trouble)));
    }

    private static BallotView view(RunningPart part, Tally tally) {
        Map<String, VoteView> votes = new TreeMap<>();
        tally.votes().forEach((voter, vote) -> votes.put(voter, view(voter, vote)));
        tally.missing().forEach((voter, why) -> votes.putIfAbsent(voter, new VoteView(voter, VoteView.MISSING, why)));
        return new BallotView(
                part.plugin(),
                part.name(),
                tally.ballot(),
                tally.claim(),
                tally.state().name(),
                tally.since(),
                List.copyOf(votes.values()));
    }

    private static VoteView view(String voter, Vote vote) {
        if (vote instanceof Vote.No no) {
            return new VoteView(voter, "NO", no.kind() + ": " + no.why());
        }
        return vote instanceof Vote.Later later
                ? new VoteView(voter, VoteView.LATER, later.why())
                : new VoteView(voter, "YES", "");
    }
}
