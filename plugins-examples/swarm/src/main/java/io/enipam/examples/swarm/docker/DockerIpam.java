package io.enipam.examples.swarm.docker;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.enipam.examples.swarm.docker.IpamDriver.AddressRequest;
import io.enipam.examples.swarm.docker.IpamDriver.PoolAnswer;
import io.enipam.examples.swarm.docker.IpamDriver.PoolRequest;
import io.enipam.examples.swarm.errors.Refused;
import io.enipam.sdk.Check;
import io.enipam.sdk.Command;
import io.enipam.sdk.EndpointSpec;
import io.enipam.sdk.Extension;
import io.enipam.sdk.Host;
import io.enipam.sdk.HttpEndpoint;
import io.enipam.sdk.HttpReply;
import io.enipam.sdk.HttpRequest;
import io.enipam.sdk.Meter;
import io.enipam.sdk.Role;
import io.enipam.sdk.Setting;
import io.enipam.sdk.Signals;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The extension {@code docker-ipam} at work: libnetwork's remote IPAM protocol on a unix socket. Each request is a POST of a JSON object;
 * an error is {@code {"Err":"text"}}, which Docker shows its user. Thread-safe.
 */
public final class DockerIpam implements HttpEndpoint {
    private static final String PROTOCOL = "application/vnd.docker.plugins.v1.2+json";
    private static final ObjectReader JSON =
            new ObjectMapper().reader().with(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
    private static final EndpointSpec.Limits LIMITS =
            new EndpointSpec.Limits(64, 64 << 10, Duration.ofMinutes(10), Duration.ofSeconds(30));
    private static final Meter REQUESTS =
            Meter.of("docker_ipam_requests", "Requests of Docker's remote IPAM protocol.", "method", "status");
    private static final Meter LEASES = Meter.of("docker_ipam_leases", "Addresses that networks of Docker's have.");
    private static final List<String> METHODS =
            List.of("RequestPool", "ReleasePool", "RequestAddress", "ReleaseAddress");

    private final Configured configured;
    private final Processes processes;
    private final IpamDriver driver;
    private final Signals signals;
    private final Checks checks;

    DockerIpam(Host host, Processes processes) {
        this.configured = Configured.of(host.settings());
        this.processes = processes;
        this.driver = new IpamDriver(host.journal(), host.clock(), processes, configured);
        this.signals = host.signals();
        this.checks = new Checks(driver, processes, configured);
        signals.gauge(LEASES, () -> driver.leases().size());
    }

    /** What the plugin offers. */
    public static Extension extension() {
        return Extension.of(
                "docker-ipam",
                Set.of(Role.NODE, Role.CLUSTER),
                host -> new DockerIpam(host, Processes.of(host.node().name())));
    }

    /** The settings of the extension. */
    public static List<Setting<?>> settings() {
        return Configured.schema();
    }

    @Override
    public EndpointSpec endpoint() {
        return EndpointSpec.unix(configured.socket()).withLimits(LIMITS);
    }

    @Override
    public List<Command> commands() {
        return new Commands(driver).all();
    }

    @Override
    public List<Check> checks() {
        return checks.all();
    }

    @Override
    public CompletionStage<HttpReply> serve(HttpRequest request) {
        HttpReply reply = answered(request);
        String method = method(request);
        signals.counter(REQUESTS, METHODS.contains(method) ? method : Signals.OTHER, Integer.toString(reply.status()))
                .add(1);
        return CompletableFuture.completedStage(reply);
    }

    private static String method(HttpRequest request) {
        return request.path().replaceFirst("^/IpamDriver\\.", "");
    }

    private HttpReply answered(HttpRequest request) {
        try {
            if (!request.method().equals("POST")) {
                throw new Refused(
                        Refused.Code.UNIMPLEMENTED, request.method() + " is not of this protocol: POST a JSON object");
            }
            return reply(200, answer(request.path(), read(request), processes.client(request.peer())));
        } catch (Refused e) {
            return reply(status(e.code()), object().put("Err", e.text()));
        }
    }

    /** Docker shows the message, whatever it is. */
    private static int status(Refused.Code code) {
        return switch (code) {
            case INVALID_ARGUMENT -> 400;
            case NOT_FOUND -> 404;
            case UNIMPLEMENTED -> 405;
            case UNAVAILABLE -> 503;
            case ALREADY_EXISTS, FAILED_PRECONDITION, RESOURCE_EXHAUSTED, OUT_OF_RANGE, SEQUENCE_CONFLICT -> 409;
        };
    }

    private static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }

