package io.enipam.aliyun.client;

import io.enipam.aliyun.api.CloudApi;
import io.enipam.aliyun.api.EcsApi;
import io.enipam.aliyun.api.EcsException;
import io.enipam.aliyun.api.ErrorReactions;
import io.enipam.aliyun.calls.ApiCallLog.CallPermission;
import io.enipam.aliyun.calls.ApiCallLog.ThrottlingOutcome;
import io.enipam.aliyun.client.RetryingEcsApi.CallConfig;
import io.enipam.aliyun.client.RetryingEcsApi.CallContext;
import io.enipam.aliyun.client.RetryingEcsApi.EcsTransport.CallAttempt;
import io.enipam.aliyun.client.RetryingEcsApi.EcsTransport.Deadline;
import io.enipam.engine.model.Event;
import io.enipam.engine.port.Span;
import io.enipam.engine.port.Trace;
import io.enipam.sdk.ErrorKind;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One call, from its first attempt to its end. It lives on its caller's thread.
 *
 * <p><b>Which calls are repeated.</b> A call that the cloud refused unread (throttled, in conflict) always; one that it
 * refused for its keys once, if there are newer keys. A call whose outcome is unknown only if it is a look-up, or
 * carries a client token: the retry is the same request with the same token, and a nonce and signature of its own.
 * Attach, Detach, Delete and Unassign have no token: their unknown outcomes go to the caller, which reads the state
 * before it asks again. All other refusals are final.
 *
 * <p><b>How long.</b> Waits for the rate limit, attempts and back-offs share one deadline. A wait that would outlast it
 * does not begin: the call fails at once, with the time after which asking makes sense.
 */
final class RetryingCall<T> {
    private final CallContext around;
    private final CloudApi api;
    private final String target;
    private final Function<EcsApi, T> call;
    private final Trace trace;
    private final long begunNanos;
    private final Deadline deadline;
    private int attempts;
    private String requestId = "";
    private boolean keysRenewed;
    /** An attempt that the cloud may have carried out. */
    private @Nullable EcsException unknown;

    /**
     * @param budget how long it may take
     * @param trace the call's trace, ended here
     */
    RetryingCall(
            CallContext around, CloudApi api, String target, Function<EcsApi, T> call, Duration budget, Trace trace) {
        this.around = around;
        this.api = api;
        this.target = target;
        this.call = call;
        this.trace = trace;
        this.begunNanos = around.time().nanoTime();
        this.deadline = Deadline.in(budget, around.time());
    }

    /** @throws EcsException of the last attempt */
    T execute() {
        try {
            T answer = retried();
            ended("", requestId);
            told(answer);
            return answer;
        } catch (EcsException e) {
            EcsException failure = stillUnknown(e.advising(accessHint(e)));
            ended(failure.code(), failure.requestId());
            trace.failed(failure.code(), failure.getMessage());
            throw failure;
        } catch (RuntimeException | Error bug) {
            // the call is over all the same, and its trace says so
            ended(bug.getClass().getSimpleName(), requestId);
            trace.failed(bug.getClass().getSimpleName(), String.valueOf(bug.getMessage()));
            throw bug instanceof RuntimeException known ? known : new CompletionException(bug);
        }
    }

    private T retried() {
        CallConfig.Retries retries = around.settings().retries(api);
        for (int failures = 1; ; failures++) {
            CallPermission.Granted permission = permission();
            long generation = around.keys().generation();
            try {
                return attempt(permission);
            } catch (EcsException failure) {
                if (!mayAskAgain(failure, generation) || failures >= retries.attempts()) {
                    throw failure;
                }
                Duration pause = around.book().spread(retries.backoff().pause(failures), retries.jitter());
                if (deadline.nearerThan(pause)) {
                    throw failure;
                }
                pause(pause, "BACK_OFF", failure.code());
            }
        }
    }

    /** What it made is part of its trace. */
    private void told(T answer) {
        if (answer instanceof EcsApi.NetworkInterface made) {
            trace.with("made", made.id());
        } else if (answer instanceof EcsApi.AssignedAddresses assigned) {
            trace.with("addresses", String.join(" ", assigned.ips()));
        }
        trace.done();
    }

    /**
     * An attempt that the cloud may have carried out stays one when the next was not let through: neither a throttle
     * nor a refused key says anything about it.
     */
    private EcsException stillUnknown(EcsException failure) {
        boolean letThrough = failure.kind() != ErrorKind.THROTTLED && failure.kind() != ErrorKind.UNAUTHORIZED;
        return unknown == null || letThrough ? failure : unknown.retryAfter(failure.retryAfter());
    }

