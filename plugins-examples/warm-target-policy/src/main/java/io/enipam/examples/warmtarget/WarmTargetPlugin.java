package io.enipam.examples.warmtarget;

import io.enipam.sdk.Diagnostic;
import io.enipam.sdk.DiagnosticRequest;
import io.enipam.sdk.DiagnosticTable;
import io.enipam.sdk.IpamPlugin;
import io.enipam.sdk.PluginContext;
import io.enipam.sdk.PoolPolicy;
import io.enipam.sdk.PoolPolicyProvider;
import io.enipam.sdk.Setting;
import io.enipam.sdk.Target;
import java.util.List;

/** Brings the policy {@code warm-target}. */
public final class WarmTargetPlugin implements IpamPlugin {
    @Override
    public List<PoolPolicyProvider> poolPolicies() {
        return List.of(new Provider());
    }

    @Override
    public List<Setting<?>> settings() {
        return WarmTargetConfig.SCHEMA;
    }

    @Override
    public List<Diagnostic> diagnostics() {
        return List.of(new TargetsDiagnostic());
    }

    private static final class Provider implements PoolPolicyProvider {
        @Override
        public String name() {
            return WarmTargetPolicy.NAME;
        }

        @Override
        public PoolPolicy open(PluginContext context) {
            return new WarmTargetPolicy(WarmTargetConfig.of(context.settings()));
        }
    }

    /** {@code plugin run warm-target-policy targets}: the figures AWS's ipamd logs, for the pool as it is. */
    static final class TargetsDiagnostic implements Diagnostic {
        @Override
        public String name() {
            return "targets";
        }

        @Override
        public String summary() {
            return "What the warm targets ask for now, and how far the pool is from it, in addresses.";
        }

        @Override
        public DiagnosticTable run(DiagnosticRequest request) {
            WarmTargetConfig knobs = WarmTargetConfig.of(request.settings());
            WarmTargetPolicy policy = new WarmTargetPolicy(knobs);
            AddressCounts stock = AddressCounts.of(request.pool(), knobs.coolingIsWarm());
            Target target = policy.target(request.pool(), stock);
            int wanted = policy.wanted(stock);
            return DiagnosticTable.of(
                            "COUNTS",
                            "TOTAL",
                            "ASSIGNED",
                            "COOLING",
                            "AVAILABLE",
                            "WANTED",
                            "SHORT",
                            "OVER",
                            "MIN IDLE",
                            "MAX IDLE")
                    .row(
                            knobs.countsAddresses() ? "addresses" : "ENIs",
                            text(stock.total()),
                            text(stock.assigned()),
                            text(stock.cooling()),
                            text(stock.available()),
                            text(wanted),
                            text(Math.max(0, wanted - stock.available())),
                            text(Math.max(0, stock.idle() - target.maxIdle())),
                            text(target.minIdle()),
                            text(target.maxIdle()));
        }

        private static String text(int number) {
            return Integer.toString(number);
        }
    }
}