    private static HttpReply reply(int status, ObjectNode body) {
        return HttpReply.of(status, PROTOCOL, body.toString().getBytes(StandardCharsets.UTF_8));
    }

    private ObjectNode answer(String path, JsonNode body, String client) {
        switch (path) {
            case "/Plugin.Activate" -> {
                ObjectNode answer = object();
                answer.putArray("Implements").add("IpamDriver");
                return answer;
            }
            case "/IpamDriver.GetCapabilities" -> {
                // container's
                return object().put("RequiresMACAddress", configured.macs()).put("RequiresRequestReplay", true);
            }
            case "/IpamDriver.GetDefaultAddressSpaces" -> {
                return object().put("LocalDefaultAddressSpace", IpamDriver.LOCAL_SPACE)
                        .put("GlobalDefaultAddressSpace", IpamDriver.GLOBAL_SPACE);
            }
            case "/IpamDriver.RequestPool" -> {
                PoolAnswer pool = driver.requestPool(
                        new PoolRequest(
                                text(body, "AddressSpace"),
                                text(body, "Pool"),
                                text(body, "SubPool"),
                                options(body),
                                flag(body, "V6")),
                        client);
                ObjectNode answer = object().put("PoolID", pool.poolId()).put("Pool", pool.pool());
                answer.putObject("Data");
                return answer;
            }
            case "/IpamDriver.RequestAddress" -> {
                ObjectNode answer = object().put(
                                "Address",
                                driver.requestAddress(
                                        new AddressRequest(text(body, "PoolID"), text(body, "Address"), options(body)),
                                        client));
                answer.putObject("Data");
                return answer;
            }
            case "/IpamDriver.ReleaseAddress" ->
                driver.releaseAddress(text(body, "PoolID"), text(body, "Address"), client);
            case "/IpamDriver.ReleasePool" -> driver.releasePool(text(body, "PoolID"), client);
            case "/IpamDriver.DiscoverNew", "/IpamDriver.DiscoverDelete" -> {}
            default ->
                throw Refused.notFound(
                        "there is no " + path + " here: this is an IpamDriver of the plugin protocol 1.2");
        }
        return object();
    }

    private static JsonNode read(HttpRequest request) {
        String text = request.text();
        if (text.isBlank() && METHODS.contains(method(request))) {
            throw Refused.invalid(
                    "the request has no body: dockerd repeats so a call during which the driver ended, and what it asked for is"
                            + " not known; run the command again ('doctor swarm/ipam-stale' finds an address that is left of it)");
        }
        try {
            JsonNode body = text.isBlank() ? object() : JSON.readTree(text);
            if (!body.isObject()) {
                throw Refused.invalid("the body is no JSON object: POST one, as Docker does");
            }
            return body;
        } catch (JsonProcessingException e) {
            throw Refused.invalid("the body is no JSON: " + e.getOriginalMessage() + "; POST an object");
        }
    }

    private static String text(JsonNode body, String field) {
        JsonNode value = body.path(field);
        if (!value.isMissingNode() && !value.isNull() && !value.isTextual()) {
            throw Refused.invalid(field + " is no text: " + value.getNodeType());
        }
        return value.asText("");
    }

    private static boolean flag(JsonNode body, String field) {
        JsonNode value = body.path(field);
        if (!value.isMissingNode() && !value.isNull() && !value.isBoolean()) {
            throw Refused.invalid(field + " is neither true nor false: " + value.getNodeType());
        }
        return value.asBoolean();
    }

    private static Map<String, String> options(JsonNode body) {
        JsonNode value = body.path("Options");
        if (!value.isMissingNode() && !value.isNull() && !value.isObject()) {
            throw Refused.invalid("Options is no object: " + value.getNodeType());
        }
        Map<String, String> options = new LinkedHashMap<>();
        value.fieldNames().forEachRemaining(name -> options.put(name, text(value, name)));
        return options;
    }
}
