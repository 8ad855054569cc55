package io.enipam.examples.enipacking;

import io.enipam.sdk.Diagnostic;
import io.enipam.sdk.IpamPlugin;
import io.enipam.sdk.PluginContext;
import io.enipam.sdk.PoolPolicy;
import io.enipam.sdk.PoolPolicyProvider;
import io.enipam.sdk.Setting;
import java.util.List;

/** Brings the policy {@code eni-packing}. */
public final class EniPackingPlugin implements IpamPlugin {
    @Override
    public List<PoolPolicyProvider> poolPolicies() {
        return List.of(new Provider());
    }

    @Override
    public List<Setting<?>> settings() {
        return EniPackingConfig.SCHEMA;
    }

    @Override
    public List<Diagnostic> diagnostics() {
        return List.of(new EnisDiagnostic());
    }

    private static final class Provider implements PoolPolicyProvider {
        @Override
        public String name() {
            return EniPackingPolicy.NAME;
        }

        @Override
        public PoolPolicy open(PluginContext context) {
            return new EniPackingPolicy(EniPackingConfig.of(context.settings()));
        }
    }
}
