package io.enipam.examples.churnadaptive;

import io.enipam.sdk.Activity;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * How pods came and went lately, estimated from the counts of an {@link Activity}.
 *
 * <p><b>Weights.</b> A complete interval weighs {@code 2^(-age / halfLife)}. The intervals before the first event are left
 * out, since the daemon may not have been running. How much of the running interval is over is not known: it takes part, as
 * if it were complete, only if that raises the rate. So a burst is seen at once, and an interval that has just begun does
 * not look like a lull.
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

    /**
     * Estimates.
     *
     * @return empty if nothing has happened yet
     */
    static Optional<Churn> of(Activity activity, Duration halfLife) {
        int size = activity.lent().size();
        int first = firstEvent(activity);
        if (first == size) {
            return Optional.empty();
        }
        double decay = Math.exp(-Math.log(2) * seconds(activity.interval()) / seconds(halfLife));
        Sums complete = Sums.of(activity, first, size - 1, decay);
        Sums all = complete.raisedBy(
                activity.lent().get(size - 1), activity.returned().get(size - 1), decay);
        return Optional.of(all.estimate(activity, first, decay));
    }

    private static int firstEvent(Activity activity) {
        List<Integer> lent = activity.lent();
        List<Integer> returned = activity.returned();
        int first = 0;
        while (first < lent.size() && lent.get(first) == 0 && returned.get(first) == 0) {
            first++;
        }
        return first;
    }

    static double seconds(Duration duration) {
        return duration.toNanos() / 1e9;
    }

    /**
     * Weighted sums over the intervals from the first event to an end.
     *
     * @param end one behind the last interval
     */
    private record Sums(int end, double weight, double squares, double lent, double returned) {
        static Sums of(Activity activity, int from, int end, double decay) {
            double weight = 0;
            double squares = 0;
            double lent = 0;
            double returned = 0;
            for (int i = from; i < end; i++) {
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

        Churn estimate(Activity activity, int first, double decay) {
            double samples = weight * weight / squares;
            double exposure = samples * seconds(activity.interval());
            return new Churn(
                    (lent / weight * samples + 0.5) / exposure,
                    returned / weight * samples / exposure,
                    dispersion(activity.lent(), first, decay, samples),
                    exposure);
        }

        private double dispersion(List<Integer> counts, int first, double decay, double samples) {
            double mean = lent / weight;
            if (samples < 3 || mean <= 0) {
                return 1;
            }
            double deviations = 0;
            for (int i = first; i < end; i++) {
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
