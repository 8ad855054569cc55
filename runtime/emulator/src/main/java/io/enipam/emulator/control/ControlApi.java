package io.enipam.emulator.control;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import io.enipam.emulator.CloudSnapshot;
import io.enipam.emulator.cloud.Latency;
import io.enipam.emulator.cloud.DurationFormat;
import io.enipam.emulator.fault.FaultPlan;
import io.enipam.emulator.fault.ThrottleLimits;
import io.enipam.emulator.http.FullReply;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@link CloudControl} over HTTP, as JSON:
 *
 * <pre>
 * GET /faults   POST /faults   DELETE /faults   GET /faults/ID   DELETE /faults/ID
 * GET /latency  PUT /latency {"latency": "real"}
 * GET /throttle PUT /throttle {"throttle": "default"}
 * POST /actions {"action": "detach-eni", "eni": "eni-..."} and others
 * POST /reset   GET /books    GET /calls
 * </pre>
 *
 * <p>What is wrong with a request is told as problem details (RFC 9457). Whatever changes something wants Content-Type
 * application/json, which no page of another site can send unasked, and every request names a loopback host. Thread-safe.
 */
public final class ControlApi {
    private static final Logger LOG = LoggerFactory.getLogger(ControlApi.class);
    private static final Pattern LOOPBACK =
            Pattern.compile("(?:localhost|127(?:\\.[0-9]{1,3}){3}|\\[::1])(?::[0-9]{1,5})?");
    private static final int MOST_BYTES = 64 * 1024;

    private final CloudControl control;
    private final Supplier<CloudSnapshot> books;
    private final Map<String, Map<String, Function<JsonNode, FullReply>>> routes;
    private final Map<String, Function<ControlRequestFields, ObjectNode>> actions;

    /** The API of that control. */
    public ControlApi(CloudControl control, Supplier<CloudSnapshot> books) {
        this.control = control;
        this.books = books;
        this.routes = Map.of(
                "/faults", Map.of("GET", none -> list(), "POST", this::add, "DELETE", none -> removeAll()),
                "/latency", Map.of("GET", none -> latency(), "PUT", this::setLatency),
                "/throttle", Map.of("GET", none -> throttle(), "PUT", this::setThrottle),
                "/actions", Map.of("POST", this::act),
                "/reset", Map.of("POST", none -> reset()),
                "/books", Map.of("GET", none -> ControlJson.reply(200, ControlJson.tree(this.books.get()))),
                "/calls", Map.of("GET", none -> calls()));
        this.actions = Map.of(
                "detach-eni", this::detachEni,
                "take-ip", this::takeIp,
                "stick", this::stick,
                "release", this::release,
                "expire-credential", this::expireCredential,
                "skew-clock", this::skewClock);
    }

    /** Answers a request, whatever it is. */
    public FullReply answer(HttpExchange exchange) {
        try {
            return route(exchange);
        } catch (Problem problem) {
            return problem.reply();
        } catch (ControlException refusal) {
            return Problem.of(refusal).reply();
        } catch (IllegalArgumentException invalid) {
            return new Problem(400, String.valueOf(invalid.getMessage())).reply();
        } catch (UncheckedIOException torn) {
            throw torn;
        } catch (RuntimeException bug) {
            LOG.error("control {} failed", exchange.getRequestURI().getPath(), bug);
            return new Problem(500, "this is a bug of the emulator: " + bug).reply();
        }
    }

    private FullReply route(HttpExchange exchange) {
        refuseStrangers(exchange);
        String path = exchange.getRequestURI().getPath();
        String method = exchange.getRequestMethod();
        if (path.startsWith("/faults/")) {
            return one(method, path.substring("/faults/".length()));
        }
        Map<String, Function<JsonNode, FullReply>> methods = routes.get(path);
        if (methods == null) {
            throw new Problem(
                    404, "there is no " + path + "; there are " + String.join(", ", new TreeMap<>(routes).keySet()));
        }
        Function<JsonNode, FullReply> handler = methods.get(method);
        if (handler == null) {
            throw wrongMethod(path, methods.keySet());
        }
        return handler.apply(body(exchange));
    }

    /** A page of another site that has its name point here still sends that name. */
    private static void refuseStrangers(HttpExchange exchange) {
        String host = exchange.getRequestHeaders().getFirst("Host");
        if (host != null && !LOOPBACK.matcher(host).matches()) {
            throw new Problem(403, "the control API is asked for by a loopback address, not as " + host);
        }
    }

    private static JsonNode body(HttpExchange exchange) {
        String method = exchange.getRequestMethod();
        if (!method.equals("POST") && !method.equals("PUT")) {
            return ControlJson.object();
        }
        String type = exchange.getRequestHeaders().getFirst("Content-Type");
        if (type == null || !type.toLowerCase(Locale.ROOT).startsWith("application/json")) {
            throw new Problem(415, "send Content-Type: application/json");
        }
        try {
            byte[] bytes = exchange.getRequestBody().readNBytes(MOST_BYTES + 1);
            if (bytes.length > MOST_BYTES) {
                throw new Problem(413, "the body is longer than " + MOST_BYTES + " bytes");
            }
            String text = new String(bytes, StandardCharsets.UTF_8);
            return text.isBlank() ? ControlJson.object() : ControlJson.read(text);
        } catch (IOException torn) {
            throw new UncheckedIOException(torn);
        }
    }

