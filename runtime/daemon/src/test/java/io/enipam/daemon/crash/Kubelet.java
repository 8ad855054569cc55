package io.enipam.daemon.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.lease.AddCommand;
import io.enipam.engine.lease.AddProcedure.AddOutcome;
import io.enipam.engine.lease.GarbageCollector.GcReport;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.pool.PoolView;
import io.enipam.engine.port.ResourceDb;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Collectors;

/**
 * Who asks the daemon, and remembers what it was told. A request without an answer is put again to the next process. Each
 * method returns false if the process died before it had answered everything.
 */
final class Kubelet {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final World world;
    /** Sandbox by acknowledged ADD, until its end is asked for. */
    private final Map<OwnerKey, String> lent = new TreeMap<>();
    /** Sandboxes whose end was acknowledged. */
    private final Set<OwnerKey> released = new TreeSet<>();

    Kubelet(World world) {
        this.world = world;
    }

    static OwnerKey owner(String container) {
        return new OwnerKey("enipam", container, "eth0");
    }

    /** Asks for sandboxes at the same time, of pods of the same names. */
    boolean add(Process process, String... containers) {
        Map<String, CompletableFuture<AddOutcome>> asked = new LinkedHashMap<>();
        for (String container : containers) {
            String pod = pod(container);
            world.pods.put(pod, "uid-of-" + pod, false, pod.contains("db-") ? Duration.ofMinutes(5) : Duration.ZERO);
            asked.put(container, process.engine.add(new AddCommand(owner(container), PodRef.parse(pod), PATIENCE)));
        }
        boolean all = true;
        for (CompletableFuture<AddOutcome> answer : asked.values()) {
            all &= process.await(answer).isPresent();
        }
        asked.forEach((container, answer) -> {
            if (answer.isDone() && !answer.isCompletedExceptionally()) {
                told(owner(container), host(answer.join().lease().resource()));
            }
        });
        return all && answered(process, asked.values());
    }

    private static boolean answered(Process process, Collection<? extends CompletableFuture<?>> answers) {
        for (CompletableFuture<?> answer : answers) {
            try {
                answer.join();
            } catch (CompletionException e) {
                throw new AssertionError(
                        "refused: " + Stages.cause(e) + " after " + process.events.types(), Stages.cause(e));
            }
        }
        return true;
    }

    private void told(OwnerKey owner, String address) {
        String before = lent.putIfAbsent(owner, address);
        assertThat(before == null ? address : before)
                .as("the address of %s, asked for again", owner)
                .isEqualTo(address);
        assertThat(lent.values()).as("addresses lent").doesNotHaveDuplicates();
    }

    /** Which address a sandbox has. */
    Optional<String> address(String container) {
        return Optional.ofNullable(lent.get(owner(container)));
    }

    private static String pod(String container) {
        return "default/" + container.replaceAll("_.*", "");
    }

    /** Ends sandboxes at the same time. */
    boolean del(Process process, String... containers) {
        List<CompletableFuture<?>> asked = new ArrayList<>();
        for (String container : containers) {
            lent.remove(owner(container));
            asked.add(process.engine.del(owner(container)));
        }
        boolean all = true;
        for (CompletableFuture<?> answer : asked) {
            all &= process.await(answer).isPresent();
        }
        if (all && answered(process, asked)) {
            for (String container : containers) {
                released.add(owner(container));
            }
        }
        return all;
    }

    /** Pods vanish with no DEL; the garbage collection has to notice. */
    boolean collect(Process process, String... containers) {
        for (String container : containers) {
            world.pods.remove(pod(container));
            lent.remove(owner(container));
        }
        CompletableFuture<GcReport> report = process.engine.collect(false);
        if (process.await(report).isEmpty()) {
            return false;
        }
        assertThat(report.join().problems()).isEmpty();
        for (String container : containers) {
            released.add(owner(container));
        }
        return true;
    }

