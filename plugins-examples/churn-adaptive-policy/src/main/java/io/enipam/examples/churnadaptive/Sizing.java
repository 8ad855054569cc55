package io.enipam.examples.churnadaptive;

import io.enipam.sdk.PoolSnapshot;
import java.util.Optional;

/**
 * The size of the warm pool, and what it follows from.
 *
 * <p><b>Lower bound.</b> An address requested now is there one lead time later; meanwhile pods are served from what is idle. With
 * k the smallest number that the demand of a lead time exceeds with at most the stated probability, k are for those that came
 * before a pod, and one is for the pod itself; where pods come in bursts, as many as typically come at once. (In an
 * inventory that orders one for one, what is on order is Poisson with mean rate times lead time, however lead times are
 * distributed: Palm's theorem. So their mean is all that is needed.)
 *
 * <p><b>Returns</b> are not subtracted from the demand: an address given back makes itself felt by being idle, and if none
 * is given back for a while the statement must still hold. They widen the upper bound.
 *
 * <p><b>Upper bound.</b> Pods that come and go in balance make the number of idle addresses wander like a random walk: in a time t
 * by about {@code sqrt(dispersion (arrivals + returns) t)}. The bounds are that far apart for the calm time, at least two,
 * so that neither creates nor disposals are caused by chance.
 *
 * @param arrivals pods a second
 * @param returns addresses given back a second
 * @param leadTime seconds
 * @param dispersion index of dispersion of the arrivals
 * @param minIdle addresses
 * @param maxIdle addresses
 */
record Sizing(double arrivals, double returns, double leadTime, double dispersion, int minIdle, int maxIdle) {
    private static final int LEAST_BAND = 2;

    /** Sizes a pool; where nothing has happened yet, by its watermarks. */
    static Sizing of(PoolSnapshot pool, ChurnAdaptiveConfig knobs) {
        double leadTime = Math.max(
                Churn.seconds(knobs.minLeadTime()),
                knobs.safety() * Churn.seconds(pool.activity().createTime()));
        int most = Math.min(knobs.most(), pool.capacity());
        Optional<Churn> churn = Churn.of(pool.activity(), knobs.halfLife());
        if (churn.isEmpty()) {
            int minIdle = Math.min(most, Math.max(knobs.least(), pool.minIdle()));
            return new Sizing(0, 0, leadTime, 1, minIdle, Math.max(minIdle, Math.min(most, pool.maxIdle())));
        }
        return of(churn.get(), leadTime, most, knobs);
    }

    private static Sizing of(Churn churn, double leadTime, int most, ChurnAdaptiveConfig knobs) {
        Demand demand = new Demand(churn.arrivals() * leadTime, churn.dispersion() + leadTime / churn.exposure());
        long atOnce = (long) Math.ceil(churn.dispersion());
        long wanted = demand.exceededWith(knobs.waitProbability(), most) + atOnce;
        int minIdle = (int) Math.min(most, Math.max(knobs.least(), wanted));
        double wander = churn.dispersion() * (churn.arrivals() + churn.returns()) * Churn.seconds(knobs.calmTime());
        double band = Math.max(LEAST_BAND, Math.ceil(Math.sqrt(wander)));
        int maxIdle = (int) Math.min(most, minIdle + band);
        return new Sizing(churn.arrivals(), churn.returns(), leadTime, churn.dispersion(), minIdle, maxIdle);
    }
}
