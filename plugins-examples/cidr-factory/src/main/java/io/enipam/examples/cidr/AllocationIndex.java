package io.enipam.examples.cidr;

import io.enipam.examples.cidr.AddressPlan.Range;
import io.enipam.examples.cidr.Allocation.Grant;
import io.enipam.examples.cidr.AllocationStore.Damage;
import io.enipam.sdk.Capabilities;
import io.enipam.sdk.CreateRequest;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.Created;
import io.enipam.sdk.DisposeResult;
import io.enipam.sdk.Disposed;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Family;
import io.enipam.sdk.RequestToken;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ranges.Ip;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.FileAlreadyExistsException;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who has which address: the ledger, an index of it in memory, and the free space between. The disk is always written first,
 * so the index never knows more than the disk. For one thread, but for {@link #capabilities}.
 */
final class AllocationIndex implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AllocationIndex.class);

    /** More than a node has pods; keeps an IPv6 range's size within an int. */
    private static final int MOST = 1 << 20;

    private final AddressPlan plan;
    private final AllocationStore ledger;
    private final Clock clock;
    private final boolean lowestFirst;

    private final Map<ResourceId, Allocation> byId = new LinkedHashMap<>();
    private final Map<RequestToken, Allocation> byToken = new HashMap<>();
    private final Map<Family, FreeSpace> free = new EnumMap<>(Family.class);
    private final Set<Ip> barred = new HashSet<>();
    private final Set<String> reported = new HashSet<>();
    private final List<Damage> damages = new ArrayList<>();
    private int strays;
    private volatile Capabilities capabilities;

    /** @throws FactoryException {@link ErrorKind#UNAVAILABLE} if the ledger cannot be read */
    AllocationIndex(AddressPlan plan, AllocationStore ledger, Clock clock, boolean lowestFirst) {
        this.plan = plan;
        this.ledger = ledger;
        this.clock = clock;
        this.lowestFirst = lowestFirst;
        this.capabilities = new Capabilities(plan.grantable().keySet(), 0, 1, true);
        reload();
    }

    /** What can be given in all, as of the last change. Thread-safe. */
    Capabilities capabilities() {
        return capabilities;
    }

    CreateResult create(CreateRequest request) {
        Allocation before = byToken.get(request.token());
        if (before != null) {
            return new Created(before.resource());
        }
        Instant now = clock.instant();
        if (!now.isBefore(request.deadline())) {
            return Failed.of(ErrorKind.DEADLINE_EXCEEDED, "the deadline was over before the ledger's turn came");
        }
        while (true) {
            List<Grant> grants = new ArrayList<>();
            for (Family family : Family.values()) {
                if (!request.families().contains(family)) {
                    continue;
                }
                FreeSpace space = free.get(family);
                if (space == null) {
                    return Failed.of(ErrorKind.MISCONFIGURED, "no " + family + " range is configured");
                }
                Optional<Grant> next = space.next().map(this::grant);
                if (next.isEmpty()) {
                    return Failed.of(ErrorKind.ADDRESSES_EXHAUSTED, "no " + family + " address of the ranges is free");
                }
                grants.add(next.get());
            }
            Allocation allocation = new Allocation(request.token(), grants, now.truncatedTo(ChronoUnit.SECONDS));
            try {
                ledger.add(allocation);
            } catch (FileAlreadyExistsException foreign) {
                String name = allocation.id().value();
                barBecause(new Damage(name, "it appeared while the factory was open", addresses(allocation)));
                measure();
                continue;
            } catch (IOException e) {
                return failed(allocation, e);
            }
            index(allocation);
            grants.forEach(g -> ledger.keepLastGiven(g.address()));
            return new Created(allocation.resource());
        }
    }

    DisposeResult dispose(Resource resource) {
        Allocation allocation = byId.get(resource.id());
        if (allocation == null || isEarlierLending(resource, allocation)) {
            return new Disposed(resource.id());
        }
        try {
            ledger.remove(allocation.id());
        } catch (IOException e) {
            LOG.warn("{} cannot be taken off the ledger", allocation.id(), e);
            return Failed.of(ErrorKind.UNAVAILABLE, "the ledger cannot be written: " + AllocationStore.reason(e));
        }
        byId.remove(allocation.id());
        byToken.remove(allocation.token(), allocation);
        strays -= isStray(allocation) ? 1 : 0;
        boolean measured = true;
        for (Ip address : addresses(allocation)) {
            if (plan.grants(address) && !barred.contains(address)) {
                free(address).giveBack(address);
            } else {
                measured = false;
            }
        }
        if (!measured) {
            measure();
        }
        return new Disposed(resource.id());
    }

    /**
     * Everything on disk now. What was removed from outside is free again, what was added is known from here on.
     *
     * @throws FactoryException {@link ErrorKind#UNAVAILABLE} if the ledger cannot be read
     */
    List<Resource> list() {
        reload();
        return byId.values().stream().map(Allocation::resource).toList();
    }

    Collection<Allocation> allocations() {
        return List.copyOf(byId.values());
    }

    /** What the last look at the disk, and every create since, found that is no allocation. */
    List<Damage> damages() {
        return List.copyOf(damages);
    }

    /** How many addresses of a range may be given now. */
    BigInteger freeIn(Range range) {
        return free(range.block().first()).sizeWithin(range.block());
    }

    AddressPlan plan() {
        return plan;
    }

    @Override
    public void close() {
        ledger.close();
    }

    private void reload() {
        AllocationStore.Content content;
        try {
            content = ledger.read();
        } catch (IOException e) {
            throw new FactoryException(
                    ErrorKind.UNAVAILABLE, "the ledger cannot be read: " + AllocationStore.reason(e), e);
        }
        Map<Family, Optional<Ip>> last = new EnumMap<>(Family.class);
        for (Family family : Family.values()) {
            last.put(family, ledger.lastGiven(family));
        }
        byId.clear();
        byToken.clear();
        barred.clear();
        free.clear();
        damages.clear();
        strays = 0;
        plan.grantable()
                .forEach((family, all) ->
                        free.put(family, new FreeSpace(all, lowestFirst, last.getOrDefault(family, Optional.empty()))));
        for (Allocation allocation : content.allocations()) {
            byId.put(allocation.id(), allocation);
            byToken.putIfAbsent(allocation.token(), allocation);
            addresses(allocation).forEach(this::bar);
            strays += isStray(allocation) ? 1 : 0;
        }
        reported.retainAll(content.damages().stream().map(Damage::file).toList());
        content.damages().forEach(this::barBecause);
        measure();
    }

    private void index(Allocation allocation) {
        byId.put(allocation.id(), allocation);
        byToken.put(allocation.token(), allocation);
        addresses(allocation).forEach(address -> free(address).take(address));
    }

    private Failed failed(Allocation allocation, IOException cause) {
        LOG.warn("{} cannot be written to the ledger", allocation.id(), cause);
        if (ledger.has(allocation.id())) {
            // neither made nor undone: no pod gets it until the disk is read again
            addresses(allocation).forEach(this::bar);
        }
        return Failed.of(ErrorKind.UNAVAILABLE, "the ledger cannot be written: " + AllocationStore.reason(cause));
    }

    private void barBecause(Damage damage) {
        damages.add(damage);
        damage.barred().forEach(address -> {
            barred.add(address);
            bar(address);
        });
        if (reported.add(damage.file())) {
            LOG.warn(
                    "{} in the ledger is no allocation: {}; not given: {}",
                    damage.file(),
                    damage.reason(),
                    damage.barred());
        }
    }

    private void bar(Ip address) {
        FreeSpace space = free.get(address.family());
        if (space != null) {
            space.bar(address);
        }
    }

    private Grant grant(Ip address) {
        Range range = plan.rangeOf(address)
                .orElseThrow(() -> new IllegalStateException(address + " is free and of no range"));
        return new Grant(address, range.block().prefixLength(), range.gateway());
    }

    private FreeSpace free(Ip address) {
        FreeSpace space = free.get(address.family());
        if (space == null) {
            throw new IllegalStateException("no range has the family of " + address);
        }
        return space;
    }

    private boolean isStray(Allocation allocation) {
        return addresses(allocation).stream().noneMatch(plan::grants);
    }

    private static boolean isEarlierLending(Resource resource, Allocation now) {
        String token = resource.attributes().get(Allocation.TOKEN);
        return token != null && !token.equals(now.token().value());
    }

    private static Set<Ip> addresses(Allocation allocation) {
        Set<Ip> addresses = new HashSet<>();
        allocation.grants().forEach(g -> addresses.add(g.address()));
        return addresses;
    }

    /** A resource has an address of each family, so the family with the fewest decides; what is beyond the ranges comes on top. */
    private void measure() {
        Map<Family, Long> used = new EnumMap<>(Family.class);
        for (Allocation allocation : byId.values()) {
            addresses(allocation).stream()
                    .filter(plan::grants)
                    .forEach(address -> used.merge(address.family(), 1L, Long::sum));
        }
        BigInteger least = free.entrySet().stream()
                .map(e -> e.getValue().size().add(BigInteger.valueOf(used.getOrDefault(e.getKey(), 0L))))
                .min(BigInteger::compareTo)
                .orElse(BigInteger.ZERO);
        int capacity = least.add(BigInteger.valueOf(strays))
                .min(BigInteger.valueOf(MOST))
                .intValueExact();
        capabilities = new Capabilities(free.keySet(), capacity, 1, true);
    }
}
