package io.enipam.examples.hostlocal;

import io.enipam.examples.hostlocal.NetConf.Network;
import io.enipam.examples.hostlocal.ResultText.Given;
import io.enipam.sdk.ranges.Ip;
import io.enipam.sdk.ranges.IpRange;
import io.enipam.sdk.ranges.RangeSet;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What host-local decides: one address of each range set for an owner, in turn, or the ones that are asked for. Where the Go plugin rolls back
 * all addresses of an owner when an ADD fails, this one gives back those that the call took.
 */
final class HostLocal {
    private final Store store;

    HostLocal(Store store) {
        this.store = store;
    }

    /** @return an address of each set, in their order */
    List<Given> add(NetConf conf, Owner owner) throws IOException, Refused {
        return store.take(conf.network(), owner, session -> add(session, conf, owner));
    }

    private static List<Given> add(Store.Session session, NetConf conf, Owner owner) throws IOException, Refused {
        session.about(conf.sets(), conf.pod());
        List<Given> given = new ArrayList<>();
        boolean complete = false;
        try {
            Set<Ip> left = new LinkedHashSet<>(conf.requested());
            for (int number = 0; number < conf.sets().size(); number++) {
                RangeSet set = conf.sets().get(number);
                Optional<Ip> requested = left.stream().filter(set::contains).findFirst();
                requested.ifPresent(left::remove);
                try {
                    Ip ip = requested.isPresent()
                            ? requested(session, set, number, owner, requested.get())
                            : any(session, set, number, owner);
                    IpRange range = set.rangeOf(ip).orElseThrow();
                    given.add(new Given(ip, range.subnet().length(), range.gateway()));
                } catch (Refused e) {
                    throw e.within("failed to allocate for range " + number + ": ");
                }
            }
            if (!left.isEmpty()) {
                StringBuilder all = new StringBuilder("failed to allocate all requested IPs:");
                left.forEach(ip -> all.append(' ').append(ip));
                throw Refused.of(all.toString());
            }
            complete = true;
            return given;
        } finally {
            if (!complete) {
                for (Given one : given) {
                    session.remove(one.address());
                }
            }
        }
    }

    private static Ip requested(Store.Session session, RangeSet set, int number, Owner owner, Ip ip)
            throws IOException, Refused {
        if (set.rangeOf(ip).orElseThrow().gateway().equals(ip)) {
            throw Refused.of("requested ip " + ip + " is subnet's gateway");
        }
        if (!session.take(ip, number, owner)) {
            throw Refused.of("requested IP address " + ip + " is not available in range set " + set);
        }
        return ip;
    }

    private static Ip any(Store.Session session, RangeSet set, int number, Owner owner) throws IOException, Refused {
        // the Go plugin walks the files by name
        Optional<Ip> before =
                owned(session, owner).stream().filter(set::contains).min(Comparator.comparing(Ip::toString));
        if (before.isPresent()) {
            throw Refused.of(before.get() + " has been allocated to " + owner.container()
                    + ", duplicate allocation is not allowed");
        }
        Optional<Ip> next = session.next(set, number);
        while (next.isPresent() && !session.take(next.get(), number, owner)) {
            next = session.next(set, number);
        }
        return next.orElseThrow(() -> Refused.full(Refused.INTERNAL, set));
    }

    /** What an owner has, and what its container has without an interface. */
    private static List<Ip> owned(Store.Session session, Owner owner) throws IOException {
        List<Ip> owned = new ArrayList<>(session.owned(owner));
        owned.addAll(session.owned(owner.withoutInterface()));
        return owned;
    }

    /**
     * Gives back what an owner has; if that is nothing, what its container has without an interface. Once for each set, as the Go plugin does
     * it: of a network with several sets a DEL gives back both.
     */
    void del(NetConf conf, Owner owner) throws IOException, Refused {
        store.in(conf.network(), session -> {
            for (int number = 0; number < conf.sets().size(); number++) {
                List<Ip> named = session.owned(owner);
                for (Ip ip : named.isEmpty() ? session.owned(owner.withoutInterface()) : named) {
                    session.remove(ip);
                }
            }
            return owner;
        });
    }

    /** Gives back what an owner has, if that is still exactly this; says whether it was. */
    boolean release(Network network, Owner owner, Set<Ip> has) throws IOException, Refused {
        return store.in(network, session -> {
            if (!Set.copyOf(session.owned(owner)).equals(has)) {
                return false;
            }
            for (Ip ip : has) {
                session.remove(ip);
            }
            return true;
        });
    }

    /** @throws Refused if an owner has nothing */
    void check(NetConf conf, Owner owner) throws IOException, Refused {
        if (store.in(conf.network(), session -> owned(session, owner)).isEmpty()) {
            throw Refused.of("host-local: Failed to find address added by container " + owner.container());
        }
    }

    /**
     * Gives back the addresses of containers that are not valid.
     *
     * @param valid owners that keep what they have; a container's address without an interface is kept for any of its interfaces
     */
    void gc(NetConf conf, Set<Owner> valid) throws IOException, Refused {
        Set<Owner> kept = new LinkedHashSet<>(valid);
        valid.forEach(owner -> kept.add(owner.withoutInterface()));
        store.in(conf.network(), session -> {
            for (Map.Entry<Ip, Owner> lease : session.owners().entrySet()) {
                if (lease.getValue().isContainer() && !kept.contains(lease.getValue())) {
                    session.remove(lease.getKey());
                }
            }
            return kept;
        });
    }

    /** @throws Refused code 50 if a set has no address left */
    void status(NetConf conf) throws IOException, Refused {
        store.in(conf.network(), session -> {
            for (int number = 0; number < conf.sets().size(); number++) {
                RangeSet set = conf.sets().get(number);
                if (session.next(set, number).isEmpty()) {
                    throw Refused.full(Refused.NOT_AVAILABLE, set);
                }
            }
            return conf;
        });
    }
}
