package io.enipam.emulator.control;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import io.enipam.emulator.cloud.DurationFormat;
import io.enipam.emulator.cloud.Latency;
import io.enipam.emulator.control.CloudControl.ControlException;
import io.enipam.emulator.fault.FaultPlan;
import io.enipam.emulator.fault.ThrottleLimits;
import io.enipam.emulator.http.Endpoint.HttpCall;
import io.enipam.emulator.http.HttpReply.FullReply;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
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
 * <p>Errors are problem details (RFC 9457). A request that changes something needs Content-Type application/json, which no page of
 * another site can send unasked, and every request names a loopback host. Thread-safe.
 */
public final class ControlApi {
    private static final Logger LOG = LoggerFactory.getLogger(ControlApi.class);
    private static final Pattern LOOPBACK =
            Pattern.compile("(?:localhost|127(?:\\.[0-9]{1,3}){3}|\\[::1])(?::[0-9]{1,5})?");
    private static final int MOST_BYTES = 64 * 1024;

    private static final JsonMapper JSON = JsonMapper.builder()
            .addModule(new Jdk8Module())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private final CloudControl control;
    private final Map<String, Map<String, Function<JsonNode, FullReply>>> routes = new TreeMap<>();
    private final Map<String, ControlAction> actions = new TreeMap<>();

    public ControlApi(CloudControl control) {
        this.control = control;
        route(
                "GET",
                "/faults",
                none -> ok(object().set(
                                "faults",
                                JSON.valueToTree(control.faults().list().stream()
                                        .map(RuleJson::write)
                                        .toList()))));
        route("POST", "/faults", this::add);
        route(
                "DELETE",
                "/faults",
                none -> ok(object().put("removed", control.faults().clear())));
        setting("/latency", "latency", control::latency, text -> control.latency(Latency.parse(text)));
        setting("/throttle", "throttle", control::throttle, text -> control.throttle(ThrottleLimits.parse(text)));
        route("POST", "/actions", this::act);
        route("POST", "/reset", none -> {
            control.reset();
            return new FullReply(204, "application/json", "");
        });
        route("GET", "/books", none -> ok(JSON.valueToTree(control.snapshot())));
        route("GET", "/calls", none -> ok(object().set("calls", JSON.valueToTree(control.calls()))));
        action("detach-eni", "eni", (eni, done) -> control.detachEni(eni));
        action("release", "eni", (eni, done) -> control.release(eni));
        action("take-ip", "ip", (ip, done) -> done.put("eni", control.takeIp(ip)));
        action("stick", "eni", (eni, done) -> control.stick(eni).ifPresent(rule -> done.put("rule", rule)));
        actions.put("expire-credential", new ControlAction("key", this::expireCredential));
        action("skew-clock", "ahead", (ahead, done) -> {
            control.skewClock(DurationFormat.parse(ahead));
            done.put("ahead", DurationFormat.text(control.clockSkew()));
        });
    }

    private void route(String method, String path, Function<JsonNode, FullReply> handler) {
        routes.computeIfAbsent(path, any -> new TreeMap<>()).put(method, handler);
    }

    /** A value that GET shows and PUT changes. */
    private void setting(String path, String field, Supplier<Object> value, Consumer<String> change) {
        Function<JsonNode, FullReply> show =
                none -> ok(object().put(field, value.get().toString()));
        route("GET", path, show);
        route("PUT", path, body -> {
            RuleJson.Fields fields = new RuleJson.Fields(body);
            fields.allow(Set.of(field));
            change.accept(fields.text(field));
            return show.apply(body);
        });
    }

    /** An action whose field comes back in the answer. */
    private void action(String name, String field, BiConsumer<String, ObjectNode> work) {
        actions.put(name, new ControlAction(field, (fields, done) -> {
            String value = fields.text(field);
            done.put(field, value);
            work.accept(value, done);
        }));
    }

    /**
     * A row of {@code POST /actions}: the field that it takes beside {@code action}, and what does it and puts the
     * result into the answer.
     */
    private record ControlAction(String field, BiConsumer<RuleJson.Fields, ObjectNode> work) {}

    public FullReply answer(HttpCall call) {
        try {
            return route(call);
        } catch (Problem problem) {
            return problem.reply();
        } catch (ControlException refusal) {
            int status = refusal.kind() == ControlException.Kind.NOT_FOUND ? 404 : 409;
            return new Problem(status, String.valueOf(refusal.getMessage())).reply();
        } catch (IllegalArgumentException invalid) {
            return new Problem(400, String.valueOf(invalid.getMessage())).reply();
        } catch (UncheckedIOException torn) {
            throw torn;
        } catch (RuntimeException bug) {
            LOG.error("control {} failed", call.path(), bug);
            return new Problem(500, "this is a bug of the emulator: " + bug).reply();
        }
    }

