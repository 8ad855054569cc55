package io.enipam.sdk.testkit;

import io.enipam.sdk.CreateResult;
import io.enipam.sdk.Created;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * Threads that create, dispose and list at random, beside a model of what must exist.
 *
 * <p>A resource enters the model when its stage has completed, and leaves it before its disposal is asked for: once it is
 * asked for, the same address may come back to another thread at any time. So whatever is in the model exists for certain, and
 * exists once. The seed fixes what each thread does; the order among the threads is the machine's.
 */
final class ConcurrencyStress {
    private static final ContractRule ONE_OWNER = new ContractRule(
            "of the resources that exist at one time, no two have the same id or address, however many threads ask",
            "Choosing a free address and marking it taken must be one step under one lock, or an atomic removal.");
    private static final ContractRule NOTHING_LOST = new ContractRule(
            "list tells everything that exists, while other threads create and dispose",
            "Take the list under the lock that creates and disposes take, or ask the provider for one consistent answer.");
    private static final ContractRule BOOKS_AGREE = new ContractRule(
            "after creates and disposals from many threads, what exists is what was delivered and not disposed of",
            "An address is lost if it was taken and its stage did not say so, or given back twice; look at the paths on which"
                    + " a failure comes after the address was taken.");
    private static final ContractRule PASSING = new ContractRule(
            "with a provider that works, a create or dispose under concurrency fails at most for want of room or for a"
                    + " passing reason",
            "See what the failure says: an INTERNAL one is usually an exception of an unguarded collection.");

    private final FactoryUnderTest subject;
    private final int threads;
    private final int steps;
    private final long seed;
    private final Map<ResourceId, Resource> alive = new ConcurrentHashMap<>();
    private final Map<String, ResourceId> addresses = new ConcurrentHashMap<>();
    private final AtomicInteger delivered = new AtomicInteger();

    ConcurrencyStress(FactoryUnderTest subject, int threads, int steps, long seed) {
        this.subject = subject;
        this.threads = threads;
        this.steps = steps;
        this.seed = seed;
    }

    void run() throws InterruptedException {
        atOnce(IntStream.range(0, threads)
                .mapToObj(i -> new Random(seed + i))
                .<Runnable>map(random -> () -> member(random))
                .toList());
        BOOKS_AGREE.same(new TreeSet<>(alive.keySet()), subject.listed(), "");
        PASSING.check(delivered.get() > 0, () -> "not one create worked");
    }

    /** Runs tasks at once, each on a thread of its own, and passes on the first assertion that fails. */
    static void atOnce(List<Runnable> tasks) throws InterruptedException {
        ExecutorService pool = Executors.newFixedThreadPool(tasks.size());
        try {
            for (Future<Object> task :
                    pool.invokeAll(tasks.stream().map(Executors::callable).toList())) {
                task.get();
            }
        } catch (ExecutionException e) {
            if (e.getCause() instanceof AssertionError broken) {
                throw broken;
            }
            throw new AssertionError(e.getCause());
        } finally {
            pool.shutdownNow();
        }
    }

    private void member(Random random) {
        List<Resource> own = new ArrayList<>();
        for (int step = 0; step < steps; step++) {
            int dice = random.nextInt(10);
            if (dice < 5) {
                create(1 + random.nextInt(3), own);
            } else if (dice < 9 && !own.isEmpty()) {
                dispose(own.remove(random.nextInt(own.size())), own);
            } else {
                look(own);
            }
        }
    }

    private void create(int count, List<Resource> own) {
        for (CreateResult result : subject.create(subject.requests(count))) {
            if (result instanceof Created created) {
                Resource resource = created.resource();
                enter(resource);
                own.add(resource);
                delivered.incrementAndGet();
            } else if (result instanceof Failed failed) {
                passing("create", failed);
            }
        }
    }

    private void enter(Resource resource) {
        Resource twin = alive.putIfAbsent(resource.id(), resource);
        ONE_OWNER.check(twin == null, () -> resource.id() + " was delivered twice");
        resource.addresses().forEach(address -> {
            ResourceId other = addresses.putIfAbsent(address.host(), resource.id());
            ONE_OWNER.check(other == null, () -> address.host() + " is in " + other + " and in " + resource.id());
        });
    }

    private void dispose(Resource resource, List<Resource> own) {
        alive.remove(resource.id());
        resource.addresses().forEach(address -> addresses.remove(address.host()));
        var result = subject.dispose(List.of(resource)).get(0);
        if (!FactoryUnderTest.gone(result)) {
            passing("dispose of " + resource.id(), (Failed) result);
            enter(resource);
            own.add(resource);
        }
    }

    private static void passing(String what, Failed failed) {
        PASSING.check(failed.kind().transientFailure(), () -> what + " gave " + failed);
    }

    private void look(List<Resource> own) {
        Set<ResourceId> listed = subject.listed();
        own.forEach(resource -> NOTHING_LOST.check(
                listed.contains(resource.id()), () -> resource.id() + " exists, and is not in the list " + listed));
    }
}
