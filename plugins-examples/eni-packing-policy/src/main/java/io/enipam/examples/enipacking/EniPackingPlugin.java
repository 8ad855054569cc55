package io.enipam.examples.enipacking;

import io.enipam.sdk.Diagnostic;
import io.enipam.sdk.DiagnosticTable;
import io.enipam.sdk.DurationText;
import io.enipam.sdk.IpamPlugin;
import io.enipam.sdk.PoolPolicyProvider;
import io.enipam.sdk.PoolSnapshot;
import io.enipam.sdk.Setting;
import java.time.Duration;
import java.util.List;

/** Brings the policy {@code eni-packing}. */
public final class EniPackingPlugin implements IpamPlugin {
    @Override
    public List<PoolPolicyProvider> poolPolicies() {
        return List.of(PoolPolicyProvider.of(
                EniPackingPolicy.NAME, context -> new EniPackingPolicy(EniPackingConfig.of(context.settings()))));
    }

    @Override
    public List<Setting<?>> settings() {
        return EniPackingConfig.SCHEMA;
    }

    @Override
    public List<Diagnostic> diagnostics() {
        return List.of(Diagnostic.of(
                "enis",
                "How full each ENI is, the one that goes back first on top.",
                List.of(),
                request -> enis(request.pool())));
    }

    /** {@code plugin run eni-packing-policy enis}: the ENIs in the order in which they would go back. */
    private static DiagnosticTable enis(PoolSnapshot pool) {
        DiagnosticTable table = DiagnosticTable.of("ENI", "IN USE", "COOLING", "IDLE", "LEAVING", "UNUSED FOR");
        for (EniAddresses eni : EniAddresses.emptiestFirst(EniAddresses.of(pool))) {
            table = table.row(
                    eni.name(),
                    Integer.toString(eni.pinned()),
                    Integer.toString(eni.cooling()),
                    Integer.toString(eni.idleCount()),
                    Integer.toString(eni.leaving()),
                    unused(eni, pool));
        }
        return table;
    }

    private static String unused(EniAddresses eni, PoolSnapshot pool) {
        Duration time = eni.unusedFor(pool.at());
        return eni.unused() ? DurationText.show(Duration.ofSeconds(time.toSeconds())) : "-";
    }
}
