package io.enipam.examples.swarm.docker;

import io.enipam.examples.swarm.docker.Configured.Named;
import io.enipam.examples.swarm.docker.IpamStore.Work;
import io.enipam.examples.swarm.docker.Tables.Holder;
import io.enipam.examples.swarm.docker.Tables.Kind;
import io.enipam.examples.swarm.docker.Tables.LeaseRow;
import io.enipam.examples.swarm.docker.Tables.PoolRow;
import io.enipam.examples.swarm.docker.Tables.Reference;
import io.enipam.examples.swarm.docker.Tables.State;
import io.enipam.examples.swarm.errors.Refused;
import io.enipam.sdk.Family;
import io.enipam.sdk.Journal;
import io.enipam.sdk.Row;
import io.enipam.sdk.ranges.Ip;
import io.enipam.sdk.ranges.IpIntervals;
import io.enipam.sdk.ranges.Subnet;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Pools and addresses of a remote IPAM driver, as libnetwork's plugin API has them (docs/ipam.md there). Each call is one transaction:
 * see {@link IpamStore}.
 *
 * <p><b>References.</b> A pool lasts as long as a network uses it. For one network dockerd asks for the pool, then for a gateway, and in
 * the end gives back the gateway, then the pool: {@link State} has these steps, so that no call that comes twice or never ends a pool under
 * a network. A reference that has not come to a gateway within ten minutes is dropped.
 *
 * <p><b>Replays.</b> A dockerd that starts asks anew for the pool, gateway and addresses of each of its networks, in the same words as for a
 * new one. It is a replay if the process that has the address is gone: the new process takes it over. So a gateway that is asked for while
 * its dockerd lives belongs to a second network, as of macvlan networks of two hosts behind one router, and both hold it.
 *
 * <p><b>Retries.</b> dockerd repeats a call for half a minute where it cannot connect. A call that was sent when the connection broke it
 * repeats without its body ({@code callWithRetry} of pkg/plugins): it is refused then, and if the first one was committed its address is left,
 * until its network is removed or {@code doctor} finds it.
 *
 * <p>Thread-safe.
 */
final class IpamDriver {
    static final String LOCAL_SPACE = "enipam-local";
    static final String GLOBAL_SPACE = "enipam-global";
    static final String POOL_OPTION = "pool";
    private static final String DOCKERS_OWN = "com.docker.";
    private static final String REQUEST_TYPE = "RequestAddressType";
    private static final String GATEWAY_TYPE = "com.docker.network.gateway";
    private static final String MAC = "com.docker.network.endpoint.macaddress";

    /** Where a route of the host overlaps a pool, dockerd holds it and asks for another one, for ever if it is always the same. */
    private static final int MOST_PENDING = 16;

    private final IpamStore store;
    private final Processes processes;
    private final Configured configured;

    IpamDriver(Journal journal, Clock clock, Processes processes, Configured configured) {
        this.store = new IpamStore(journal, clock);
        this.processes = processes;
        this.configured = configured;
    }

    /** @param pool its subnet */
    record PoolAnswer(String poolId, String pool) {}

    /** What a request for a pool asks for. */
    record PoolRequest(String space, String pool, String subPool, Map<String, String> options, boolean v6) {}

    /** @param address empty for any */
    record AddressRequest(String poolId, String address, Map<String, String> options) {}

