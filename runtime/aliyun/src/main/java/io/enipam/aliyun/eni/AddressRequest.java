package io.enipam.aliyun.eni;

import io.enipam.aliyun.eni.EniAddress.Holder;
import io.enipam.engine.port.Scheduler;
import io.enipam.sdk.CreateRequest;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.Created;
import io.enipam.sdk.DisposeResult;
import io.enipam.sdk.RequestToken;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** One request for an address, until it is answered. Guarded by the fleet's lock, but for its future. */
final class AddressRequest {
    /** How often a request is tried before it fails. */
    static final int ROUNDS = 4;

    static final int MOST_NAMED = 64;

    private final CreateRequest request;
    private final CompletableFuture<CreateResult> result = new CompletableFuture<>();
    private Scheduler.Cancellable timer = () -> {};
    private int round;
    private boolean answered;

    AddressRequest(CreateRequest request) {
        this.request = request;
    }

    RequestToken token() {
        return request.token();
    }

    CompletableFuture<CreateResult> result() {
        return result;
    }

    void timer(Scheduler.Cancellable deadline) {
        timer = deadline;
    }

    /** How often it was tried for certain: part of the client token, so that a new try is a new call. */
    int round() {
        return round;
    }

    void nextRound() {
        round++;
    }

    boolean answered() {
        return answered;
    }

    /** Claims the right to answer. The claimant completes the future after the lock is released. */
    boolean claim() {
        if (answered) {
            return false;
        }
        answered = true;
        timer.cancel();
        return true;
    }

    /**
     * The cloud's idempotency key of a call, derived from the requests that it serves: the same requests on the same
     * ENI in the same round give the same key, so a call whose answer was lost is repeated and not doubled.
     *
     * @param scope what is called on what, such as {@code assign eni-1}
     */
    static String clientToken(String scope, List<AddressRequest> requests) {
        StringBuilder text = new StringBuilder(scope);
        requests.forEach(
                one -> text.append('\n').append(one.token().value()).append(' ').append(one.round()));
        try {
            byte[] hash =
                    MessageDigest.getInstance("SHA-256").digest(text.toString().getBytes(StandardCharsets.UTF_8));
            return "enipam-" + HexFormat.of().formatHex(hash, 0, 24);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** The tokens of requests, for traces; at most {@value #MOST_NAMED}, as operators read traces. */
    static List<String> names(Stream<AddressRequest> requests) {
        return requests.map(one -> one.token().value()).limit(MOST_NAMED).toList();
    }

    /** One address on its way out, until it is gone. Guarded by the fleet's lock, but for its future. */
    record AddressDisposal(ResourceId id, String ip, CompletableFuture<DisposeResult> result, AtomicInteger rounds) {
        AddressDisposal(ResourceId id, String ip) {
            this(id, ip, new CompletableFuture<>(), new AtomicInteger());
        }
    }

    /** Which request a token names: the same token makes one address while it lives. Guarded by the fleet's lock. */
    static final class RequestTokenIndex {
        private static final int REMEMBERED = 4096;

        private final EniRegistry fleet;
        private final ResourceMapper resources;
        private final Map<RequestToken, AddressRequest> tickets = new LinkedHashMap<>() {
            @Override
            protected boolean removeEldestEntry(Map.Entry<RequestToken, AddressRequest> eldest) {
                return size() > REMEMBERED && eldest.getValue().answered();
            }
        };

        RequestTokenIndex(EniRegistry fleet, ResourceMapper resources) {
            this.fleet = fleet;
            this.resources = resources;
        }

        void add(AddressRequest ticket) {
            tickets.put(ticket.token(), ticket);
        }

        /** The request of this name, if it is open or its address is still the engine's. */
        Optional<AddressRequest> find(RequestToken token) {
            return Optional.ofNullable(tickets.get(token))
                    .filter(ticket -> !ticket.answered()
                            || (ticket.result().getNow(null) instanceof Created made && lent(made.resource())));
        }

        private boolean lent(Resource resource) {
            String ip = ResourceMapper.ipv4(resource);
            return fleet.eni(resources.eniOf(resource))
                    .map(eni -> eni.addresses().get(ip))
                    .filter(address -> address.is(Holder.ENGINE))
                    .isPresent();
        }
    }
}
