package io.enipam.pluginhost.extension;

import io.enipam.engine.concurrent.KeyedQueue;
import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.Event.Severity;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.GrantDirectory;
import io.enipam.engine.port.Leadership;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.Span;
import io.enipam.engine.port.TimeSource;
import io.enipam.pluginhost.extension.Extensions.PartListener;
import io.enipam.pluginhost.extension.Extensions.RunningPart;
import io.enipam.pluginhost.guard.PluginCallException;
import io.enipam.sdk.Allocator;
import io.enipam.sdk.Claim;
import io.enipam.sdk.ClaimId;
import io.enipam.sdk.CniService;
import io.enipam.sdk.Decision;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Grant;
import io.enipam.sdk.JournalException;
import io.enipam.sdk.ledger.HeldGrant;
import io.enipam.sdk.ledger.Ledger;
import io.enipam.sdk.ledger.Ledger.Decided;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Serves claims by the allocators that run. Thread-safe.
 *
 * <p>The calls for one claim come one after the other. A claim that has to wait leaves its turn meanwhile, so that a release is
 * not held up; the release ends the waiting.
 */
public final class Claims implements PartListener, GrantDirectory {
    /** How long a release is answered after its effects, which are performed in any case. */
    private static final Duration TIDY = Duration.ofSeconds(10);

    /** Less than a runtime's patience with a call. */
    private static final Duration SERVE = Duration.ofSeconds(100);

    /** For the allocator's code and the commit together. */
    private static final Duration DECIDE = Duration.ofSeconds(5);

    private final Extensions extensions;
    private final Effects effects;
    private final Leadership leadership;
    private final TimeSource time;
    private final Scheduler engine;
    private final EventSink events;
    private final WhileLeading<Drift> drifts;
    private final KeyedQueue<String> turns = new KeyedQueue<>();
    /** The claims that wait, by extension and claim. */
    private final Map<String, CompletableFuture<Grant>> waiting = new ConcurrentHashMap<>();

    /** @param leadership under which claims are served, and what is outside is compared with the grants */
    public Claims(
            Extensions extensions,
            Effects effects,
            Leadership leadership,
            TimeSource time,
            Scheduler engine,
            EventSink events) {
        this.extensions = extensions;
        this.effects = effects;
        this.leadership = leadership;
        this.time = time;
        this.engine = engine;
        this.events = events;
        this.drifts = new WhileLeading<>(leadership, this::drift, Drift::begin, Drift::stop);
    }

    /** The claims of a host without plugins. */
    public static Claims none(TimeSource time, Scheduler engine) {
        SplittableRandom random = new SplittableRandom();
        EventSink nowhere = (severity, type, subject, message, attributes) -> {};
        return new Claims(
                new Extensions(time, engine, nowhere, random),
                new Effects(time, engine, random),
                Leadership.alone(""),
                time,
                engine,
                nowhere);
    }

    private Optional<Drift> drift(RunningPart part) {
        return part.part() instanceof Allocator allocator
                ? Optional.of(new Drift(part, allocator, effects, engine))
                : Optional.empty();
    }

    @Override
    public void opened(RunningPart part) {
        drifts.opened(part);
    }

    @Override
    public void closing(RunningPart part) {
        drifts.closing(part);
    }

    /** Where the outside of allocators differs from the grants in force. */
    public List<Drift.Difference> differences() {
        return drifts.all().stream()
                .flatMap(drift -> drift.differences().stream())
                .sorted(Comparator.comparing(Drift.Difference::extension)
                        .thenComparing(difference -> difference.claim().text()))
                .toList();
    }

    @Override
    public List<ServedClaim> all() {
        return extensions.running().stream().flatMap(Claims::listed).toList();
    }

    /** The claims on an allocator, and those that a service lists by itself. */
    private static Stream<ServedClaim> listed(RunningPart part) {
        return part.part() instanceof Allocator || part.part() instanceof CniService
                ? part.host().ledger().grants().stream().map(held -> new ServedClaim(part.plugin(), part.name(), held))
                : Stream.empty();
    }

