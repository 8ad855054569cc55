package io.enipam.examples.churnadaptive;

import io.enipam.sdk.Diagnostic;
import io.enipam.sdk.IpamPlugin;
import io.enipam.sdk.PluginContext;
import io.enipam.sdk.PoolPolicy;
import io.enipam.sdk.PoolPolicyProvider;
import io.enipam.sdk.Setting;
import java.util.List;

/** Brings the policy {@code churn-adaptive}. */
public final class ChurnAdaptivePlugin implements IpamPlugin {
    @Override
    public List<PoolPolicyProvider> poolPolicies() {
        return List.of(new Provider());
    }

    @Override
    public List<Setting<?>> settings() {
        return ChurnAdaptiveConfig.SCHEMA;
    }

    @Override
    public List<Diagnostic> diagnostics() {
        return List.of(new EstimateDiagnostic());
    }

    private static final class Provider implements PoolPolicyProvider {
        @Override
        public String name() {
            return ChurnAdaptivePolicy.NAME;
        }

        @Override
        public PoolPolicy open(PluginContext context) {
            return new ChurnAdaptivePolicy(ChurnAdaptiveConfig.of(context.settings()));
        }
    }
}
