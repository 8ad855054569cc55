package io.enipam.examples.warmtarget;

import io.enipam.sdk.Diagnostic;
import io.enipam.sdk.DiagnosticRequest;
import io.enipam.sdk.DiagnosticTable;
import io.enipam.sdk.IpamPlugin;
import io.enipam.sdk.PoolPolicyProvider;
import io.enipam.sdk.Setting;
import io.enipam.sdk.Target;
import java.util.List;

/** Brings the policy {@code warm-target}. */
public final class WarmTargetPlugin implements IpamPlugin {
    @Override
    public List<PoolPolicyProvider> poolPolicies() {
        return List.of(PoolPolicyProvider.of(
                WarmTargetPolicy.NAME, context -> new WarmTargetPolicy(WarmTargetConfig.of(context.settings()))));
    }

    @Override
    public List<Setting<?>> settings() {
        return WarmTargetConfig.SCHEMA;
    }

    @Override
    public List<Diagnostic> diagnostics() {
        return List.of(Diagnostic.of(
                "targets",
                "What the warm targets ask for now, and how far the pool is from it, in addresses.",
                List.of(),
                WarmTargetPlugin::targets));
    }

    /** {@code plugin run warm-target-policy targets}: the figures AWS's ipamd logs, for the pool as it is. */
    private static DiagnosticTable targets(DiagnosticRequest request) {
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
                        Integer.toString(stock.total()),
                        Integer.toString(stock.assigned()),
                        Integer.toString(stock.cooling()),
                        Integer.toString(stock.available()),
                        Integer.toString(wanted),
                        Integer.toString(Math.max(0, wanted - stock.available())),
                        Integer.toString(Math.max(0, stock.idle() - target.maxIdle())),
                        Integer.toString(target.minIdle()),
                        Integer.toString(target.maxIdle()));
    }
}
