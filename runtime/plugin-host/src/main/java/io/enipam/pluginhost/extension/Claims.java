package io.enipam.pluginhost.extension;

import io.enipam.engine.concurrent.KeyedQueue;
import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.Scheduler;
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
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * Serves claims by the allocators that run. Thread-safe.
 *
 * <p>The calls for one claim come one after the other. A claim that has to wait leaves its turn meanwhile, so that a release is
 * not held up; the release ends the waiting.
 */
public final class Claims implements PartListener {
    /** How long a release is answered after its effects, which are performed in any case. */
    private static final Duration TIDY = Duration.ofSeconds(10);

    /** Less than a runtime's patience with a call. */
    private static final Duration SERVE = Duration.ofSeconds(100);

    /** For the allocator's code and the commit together. */
    private static final Duration DECIDE = Duration.ofSeconds(5);

    private final Extensions extensions;
    private final Effects effects;
    private final TimeSource time;
    private final Scheduler engine;
    private final Map<String, Drift> drifts = new ConcurrentHashMap<>();
    private final KeyedQueue<String> turns = new KeyedQueue<>();
    /** The claims that wait, by extension and claim. */
    private final Map<String, CompletableFuture<Grant>> waiting = new ConcurrentHashMap<>();

    public Claims(Extensions extensions, Effects effects, TimeSource time, Scheduler engine) {
        this.extensions = extensions;
        this.effects = effects;
        this.time = time;
        this.engine = engine;
    }

    /** The claims of a host without plugins. */
    public static Claims none(TimeSource time, Scheduler engine) {
        SplittableRandom random = new SplittableRandom();
        EventSink nowhere = (severity, type, subject, message, attributes) -> {};
        return new Claims(
                new Extensions(time, engine, nowhere, random), new Effects(time, engine, random), time, engine);
    }

    /** A claim with a grant in force, or that waits for one, and the extension that serves it. */
    public record ServedClaim(String plugin, String extension, HeldGrant held) {}

    @Override
    public void opened(RunningPart part) {
        if (part.part() instanceof Allocator allocator) {
            Drift drift = new Drift(part, allocator, effects, engine);
            drifts.put(part.name(), drift);
            drift.begin();
        }
    }

    @Override
    public void closing(RunningPart part) {
        Optional.ofNullable(drifts.remove(part.name())).ifPresent(Drift::stop);
    }

    /** Where the outside of allocators differs from the grants in force. */
    public List<Drift.Difference> differences() {
        return drifts.values().stream()
                .flatMap(drift -> drift.differences().stream())
                .sorted(Comparator.comparing(Drift.Difference::extension)
                        .thenComparing(difference -> difference.claim().text()))
                .toList();
    }

    /** The claims of all allocators that run, by extension and id. */
    public List<ServedClaim> all() {
        return extensions.running().stream()
                .filter(part -> part.part() instanceof Allocator)
                .flatMap(part -> part.host().ledger().grants().stream()
                        .map(held -> new ServedClaim(part.plugin(), part.name(), held)))
                .toList();
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

    /** What an allocator has granted to a claim. */
    public Optional<Grant> grant(String allocator, ClaimId claim) {
        return serving(allocator).ledger().grant(claim).flatMap(HeldGrant::grant);
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
        CompletableFuture<Grant> out = new CompletableFuture<>();
        Duration left = Duration.between(time.now(), claim.deadline());
        String key = key(allocator, claim.id());
        Optional.ofNullable(waiting.put(key, out))
                .ifPresent(former -> former.completeExceptionally(new IpamException(
                        ErrorCode.TRY_AGAIN, "claim " + claim.id() + " came again", "the later call is served")));
        AtomicReference<String> reason = new AtomicReference<>("it waits for its turn");
        ask(allocator, claim, reason::set, out);
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
                });
    }

    private void ask(String allocator, Claim claim, Consumer<String> reason, CompletableFuture<Grant> out) {
        turns.run(
                        key(allocator, claim.id()),
                        () -> out.isDone()
                                ? CompletableFuture.<Decision>failedFuture(new IllegalStateException("it has ended"))
                                : decide(serving(allocator), claim))
                .whenComplete((decision, failure) -> {
                    if (failure != null) {
                        out.completeExceptionally(told(failure));
                    } else if (decision instanceof Grant grant) {
                        reason.accept("its effects are not performed yet");
                        effects.settled(allocator, claim.id())
                                .whenComplete((done, error) -> Stages.pass(out, grant, error));
                    } else if (decision instanceof Decision.Later later) {
                        reason.accept(later.why());
                        CompletableFuture.anyOf(
                                        Stages.pause(later.after(), engine), afterEffects(allocator, claim.id()))
                                .whenComplete((done, error) -> {
                                    if (error == null) {
                                        ask(allocator, claim, reason, out);
                                    } else {
                                        out.completeExceptionally(told(error));
                                    }
                                });
                    } else if (decision instanceof Decision.Refusal refusal) {
                        out.completeExceptionally(refused(refusal.kind(), refusal.why()));
                    }
                });
    }

    /** Never completes where no effect waits: then the time alone counts. */
    private CompletableFuture<Void> afterEffects(String allocator, ClaimId claim) {
        return effects.busy(allocator, claim) ? effects.settled(allocator, claim) : new CompletableFuture<>();
    }

    private static CompletionStage<Decision> decide(Serving by, Claim claim) {
        return by.part().calls().later("allocate", DECIDE, () -> by.ledger().allocate(claim, by.allocator()));
    }

    /**
     * Ends a claim, also one that waits.
     *
     * @return completes when that is durable, with whether there was anything to end; after its effects if those are performed
     *     within 10 s
     */
    public CompletableFuture<Boolean> release(String allocator, ClaimId claim) {
        String key = key(allocator, claim);
        Optional.ofNullable(waiting.remove(key))
                .ifPresent(waiter -> waiter.completeExceptionally(new IpamException(
                        ErrorCode.TRY_AGAIN, "claim " + claim + " was released while it was served", "")));
        return turns.run(key, () -> {
                    Serving by = serving(allocator);
                    return by.part()
                            .calls()
                            .later("release", DECIDE, () -> by.ledger().release(claim, by.allocator()));
                })
                .thenCompose(ended -> Stages.within(
                                effects.settled(allocator, claim),
                                TIDY,
                                engine,
                                () -> new IpamException(ErrorCode.DEADLINE_EXCEEDED, "effects wait", ""))
                        .handle((done, late) -> ended))
                .exceptionallyCompose(failure -> CompletableFuture.failedFuture(told(failure)));
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

    /** @throws IpamException if the extension does not run, or is no allocator */
    private Serving serving(String name) {
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
            Extensions.ExtensionView view = extensions.all().stream()
                    .filter(each -> each.name().equals(name))
                    .findFirst()
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