    /** Gives a network its pool, the same one for the same request. */
    PoolAnswer requestPool(PoolRequest request, String client) {
        if (!request.space().equals(LOCAL_SPACE) && !request.space().equals(GLOBAL_SPACE)) {
            throw Refused.invalid(
                    "there is no address space '" + request.space() + "', but " + LOCAL_SPACE + " and " + GLOBAL_SPACE);
        }
        request.options().keySet().stream()
                .filter(key -> !key.equals(POOL_OPTION) && !key.startsWith(DOCKERS_OWN))
                .findFirst()
                .ifPresent(key -> {
                    throw Refused.invalid("there is no option '" + key + "'; the driver has --ipam-opt pool=NAME");
                });
        String name = request.options().getOrDefault(POOL_OPTION, "");
        Family family = request.v6() ? Family.IPV6 : Family.IPV4;
        Optional<Subnet> pool = subnet("pool", request.pool(), family);
        Optional<Subnet> part = subnet("sub-pool", request.subPool(), family);
        if (part.isPresent() && pool.isEmpty() && name.isEmpty()) {
            throw Refused.invalid("the sub-pool " + part.get() + " is of no pool: give --subnet with --ip-range");
        }
        return store.commit(client, work -> {
            Map<String, PoolRow> pools = work.swept();
            Subnet subnet;
            Optional<Subnet> range = part;
            if (!name.isEmpty()) {
                Optional<Named> named = configured.named(name, family);
                subnet = pool.or(() -> named.map(Named::subnet)).orElseThrow(() -> noSuch(name, family));
                if (named.filter(known -> known.subnet().equals(subnet)).isEmpty() && !isKnown(pools, name, subnet)) {
                    throw named.isEmpty()
                            ? noSuch(name, family)
                            : Refused.invalid("pool " + name + " is "
                                    + named.get().subnet() + ", not " + subnet + ": give no --subnet, or that one");
                }
                range = part.or(() ->
                        named.filter(known -> known.subnet().equals(subnet)).flatMap(Named::range));
            } else {
                subnet = pool.orElseGet(() -> free(work, pools, family));
            }
            return referenced(work, pools, new PoolRow(name, subnet.toString(), range(subnet, range), List.of()));
        });
    }

    private static boolean isKnown(Map<String, PoolRow> pools, String name, Subnet subnet) {
        return pools.values().stream()
                .anyMatch(row -> row.name().equals(name) && row.subnet().equals(subnet.toString()));
    }

    private PoolAnswer referenced(Work work, Map<String, PoolRow> pools, PoolRow asked) {
        Subnet subnet = Subnet.parse(asked.subnet());
        String id = Pool.id(asked);
        PoolRow row = Optional.ofNullable(pools.get(id)).orElse(asked);
        pools.forEach((other, known) -> mayShare(asked, subnet, known.name(), Subnet.parse(known.subnet())));
        configured.named().forEach(known -> mayShare(asked, subnet, known.name(), known.subnet()));
        long pending = row.references().stream()
                .filter(each -> each.client().equals(work.client()) && each.state() == State.PENDING)
                .count();
        if (pending >= MOST_PENDING) {
            throw Refused.conflict("dockerd asks for pool " + id
                    + " again and again and takes no gateway: a route of this host overlaps "
                    + subnet + " ('ip route'); give the network another pool, or --subnet " + subnet
                    + ", for which dockerd does not compare routes");
        }
        work.keep(new Pool(id, subnet, subnet), row.with(new Reference(work.client(), State.PENDING, work.now())));
        return new PoolAnswer(id, subnet.toString());
    }

    /** Pools of one name and subnet share its addresses; other ones may not overlap. */
    private static void mayShare(PoolRow asked, Subnet subnet, String name, Subnet other) {
        boolean same = subnet.equals(other);
        if (subnet.overlaps(other) && !(same && asked.name().equals(name))) {
            throw Refused.conflict("Pool overlaps with other one on this address space: " + subnet + " and " + other
                    + (name.isEmpty()
                            ? "; choose another --subnet ('swarm ipam pools' lists those that are taken)"
                            : " of pool " + name + "; to use that, give --ipam-opt pool=" + name));
        }
    }

