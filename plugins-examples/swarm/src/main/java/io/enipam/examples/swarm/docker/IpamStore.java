package io.enipam.examples.swarm.docker;

import io.enipam.examples.swarm.docker.Tables.Holder;
import io.enipam.examples.swarm.docker.Tables.LeaseRow;
import io.enipam.examples.swarm.docker.Tables.PoolRow;
import io.enipam.examples.swarm.docker.Tables.Reference;
import io.enipam.examples.swarm.docker.Tables.State;
import io.enipam.examples.swarm.errors.Refused;
import io.enipam.sdk.Journal;
import io.enipam.sdk.Row;
import io.enipam.sdk.Transaction;
import io.enipam.sdk.ranges.Ip;
import io.enipam.sdk.ranges.IpIntervals;
import io.enipam.sdk.ranges.Subnet;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Pools and leases in the plugin's tables: each call is one transaction, and the rows are the truth. An index in memory finds the next free
 * address; it is read from the rows, learns from each commit, and is read again where a commit failed, or where rows say otherwise, as they
 * do when another replica has written them.
 *
 * <p>Thread-safe: one lock for all calls, which are few, since each container makes two.
 */
final class IpamStore {
    /** Twice that, for the lock and the commit, is less than a request may last. */
    private static final Duration PATIENCE = Duration.ofSeconds(12);

    /** A network is created within seconds. */
    private static final Duration UNDER_WAY = Duration.ofMinutes(10);

    /** Below what a transaction of the journal may write. */
    private static final int MOST_DROPPED = 900;

    private static final Pattern ID = Pattern.compile("[!-~]{1,300}");

    private final Journal journal;
    private final Clock clock;
    private final ReentrantLock lock = new ReentrantLock(true);
    /** Addresses that are taken, by subnet; of a subnet that is not there the rows say it. Guarded by the lock. */
    private final Map<Subnet, IpIntervals> taken = new HashMap<>();

    IpamStore(Journal journal, Clock clock) {
        this.journal = journal;
        this.clock = clock;
        journal.open(Tables.POOLS);
        journal.open(Tables.LEASES);
        journal.open(Tables.LAST);
    }

    /** Reads at one revision. */
    <R> R read(Function<Work, R> query) {
        return journal.read(tx -> query.apply(new Work(tx, "")));
    }

    /** One call: its transaction, who makes it, and what the index learns if it is committed. */
    final class Work {
        private final Transaction tx;
        private final String client;
        private final long now = clock.millis();
        private final List<Runnable> learnt = new ArrayList<>();

        Work(Transaction tx, String client) {
            this.tx = tx;
            this.client = client;
        }

        boolean mine(Holder holder, Pool pool) {
            return holder.client().equals(client) && holder.pool().equals(pool.id());
        }

        Holder me(Pool pool) {
            return new Holder(client, pool.id());
        }

        void keep(Pool pool, PoolRow row) {
            tx.put(Tables.POOLS, pool.id(), row);
        }

        void keep(Pool pool, Ip ip, LeaseRow lease) {
            tx.put(Tables.LEASES, pool.key(ip), lease);
            learnt.add(() -> Optional.ofNullable(taken.get(pool.subnet())).ifPresent(known -> known.add(ip)));
        }

        void free(Subnet subnet, String key) {
            tx.delete(Tables.LEASES, key);
            learnt.add(() -> Optional.ofNullable(taken.get(subnet)).ifPresent(known -> known.remove(Pool.ip(key))));
        }

        Transaction tx() {
            return tx;
        }

        String client() {
            return client;
        }

        /** In ms since 1970. */
        long now() {
            return now;
        }

        Map<String, PoolRow> pools() {
            try (Stream<Row<PoolRow>> rows = tx.scan(Tables.POOLS, "")) {
                Map<String, PoolRow> all = new TreeMap<>();
                rows.forEach(row -> all.put(row.key(), row.value()));
                return all;
            }
        }

        Map<String, LeaseRow> leases() {
            try (Stream<Row<LeaseRow>> rows = tx.scan(Tables.LEASES, "")) {
                Map<String, LeaseRow> all = new LinkedHashMap<>();
                rows.sorted(Comparator.comparing(row -> Pool.ip(row.key())))
                        .forEach(row -> all.put(row.key(), row.value()));
                return all;
            }
        }

        /** @param id as a client sends it, which may be nothing that a key can be */
        Optional<PoolRow> pool(String id) {
            return ID.matcher(id).matches() ? tx.get(Tables.POOLS, id).map(Row::value) : Optional.empty();
        }

        Optional<LeaseRow> lease(Pool pool, Ip ip) {
            return tx.get(Tables.LEASES, pool.key(ip)).map(Row::value);
        }

        /**
         * Drops what networks have begun and not ended.
         *
         * @return the pools that are left
         */
        Map<String, PoolRow> swept() {
            Map<String, PoolRow> left = new TreeMap<>();
            pools().forEach((id, row) -> {
                PoolRow now = row;
                for (Reference each : row.references()) {
                    if (each.state() != State.LIVE && each.since() < this.now - UNDER_WAY.toMillis()) {
                        now = now.without(each);
                    }
                }
                boolean ended = now.references().isEmpty();
                if (!now.equals(row) && (!ended || dropAll(Pool.of(id, row), row, Optional.empty()))) {
                    if (!ended) {
                        tx.put(Tables.POOLS, id, now);
                        left.put(id, now);
                    }
                } else {
                    left.put(id, row);
                }
            });
            return left;
        }