    private FullReply route(HttpCall call) {
        // a page of another site whose name resolves to this address still sends that name
        String host = call.headers().getFirst("Host");
        if (host != null && !LOOPBACK.matcher(host).matches()) {
            throw new Problem(403, "the control API is asked for by a loopback address, not as " + host);
        }
        String path = call.path();
        if (path.startsWith("/faults/")) {
            return one(call.method(), path.substring("/faults/".length()));
        }
        Map<String, Function<JsonNode, FullReply>> methods = routes.get(path);
        if (methods == null) {
            throw new Problem(404, "there is no " + path + "; there are " + String.join(", ", routes.keySet()));
        }
        Function<JsonNode, FullReply> handler = methods.get(call.method());
        if (handler == null) {
            throw wrongMethod(path, methods.keySet());
        }
        return handler.apply(body(call));
    }

    private static JsonNode body(HttpCall call) {
        if (!call.method().equals("POST") && !call.method().equals("PUT")) {
            return object();
        }
        String type = call.headers().getFirst("Content-Type");
        if (type == null || !type.toLowerCase(Locale.ROOT).startsWith("application/json")) {
            throw new Problem(415, "send Content-Type: application/json");
        }
        try {
            byte[] bytes = call.body().readNBytes(MOST_BYTES + 1);
            if (bytes.length > MOST_BYTES) {
                throw new Problem(413, "the body is longer than " + MOST_BYTES + " bytes");
            }
            String text = new String(bytes, StandardCharsets.UTF_8);
            return text.isBlank() ? object() : JSON.readTree(text);
        } catch (JsonProcessingException broken) {
            throw new Problem(400, "the body is no JSON: " + broken.getOriginalMessage());
        } catch (IOException torn) {
            throw new UncheckedIOException(torn);
        }
    }

    private FullReply add(JsonNode body) {
        long id = control.faults().add(RuleJson.read(body));
        ObjectNode json = control.faults().find(id).map(RuleJson::write).orElseGet(() -> object().put("id", id));
        return new FullReply(
                201, "application/json", json.toPrettyString() + "\n", Map.of("Location", "/faults/" + id));
    }

    private FullReply one(String method, String id) {
        FaultPlan.Entry entry = Optional.of(id)
                .filter(text -> text.matches("[0-9]{1,18}"))
                .flatMap(text -> control.faults().find(Long.parseLong(text)))
                .orElseThrow(() -> new Problem(404, "there is no rule " + id));
        if (!method.equals("GET") && !method.equals("DELETE")) {
            throw wrongMethod("/faults/" + id, Set.of("GET", "DELETE"));
        }
        if (method.equals("DELETE")) {
            control.faults().remove(entry.id());
        }
        return ok(RuleJson.write(entry));
    }

    private FullReply act(JsonNode body) {
        RuleJson.Fields fields = new RuleJson.Fields(body);
        String name = fields.text("action");
        ControlAction action = actions.get(name);
        if (action == null) {
            throw new IllegalArgumentException(
                    "there is no action '" + name + "'; there are " + String.join(", ", actions.keySet()));
        }
        fields.allow(Set.of("action", action.field()));
        ObjectNode done = object();
        action.work().accept(fields, done);
        return ok(done.put("action", name));
    }

    private void expireCredential(RuleJson.Fields fields, ObjectNode done) {
        if (!fields.has("key")) {
            done.put("key", control.expireRole());
            return;
        }
        control.expireKey(fields.text("key"));
        done.put("key", fields.text("key"));
    }

    private static Problem wrongMethod(String path, Set<String> methods) {
        return new Problem(405, path + " takes " + String.join(", ", new TreeSet<>(methods)));
    }

    private static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }

    private static FullReply ok(JsonNode body) {
        return new FullReply(200, "application/json", body.toPrettyString() + "\n");
    }

    /** A refusal as problem details (RFC 9457): status, title, detail. */
    private static final class Problem extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private static final Map<Integer, String> TITLES = Map.of(
                400, "Bad Request",
                403, "Forbidden",
                404, "Not Found",
                405, "Method Not Allowed",
                409, "Conflict",
                413, "Content Too Large",
                415, "Unsupported Media Type",
                500, "Internal Server Error");

        private final int status;

        Problem(int status, String detail) {
            super(detail, null, false, false);
            this.status = status;
        }

        FullReply reply() {
            String body = object().put("type", "about:blank")
                    .put("title", TITLES.getOrDefault(status, "Error"))
                    .put("status", status)
                    .put("detail", getMessage())
                    .toPrettyString();
            return new FullReply(status, "application/problem+json", body + "\n");
        }
    }
}