    private static Optional<Subnet> subnet(String what, String text, Family family) {
        if (text.isEmpty()) {
            return Optional.empty();
        }
        Subnet subnet;
        try {
            subnet = Subnet.parse(text).network();
        } catch (IllegalArgumentException e) {
            throw Refused.invalid("invalid " + what + ": " + e.getMessage() + "; give ADDRESS/LENGTH");
        }
        if (subnet.family() != family) {
            throw Refused.invalid("the " + what + " " + text + " is not of " + family + ", as was asked for");
        }
        return Optional.of(subnet);
    }

    /** One that is wider than the subnet is the subnet. */
    private static String range(Subnet subnet, Optional<Subnet> range) {
        if (range.filter(part -> !part.overlaps(subnet)).isPresent()) {
            throw Refused.invalid(
                    "the sub-pool " + range.get() + " is not in pool " + subnet + ": give an --ip-range of it");
        }
        return range.filter(part -> part.length() > subnet.length())
                .map(Subnet::toString)
                .orElse("");
    }

    private Refused noSuch(String name, Family family) {
        List<String> there = configured.named().stream()
                .filter(pool -> pool.subnet().family() == family)
                .map(Named::name)
                .toList();
        return Refused.notFound("there is no pool " + name + " of " + family + ", but " + there
                + "; the setting plugins.swarm.docker_pools names them");
    }

    /** The next of the default pools that overlaps no other pool. */
    private Subnet free(Work work, Map<String, PoolRow> pools, Family family) {
        List<Subnet> others = new ArrayList<>();
        pools.values().forEach(row -> others.add(Subnet.parse(row.subnet())));
        configured.named().forEach(named -> others.add(named.subnet()));
        IpIntervals used = new IpIntervals();
        others.stream()
                .filter(other -> other.family() == family)
                .forEach(other -> used.add(other.first(), other.last()));
        String cursor = "default " + family;
        Optional<Subnet> last = work.tx().get(Tables.LAST, cursor).map(row -> Subnet.parse(row.value()));
        Subnet chosen = configured
                .defaults()
                .of(family)
                .next(used, last)
                .orElseThrow(() -> Refused.conflict("could not find an available, non-overlapping " + family
                        + " address pool among the defaults to assign to the network; give --subnet or --ipam-opt"
                        + " pool=NAME, or more of plugins.swarm.docker_default_pools"));
        work.tx().put(Tables.LAST, cursor, chosen.toString());
        return chosen;
    }

    /** Gives a network's gateway, a container or an auxiliary use its address, with the length of the pool's subnet. */
    String requestAddress(AddressRequest request, String client) {
        Optional<Ip> wanted = ip(request.address());
        boolean gateway = GATEWAY_TYPE.equals(request.options().get(REQUEST_TYPE));
        String mac = request.options().getOrDefault(MAC, "");
        return store.commit(client, work -> {
            PoolRow row = work.pool(request.poolId()).orElseThrow(() -> noPool(request.poolId()));
            Pool pool = Pool.of(request.poolId(), row);
            if (wanted.filter(ip -> !pool.allows(ip)).isPresent()) {
                throw Refused.invalid("Requested address is out of range: " + wanted.get()
                        + " is no address of a host in " + pool.subnet());
            }
            if (gateway) {
                return pool.answer(gateway(work, pool, row, wanted));
            }
            return pool.answer(wanted.isPresent() ? fixed(work, pool, wanted.get(), mac) : any(work, pool, mac));
        });
    }