    private FullReply list() {
        ObjectNode json = ControlJson.object();
        ArrayNode all = json.putArray("faults");
        control.faults().list().forEach(entry -> all.add(RuleJson.write(entry)));
        return ControlJson.reply(200, json);
    }

    private FullReply add(JsonNode body) {
        long id = control.faults().add(RuleJson.read(body));
        ObjectNode json = control.faults()
                .find(id)
                .map(RuleJson::write)
                .orElseGet(() -> ControlJson.object().put("id", id));
        return new FullReply(201, "application/json", json.toPrettyString() + "\n", Map.of("Location", "/faults/" + id));
    }

    private FullReply removeAll() {
        return ControlJson.reply(
                200, ControlJson.object().put("removed", control.faults().clear()));
    }

    private FullReply one(String method, String id) {
        if (!id.matches("[0-9]{1,18}")) {
            throw new Problem(404, "there is no rule " + id);
        }
        FaultPlan.Entry entry =
                control.faults().find(Long.parseLong(id)).orElseThrow(() -> new Problem(404, "there is no rule " + id));
        return switch (method) {
            case "GET" -> ControlJson.reply(200, RuleJson.write(entry));
            case "DELETE" -> {
                control.faults().remove(entry.id());
                yield ControlJson.reply(200, RuleJson.write(entry));
            }
            default -> throw wrongMethod("/faults/" + id, Set.of("GET", "DELETE"));
        };
    }

    private FullReply latency() {
        return ControlJson.reply(
                200, ControlJson.object().put("latency", control.latency().toString()));
    }

    private FullReply setLatency(JsonNode body) {
        ControlRequestFields fields = new ControlRequestFields(body);
        fields.allow(Set.of("latency"));
        control.latency(Latency.parse(fields.text("latency")));
        return latency();
    }

    private FullReply throttle() {
        return ControlJson.reply(
                200, ControlJson.object().put("throttle", control.throttle().toString()));
    }

    private FullReply setThrottle(JsonNode body) {
        ControlRequestFields fields = new ControlRequestFields(body);
        fields.allow(Set.of("throttle"));
        control.throttle(ThrottleLimits.parse(fields.text("throttle")));
        return throttle();
    }

    private FullReply reset() {
        control.reset();
        return new FullReply(204, "application/json", "");
    }

    private FullReply calls() {
        ObjectNode json = ControlJson.object();
        json.set("calls", ControlJson.tree(control.calls()));
        return ControlJson.reply(200, json);
    }

    private FullReply act(JsonNode body) {
        ControlRequestFields fields = new ControlRequestFields(body);
        String name = fields.text("action");
        Function<ControlRequestFields, ObjectNode> action = actions.get(name);
        if (action == null) {
            throw new IllegalArgumentException("there is no action '" + name + "'; there are "
                    + String.join(", ", new TreeMap<>(actions).keySet()));
        }
        return ControlJson.reply(200, action.apply(fields).put("action", name));
    }

    private ObjectNode detachEni(ControlRequestFields fields) {
        String eni = eni(fields);
        control.detachEni(eni);
        return ControlJson.object().put("eni", eni);
    }

    private ObjectNode takeIp(ControlRequestFields fields) {
        fields.allow(Set.of("action", "ip"));
        String ip = fields.text("ip");
        return ControlJson.object().put("ip", ip).put("eni", control.takeIp(ip));
    }

    private ObjectNode stick(ControlRequestFields fields) {
        String eni = eni(fields);
        OptionalLong rule = control.stick(eni);
        ObjectNode done = ControlJson.object().put("eni", eni);
        rule.ifPresent(id -> done.put("rule", id));
        return done;
    }

    private ObjectNode release(ControlRequestFields fields) {
        String eni = eni(fields);
        control.release(eni);
        return ControlJson.object().put("eni", eni);
    }

    private ObjectNode expireCredential(ControlRequestFields fields) {
        fields.allow(Set.of("action", "key"));
        if (!fields.has("key")) {
            return ControlJson.object().put("key", control.expireRole());
        }
        String key = fields.text("key");
        control.expireKey(key);
        return ControlJson.object().put("key", key);
    }

    private ObjectNode skewClock(ControlRequestFields fields) {
        fields.allow(Set.of("action", "ahead"));
        control.skewClock(DurationFormat.parse(fields.text("ahead")));
        return ControlJson.object().put("ahead", DurationFormat.text(control.clockSkew()));
    }

    private static String eni(ControlRequestFields fields) {
        fields.allow(Set.of("action", "eni"));
        return fields.text("eni");
    }

    private static Problem wrongMethod(String path, Set<String> methods) {
        return new Problem(405, path + " takes " + String.join(", ", new TreeSet<>(methods)));
    }
}
