package io.enipam.examples.swarm.docker;

import io.enipam.examples.swarm.model.RecordCodec;
import io.enipam.sdk.Codec;
import io.enipam.sdk.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** The driver's durable tables, and what a row of each is. */
final class Tables {
    /** By the id that Docker has of a pool. */
    static final Table<PoolRow> POOLS = new Table<>("docker-pools", 1, new RecordCodec<>(PoolRow.class));

    /** By {@code SUBNET ADDRESS}: the subnets of pools do not overlap, and pools of one subnet share its addresses. */
    static final Table<LeaseRow> LEASES = new Table<>("docker-leases", 1, new RecordCodec<>(LeaseRow.class));

    /** Where the serial search went last: by pool the address, by family of the default pools the subnet. */
    static final Table<String> LAST = new Table<>("docker-last", 1, Codec.text());

    private Tables() {}

    /** How far a network is that has asked for a pool. */
    enum State {
        /** It has no gateway yet. */
        PENDING,
        /** It has its gateway. */
        LIVE,
        /** It has given its gateway back, and will give the pool back. */
        LEAVING
    }

    /**
     * One network of one dockerd that uses a pool.
     *
     * @param client the process of dockerd, as {@link Processes} names it
     * @param since when it came into this state, in ms since 1970
     */
    record Reference(String client, State state, long since) {
        Reference become(State next, long now) {
            return new Reference(client, next, now);
        }
    }

    /**
     * A pool.
     *
     * @param name that operators gave it; empty for one that Docker's user or the driver chose
     * @param subnet as {@code ADDRESS/LENGTH}
     * @param range of which containers get addresses by themselves; empty for the whole subnet
     * @param references its networks; it ends with the last one
     */
    record PoolRow(String name, String subnet, String range, List<Reference> references) {
        PoolRow {
            references = List.copyOf(references);
        }

        Optional<Reference> first(Predicate<Reference> wanted) {
            return references.stream().filter(wanted).findFirst();
        }

        boolean has(String client) {
            return references.stream().anyMatch(each -> each.client().equals(client));
        }

        PoolRow with(Reference added) {
            List<Reference> more = new ArrayList<>(references);
            more.add(added);
            return new PoolRow(name, subnet, range, more);
        }

        PoolRow without(Reference removed) {
            List<Reference> fewer = new ArrayList<>(references);
            fewer.remove(removed);
            return new PoolRow(name, subnet, range, fewer);
        }
    }

    /** What an address is for. */
    enum Kind {
        GATEWAY,
        /** Asked for by itself, and without a MAC address: auxiliary, or that of a container with {@code --ip}. */
        FIXED,
        CONTAINER
    }

    /** Who has an address: a process of dockerd, for a network in a pool. */
    record Holder(String client, String pool) {}

    /**
     * An address that is taken.
     *
     * @param holders one; of a gateway or an auxiliary address that several networks have, each
     * @param mac of the container; empty if it is none, or Docker did not say it
     * @param since in ms since 1970
     */
    record LeaseRow(Kind kind, List<Holder> holders, String mac, long since) {
        LeaseRow {
            holders = List.copyOf(holders);
        }

        Optional<Holder> first(Predicate<Holder> wanted) {
            return holders.stream().filter(wanted).findFirst();
        }

        LeaseRow with(Holder added) {
            List<Holder> more = new ArrayList<>(holders);
            more.add(added);
            return new LeaseRow(kind, more, mac, since);
        }

        LeaseRow without(Holder removed) {
            List<Holder> fewer = new ArrayList<>(holders);
            fewer.remove(removed);
            return new LeaseRow(kind, fewer, mac, since);
        }
    }
}