    /** Whether an extension that runs now answers CNI calls by itself. */
    public boolean answersCalls(String extension) {
        return extensions
                .running(extension)
                .filter(part -> part.part() instanceof CniService)
                .isPresent();
    }

    /**
     * Has an extension answer a CNI call by itself.
     *
     * @return completes with its answer, which may be an error; fails with {@link IpamException} if it does not run now, is no
     *     {@link CniService}, or failed
     */
    public CompletableFuture<CniService.CniAnswer> serve(String extension, CniService.CniCall call) {
        try {
            RunningPart running = running(extension);
            if (running.part() instanceof CniService service) {
                return running.calls()
                        .call("serve", SERVE, () -> service.serve(call))
                        .exceptionallyCompose(failure -> CompletableFuture.failedFuture(told(failure)));
            }
        } catch (IpamException e) {
            return CompletableFuture.failedFuture(e);
        }
        return CompletableFuture.failedFuture(new IpamException(
                ErrorCode.INVALID_ARGUMENT,
                "extension " + extension + " answers no CNI calls",
                "'plugin list' shows others"));
    }

    /**
     * The claims of one extension, by id.
     *
     * @throws IpamException if the extension does not run, or neither is an allocator nor answers calls by itself
     */
    public List<ServedClaim> of(String extension) {
        RunningPart part = running(extension);
        if (!(part.part() instanceof CniService)) {
            serving(extension);
        }
        return listed(part).toList();
    }

    /** What is known of a claim on an allocator. */
    public Optional<HeldGrant> held(String allocator, ClaimId claim) {
        return serving(allocator).ledger().grant(claim);
    }

    /**
     * Has an allocator serve a claim.
     *
     * @param allocator the extension's name
     * @return completes when the grant is in force and its effects are performed; fails with {@link IpamException}: as the
     *     allocator refused it, {@code TRY_AGAIN} if the extension does not run now, {@code DEADLINE_EXCEEDED} after the claim's
     *     deadline. What is then in force stays so until the claim is released
     */
    public CompletableFuture<Grant> allocate(String allocator, Claim claim) {
        return allocate(allocator, claim, () -> CompletableFuture.completedFuture(claim), Span.NONE);
    }

    /**
     * The same.
     *
     * @param described gives the claim with all that the allocator is to know of it; a release that comes before that ends the claim, too
     * @param parent gets the steps
     */
    public CompletableFuture<Grant> allocate(
            String allocator, Claim claim, Supplier<CompletableFuture<Claim>> described, Span parent) {
        CompletableFuture<Grant> out = new CompletableFuture<>();
        Duration left = Duration.between(time.now(), claim.deadline());
        String key = key(allocator, claim.id());
        Optional.ofNullable(waiting.put(key, out))
                .ifPresent(former -> former.completeExceptionally(new IpamException(
                        ErrorCode.TRY_AGAIN, "claim " + claim.id() + " came again", "the later call is served")));
        AtomicReference<String> reason = new AtomicReference<>("its pod is looked up");
        Stages.call(described).whenComplete((known, failure) -> {
            if (failure == null) {
                reason.set("it waits for its turn");
                ask(new Asking(allocator, known, parent, reason, out));
            } else {
                out.completeExceptionally(told(failure));
            }
        });
        return Stages.within(
                        out,
                        left.isNegative() ? Duration.ZERO : left,
                        engine,
                        () -> new IpamException(
                                ErrorCode.DEADLINE_EXCEEDED,
                                "claim " + claim.id() + " was not served in time: " + reason.get(),
                                "'plugin effects ID' shows what the allocator's plugin has still to do"))
                .whenComplete((grant, failure) -> {
                    waiting.remove(key, out);
                    // ends the waiting of one that came too late
                    out.cancel(false);
                    String owner = claim.subject().name();
                    Map<String, String> about = about(allocator, claim.id(), Optional.ofNullable(grant));
                    if (failure == null) {
                        events.publish(Severity.INFO, "ClaimGranted", owner, "has " + text(grant), about);
                    } else {
                        Throwable cause = Stages.cause(failure);
                        String why = String.valueOf(cause.getMessage());
                        about.put(
                                "code",
                                (cause instanceof IpamException known ? known.code() : ErrorCode.INTERNAL).name());
                        events.publish(Severity.WARNING, "ClaimRefused", owner, why, about);
                    }
                });
    }

