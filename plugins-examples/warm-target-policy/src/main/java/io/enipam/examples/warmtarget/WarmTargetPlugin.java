package io.enipam.examples.warmtarget;

import io.enipam.sdk.Diagnostic;
import io.enipam.sdk.IpamPlugin;
import io.enipam.sdk.PluginContext;
import io.enipam.sdk.PoolPolicy;
import io.enipam.sdk.PoolPolicyProvider;
import io.enipam.sdk.Setting;
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
}
