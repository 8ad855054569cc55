package ${package};

import io.enipam.sdk.Diagnostic;
import io.enipam.sdk.DiagnosticRequest;
import io.enipam.sdk.DiagnosticTable;
import io.enipam.sdk.PoolSnapshot;
import io.enipam.sdk.ResourceState;
import io.enipam.sdk.Target;

/** {@code headroom}: what the policy wants of the pool as it is, whether or not it is the active one. Thread-safe. */
final class ${className}Diagnostic implements Diagnostic {
    @Override
    public String name() {
        return "headroom";
    }

    @Override
    public String summary() {
        return "How many idle addresses there are, and between which numbers this policy keeps them.";
    }

    @Override
    public DiagnosticTable run(DiagnosticRequest request) {
        PoolSnapshot pool = request.pool();
        Target target = new ${className}Policy(request.settings()).target(pool);
        return DiagnosticTable.of("IN USE", "IDLE", "KEEP FROM", "KEEP TO")
                .row(
                        String.valueOf(pool.count(ResourceState.IN_USE)),
                        String.valueOf(pool.count(ResourceState.IDLE)),
                        String.valueOf(target.minIdle()),
                        String.valueOf(target.maxIdle()));
    }
}