    /** What an event is about. The first address is named as a resource's id ends: so {@code explain} finds it. */
    private static Map<String, String> about(String allocator, ClaimId claim, Optional<Grant> grant) {
        Map<String, String> about = new TreeMap<>(Map.of("extension", allocator, "owner", claim.text()));
        grant.ifPresent(given -> about.put(
                "resource", allocator + "/" + given.prefixes().get(0).address().host()));
        return about;
    }

    /** The addresses of a grant as text. */
    public static String text(Grant grant) {
        return grant.prefixes().stream()
                .map(prefix -> prefix.address().toString())
                .collect(Collectors.joining(", "));
    }

    /**
     * A call for a claim.
     *
     * @param reason why it is not answered yet
     */
    private record Asking(
            String allocator, Claim claim, Span parent, AtomicReference<String> reason, CompletableFuture<Grant> out) {}

    private void ask(Asking asking) {
        CompletableFuture<Grant> out = asking.out();
        turns.run(
                        key(asking.allocator(), asking.claim().id()),
                        () -> out.isDone()
                                ? CompletableFuture.<Decided>failedFuture(new IllegalStateException("it has ended"))
                                : decide(serving(asking.allocator()), asking.claim(), asking.parent()))
                .whenComplete((decided, failure) -> {
                    if (failure != null) {
                        out.completeExceptionally(told(failure));
                    } else if (decided.decision() instanceof Grant grant) {
                        asking.reason().set("its effects are not performed yet");
                        settled(asking.allocator(), asking.claim().id(), asking.parent())
                                .whenComplete((done, error) -> Stages.pass(out, grant, error));
                    } else if (decided.decision() instanceof Decision.Later later) {
                        await(asking, later, decided.effects());
                    } else if (decided.decision() instanceof Decision.Refusal refusal) {
                        out.completeExceptionally(refused(refusal.kind(), refusal.why()));
                    }
                });
    }

    /** @param hasEffects whether they are to be waited for as well: where there is none, the time alone counts */
    private void await(Asking asking, Decision.Later later, boolean hasEffects) {
        asking.reason().set(later.why());
        Span wait = asking.parent().step("WAIT").with("why", later.why());
        CompletableFuture<Object> over = CompletableFuture.anyOf(
                Stages.pause(later.after(), engine),
                hasEffects ? effects.settled(asking.allocator(), asking.claim().id()) : new CompletableFuture<>());
        Stages.traced(wait, over).whenComplete((done, error) -> {
            if (error == null) {
                ask(asking);
            } else {
                asking.out().completeExceptionally(told(error));
            }
        });
    }

    /** When the effects of a claim are performed; a step if they are not yet. */
    private CompletableFuture<Void> settled(String allocator, ClaimId claim, Span parent) {
        Span step = effects.busy(allocator, claim) ? parent.step("EFFECTS") : Span.NONE;
        return Stages.traced(step, effects.settled(allocator, claim));
    }

