package io.enipam.examples.churnadaptive;

import io.enipam.sdk.Diagnostic;
import io.enipam.sdk.DiagnosticRequest;
import io.enipam.sdk.DiagnosticTable;
import io.enipam.sdk.IpamPlugin;
import io.enipam.sdk.PoolPolicy;
import io.enipam.sdk.PoolPolicyProvider;
import io.enipam.sdk.PoolSnapshot;
import io.enipam.sdk.Setting;
import io.enipam.sdk.Target;
import java.util.List;
import java.util.Locale;

/** Brings the policy {@code churn-adaptive}. */
public final class ChurnAdaptivePlugin implements IpamPlugin {
    private static final double AS_CONFIGURED = 0;

    /** What would be, were another probability configured. */
    private static final Setting<Double> WHAT_IF = Setting.decimal(
                    "wait_probability", AS_CONFIGURED, 0.5, AS_CONFIGURED)
            .doc("Sizes for this probability instead of the configured one; 0 takes the configured one.");

    @Override
    public List<PoolPolicyProvider> poolPolicies() {
        return List.of(PoolPolicyProvider.of(
                ChurnAdaptivePolicy.NAME,
                context -> new ChurnAdaptivePolicy(ChurnAdaptiveConfig.of(context.settings()))));
    }

    @Override
    public List<Setting<?>> settings() {
        return ChurnAdaptiveConfig.SCHEMA;
    }

    @Override
    public List<Diagnostic> diagnostics() {
        return List.of(Diagnostic.of(
                "estimate",
                "How fast pods come and go, and how many idle addresses follow from it.",
                List.of(WHAT_IF),
                ChurnAdaptivePlugin::estimate));
    }

    /** {@code plugin run churn-adaptive-policy estimate}: the sizing of the pool as it is, and what it follows from. */
    private static DiagnosticTable estimate(DiagnosticRequest request) {
        ChurnAdaptiveConfig knobs = ChurnAdaptiveConfig.of(request.settings());
        double asked = request.arguments().get(WHAT_IF);
        ChurnAdaptiveConfig used = asked == AS_CONFIGURED
                ? knobs
                : knobs.withWaitProbability(Math.max(asked, ChurnAdaptiveConfig.RAREST_WAIT));
        Sizing sizing = Sizing.of(request.pool(), used);
        return DiagnosticTable.of(
                        "RATE (1/s)",
                        "RETURNS (1/s)",
                        "LEAD TIME (s)",
                        "DISPERSION",
                        "WAIT PROBABILITY",
                        "MIN IDLE",
                        "MAX IDLE")
                .row(
                        decimal(sizing.arrivals()),
                        decimal(sizing.returns()),
                        decimal(sizing.leadTime()),
                        decimal(sizing.dispersion()),
                        Double.toString(used.waitProbability()),
                        Integer.toString(sizing.minIdle()),
                        Integer.toString(sizing.maxIdle()));
    }

    private static String decimal(double number) {
        return String.format(Locale.ROOT, "%.3f", number);
    }

    /**
     * Keeps as many addresses idle as are needed for a stated probability of waiting, and no more.
     *
     * <p>It remembers nothing: all it learns from is the activity in the snapshot. Pure and thread-safe; an answer costs the same
     * for small and for large pools.
     */
    record ChurnAdaptivePolicy(ChurnAdaptiveConfig knobs) implements PoolPolicy {
        static final String NAME = "churn-adaptive";

        @Override
        public String name() {
            return NAME;
        }

        @Override
        public Target target(PoolSnapshot pool) {
            Sizing sizing = Sizing.of(pool, knobs);
            return Target.between(sizing.minIdle(), sizing.maxIdle());
        }
    }
}
