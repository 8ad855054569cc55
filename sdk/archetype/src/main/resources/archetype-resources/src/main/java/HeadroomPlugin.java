package ${package};

import io.enipam.sdk.Diagnostic;
import io.enipam.sdk.IpamPlugin;
import io.enipam.sdk.PluginContext;
import io.enipam.sdk.PoolPolicy;
import io.enipam.sdk.PoolPolicyProvider;
import io.enipam.sdk.Setting;
import java.util.List;

/** What the plugin brings: one policy, its setting, and a diagnostic. Named in {@code META-INF/services}. */
public final class HeadroomPlugin implements IpamPlugin {
    @Override
    public List<PoolPolicyProvider> poolPolicies() {
        return List.of(new PoolPolicyProvider() {
            @Override
            public String name() {
                return HeadroomPolicy.NAME;
            }

            @Override
            public PoolPolicy open(PluginContext context) {
                return new HeadroomPolicy(context.settings());
            }
        });
    }

    @Override
    public List<Setting<?>> settings() {
        return List.of(HeadroomPolicy.HEADROOM);
    }

    @Override
    public List<Diagnostic> diagnostics() {
        return List.of(new HeadroomDiagnostic());
    }
}
