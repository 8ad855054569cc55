package io.enipam.emulator.http;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import io.enipam.emulator.api.Action;
import io.enipam.emulator.api.Action.ApiProduct;
import io.enipam.emulator.api.ActionCall;
import io.enipam.emulator.api.ApiError;
import io.enipam.emulator.api.ApiError.ApiException;
import io.enipam.emulator.api.Authenticator;
import io.enipam.emulator.api.ClientTokens;
import io.enipam.emulator.api.Params;
import io.enipam.emulator.api.Request;
import io.enipam.emulator.cloud.CloudState;
import io.enipam.emulator.cloud.CloudStateStore;
import io.enipam.emulator.cloud.CloudStateStore.CloudStateListener;
import io.enipam.emulator.cloud.CloudTime;
import io.enipam.emulator.cloud.IdGenerator;
import io.enipam.emulator.cloud.Latency.LatencySampler;
import io.enipam.emulator.fault.Effect;
import io.enipam.emulator.fault.FaultInjection;
import io.enipam.emulator.fault.FaultPlan.FaultDecision;
import io.enipam.emulator.http.HttpReply.ApiReply;
import io.enipam.emulator.http.HttpReply.ConnectionDrop;
import io.enipam.emulator.http.HttpReply.FullReply;
import io.enipam.emulator.http.HttpReply.TruncatedReply;
import java.io.UncheckedIOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The RPC gateway: reads a call, checks it in the order of the real one (action, version, key, time, signature, nonce,
 * region), applies flow control and the fault rules to it, does it, and writes the answer. Thread-safe.
 */
public final class Gateway {
    private static final Logger LOG = LoggerFactory.getLogger(Gateway.class);
    /** The parameters of a request that cannot be read: most clients ask for JSON. */
    private static final Params UNREAD = new Params(Map.of("Format", "JSON"));

    private final CloudStateStore cloud;
    private final Function<Instant, CloudState> described;
    private final Authenticator authenticator;
    private final LatencySampler latency;
    private final CallCounts counts;
    private final FaultInjection faults;
    private final CloudTime time;
    private final CloudStateListener network;
    private final AtomicLong requests = new AtomicLong();

    /**
     * A gateway to that cloud. {@code described} is the cloud as the descriptions of ENIs show it at a moment, which
     * may be late; {@code network} follows the state before a call is answered.
     */
    public Gateway(
            CloudStateStore cloud,
            Function<Instant, CloudState> described,
            Authenticator authenticator,
            LatencySampler latency,
            CallCounts counts,
            FaultInjection faults,
            CloudTime time,
            CloudStateListener network) {
        this.cloud = cloud;
        this.described = described;
        this.authenticator = authenticator;
        this.latency = latency;
        this.counts = counts;
        this.faults = faults;
        this.time = time;
        this.network = network;
    }

    /** Serves a call that came over HTTP. */
    public HttpReply answer(HttpExchange exchange) {
        return answer(() -> read(exchange), authenticator::check);
    }

    /** Serves a call of this process, which needs no signature. */
    public HttpReply answerUnchecked(Request request) {
        return answer(() -> request, trusted -> {});
    }

    private static Request read(HttpExchange exchange) {
        String method = exchange.getRequestMethod();
        if (!method.equals("GET") && !method.equals("POST")) {
            throw ApiError.UNSUPPORTED_METHOD.with();
        }
        return Request.read(exchange);
    }

    /** @param check throws ApiException if the caller may not call */
    private HttpReply answer(Supplier<Request> reading, Consumer<Request> check) {
        Params params = UNREAD;
        try {
            Request request = reading.get();
            params = request.params();
            if (!request.path().equals("/")) {
                throw ApiError.ACTION_NOT_FOUND.with();
            }
            return answer(request, params, check);
        } catch (ApiException refusal) {
            return refuse(refusal, params);
        } catch (UncheckedIOException torn) {
            throw torn;
        } catch (RuntimeException bug) {
            LOG.error("call {} failed", params.get("Action").orElse("without action"), bug);
            return refuse(ApiError.INTERNAL_ERROR.with(), params);
        }
    }

