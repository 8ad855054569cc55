package io.enipam.examples.churnadaptive;

/**
 * How many pods come in a time: Poisson, or negative binomial if they come more unevenly than that.
 *
 * <p>Both are one family. With mean m and index of dispersion d (variance by mean, 1 for Poisson) the probabilities follow
 *
 * <pre>
 * P(k + 1) = P(k) (m/d + (1 - 1/d) k) / (k + 1)
 * </pre>
 *
 * which has no pole at d = 1. The recurrence is run from the mode, outwards, on weights that are 1 there, and divided by their sum in
 * the end: nothing overflows, and what underflows is too small to matter. That takes a few standard deviations of steps.
 *
 * @param mean expected number, at least 0
 * @param dispersion variance by mean, at least 1
 */
record Demand(double mean, double dispersion) {
    private static final double NEGLIGIBLE = 1e-10;

    Demand {
        if (!(mean >= 0 && dispersion >= 1)) {
            throw new IllegalArgumentException("demand needs a mean of at least 0 and a dispersion of at least 1, got "
                    + mean + ", " + dispersion);
        }
    }

    /**
     * The smallest k with {@code P(demand > k) <= probability}.
     *
     * @param probability above 0, at most 1/2
     * @param most the answer is not above this
     */
    int exceededWith(double probability, int most) {
        if (mean >= most) {
            return most;
        }
        int mode = (int) Math.max(0, Math.floor(mean - dispersion + 1));
        double upToMode = upTo(mode);
        double enough = (upToMode + above(mode)) * (1 - probability);
        double reached = upToMode;
        double weight = 1;
        int k = mode;
        while (reached < enough && k < most) {
            weight *= ratio(k);
            reached += weight;
            k++;
        }
        return k;
    }

    /** {@code P(k + 1) / P(k)}. */
    private double ratio(int k) {
        return (mean / dispersion + (1 - 1 / dispersion) * k) / (k + 1);
    }

    private double upTo(int mode) {
        double sum = 1;
        double weight = 1;
        for (int k = mode - 1; k >= 0 && weight > sum * NEGLIGIBLE; k--) {
            weight /= ratio(k);
            sum += weight;
        }
        return sum;
    }

    private double above(int mode) {
        double sum = 0;
        double weight = 1;
        for (int k = mode; ; k++) {
            double ratio = ratio(k);
            weight *= ratio;
            sum += weight;
            // ratios tend to 1 - 1/d: all further weights together are a geometric series at most
            double rest = Math.max(ratio, 1 - 1 / dispersion);
            if (rest < 1 && weight * rest / (1 - rest) < NEGLIGIBLE * (1 + sum)) {
                return sum;
            }
        }
    }
}
