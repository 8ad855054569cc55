package io.enipam.examples.hostlocal;

import io.enipam.examples.hostlocal.NetConf.Network;
import io.enipam.examples.hostlocal.NetConf.Pod;
import io.enipam.sdk.ClaimId;
import io.enipam.sdk.Codec;
import io.enipam.sdk.Grant;
import io.enipam.sdk.Journal;
import io.enipam.sdk.Prefix;
import io.enipam.sdk.Row;
import io.enipam.sdk.Table;
import io.enipam.sdk.Transaction;
import io.enipam.sdk.ranges.Ip;
import io.enipam.sdk.ranges.IpIntervals;
import io.enipam.sdk.ranges.IpRange;
import io.enipam.sdk.ranges.RangeSet;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

/**
 * Addresses in the plugin's tables, and in no file: a commit is atomic, so a call that fails has taken nothing. The rows are the truth.
 * An index in memory finds the next free address; it is read once, and changed with each transaction under the network's lock, which
 * this store alone takes.
 */
final class JournalStore implements Store {
    private static final Table<String> LEASES = new Table<>("leases", 1, Codec.text());
    private static final Table<String> OWNERS = new Table<>("owners", 1, Codec.text());
    private static final Table<String> LAST = new Table<>("last", 1, Codec.text());
    private static final long PATIENCE_SECONDS = 60;

    /** The bounds of a {@link ClaimId} and a {@link Grant}; an owner beyond the first is not listed. */
    private static final int LONGEST_CLAIM = 400;

    private static final int MOST_LISTED = 64;

    private final Journal journal;
    private final Map<String, Index> networks = new ConcurrentHashMap<>();

    JournalStore(Journal journal) {
        this.journal = journal;
        journal.open(LEASES);
        journal.open(OWNERS);
        journal.open(LAST);
    }

    /** What is taken of a network; empty if the rows have to be read. */
    private static final class Index {
        private final ReentrantLock lock = new ReentrantLock(true);
        private Optional<IpIntervals> used = Optional.empty();
    }

