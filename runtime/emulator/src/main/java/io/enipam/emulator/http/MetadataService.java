package io.enipam.emulator.http;

import com.sun.net.httpserver.HttpExchange;
import io.enipam.emulator.api.Account;
import io.enipam.emulator.api.Digests;
import io.enipam.emulator.cloud.CloudState;
import io.enipam.emulator.cloud.CloudTime;
import io.enipam.emulator.cloud.LaggingView;
import io.enipam.emulator.fault.Effect;
import io.enipam.emulator.fault.FaultInjection.SkewedClock;
import io.enipam.emulator.fault.FaultPlan;
import io.enipam.emulator.fault.FaultPlan.FaultDecision;
import io.enipam.emulator.fault.FaultRule;
import io.enipam.emulator.http.HttpReply.ConnectionDrop;
import io.enipam.emulator.http.HttpReply.FullReply;
import io.enipam.emulator.http.HttpReply.TruncatedReply;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the instance finds at {@code http://100.100.100.200/latest/}. Without token mode no
 * token is needed, but one that is sent must be valid. Thread-safe.
 */
public final class MetadataService {
    private static final String TEXT = "text/plain;charset=utf-8";
    private static final String TTL_HEADER = "X-aliyun-ecs-metadata-token-ttl-seconds";
    private static final String TOKEN_HEADER = "X-aliyun-ecs-metadata-token";
    private static final Pattern TTL = Pattern.compile("[1-9][0-9]{0,4}");
    private static final int LONGEST_TTL = 21_600;
    private static final Pattern PATH = Pattern.compile("/+(?:latest|2016-01-01)(?:/+(.*))?");

    private final LaggingView view;
    private final Account account;
    private final SkewedClock clock;
    private final Tokens tokens;
    private final String instanceId;
    private final FaultPlan faults;
    private final boolean tokenRequired;

    /** The service of one instance; {@code tokenRequired} refuses requests without a token. */
    public MetadataService(
            LaggingView view,
            Account account,
            SkewedClock clock,
            long seed,
            String instanceId,
            FaultPlan faults,
            boolean tokenRequired) {
        this.view = view;
        this.account = account;
        this.clock = clock;
        this.tokens = new Tokens(seed);
        this.instanceId = instanceId;
        this.faults = faults;
        this.tokenRequired = tokenRequired;
    }

    /**
     * The services of all instances at one address, as in the real cloud: the caller's address identifies the instance.
     */
    public static Function<HttpExchange, HttpReply> router(
            Map<String, MetadataService> services, Supplier<CloudState> cloud) {
        return exchange -> {
            String source = exchange.getRemoteAddress().getAddress().getHostAddress();
            return cloud.get().enis().values().stream()
                    .filter(eni -> eni.addressesTaken().contains(source))
                    .findFirst()
                    .flatMap(eni -> eni.attachment().instanceId())
                    .flatMap(instance -> Optional.ofNullable(services.get(instance)))
                    .map(service -> service.answer(exchange))
                    .orElseGet(() -> error(404, "no instance has the address " + source));
        };
    }

    public HttpReply answer(HttpExchange exchange) {
        Matcher path = PATH.matcher(exchange.getRequestURI().getPath());
        if (!path.matches()) {
            return error(404, "Not Found");
        }
        String below = Optional.ofNullable(path.group(1)).orElse("").replaceAll("/{2,}", "/");
        FaultDecision decision =
                faults.onCall(FaultRule.METADATA + "/" + below.replaceFirst("^meta-data/", ""), Optional.empty());
        CloudTime.sleep(decision.delay());
        if (decision.ending().isEmpty()) {
            return reply(exchange, below);
        }
        Effect.Ending ending = decision.ending().get();
        if (ending instanceof Effect.Fail fail) {
            return error(fail.httpStatus(), fail.message());
        }
        if (ending instanceof Effect.Tear tear) {
            FullReply whole = reply(exchange, below);
            return new TruncatedReply(whole, tear.at().in(whole.text(), decision.draw()), tear.honestLength());
        }
        return new ConnectionDrop();
    }

    private FullReply reply(HttpExchange exchange, String below) {
        Instant now = clock.instant();
        return switch (exchange.getRequestMethod()) {
            case "PUT" -> below.equals("api/token") ? token(exchange, now) : error(404, "Not Found");
            case "GET", "HEAD" -> read(exchange, below, now);
            default -> error(405, "Method Not Allowed");
        };
    }

    private FullReply token(HttpExchange exchange, Instant now) {
        String ttl = exchange.getRequestHeaders().getFirst(TTL_HEADER);
        if (ttl == null || !TTL.matcher(ttl).matches() || Integer.parseInt(ttl) > LONGEST_TTL) {
            return error(400, "Bad Request: " + TTL_HEADER + " must be 1 to " + LONGEST_TTL);
        }
        return new FullReply(200, TEXT, tokens.issue(now.plusSeconds(Integer.parseInt(ttl))));
    }

    private FullReply read(HttpExchange exchange, String path, Instant now) {
        String token = exchange.getRequestHeaders().getFirst(TOKEN_HEADER);
        if (token == null && tokenRequired) {
            return error(403, "Forbidden: a metadata token is needed, see " + TOKEN_HEADER);
        }
        if (token != null && !tokens.isGood(token, now)) {
            return error(403, "Forbidden: the metadata token is wrong or expired");
        }
        CloudState state = view.at(clock.trueInstant());
        return state.instance(instanceId)
                .flatMap(instance -> MetadataTree.of(instance, state, account.roleCredentials(now))
                        .read(path))
                .map(text -> new FullReply(200, TEXT, text))
                .orElseGet(() -> error(404, "Not Found"));
    }

    private static FullReply error(int status, String text) {
        return new FullReply(status, TEXT, status + " - " + text + "\n");
    }

    /** Tokens of the metadata service's token mode. A token carries its own end, sealed; none is stored. */
    private record Tokens(long seed) {
        String issue(Instant expires) {
            String end = Long.toString(expires.getEpochSecond());
            return end + "-" + seal(end);
        }

        boolean isGood(String token, Instant now) {
            int dash = token.indexOf('-');
            if (dash <= 0) {
                return false;
            }
            String end = token.substring(0, dash);
            // the seal first: an end that we sealed is a number
            return Digests.same(seal(end), token.substring(dash + 1)) && now.getEpochSecond() < Long.parseLong(end);
        }

        private String seal(String text) {
            return HexFormat.of().formatHex(Digests.hmac("HmacSHA256", "metadata " + seed, text));
        }
    }
}