    /** What has to hold from the moment a process serves. */
    void allIsAsTold(Process process) {
        Map<OwnerKey, String> leases = leases(process);
        Map<OwnerKey, String> connected = connected();
        assertThat(leases).as("leases").containsAllEntriesOf(lent);
        assertThat(connected).as("connected sandboxes").containsAllEntriesOf(lent);
        assertThat(leases.keySet()).as("leases").noneMatch(released::contains);
        assertThat(connected.keySet()).as("connected sandboxes").noneMatch(released::contains);
        assertThat(leases.values()).as("leased addresses").doesNotHaveDuplicates();
        assertThat(connected.values()).as("routed addresses").doesNotHaveDuplicates();
        connected.forEach((owner, address) -> {
            Set<OwnerKey> lessees = new HashSet<>();
            leases.forEach((lessee, leased) -> {
                if (leased.equals(address)) {
                    lessees.add(lessee);
                }
            });
            assertThat(lessees)
                    .as("lessees of %s, which is routed to %s", address, owner)
                    .isSubsetOf(owner);
        });
        thePoolAgreesWith(process, leases);
    }

    private static void thePoolAgreesWith(Process process, Map<OwnerKey, String> leases) {
        PoolView pool = process.engine.pool();
        assertThat(pool.entries().size() + pool.summary().count(ResourceState.CREATING))
                .as("size of the pool")
                .isLessThanOrEqualTo(World.CAPACITY);
        Map<OwnerKey, String> inUse = new HashMap<>();
        for (PoolView.Entry entry : pool.entries()) {
            entry.owner().ifPresent(owner -> inUse.put(owner, host(entry.resource())));
        }
        assertThat(inUse).as("in use, by the pool").isEqualTo(leases);
        assertThat(pool.entries()).extracting(entry -> host(entry.resource())).doesNotHaveDuplicates();
    }

    /** What has to hold once everything has come to rest. */
    void nothingIsLeft(Process process) {
        Map<OwnerKey, String> leases = leases(process);
        assertThat(leases).as("leases").isEqualTo(lent);
        assertThat(connected()).as("connected sandboxes").isEqualTo(lent);
        PoolView pool = process.engine.pool();
        assertThat(pool.summary().count(ResourceState.CREATING)).as("creating").isZero();
        assertThat(pool.summary().count(ResourceState.DISPOSING))
                .as("disposing")
                .isZero();
        assertThat(pool.summary().count(ResourceState.INVALID)).as("invalid").isZero();
        assertThat(pool.entries().stream().map(entry -> entry.resource().id()))
                .as("addresses of the pool, and of the cloud")
                .containsExactlyInAnyOrderElementsOf(
                        world.cloud.contents().stream().map(Resource::id).toList());
        ResourceDb.Contents rows = process.contents();
        assertThat(rows.leases().stream().collect(Collectors.toMap(Lease::owner, lease -> host(lease.resource()))))
                .as("rows")
                .isEqualTo(lent);
        assertThat(rows.intents()).as("intents").isEmpty();
        assertThat(rows.operations()).as("operations").isEmpty();
        assertThat(rows.holds())
                .as("holds")
                .allSatisfy(hold -> assertThat(pool.entries()).anySatisfy(entry -> {
                    assertThat(entry.resource()).isEqualTo(hold.resource());
                    assertThat(entry.state()).isIn(ResourceState.COOLING, ResourceState.RESERVED);
                }));
    }

    private static Map<OwnerKey, String> leases(Process process) {
        return process.engine.leases().stream()
                .collect(Collectors.toMap(Lease::owner, lease -> host(lease.resource())));
    }

    private Map<OwnerKey, String> connected() {
        return world.kernel.connected().values().stream()
                .collect(Collectors.toMap(Lease::owner, lease -> host(lease.resource())));
    }

    private static String host(Resource resource) {
        return resource.addresses().get(0).host();
    }
}
