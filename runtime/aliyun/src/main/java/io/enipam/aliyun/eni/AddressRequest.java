package io.enipam.aliyun.eni;

import io.enipam.aliyun.api.ClientToken;
import io.enipam.aliyun.api.EcsApi;
import io.enipam.aliyun.api.EcsApi.AssignedAddresses;
import io.enipam.aliyun.api.EcsException;
import io.enipam.aliyun.eni.EniAddress.Holder;
import io.enipam.engine.port.Scheduler;
import io.enipam.sdk.CreateRequest;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.Created;
import io.enipam.sdk.DisposeResult;
import io.enipam.sdk.RequestToken;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
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
    /** {@code nanoTime} at which it came. */
    private final long since;

    private final CompletableFuture<CreateResult> result = new CompletableFuture<>();
    private Scheduler.Cancellable timer = () -> {};
    private int round;
    private boolean answered;

    /** @param since {@code nanoTime} at which it came */
    AddressRequest(CreateRequest request, long since) {
        this.request = request;
        this.since = since;
    }

    long since() {
        return since;
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

    /** The next round is the last one: a cloud that does not answer is left to the engine's back-off. */
    void exhaust() {
        round = Math.max(round, ROUNDS);
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
        return ClientToken.of(text.toString());
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

    /**
     * How many addresses of each family an ENI is to get for the requests at the head of its backlog.
     *
     * @param wishes how many of them can be served then
     * @param ips IPv4 addresses to be assigned, 0 to 10
     * @param ipv6s IPv6 addresses to be assigned, 0 to 10
     */
    record AssignmentPlan(int wishes, int ips, int ipv6s) {
        private static final AssignedAddresses NOTHING = new AssignedAddresses(List.of(), "");

        /**
         * @param failure why there is no IPv6 address where some were asked for; the IPv4 ones came before it was asked
         */
        record Outcome(AssignedAddresses ips, AssignedAddresses ipv6s, Optional<EcsException> failure) {
            String requestId() {
                return ips.requestId().isEmpty() ? ipv6s.requestId() : ips.requestId();
            }
        }

        /**
         * What an idle worker asks for.
         *
         * @param batch how many addresses its vSwitch may be asked for
         */
        static AssignmentPlan of(Eni eni, FactorySettings settings, int batch) {
            int free = settings.limits().ipv4PerEni() - eni.addresses().size();
            if (!settings.dual()) {
                int count = Math.max(0, Math.min(Math.min(batch, free), eni.backlog.size()));
                return new AssignmentPlan(count, count, 0);
            }
            // what is spare here has no partner: pairs were lent before
            int wanted = Math.min(eni.backlog.size(), AddressBatcher.BATCH);
            int halves = eni.count(Holder.SPARE);
            int loose = eni.countIpv6(Holder.SPARE);
            int ips = clamp(Math.min(Math.min(batch, free), wanted - halves));
            int reach = Math.min(wanted, halves + ips);
            int freeIpv6 = settings.limits().ipv6PerEni() - eni.ipv6s().size();
            int ipv6s = clamp(Math.min(Math.min(batch, freeIpv6), reach - loose));
            return new AssignmentPlan(Math.min(reach, loose + ipv6s), ips, ipv6s);
        }

        private static int clamp(int count) {
            return Math.max(0, Math.min(AddressBatcher.BATCH, count));
        }

        boolean isEmpty() {
            return wishes == 0 || (ips == 0 && ipv6s == 0);
        }

        /**
         * Asks the cloud: IPv4 first, and IPv6 for as many as came.
         *
         * @throws EcsException if no IPv4 address came where some were asked for
         */
        Outcome execute(EcsApi api, String eni, String token) {
            AssignedAddresses four = ips == 0 ? NOTHING : api.assignPrivateIpAddresses(eni, ips, token);
            int six = ipv6s - Math.max(0, ips - four.ips().size());
            if (six <= 0) {
                return new Outcome(four, NOTHING, Optional.empty());
            }
            try {
                return new Outcome(four, api.assignIpv6Addresses(eni, six, token + "-6"), Optional.empty());
            } catch (EcsException e) {
                return new Outcome(four, NOTHING, Optional.of(e));
            }
        }
    }
}
