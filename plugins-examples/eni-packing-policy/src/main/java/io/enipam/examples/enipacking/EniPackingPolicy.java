package io.enipam.examples.enipacking;

import io.enipam.sdk.Pick;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.PoolPolicy;
import io.enipam.sdk.PoolSnapshot;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.Target;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/**
 * Lends from the fullest ENI and gives back from the emptiest, so that pods gather on few ENIs and the others become free.
 *
 * <p>How many idle addresses there are is left to the watermarks, with one exception: an ENI that was unused for a while
 * goes back as a whole, even within the watermarks, if the other ENIs have enough idle addresses without it. Enough is more
 * than the lower watermark, so that the pool does not make up for the loss at once; and an ENI is let go only after a quiet
 * time, so that one pod coming and going does not carry an ENI out and in.
 *
 * <p>Pure and thread-safe; each answer walks the snapshot once, and sorts ENIs only if something has to go.
 */
record EniPackingPolicy(EniPackingConfig knobs) implements PoolPolicy {
    static final String NAME = "eni-packing";

    /** Of equally full ENIs the same one each time, so that one of them fills up before the next. */
    private static final Comparator<EniAddresses> FULLEST = EniAddresses.EMPTIEST_FIRST;

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Pick pick(PoolSnapshot pool, PodRef pod) {
        return EniAddresses.of(pool).stream()
                .filter(eni -> eni.idleCount() > 0)
                .max(FULLEST)
                .flatMap(EniAddresses::lendFirst)
                .map(Pick::chosen)
                .orElseGet(Pick::longestIdle);
    }

    @Override
    public Target target(PoolSnapshot pool) {
        Collection<EniAddresses> enis = EniAddresses.of(pool);
        int idle = enis.stream().mapToInt(EniAddresses::idleCount).sum();
        int surplus = Math.max(0, idle - pool.maxIdle());
        int dispensable = dispensable(pool, idle);
        if (surplus == 0 && dispensable == 0) {
            return Target.between(pool.minIdle(), pool.maxIdle());
        }
        return shed(pool, EniAddresses.emptiestFirst(enis), idle, surplus, dispensable);
    }

    /** How many idle addresses may go with unused ENIs, above all that the watermarks let go. */
    private int dispensable(PoolSnapshot pool, int idle) {
        // a pool that is short, or fills up now, keeps what it has: the next addresses may come on that very ENI
        boolean calm = pool.waiting() == 0 && pool.creating() == 0;
        return knobs.giveBack() && calm ? Math.max(0, idle - pool.minIdle() - knobs.slack()) : 0;
    }

    /**
     * Names what goes, in order, and everything else behind it.
     *
     * <p>A primary address counts where its turn comes, but goes in a later answer, when it is alone. Were it passed over
     * instead, an address of a fuller ENI would go in its place.
     */
    private Target shed(PoolSnapshot pool, List<EniAddresses> emptiestFirst, int idle, int surplus, int dispensable) {
        List<ResourceId> first = new ArrayList<>();
        List<ResourceId> others = new ArrayList<>();
        int going = 0;
        for (EniAddresses eni : emptiestFirst) {
            boolean whole = eni.idleCount() <= dispensable - going && quiet(eni, pool);
            int share = whole ? eni.idleCount() : Math.min(Math.max(0, surplus - going), mayGo(eni));
            going += share;
            List<ResourceId> order = eni.wayOut();
            int now = Math.min(share, eni.canGoNow());
            first.addAll(order.subList(0, now));
            others.addAll(order.subList(now, order.size()));
        }
        if (going == 0) {
            return Target.between(pool.minIdle(), pool.maxIdle());
        }
        int maxIdle = idle - first.size();
        first.addAll(others);
        return new Target(Math.min(pool.minIdle(), maxIdle), maxIdle, first);
    }

    private boolean quiet(EniAddresses eni, PoolSnapshot pool) {
        return eni.unused() && eni.unusedFor(pool.at()).compareTo(knobs.quiet()) >= 0;
    }

    /** How many of its addresses can go sooner or later; the primary one of an ENI in use cannot. */
    private static int mayGo(EniAddresses eni) {
        return eni.unused() ? eni.idleCount() : eni.canGoNow();
    }
}
