package io.enipam.aliyun.client;

import io.enipam.aliyun.api.CloudApi;
import io.enipam.aliyun.api.EcsApi;
import io.enipam.aliyun.api.ForwardingEcsApi;
import io.enipam.aliyun.calls.ApiCallLog;
import io.enipam.aliyun.credentials.CredentialsProvider;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.TimeSource;
import io.enipam.engine.port.Trace;
import io.enipam.engine.port.TraceSink;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * The cloud with patience: every call waits for its turn, is made again as far as that is safe, is over within {@link
 * #BUDGET}, and is in the {@link ApiCallLog}. Thread-safe; blocks its caller for the budget at most.
 *
 * <p>{@link RetryingCall} says which calls are repeated.
 */
public final class RetryingEcsApi extends ForwardingEcsApi {
    /** How long one call may take, its retries and its waits for the rate limit included. */
    public static final Duration BUDGET = Duration.ofSeconds(20);

    private final RetryingCall.CallContext around;
    /** How callers wait for the calls. */
    private final List<String> waiting;

    /** One that publishes no event when an API is throttled. */
    public RetryingEcsApi(
            EcsTransport wire,
            CredentialsProvider keys,
            ApiCallLog book,
            CallConfig settings,
            TimeSource time,
            Sleeper pauses) {
        this(wire, keys, book, settings, (severity, type, subject, message, attributes) -> {}, time, pauses);
    }

    /**
     * @param keys whose keys the wire signs with: asked for newer ones when the cloud does not know those any more
     * @param settings the call log uses their limits, this class their back-offs
     * @param events receives an event when an API is throttled, once a minute
     */
    public RetryingEcsApi(
            EcsTransport wire,
            CredentialsProvider keys,
            ApiCallLog book,
            CallConfig settings,
            EventSink events,
            TimeSource time,
            Sleeper pauses) {
        this.around = new RetryingCall.CallContext(wire, keys, book, settings, events, time, pauses);
        this.waiting = List.of();
    }

    private RetryingEcsApi(RetryingCall.CallContext around, List<String> waiting) {
        this.around = around;
        this.waiting = waiting;
    }

    @Override
    public EcsApi onBehalfOf(List<String> whom) {
        return new RetryingEcsApi(around, whom);
    }

    @Override
    protected <T> T call(CloudApi api, String target, Function<EcsApi, T> call) {
        Trace trace = around.book().traces().begin(Trace.Operation.CLOUD, TraceSink.Subject.named(target, waiting));
        trace.with("api", api.wireName());
        return new RetryingCall<>(around, api, target, call, trace).execute();
    }

    @Override
    public Optional<Duration> clockAhead() {
        return around.wire().clockAhead();
    }

    /** How a call waits: for its turn, and before it is made again. */
    public interface Sleeper {
        /** The caller's thread sleeps. */
        Sleeper SLEEP = duration -> Thread.sleep(duration.toMillis(), duration.toNanosPart() % 1_000_000);

        /** Returns when the time has passed. */
        void sleep(Duration duration) throws InterruptedException;
    }
}
