package io.enipam.examples.churnadaptive;

import io.enipam.sdk.Activity;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * How pods came and went lately, estimated from the counts of an {@link Activity}.
 *
 * <p><b>Weights.</b> A complete interval weighs {@code 2^(-age / halfLife)}; there are as many as the daemon has seen, so a
 * short list is a short past and not a lull. How much of the running interval is over is not known: it takes part, as if it
 * were complete, only if that raises the rate. So a burst is seen at once, and an interval that has just begun does not look
 * like a lull.
 *
 * <p><b>Exposure.</b> The weights are worth {@code (sum w)^2 / sum w^2} intervals of equal weight (Kish's effective sample
 * size); that many seconds were watched, in effect.
 *
 * <p><b>Rate.</b> {@code (events + 1/2) / exposure}: the mean of the Gamma posterior of a Poisson rate under Jeffreys' prior. It
 * is above zero even if nothing came, and the uncertainty of few events is known: the variance of a prediction over a time t
 * grows by {@code t / exposure}.
 *
 * <p><b>Dispersion.</b> Weighted variance of the counts by their mean, 1 for a Poisson process. Chance alone makes it stray by
 * about {@code sqrt(2 / (n - 1))}; only what is beyond twice that counts as burstiness.
 *
 * @param arrivals pods a second
 * @param returns addresses given back a second
 * @param dispersion index of dispersion of the arrivals, 1 to {@value #MOST_DISPERSION}
 * @param exposure how long was watched, in effect, in seconds
 */
record Churn(double arrivals, double returns, double dispersion, double exposure) {
    /** Beyond this, what is seen is one event and not a kind of traffic. */
    static final double MOST_DISPERSION = 200;

    /** @return empty if nothing happened in all of the activity */
    static Optional<Churn> of(Activity activity, Duration halfLife) {
        if (allZero(activity.lent()) && allZero(activity.returned())) {
            return Optional.empty();
        }
        int running = activity.lent().size() - 1;
        double decay = Math.exp(-Math.log(2) * seconds(activity.interval()) / seconds(halfLife));
        Sums complete = Sums.of(activity, running, decay);
        Sums all = complete.raisedBy(
                activity.lent().get(running), activity.returned().get(running), decay);
        return Optional.of(all.estimate(activity, decay));
    }

    private static boolean allZero(List<Integer> counts) {
        for (int count : counts) {
            if (count != 0) {
                return false;
            }
        }
        return true;
    }

    static double seconds(Duration duration) {
        return duration.toNanos() / 1e9;
    }

    /**
     * Weighted sums over the intervals up to an end.
     *
     * @param end one behind the last interval
     */
    private record Sums(int end, double weight, double squares, double lent, double returned) {
        static Sums of(Activity activity, int end, double decay) {
            double weight = 0;
            double squares = 0;
            double lent = 0;
            double returned = 0;
            for (int i = 0; i < end; i++) {
                // Horner: everything so far is one interval older now
                weight = weight * decay + 1;
                squares = squares * decay * decay + 1;
                lent = lent * decay + activity.lent().get(i);
                returned = returned * decay + activity.returned().get(i);
            }
            return new Sums(end, weight, squares, lent, returned);
        }

        Sums raisedBy(int running, int runningReturned, double decay) {
            if (weight > 0 && running * weight <= lent) {
                return this;
            }
            return new Sums(
                    end + 1,
                    weight * decay + 1,
                    squares * decay * decay + 1,
                    lent * decay + running,
                    returned * decay + runningReturned);
        }

        Churn estimate(Activity activity, double decay) {
            double samples = weight * weight / squares;
            double exposure = samples * seconds(activity.interval());
            return new Churn(
                    (lent / weight * samples + 0.5) / exposure,
                    returned / weight * samples / exposure,
                    dispersion(activity.lent(), decay, samples),
                    exposure);
        }

        private double dispersion(List<Integer> counts, double decay, double samples) {
            double mean = lent / weight;
            if (samples < 3 || mean <= 0) {
                return 1;
            }
            double deviations = 0;
            for (int i = 0; i < end; i++) {
                double off = counts.get(i) - mean;
                deviations = deviations * decay + off * off;
            }
            double variance = deviations / weight * samples / (samples - 1);
            double index = variance / mean;
            double byChance = 1 + 2 * Math.sqrt(2 / (samples - 1));
            return index > byChance ? Math.min(index, MOST_DISPERSION) : 1;
        }
    }
}