    private static CompletionStage<Decided> decide(Serving by, Claim claim, Span parent) {
        AtomicReference<Span> commit = new AtomicReference<>(Span.NONE);
        CompletionStage<Decided> decided = by.part()
                .calls()
                .later(
                        "allocate",
                        DECIDE,
                        () -> by.ledger().allocate(claim, (asked, tx) -> {
                            // it runs again where rows that it read have changed
                            commit.get().failed("CONFLICT", "what it read has changed since");
                            Span step = parent.step("ALLOCATE");
                            Decision decision;
                            try {
                                decision = by.allocator().allocate(asked, tx);
                            } catch (RuntimeException e) {
                                Stages.fail(step, e);
                                throw e;
                            }
                            if (decision instanceof Decision.Refusal refusal) {
                                step.failed(refusal.kind().name(), refusal.why());
                                commit.set(Span.NONE);
                            } else {
                                step.done();
                                commit.set(parent.step("COMMIT"));
                            }
                            return decision;
                        }));
        return decided.whenComplete((made, failure) -> {
            if (failure != null) {
                Stages.fail(commit.get(), failure);
            } else if (commit.get() == Span.NONE && made.decision() instanceof Grant) {
                parent.with("repeated", "true");
            } else {
                commit.get().done();
            }
        });
    }

    /**
     * Ends a claim, also one that waits.
     *
     * @return completes when that is durable, with whether there was anything to end; after its effects if those are performed
     *     within 10 s
     */
    public CompletableFuture<Boolean> release(String allocator, ClaimId claim) {
        return release(allocator, claim, Span.NONE);
    }

    /**
     * The same.
     *
     * @param parent gets the steps
     */
    public CompletableFuture<Boolean> release(String allocator, ClaimId claim, Span parent) {
        giveUp(allocator, claim);
        return release(allocator, claim, parent, by -> by.ledger().release(claim, by.allocator()));
    }

    @Override
    public CompletableFuture<Boolean> end(ServedClaim claim, Span parent) {
        ClaimId id = claim.held().claim();
        Optional<RunningPart> service =
                extensions.running(claim.extension()).filter(part -> !(part.part() instanceof Allocator));
        if (service.isPresent() && service.get().part() instanceof CniService by) {
            return end(claim, service.get(), by, parent);
        }
        return release(claim.extension(), id, parent, by -> by.ledger().release(claim.held(), by.allocator()))
                .whenComplete((ended, failure) -> {
                    if (failure == null && ended) {
                        giveUp(claim.extension(), id);
                    }
                });
    }

    private CompletableFuture<Boolean> end(ServedClaim claim, RunningPart part, CniService service, Span parent) {
        HeldGrant looked = claim.held();
        return turns.run(key(claim.extension(), looked.claim()), () -> {
                    Optional<Grant> held = part.host()
                            .ledger()
                            .grant(looked.claim())
                            .filter(looked::equals)
                            .flatMap(HeldGrant::grant);
                    if (held.isEmpty()) {
                        return CompletableFuture.completedFuture(false);
                    }
                    Span step = parent.step("RELEASE");
                    return Stages.traced(step, part.calls().call("release", SERVE, () -> service.release(held.get())))
                            .whenComplete((ended, failure) -> {
                                if (failure == null && ended) {
                                    released(claim.extension(), looked);
                                }
                            });
                })
                .exceptionallyCompose(failure -> CompletableFuture.failedFuture(told(failure)));
    }

    /** Ends the waiting for a claim. */
    private void giveUp(String allocator, ClaimId claim) {
        Optional.ofNullable(waiting.remove(key(allocator, claim)))
                .ifPresent(waiter -> waiter.completeExceptionally(new IpamException(
                        ErrorCode.TRY_AGAIN, "claim " + claim + " was released while it was served", "")));
    }

    private CompletableFuture<Boolean> release(
            String allocator, ClaimId claim, Span parent, Function<Serving, CompletionStage<Boolean>> release) {
        return turns.run(key(allocator, claim), () -> {
                    Serving by = serving(allocator);
                    Optional<HeldGrant> held = by.ledger().grant(claim);
                    Span step = parent.step("RELEASE");
                    return Stages.traced(step, by.part().calls().later("release", DECIDE, () -> release.apply(by)))
                            .whenComplete((ended, failure) -> held.filter(known -> failure == null && ended)
                                    .ifPresent(gone -> released(allocator, gone)));
                })
                .thenCompose(ended -> Stages.within(
                                settled(allocator, claim, parent),
                                TIDY,
                                engine,
                                () -> new IpamException(ErrorCode.DEADLINE_EXCEEDED, "effects wait", ""))
                        .handle((done, late) -> ended))
                .exceptionallyCompose(failure -> CompletableFuture.failedFuture(told(failure)));
    }

