package io.enipam.examples.churnadaptive;

import io.enipam.lab.contract.LabContract;
import io.enipam.lab.replay.PolicyCatalog;
import io.enipam.lab.trace.Trace;
import io.enipam.lab.trace.TraceGenerator;
import io.enipam.lab.trace.TraceGenerator.Pattern;
import io.enipam.lab.trace.TraceGenerator.Wishes;
import java.time.Duration;

/** What the README promises of the default settings, for a pattern of pods: one in a hundred finds no idle address. */
abstract class WaitPromiseContract extends LabContract {
    @Override
    protected PolicyCatalog policies() {
        return PolicyCatalog.of(new ChurnAdaptivePlugin());
    }

    @Override
    protected String policy() {
        return "churn-adaptive";
    }

    /** Six hours of a node with some 20 pods. */
    static Trace trace(Pattern pattern) {
        return TraceGenerator.make(new Wishes(pattern, 500, Duration.ofHours(6), 20, 1));
    }

    @Override
    protected double mostWaited() {
        return 0.01;
    }

    @Override
    protected Duration longestP99() {
        return Duration.ofSeconds(1);
    }
}