    private Ip gateway(Work work, Pool pool, PoolRow row, Optional<Ip> wanted) {
        Ip ip = wanted.orElseGet(() -> work.next(pool));
        Optional<LeaseRow> lease = work.lease(pool, ip);
        if (lease.isEmpty()) {
            work.keep(pool, ip, new LeaseRow(Kind.GATEWAY, List.of(work.me(pool)), "", work.now()));
            work.keep(pool, work.begun(row));
            return ip;
        }
        if (lease.get().kind() != Kind.GATEWAY) {
            throw taken(ip, lease.get());
        }
        Optional<Holder> former =
                lease.get().first(each -> each.pool().equals(pool.id()) && processes.gone(each.client()));
        if (former.isPresent()) {
            work.keep(pool, ip, lease.get().without(former.get()).with(work.me(pool)));
            PoolRow begun = work.begun(row);
            work.keep(
                    pool,
                    begun.first(each -> each.client().equals(former.get().client()) && each.state() == State.LIVE)
                            .map(begun::without)
                            .orElse(begun));
            return ip;
        }
        boolean pending = row.first(each -> each.client().equals(work.client()) && each.state() == State.PENDING)
                .isPresent();
        if (pending || lease.get().first(each -> work.mine(each, pool)).isEmpty()) {
            work.keep(pool, ip, lease.get().with(work.me(pool)));
            work.keep(pool, work.begun(row));
        }
        return ip;
    }

    private Ip fixed(Work work, Pool pool, Ip ip, String mac) {
        Optional<LeaseRow> lease = work.lease(pool, ip);
        if (lease.isEmpty()) {
            Kind kind = mac.isEmpty() ? Kind.FIXED : Kind.CONTAINER;
            work.keep(pool, ip, new LeaseRow(kind, List.of(work.me(pool)), mac, work.now()));
            return ip;
        }
        LeaseRow was = lease.get();
        // a replay does not say the MAC address
        boolean same = was.kind() != Kind.GATEWAY && (mac.isEmpty() || was.mac().equals(mac));
        Optional<Holder> former = was.first(each -> each.pool().equals(pool.id()) && processes.gone(each.client()));
        if (same && former.isPresent()) {
            work.keep(pool, ip, was.without(former.get()).with(work.me(pool)));
            return ip;
        }
        if (configured.macs() && mac.isEmpty() && was.kind() == Kind.FIXED) {
            // auxiliary, as it is no container's
            work.keep(pool, ip, was.with(work.me(pool)));
            return ip;
        }
        throw taken(ip, was);
    }

    private static Ip any(Work work, Pool pool, String mac) {
        Ip ip = work.next(pool);
        work.keep(pool, ip, new LeaseRow(Kind.CONTAINER, List.of(work.me(pool)), mac, work.now()));
        return ip;
    }

    private static Refused noPool(String id) {
        return Refused.notFound(
                "there is no pool '" + id + "'; 'swarm ipam pools' lists those there are, and a new network gets one");
    }

    private static Refused taken(Ip ip, LeaseRow by) {
        return Refused.conflict("Address already in use: " + ip + " is "
                + switch (by.kind()) {
                    case GATEWAY -> "the gateway of a network";
                    case FIXED -> "an auxiliary address, or a container's that asked for it";
                    case CONTAINER -> "a container's" + (by.mac().isEmpty() ? "" : " with MAC address " + by.mac());
                }
                + "; choose another one ('swarm ipam leases')");
    }

    private static Optional<Ip> ip(String text) {
        try {
            return text.isEmpty()
                    ? Optional.empty()
                    : Optional.of(Ip.parse(text).unmapped());
        } catch (IllegalArgumentException e) {
            throw Refused.invalid(e.getMessage() + "; give an IPv4 or IPv6 address");
        }
    }

    /** Takes an address back; of one that this dockerd does not have nothing is done. */
    void releaseAddress(String poolId, String address, String client) {
        Ip ip = ip(address).orElseThrow(() -> Refused.invalid("no address is named that is to be released"));
        store.commit(client, work -> {
            Optional<PoolRow> row = work.pool(poolId);
            if (row.isEmpty()) {
                return false;
            }
            Pool pool = Pool.of(poolId, row.get());
            Optional<LeaseRow> lease = work.lease(pool, ip);
            Optional<Holder> holder = lease.flatMap(was -> was.first(each -> work.mine(each, pool))
                    .or(() -> was.first(each -> each.pool().equals(poolId) && processes.gone(each.client()))));
            if (holder.isEmpty()) {
                return false;
            }
            LeaseRow left = lease.get().without(holder.get());
            if (left.holders().isEmpty()) {
                work.free(pool.subnet(), pool.key(ip));
            } else {
                work.keep(pool, ip, left);
            }
            if (left.kind() == Kind.GATEWAY) {
                row.get()
                        .first(each -> each.client().equals(holder.get().client()) && each.state() == State.LIVE)
                        .ifPresent(live -> work.keep(
                                pool, row.get().without(live).with(new Reference(client, State.LEAVING, work.now()))));
            }
            return true;
        });
    }