    private void released(String allocator, HeldGrant gone) {
        String what = gone.grant().map(grant -> "gave " + text(grant) + " back").orElse("waits no longer");
        events.publish(
                Severity.INFO, "ClaimReleased", gone.owner(), what, about(allocator, gone.claim(), gone.grant()));
    }

    /** Why an allocator cannot serve claims now; empty if it can. */
    public Optional<String> trouble(String allocator) {
        try {
            serving(allocator);
            return Optional.empty();
        } catch (IpamException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    private record Serving(RunningPart part, Allocator allocator, Ledger ledger) {}

    /** @throws IpamException if the extension does not run, or is no allocator, or another replica leads */
    private Serving serving(String name) {
        if (!leadership.leads()) {
            throw new IpamException(
                    ErrorCode.TRY_AGAIN,
                    "this replica does not lead, and claims are served by the one that does: "
                            + leadership.leader().orElse("none is known"),
                    "ask that replica, or try again here");
        }
        RunningPart running = running(name);
        if (running.part() instanceof Allocator allocator) {
            return new Serving(running, allocator, running.host().ledger());
        }
        throw new IpamException(
                ErrorCode.INVALID_ARGUMENT, "extension " + name + " is no allocator", "'plugin list' shows others");
    }

    /** @throws IpamException if the extension does not run */
    private RunningPart running(String name) {
        Optional<RunningPart> running = extensions.running(name);
        if (running.isEmpty()) {
            Extensions.ExtensionView view = extensions
                    .view(name)
                    .orElseThrow(() -> new IpamException(
                            ErrorCode.NOT_FOUND,
                            "no plugin has an extension '" + name + "'",
                            "'plugin list' shows those there are"));
            throw new IpamException(
                    ErrorCode.TRY_AGAIN,
                    "extension " + name + " is " + view.state() + (view.cause().isEmpty() ? "" : ": " + view.cause()),
                    view.state() == Extensions.State.CLOSED
                            ? "enable it by 'extensions' in enipam.yaml"
                            : "'plugin info " + view.plugin() + "' says when it is tried again");
        }
        return running.get();
    }

    private static String key(String allocator, ClaimId claim) {
        return allocator + "/" + claim.text();
    }

    private static Throwable told(Throwable failure) {
        Throwable cause = Stages.cause(failure);
        if (cause instanceof IpamException) {
            return cause;
        }
        if (cause instanceof JournalException journal) {
            return refused(journal.kind(), String.valueOf(journal.getMessage()));
        }
        ErrorCode code = cause instanceof PluginCallException call
                        && call.reason() != PluginCallException.Reason.REJECTED
                        && call.kind().transientFailure()
                ? ErrorCode.TRY_AGAIN
                : ErrorCode.PLUGIN_FAILED;
        return new IpamException(code, String.valueOf(cause.getMessage()), "'plugin list' tells more", cause);
    }

    /** What a part refused, for the caller: its own words. */
    static IpamException refused(ErrorKind kind, String why) {
        ErrorCode code = switch (kind) {
            case ADDRESSES_EXHAUSTED, QUOTA_EXHAUSTED -> ErrorCode.POOL_EXHAUSTED;
            case THROTTLED, UNAVAILABLE, CONFLICT -> ErrorCode.TRY_AGAIN;
            case DEADLINE_EXCEEDED -> ErrorCode.DEADLINE_EXCEEDED;
            case NOT_FOUND -> ErrorCode.NOT_FOUND;
            case UNAUTHORIZED -> ErrorCode.PERMISSION_DENIED;
            case MISCONFIGURED -> ErrorCode.INVALID_ARGUMENT;
            case INTERNAL -> ErrorCode.PLUGIN_FAILED;
        };
        return new IpamException(code, why, "");
    }
}