        /**
         * Frees what holders of a pool have, and ends the pool if that is all of them.
         *
         * @param of which dockerd's; empty for all
         * @return whether that was all; if not, it is to be called in another transaction
         */
        boolean dropAll(Pool pool, PoolRow row, Optional<String> of) {
            int dropped = 0;
            try (Stream<Row<LeaseRow>> leases = tx.scan(Tables.LEASES, pool.subnet() + " ")) {
                for (Row<LeaseRow> lease : (Iterable<Row<LeaseRow>>) leases::iterator) {
                    LeaseRow was = lease.value();
                    List<Holder> others = was.holders().stream()
                            .filter(holder -> !holder.pool().equals(pool.id())
                                    || of.filter(one -> !one.equals(holder.client()))
                                            .isPresent())
                            .toList();
                    if (others.size() == was.holders().size()) {
                        continue;
                    }
                    if (dropped++ == MOST_DROPPED) {
                        return false;
                    }
                    if (others.isEmpty()) {
                        free(pool.subnet(), lease.key());
                    } else {
                        tx.put(Tables.LEASES, lease.key(), new LeaseRow(was.kind(), others, was.mac(), was.since()));
                    }
                }
            }
            if (of.isEmpty()) {
                tx.delete(Tables.POOLS, pool.id());
                tx.delete(Tables.LAST, pool.id());
            }
            return true;
        }

        /** The network of this dockerd's that has no gateway yet has one from now on. */
        PoolRow begun(PoolRow row) {
            Optional<Reference> pending =
                    row.first(each -> each.client().equals(client) && each.state() == State.PENDING);
            return pending.map(row::without).orElse(row).with(new Reference(client, State.LIVE, now));
        }

        /** The next free address of a pool's range, searched from the one that was found last on, and then from the beginning. */
        Ip next(Pool pool) {
            boolean fresh = !taken.containsKey(pool.subnet());
            Ip start = tx.get(Tables.LAST, pool.id())
                    .flatMap(row -> Ip.parse(row.value()).plus(1))
                    .filter(ip -> ip.compareTo(pool.first()) >= 0 && ip.compareTo(pool.last()) <= 0)
                    .orElse(pool.first());
            while (true) {
                IpIntervals used = taken.computeIfAbsent(pool.subnet(), this::read);
                Optional<Ip> found =
                        used.firstGap(start, pool.last()).or(() -> used.firstGap(pool.first(), pool.last()));
                if (found.isPresent() && lease(pool, found.get()).isEmpty()) {
                    tx.put(Tables.LAST, pool.id(), found.get().toString());
                    return found.get();
                }
                if (fresh) {
                    throw Refused.exhausted(
                            "no available addresses on this pool: all of " + pool.first() + "-" + pool.last()
                                    + " are taken; 'swarm ipam leases --pool " + pool.id()
                                    + "' says by whom, and 'doctor' which"
                                    + " of them no container has");
                }
                // another replica has written rows
                taken.remove(pool.subnet());
                fresh = true;
            }
        }

        private IpIntervals read(Subnet subnet) {
            IpIntervals used = new IpIntervals();
            try (Stream<Row<LeaseRow>> rows = tx.scan(Tables.LEASES, subnet + " ")) {
                rows.forEach(row -> used.add(Pool.ip(row.key())));
            }
            return used;
        }
    }

    /**
     * Runs a call in a transaction, again if rows that it read have changed meanwhile.
     *
     * @param client the process that makes it
     * @throws Refused what the call threw, or that the journal did not take it
     */
    <R> R commit(String client, Function<Work, R> call) {
        return locked(() -> {
            boolean committed = false;
            try {
                List<Runnable> learnt = new ArrayList<>();
                R result = journal.commit(tx -> {
                            Work work = new Work(tx, client);
                            R done = call.apply(work);
                            learnt.clear();
                            learnt.addAll(work.learnt);
                            return done;
                        })
                        .toCompletableFuture()
                        .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                learnt.forEach(Runnable::run);
                committed = true;
                return result;
            } catch (ExecutionException e) {
                if (e.getCause() instanceof Refused refusal) {
                    // it was not written
                    committed = true;
                    throw refusal;
                }
                throw unwritten(e.getCause());
            } catch (TimeoutException e) {
                throw unwritten(e);
            } finally {
                if (!committed) {
                    taken.clear();
                }
            }
        });
    }

    private static Refused unwritten(Throwable cause) {
        return new Refused(
                Refused.Code.UNAVAILABLE,
                "the journal did not take it: " + cause
                        + "; 'doctor' says what is wrong with it, and Docker may try again",
                cause);
    }

    private interface Locked<R> {
        R run() throws InterruptedException;
    }

    private <R> R locked(Locked<R> work) {
        try {
            if (!lock.tryLock(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                throw new Refused(
                        Refused.Code.UNAVAILABLE,
                        "the driver is busy for more than " + PATIENCE.toSeconds() + " s; Docker may try again");
            }
            try {
                return work.run();
            } finally {
                lock.unlock();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw unwritten(e);
        }
    }
}