    /** Ends what one network has of a pool; of a network that still has its gateway nothing is done. */
    void releasePool(String poolId, String client) {
        while (!store.commit(client, work -> releasePool(work, poolId))) {
            // more leases than one transaction may end
            continue;
        }
    }

    private boolean releasePool(Work work, String poolId) {
        Optional<PoolRow> row = work.pool(poolId);
        Optional<Reference> ended = row.flatMap(
                pool -> ended(pool, each -> each.equals(work.client())).or(() -> ended(pool, processes::gone)));
        if (ended.isEmpty()) {
            return true;
        }
        Pool pool = Pool.of(poolId, row.get());
        PoolRow left = row.get().without(ended.get());
        if (left.references().isEmpty()) {
            return work.dropAll(pool, left, Optional.empty());
        }
        if (!left.has(ended.get().client())
                && !work.dropAll(pool, left, Optional.of(ended.get().client()))) {
            return false;
        }
        work.keep(pool, left);
        return true;
    }

    private static Optional<Reference> ended(PoolRow pool, Predicate<String> client) {
        return pool.first(each -> each.state() == State.LEAVING && client.test(each.client()))
                .or(() -> pool.first(each -> each.state() == State.PENDING && client.test(each.client())));
    }

    /**
     * Frees an address that any dockerd has; a gateway with the networks whose it is, and the pool if they were its last.
     *
     * @param client whose it must be; empty for whosever it is
     * @param dryRun whether to change nothing
     * @return who had it
     */
    List<Holder> release(Ip ip, String client, boolean dryRun) {
        return store.commit("", work -> {
            Optional<Row<LeaseRow>> found;
            try (Stream<Row<LeaseRow>> rows = work.tx().scan(Tables.LEASES, "")) {
                found = rows.filter(row -> Pool.ip(row.key()).equals(ip)).findFirst();
            }
            List<Holder> freed = found.map(row -> row.value().holders().stream()
                            .filter(each -> client.isEmpty() || each.client().equals(client))
                            .toList())
                    .orElse(List.of());
            if (freed.isEmpty() || dryRun) {
                return freed;
            }
            String key = found.get().key();
            LeaseRow left = found.get().value();
            for (Holder holder : freed) {
                left = left.without(holder);
            }
            if (left.holders().isEmpty()) {
                work.free(Subnet.parse(key.substring(0, key.indexOf(' '))), key);
            } else {
                work.tx().put(Tables.LEASES, key, left);
            }
            if (left.kind() == Kind.GATEWAY) {
                freed.forEach(holder -> ended(work, holder));
            }
            return freed;
        });
    }

    private static void ended(Work work, Holder holder) {
        work.pool(holder.pool()).ifPresent(row -> {
            PoolRow left = row.first(each -> each.client().equals(holder.client()) && each.state() == State.LIVE)
                    .map(row::without)
                    .orElse(row);
            Pool pool = Pool.of(holder.pool(), row);
            if (!left.references().isEmpty() || !work.dropAll(pool, left, Optional.empty())) {
                work.keep(pool, left);
            }
        });
    }

    /** The pools there are, by id. */
    Map<String, PoolRow> pools() {
        return store.read(Work::pools);
    }

    /** The addresses that are taken, ascending, by {@code SUBNET ADDRESS}. */
    Map<String, LeaseRow> leases() {
        return store.read(Work::leases);
    }
}
