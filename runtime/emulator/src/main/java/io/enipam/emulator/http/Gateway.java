package io.enipam.emulator.http;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import io.enipam.emulator.action.Actions;
import io.enipam.emulator.action.ClientTokens;
import io.enipam.emulator.api.Action;
import io.enipam.emulator.api.ApiError;
import io.enipam.emulator.api.ApiException;
import io.enipam.emulator.api.Call;
import io.enipam.emulator.api.Outcome;
import io.enipam.emulator.api.Params;
import io.enipam.emulator.api.Request;
import io.enipam.emulator.api.Service;
import io.enipam.emulator.auth.Authenticator;
import io.enipam.emulator.cloud.Cloud;
import io.enipam.emulator.cloud.CloudState;
import io.enipam.emulator.cloud.Ids;
import io.enipam.emulator.cloud.LatencyProfile;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The RPC gateway: reads a call, checks it in the order of the real one (action, version, key, time, signature, nonce,
 * region), does it, and writes the answer. Thread-safe.
 */
public final class Gateway {
    private static final Logger LOG = LoggerFactory.getLogger(Gateway.class);
    /** Of a request that cannot be read nobody knows what it asks for; JSON is what clients ask for. */
    private static final Params UNREAD = new Params(Map.of("Format", "JSON"));

    private final Cloud cloud;
    private final Authenticator authenticator;
    private final LatencyProfile latency;
    private final CallCounts counts;
    private final AtomicLong requests = new AtomicLong();

    /** A gateway to that cloud. */
    public Gateway(Cloud cloud, Authenticator authenticator, LatencyProfile latency, CallCounts counts) {
        this.cloud = cloud;
        this.authenticator = authenticator;
        this.latency = latency;
        this.counts = counts;
    }

    /** Answers a call, whatever it is. */
    public Reply answer(HttpExchange exchange) {
        Params params = UNREAD;
        try {
            String method = exchange.getRequestMethod();
            if (!method.equals("GET") && !method.equals("POST")) {
                throw new ApiException(ApiError.UNSUPPORTED_METHOD);
            }
            Request request = RequestReader.read(exchange);
            params = request.params();
            if (!request.path().equals("/")) {
                throw new ApiException(ApiError.ACTION_NOT_FOUND);
            }
            return answer(request, params);
        } catch (ApiException refusal) {
            return refuse(refusal, params);
        } catch (UncheckedIOException torn) {
            throw torn;
        } catch (RuntimeException bug) {
            LOG.error("call {} failed", params.get("Action").orElse("without action"), bug);
            return refuse(new ApiException(ApiError.INTERNAL_ERROR), params);
        }
    }

    private Reply answer(Request request, Params params) {
        String name = params.require("Action", ApiError.MISSING_ACTION);
        String version = params.require("Version", ApiError.MISSING_VERSION);
        Service service = Service.ofVersion(version).orElseThrow(() -> new ApiException(ApiError.INVALID_VERSION));
        Action action = Actions.find(service, name).orElseThrow(() -> new ApiException(ApiError.ACTION_NOT_FOUND));
        authenticator.check(request);
        counts.add(name);
        String region = cloud.now().regionId();
        if (params.get("RegionId").filter(asked -> !asked.equals(region)).isPresent()) {
            throw new ApiException(ApiError.REGION_NOT_FOUND);
        }
        // the work is done half-way: a client that gives up early cannot know whether it was
        Duration half = latency.ofCall(name).dividedBy(2);
        pause(half);
        Outcome outcome;
        try {
            outcome = cloud.change(
                    (state, now) -> ClientTokens.apply(action, new Call(params, now, latency::ofStatus), state));
        } finally {
            pause(half);
        }
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        body.put("RequestId", requestId());
        body.setAll(outcome.body());
        return reply(200, name + "Response", body, params);
    }

    private Reply refuse(ApiException refusal, Params params) {
        CloudState state = cloud.now();
        ApiError error = refusal.error();
        Service service = params.get("Version").flatMap(Service::ofVersion).orElse(Service.ECS);
        String requestId = requestId();
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        body.put("RequestId", requestId);
        body.put("HostId", service.hostId(state.regionId()));
        body.put("Code", error.code());
        body.put("Message", refusal.getMessage());
        body.put(
                "Recommend",
                "https://api.aliyun.com/troubleshoot?q=" + URLEncoder.encode(error.code(), StandardCharsets.UTF_8)
                        + "&requestId=" + requestId);
        return reply(error.httpStatus(), "Error", body, params);
    }

    private static Reply reply(int status, String root, ObjectNode body, Params params) {
        WireFormat format = WireFormat.of(params.get("Format"));
        return new Reply(status, format.contentType(), format.write(root, body));
    }

    private String requestId() {
        return Ids.request(cloud.now().seed(), requests.incrementAndGet());
    }

    private static void pause(Duration duration) {
        if (duration.isZero()) {
            return;
        }
        try {
            TimeUnit.NANOSECONDS.sleep(duration.toNanos());
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
            throw new UncheckedIOException(new InterruptedIOException("the server is closing"));
        }
    }
}
