package io.enipam.examples.churnadaptive;

import io.enipam.sdk.Activity;
import io.enipam.sdk.PoolPolicy;
import io.enipam.sdk.PoolSnapshot;
import io.enipam.sdk.ResourceKind;
import io.enipam.sdk.Target;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.DoubleSupplier;

/**
 * A pool in virtual time that asks the policy after each change, as the engine does: addresses are created until as many are idle or
 * coming as the lower bound says and callers wait, and disposed of above the upper one. For one thread.
 */
final class PoolSimulation {
    /** What happened, warm-up left out. */
    record Outcome(int pods, int waited, double meanMinIdle, double meanIdle, int creates, int disposals) {
        double waitFraction() {
            return (double) waited / pods;
        }
    }

    private enum What {
        ARRIVAL,
        CREATED,
        POD_ENDS,
        COOLED
    }

    private record Event(double at, long order, What what) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            int byTime = Double.compare(at, other.at);
            return byTime != 0 ? byTime : Long.compare(order, other.order);
        }
    }

    private static final double INTERVAL = 10;
    private static final int INTERVALS = 60;
    private static final double WARM_UP = 600;
    private static final double COOL_DOWN = 5;

    private final PoolPolicy policy;
    private final Random random;
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final ArrayDeque<Integer> lent = new ArrayDeque<>(List.of(0));
    private final ArrayDeque<Integer> returned = new ArrayDeque<>(List.of(0));

    private double rate = 1;
    private int batch = 1;
    private DoubleSupplier createTime = () -> 3;
    private double podLife = Double.POSITIVE_INFINITY;

    private double now;
    private double intervalEnds = INTERVAL;
    private double smoothedCreate;
    private long order;
    private int idle;
    private int creating;
    private int waiting;
    private int pods;
    private int waited;
    private int creates;
    private int disposals;
    private double minIdleTime;
    private double idleTime;

    PoolSimulation(PoolPolicy policy, long seed) {
        this.policy = policy;
        this.random = new Random(seed);
    }

    /** So many pods a second, Poisson. */
    PoolSimulation rate(double perSecond) {
        rate = perSecond;
        return this;
    }

    /** Pods come so many at a time, at the same rate over all. */
    PoolSimulation batches(int size) {
        batch = size;
        return this;
    }

    /** Creates take exactly so many seconds. */
    PoolSimulation creates(double seconds) {
        createTime = () -> seconds;
        return this;
    }

    /** Creates take so many seconds in the mean, exponentially distributed. */
    PoolSimulation createsAbout(double seconds) {
        createTime = () -> exponential(seconds);
        return this;
    }

    /** Pods live so many seconds in the mean, exponentially distributed; for ever if this is not called. */
    PoolSimulation podsLive(double seconds) {
        podLife = seconds;
        return this;
    }

    /** Lives until so many pods have come after the warm-up. */
    Outcome until(int podsAfterWarmUp) {
        plan(exponential(batch / rate), What.ARRIVAL);
        Target target = look();
        double measured = 0;
        while (pods < podsAfterWarmUp) {
            Event event = events.remove();
            double from = Math.max(now, WARM_UP);
            if (event.at() > from) {
                minIdleTime += (event.at() - from) * target.minIdle();
                idleTime += (event.at() - from) * idle;
                measured += event.at() - from;
            }
            advance(event.at());
            happen(event.what());
            target = look();
        }
        return new Outcome(pods, waited, minIdleTime / measured, idleTime / measured, creates, disposals);
    }

    private void advance(double to) {
        now = to;
        while (now >= intervalEnds) {
            intervalEnds += INTERVAL;
            lent.add(0);
            returned.add(0);
            if (lent.size() > INTERVALS) {
                lent.remove();
                returned.remove();
            }
        }
    }

    private void happen(What what) {
        switch (what) {
            case ARRIVAL -> {
                for (int i = 0; i < batch; i++) {
                    arrive();
                }
                plan(exponential(batch / rate), What.ARRIVAL);
            }
            case CREATED -> {
                creating--;
                gain();
            }
            case POD_ENDS -> {
                returned.add(returned.removeLast() + 1);
                plan(COOL_DOWN, What.COOLED);
            }
            case COOLED -> gain();
        }
    }

    private void arrive() {
        boolean counts = now >= WARM_UP;
        pods += counts ? 1 : 0;
        if (idle > 0) {
            idle--;
            lend();
        } else {
            waiting++;
            waited += counts ? 1 : 0;
        }
    }

    private void gain() {
        if (waiting > 0) {
            waiting--;
            lend();
        } else {
            idle++;
        }
    }

    private void lend() {
        lent.add(lent.removeLast() + 1);
        if (podLife < Double.POSITIVE_INFINITY) {
            plan(exponential(podLife), What.POD_ENDS);
        }
    }

    private Target look() {
        Target target = policy.target(snapshot());
        for (int missing = waiting + target.minIdle() - idle - creating; missing > 0; missing--) {
            double took = createTime.getAsDouble();
            creating++;
            creates += now >= WARM_UP ? 1 : 0;
            smoothedCreate = smoothedCreate == 0 ? took : smoothedCreate + (took - smoothedCreate) / 16;
            plan(took, What.CREATED);
        }
        int surplus = waiting == 0 ? Math.max(0, idle - target.maxIdle()) : 0;
        idle -= surplus;
        disposals += now >= WARM_UP ? surplus : 0;
        return target;
    }

    /** Without its resources: this policy does not look at them. */
    private PoolSnapshot snapshot() {
        return new PoolSnapshot(
                Instant.EPOCH.plusNanos((long) (now * 1e9)),
                ResourceKind.ENI_IP,
                100_000,
                2,
                5,
                creating,
                waiting,
                new Activity(Duration.ofSeconds(10), List.copyOf(lent), List.copyOf(returned), Duration.ofNanos((long)
                        (smoothedCreate * 1e9))),
                List.of());
    }

    private void plan(double delay, What what) {
        events.add(new Event(now + delay, order++, what));
    }

    private double exponential(double mean) {
        return -mean * Math.log(1 - random.nextDouble());
    }
}