    @Override
    public <R> R in(Network network, Work<R> work) throws IOException, Refused {
        Index index = networks.computeIfAbsent(network.name(), name -> new Index());
        try {
            if (!index.lock.tryLock(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw new IOException("network " + network.name() + " is busy for more than " + PATIENCE_SECONDS + "s");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while another call had network " + network.name(), e);
        }
        try {
            return run(network.name(), index, work);
        } finally {
            index.lock.unlock();
        }
    }

    private <R> R run(String network, Index index, Work<R> work) throws IOException, Refused {
        IpIntervals used = index.used.isPresent() ? index.used.get() : committed(tx -> used(tx, network));
        // until it is known what the commit became of: else the rows say it
        index.used = Optional.empty();
        JournalSession session = new JournalSession(network, used);
        try {
            R result = committed(tx -> {
                session.begin(tx);
                R done = work.with(session);
                session.list();
                return done;
            });
            index.used = Optional.of(used);
            return result;
        } catch (Refused e) {
            // the work ended before it was to be written
            session.undo();
            index.used = Optional.of(used);
            throw e;
        }
    }

    private static IpIntervals used(Transaction tx, String network) {
        IpIntervals used = new IpIntervals();
        owners(tx, network).keySet().forEach(used::add);
        return used;
    }

    private static Map<Ip, Owner> owners(Transaction tx, String network) {
        String prefix = network + "/";
        Map<Ip, Owner> owners = new TreeMap<>();
        try (Stream<Row<String>> rows = tx.scan(LEASES, prefix)) {
            rows.forEach(row -> owners.put(Ip.parse(row.key().substring(prefix.length())), Owner.parse(row.value())));
        }
        return owners;
    }

    private interface Change<R> {
        R in(Transaction tx) throws IOException, Refused;
    }

    /** A checked exception on its way through the journal. */
    private static final class Through extends RuntimeException {
        private static final long serialVersionUID = 1;

        Through(Exception cause) {
            super(cause);
        }
    }

    private <R> R committed(Change<R> change) throws IOException, Refused {
        try {
            return journal.commit(tx -> {
                        try {
                            return change.in(tx);
                        } catch (IOException | Refused e) {
                            throw new Through(e);
                        }
                    })
                    .toCompletableFuture()
                    .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() instanceof Through through ? through.getCause() : e.getCause();
            if (cause instanceof Refused refused) {
                throw refused;
            }
            throw cause instanceof IOException io ? io : new IOException("the journal failed: " + cause, cause);
        } catch (TimeoutException e) {
            throw new IOException("the journal did not answer within " + PATIENCE_SECONDS + "s", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while the journal was written", e);
        }
    }

    @Override
    public void close() {}

    private static final class JournalSession implements Session {
        private final String network;
        private final IpIntervals used;
        private final List<Runnable> undo = new ArrayList<>();
        private final Set<Owner> changed = new LinkedHashSet<>();
        private List<RangeSet> sets = List.of();
        private Optional<Pod> pod = Optional.empty();
        private Optional<Transaction> transaction = Optional.empty();

        JournalSession(String network, IpIntervals used) {
            this.network = network;
            this.used = used;
        }

        void begin(Transaction tx) {
            undo();
            changed.clear();
            transaction = Optional.of(tx);
        }

        @Override
        public void about(List<RangeSet> ofSets, Optional<Pod> forPod) {
            sets = ofSets;
            pod = forPod;
        }

        /** Has the host list what each owner has now whose addresses have changed, as it lists the grants of allocators. */
        void list() {
            for (Owner owner : changed) {
                String claim = network + "/" + owner;
                if (owner.isContainer() && !owner.ifName().isEmpty() && claim.length() <= LONGEST_CLAIM) {
                    List<Prefix> has = owned(owner).stream()
                            .limit(MOST_LISTED)
                            .map(this::prefix)
                            .toList();
                    if (has.isEmpty()) {
                        tx().released(new ClaimId(claim));
                    } else {
                        tx().granted(
                                        new Grant(new ClaimId(claim), has, List.of(), Optional.empty(), Map.of()),
                                        pod.orElse(new Pod(owner.container(), "")));
                    }
                }
            }
        }

        /** With the length of its subnet, where that is known. */
        private Prefix prefix(Ip ip) {
            Optional<IpRange> range =
                    sets.stream().flatMap(set -> set.rangeOf(ip).stream()).findFirst();
            int length =
                    range.map(of -> of.subnet().length()).orElse(ip.family().bits());
            return Prefix.of(ip + "/" + length);
        }

        void undo() {
            for (int i = undo.size() - 1; i >= 0; i--) {
                undo.get(i).run();
            }
            undo.clear();
        }

        private Transaction tx() {
            return transaction.orElseThrow();
        }

        private String key(Object of) {
            return network + "/" + of;
        }

        @Override
        public Optional<Ip> last(int number) {
            return tx().get(LAST, key(number)).map(row -> Ip.parse(row.value()));
        }

        @Override
        public IpIntervals used() {
            return used;
        }

        @Override
        public boolean take(Ip ip, int number, Owner owner) {
            if (tx().get(LEASES, key(ip)).isPresent()) {
                // of a commit that came late, or of another part on the same tables
                used.add(ip);
                return false;
            }
            tx().put(LEASES, key(ip), owner.text());
            tx().put(LAST, key(number), ip.toString());
            List<String> all = new ArrayList<>(addresses(owner));
            all.add(ip.toString());
            tx().put(OWNERS, key(owner), String.join(",", all));
            used.add(ip);
            undo.add(() -> used.remove(ip));
            changed.add(owner);
            return true;
        }

        private List<String> addresses(Owner owner) {
            return tx().get(OWNERS, key(owner))
                    .map(row -> List.of(row.value().split(",")))
                    .orElse(List.of());
        }

        @Override
        public void setLast(int number, Ip ip) {
            tx().put(LAST, key(number), ip.toString());
        }

        @Override
        public boolean remove(Ip ip) {
            Optional<Owner> owner = tx().get(LEASES, key(ip)).map(row -> Owner.parse(row.value()));
            if (owner.isEmpty()) {
                return false;
            }
            tx().delete(LEASES, key(ip));
            List<String> others = addresses(owner.get()).stream()
                    .filter(other -> !other.equals(ip.toString()))
                    .toList();
            if (others.isEmpty()) {
                tx().delete(OWNERS, key(owner.get()));
            } else {
                tx().put(OWNERS, key(owner.get()), String.join(",", others));
            }
            used.remove(ip);
            undo.add(() -> used.add(ip));
            changed.add(owner.get());
            return true;
        }

        @Override
        public List<Ip> owned(Owner owner) {
            return addresses(owner).stream().map(Ip::parse).toList();
        }

        @Override
        public Map<Ip, Owner> owners() {
            return JournalStore.owners(tx(), network);
        }
    }
}
