package io.enipam.examples.warmtarget;

import io.enipam.sdk.PoolPolicy;
import io.enipam.sdk.PoolSnapshot;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.Target;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Keeps a node's addresses warm by the rules of the AWS VPC CNI.
 *
 * <p>With {@code warm_ip_target} or {@code minimum_ip_target} set, AWS computes how many addresses a node is short of, or has
 * over:
 *
 * <pre>
 * short = max(0, warm - available, minimum - total)
 * over  = max(0, min(available - warm, total - minimum))
 * </pre>
 *
 * Since {@code total = assigned + available}, both say the same: be at {@code max(warm, minimum - assigned)} available
 * addresses. That is the target here, as its lower and its upper bound.
 *
 * <p>With neither set, {@code warm_eni_target} whole ENIs are kept: once fewer than that many ENIs' worth is available,
 * addresses are added until the ENIs are full again; single addresses never go back, only unused ENIs.
 *
 * <p>Pure and thread-safe; each answer walks the snapshot once.
 */
record WarmTargetPolicy(WarmTargetConfig knobs) implements PoolPolicy {
    static final String NAME = "warm-target";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Duration release(PoolSnapshot pool, Resource released, Duration configured) {
        return configured.compareTo(knobs.coolDown()) < 0 ? knobs.coolDown() : configured;
    }

    @Override
    public Target target(PoolSnapshot pool) {
        return target(pool, AddressCounts.of(pool, knobs.coolingIsWarm()));
    }

    Target target(PoolSnapshot pool, AddressCounts stock) {
        return knobs.countsAddresses() ? addresses(pool, stock) : wholeEnis(pool, stock);
    }

    /** How many available addresses there shall be, cooling ones among them where they count. */
    int wanted(AddressCounts stock) {
        if (knobs.countsAddresses()) {
            return Math.max(knobs.warmIp(), knobs.minimumIp() - stock.assigned());
        }
        return stock.available() < spare(stock) ? filled(stock) - stock.assigned() : spare(stock);
    }

    private Target addresses(PoolSnapshot pool, AddressCounts stock) {
        int exactly = withinCapacity(pool, wanted(stock) - stock.coolingWarm());
        List<ResourceId> first = stock.idle() > exactly ? fromUnusedEnis(stock) : List.of();
        return new Target(exactly, exactly, first);
    }

    /** What is over goes from unused ENIs, so that AWS's other rule, to free such ENIs, is kept by the way. */
    private static List<ResourceId> fromUnusedEnis(AddressCounts stock) {
        List<ResourceId> order = new ArrayList<>();
        stock.enis().stream()
                .filter(AddressCounts.Eni::empty)
                .sorted(Comparator.comparingInt(AddressCounts.Eni::idleCount).thenComparing(AddressCounts.Eni::name))
                .forEach(eni -> order.addAll(eni.wayOut()));
        return order;
    }

    private Target wholeEnis(PoolSnapshot pool, AddressCounts stock) {
        int least = withinCapacity(pool, wanted(stock) - stock.coolingWarm());
        Optional<AddressCounts.Eni> leaving = unneeded(pool, stock);
        if (leaving.isEmpty()) {
            return Target.between(least, Math.max(least, pool.capacity()));
        }
        List<ResourceId> now = leaving.get().canGoNow();
        int rest = stock.idle() - now.size();
        return new Target(Math.min(least, rest), rest, now);
    }

    /**
     * An ENI that can go: it was unused for a while, and without it enough is left. Its primary address can only go after
     * the others; then it is an ENI of one address here, and follows by the same rule.
     */
    private Optional<AddressCounts.Eni> unneeded(PoolSnapshot pool, AddressCounts stock) {
        int dispensable = stock.available() - spare(stock);
        if (dispensable <= 0 || pool.waiting() > 0 || pool.creating() > 0) {
            return Optional.empty();
        }
        Instant quietSince = pool.at().minus(knobs.quiet());
        return stock.enis().stream()
                .filter(eni -> eni.empty() && eni.idleCount() <= dispensable && eni.quietSince(quietSince))
                .min(Comparator.comparingInt(AddressCounts.Eni::idleCount).thenComparing(AddressCounts.Eni::name));
    }

    /** With fewer than this available, the pool is too low; without a spare ENI, one address is enough. */
    private int spare(AddressCounts stock) {
        return Math.max(1, knobs.warmEni() * perEni(stock));
    }

    /** How many addresses as many full ENIs have as are needed for all that is assigned, and the spare. */
    private int filled(AddressCounts stock) {
        int perEni = perEni(stock);
        int needed = stock.assigned() + spare(stock);
        return (needed + perEni - 1) / perEni * perEni;
    }

    private int perEni(AddressCounts stock) {
        return knobs.perEni() > 0 ? knobs.perEni() : stock.fullestEni();
    }

    private static int withinCapacity(PoolSnapshot pool, int addresses) {
        return Math.max(0, Math.min(addresses, pool.capacity()));
    }
}
