package io.enipam.acceptance;

import io.enipam.shell.attach.DaemonConnection;
import io.enipam.v1.DbRecord;
import io.enipam.v1.DumpDbRequest;
import io.enipam.v1.Eni;
import io.enipam.v1.EniAddress;
import io.enipam.v1.Lease;
import io.enipam.v1.ListEnisRequest;
import io.enipam.v1.ListIdleRequest;
import io.enipam.v1.ListInUseRequest;
import io.enipam.v1.PoolEntry;
import io.enipam.v1.SyncPoolRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/** What a running daemon believes, and whether the cloud's books say the same. */
final class DaemonStateAudit {
    private static final Duration CALL = Duration.ofSeconds(40);
    private static final Duration SETTLING = Duration.ofSeconds(60);
    private static final Duration AGAIN = Duration.ofSeconds(3);

    private final DaemonConnection shell;
    private final CloudProcess cloud;

    DaemonStateAudit(DaemonConnection shell, CloudProcess cloud) {
        this.shell = shell;
        this.cloud = cloud;
    }

    /** The leases, by container. */
    Map<String, Lease> leases() {
        Map<String, Lease> leases = new TreeMap<>();
        shell.stream(CALL, stub -> stub.listInUse(ListInUseRequest.getDefaultInstance()))
                .forEachRemaining(part -> part.getLeasesList()
                        .forEach(lease -> leases.put(lease.getOwner().getContainer(), lease)));
        return leases;
    }

    /** The containers that have a row in the database. */
    TreeSet<String> rows() {
        List<DbRecord> records = new ArrayList<>();
        shell.stream(CALL, stub -> stub.dumpDb(DumpDbRequest.getDefaultInstance()))
                .forEachRemaining(part -> records.addAll(part.getRecordsList()));
        TreeSet<String> containers = new TreeSet<>();
        records.stream()
                .filter(record -> record.getBucket().equals("leases"))
                .forEach(record -> containers.add(record.getKey().split("/")[1]));
        return containers;
    }

    /**
     * Has the pool compared with the cloud, and waits until what the killed daemon had begun is over and both say the same. It
     * is compared again now and then: an ENI that was on its way at the first time brings an address that nobody waits for.
     */
    void awaitAgreement() {
        shell.control(CALL, stub -> stub.syncPool(SyncPoolRequest.getDefaultInstance()));
        long[] compared = {System.nanoTime()};
        List<String> last = new ArrayList<>();
        try {
            Awaitility.await()
                    .atMost(SETTLING)
                    .pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(20))
                    .until(() -> {
                        Optional<String> difference = difference();
                        last.clear();
                        difference.ifPresent(last::add);
                        if (difference.isPresent() && System.nanoTime() - compared[0] > AGAIN.toNanos()) {
                            shell.control(CALL, stub -> stub.syncPool(SyncPoolRequest.getDefaultInstance()));
                            compared[0] = System.nanoTime();
                        }
                        return difference.isEmpty();
                    });
        } catch (ConditionTimeoutException e) {
            throw new InvariantViolation("cloud and daemon do not agree after " + SETTLING.toSeconds() + " s: " + last);
        }
    }

    private Optional<String> difference() {
        Map<String, CloudProcess.ListedEni> booked = cloud.enis();
        Map<String, TreeSet<String>> believed = new TreeMap<>();
        for (Eni eni : shell.inspect(CALL, stub -> stub.listEnis(ListEnisRequest.getDefaultInstance()))
                .getEnisList()) {
            TreeSet<String> addresses = new TreeSet<>();
            for (EniAddress address : eni.getAddressesList()) {
                addresses.add(host(address.getAddress()));
            }
            believed.put(eni.getId(), addresses);
        }
        TreeSet<String> pool = pool();
        TreeSet<String> all = new TreeSet<>();
        for (Map.Entry<String, CloudProcess.ListedEni> entry : booked.entrySet()) {
            CloudProcess.ListedEni eni = entry.getValue();
            all.addAll(eni.addresses());
            if (!eni.status().equals("InUse")) {
                return Optional.of("ENI " + entry.getKey() + " is " + eni.status());
            }
            if (!eni.addresses().equals(believed.get(entry.getKey()))) {
                return Optional.of("ENI " + entry.getKey() + " has " + eni.addresses() + " in the cloud, and the daemon"
                        + " believes in " + believed.get(entry.getKey()));
            }
        }
        if (!believed.keySet().equals(booked.keySet())) {
            return Optional.of("the cloud has the ENIs " + booked.keySet() + ", the daemon " + believed.keySet());
        }
        return all.equals(pool)
                ? Optional.empty()
                : Optional.of("the cloud has the addresses " + all + ", the pool " + pool);
    }

    private TreeSet<String> pool() {
        TreeSet<String> addresses = new TreeSet<>();
        shell.stream(CALL, stub -> stub.listIdle(ListIdleRequest.getDefaultInstance()))
                .forEachRemaining(part -> {
                    for (PoolEntry entry : part.getEntriesList()) {
                        entry.getResource().getAddressesList().forEach(address -> addresses.add(host(address)));
                    }
                });
        leases().values().forEach(lease -> addresses.add(SimulatedKubelet.address(lease)));
        return addresses;
    }

    private static String host(String address) {
        return address.replaceFirst("/.*", "");
    }
}