    private HttpReply answer(Request request, Params params, Consumer<Request> check) {
        String name = params.require("Action", ApiError.MISSING_ACTION);
        String version = params.require("Version", ApiError.MISSING_VERSION);
        ApiProduct service = ApiProduct.ofVersion(version).orElseThrow(ApiError.INVALID_VERSION::with);
        Action action = Action.find(service, name).orElseThrow(ApiError.ACTION_NOT_FOUND::with);
        check.accept(request);
        counts.add(name);
        String region = cloud.now().layout().regionId();
        if (params.get("RegionId").filter(asked -> !asked.equals(region)).isPresent()) {
            throw ApiError.REGION_NOT_FOUND.with();
        }
        if (faults.windows().isOpen(name, time.instant())) {
            time.awaitTurn();
        }
        if (!faults.windows().admits(name, time.instant())) {
            return throttled(name, params);
        }
        FaultDecision decision = faults.plan().onCall(name, params.get("NetworkInterfaceId"));
        if (decision.hasEffect()) {
            counts.addFaulted(name);
        }
        time.pause(decision.delay());
        Optional<HttpReply> instead = decision.ending().flatMap(ending -> insteadOfWork(name, ending, params));
        if (instead.isPresent()) {
            return instead.get();
        }
        ApiReply reply = work(action, decision, params);
        return decision.ending()
                .map(ending -> spoilt(reply, ending, decision.draw(), params))
                .orElse(reply);
    }

    /** What a call gets that is not done at all. */
    private Optional<HttpReply> insteadOfWork(String name, Effect.Ending ending, Params params) {
        if (ending instanceof Effect.DropRequest) {
            return Optional.of(new ConnectionDrop());
        }
        if (ending instanceof Effect.Throttle) {
            faults.windows().close(name, time.instant());
            return Optional.of(throttled(name, params));
        }
        if (ending instanceof Effect.Fail fail && !fail.afterWork()) {
            return Optional.of(refuse(fail.httpStatus(), fail.code(), fail.message(), params));
        }
        return Optional.empty();
    }

    private ApiReply throttled(String name, Params params) {
        counts.addThrottled(name);
        return refuse(ApiError.THROTTLING_USER.with(), params);
    }

    private ApiReply work(Action action, FaultDecision decision, Params params) {
        // the work is done half-way: a client that gives up early cannot know whether it was
        Duration half = latency.ofCall(action.name()).dividedBy(2);
        time.pause(half);
        Action.Result outcome;
        try {
            if (!action.mayBeLate()) {
                time.awaitTurn();
            }
            outcome = cloud.change((state, now) -> {
                CloudState met = action.mayBeLate() ? described.apply(now) : state;
                ActionCall call = new ActionCall(
                        params,
                        met,
                        now,
                        latency::ofStatus,
                        vswitch -> cloud.part().elsewhere(vswitch, now));
                if (action.mayBeLate()) {
                    return new Action.Result(state, action.work().apply(call).body());
                }
                Action.Result done = ClientTokens.apply(action, call);
                return new Action.Result(
                        faults.sticky().settle(action.name(), call, decision.stick(), done.state()), done.body());
            });
            network.await();
        } catch (ApiException refusal) {
            return refuse(refusal, params);
        } finally {
            time.pause(half);
        }
        return reply(200, action.name() + "Response", requestId(), outcome.body(), params);
    }

    /** What is left of an answer to a call that was done. */
    private HttpReply spoilt(ApiReply reply, Effect.Ending ending, long draw, Params params) {
        if (ending instanceof Effect.DropAnswer) {
            return new ConnectionDrop();
        }
        if (ending instanceof Effect.Tear tear) {
            FullReply whole = reply.written();
            return new TruncatedReply(whole, tear.at().in(whole.text(), draw), tear.honestLength());
        }
        if (ending instanceof Effect.Fail fail) {
            return refuse(fail.httpStatus(), fail.code(), fail.message(), params);
        }
        return reply;
    }

    private ApiReply refuse(ApiException refusal, Params params) {
        ApiError error = refusal.error();
        return refuse(error.httpStatus(), error.code(), String.valueOf(refusal.getMessage()), params);
    }

    private ApiReply refuse(int status, String code, String message, Params params) {
        CloudState state = cloud.now();
        ApiProduct service =
                params.get("Version").flatMap(ApiProduct::ofVersion).orElse(ApiProduct.ECS);
        String requestId = requestId();
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        body.put("HostId", service.hostId(state.layout().regionId()));
        body.put("Code", code);
        body.put("Message", message);
        body.put(
                "Recommend",
                "https://api.aliyun.com/troubleshoot?q=" + URLEncoder.encode(code, StandardCharsets.UTF_8)
                        + "&requestId=" + requestId);
        return reply(status, "Error", requestId, body, params);
    }

    private static ApiReply reply(int status, String root, String requestId, ObjectNode content, Params params) {
        return new ApiReply(status, WireFormat.of(params.get("Format")), root, requestId, content);
    }

    private String requestId() {
        return IdGenerator.request(cloud.now().layout().seed(), requests.incrementAndGet());
    }
}