    /** What to do about keys that the cloud does not accept; empty text if the failure says it itself. */
    private String accessHint(EcsException failure) {
        String code = failure.code();
        if (failure.kind() != ErrorKind.UNAUTHORIZED || code.equals(ErrorReactions.NO_CREDENTIALS)) {
            return "";
        } else if (code.startsWith("InvalidTimeStamp")) {
            return "this node's clock is more than 15 minutes off: set it, and keep it set (chrony, NTP)";
        } else if (code.equals("SignatureNonceUsed")) {
            return "something repeats this node's requests: check proxies between it and the cloud";
        }
        String owner = around.keys().location();
        return code.startsWith("Forbidden")
                ? "allow ecs:" + failure.action() + " in the RAM policy of the owner of " + owner
                : "check " + owner;
    }

    private void ended(String code, String requestId) {
        Duration took = Duration.ofNanos(around.time().nanoTime() - begunNanos);
        around.book().recordEnd(api, target, took, code, requestId, attempts);
    }

    private T attempt(CallPermission.Granted permission) {
        long begun = around.time().nanoTime();
        attempts++;
        Span told = trace.step("ATTEMPT");
        try {
            CallAttempt attempt = new CallAttempt(deadline);
            T answer = call.apply(around.wire().forAttempt(attempt));
            requestId = attempt.requestId;
            told.with("requestId", requestId).done();
            around.book().recordServed(api, permission, "", since(begun));
            return answer;
        } catch (EcsException e) {
            told.with("requestId", e.requestId()).failed(e.code(), e.getMessage());
            EcsException failure = booked(e, permission, since(begun));
            if (failure.outcomeUnknown() && !attemptsMadeNothing(failure)) {
                unknown = failure;
            }
            throw failure;
        } catch (RuntimeException | Error bug) {
            told.failed(bug.getClass().getSimpleName(), String.valueOf(bug.getMessage()));
            throw bug;
        }
    }

    private Duration since(long nanos) {
        return Duration.ofNanos(around.time().nanoTime() - nanos);
    }

    private EcsException booked(EcsException failure, CallPermission.Granted permission, Duration took) {
        if (failure.kind() != ErrorKind.THROTTLED) {
            around.book().recordServed(api, permission, failure.code(), took);
            return failure;
        }
        ThrottlingOutcome throttling = around.book().recordThrottling(api, permission, failure.code(), took);
        if (throttling.news()) {
            String name = api.wireName();
            String text = "the cloud throttles " + name + ": it is left alone for " + seconds(throttling.inhibition())
                    + " s, and then called " + throttling.allowed() + " times a minute at most";
            around.events().publish(Event.Severity.WARNING, "ApiThrottled", name, text, failure.attributes());
        }
        return failure.retryAfter(throttling.inhibition());
    }

    private boolean mayAskAgain(EcsException failure, long generation) {
        return switch (failure.reaction()) {
            case BACK_OFF -> failure.kind() != ErrorKind.THROTTLED || !deadline.nearerThan(failure.retryAfter());
            case RETRY_SAME_TOKEN ->
                api.idempotency() != CloudApi.Idempotency.NEVER_BLINDLY || attemptsMadeNothing(failure);
            case NEWER_CREDENTIALS -> {
                boolean first = !keysRenewed;
                keysRenewed = true;
                yield first && around.keys().refreshIfNewer(generation);
            }
            default -> false;
        };
    }

    /** A call that could not be signed never left this node. */
    private static boolean attemptsMadeNothing(EcsException failure) {
        return failure.code().equals(ErrorReactions.CREDENTIALS_AWAY);
    }

    private CallPermission.Granted permission() {
        long from = around.time().nanoTime();
        while (true) {
            CallPermission answer = around.book().acquire(api);
            if (answer instanceof CallPermission.Granted granted) {
                around.book().recordWait(api, since(from));
                return granted;
            }
            CallPermission.Held held = (CallPermission.Held) answer;
            if (deadline.nearerThan(held.after())) {
                EcsException heldBack = heldBack(held);
                trace.step("LIMITER").failed(heldBack.code(), heldBack.getMessage());
                throw heldBack;
            }
            pause(held.after(), "LIMITER", held.why());
        }
    }

    private EcsException heldBack(CallPermission.Held held) {
        String text = held.why() + ", and it may be called again in " + seconds(held.after()) + " s";
        return new EcsException(api.wireName(), ErrorReactions.HELD_BACK, 400, "", text).retryAfter(held.after());
    }

    /** Whole seconds, rounded up. */
    private static long seconds(Duration duration) {
        return duration.plusMillis(999).toSeconds();
    }

    /** Waits on the caller's thread; the call ends if the process is closing. */
    private void pause(Duration wait, String step, String why) {
        if (wait.isZero()) {
            return;
        }
        Span told = trace.step(step).with("why", why);
        try {
            around.pauses().sleep(wait);
            told.done();
        } catch (InterruptedException e) {
            told.failed("SDK.Interrupted", "the process is closing");
            Thread.currentThread().interrupt();
            throw new EcsException(api.wireName(), "SDK.Interrupted", 0, "", "interrupted while waiting for its turn");
        }
    }
}
