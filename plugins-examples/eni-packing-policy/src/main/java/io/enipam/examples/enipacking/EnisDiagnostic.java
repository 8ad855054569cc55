package io.enipam.examples.enipacking;

import io.enipam.sdk.Diagnostic;
import io.enipam.sdk.DiagnosticRequest;
import io.enipam.sdk.DiagnosticTable;
import io.enipam.sdk.DurationText;
import io.enipam.sdk.PoolSnapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** {@code plugin run eni-packing-policy enis}: the ENIs in the order in which they would go back. */
final class EnisDiagnostic implements Diagnostic {
    @Override
    public String name() {
        return "enis";
    }

    @Override
    public String summary() {
        return "How full each ENI is, the one that goes back first on top.";
    }

    @Override
    public DiagnosticTable run(DiagnosticRequest request) {
        PoolSnapshot pool = request.pool();
        List<List<String>> rows = new ArrayList<>();
        for (EniAddresses eni : EniIndex.of(pool).emptiestFirst()) {
            rows.add(List.of(
                    eni.name(),
                    Integer.toString(eni.pinned()),
                    Integer.toString(eni.cooling()),
                    Integer.toString(eni.idleCount()),
                    Integer.toString(eni.leaving()),
                    unused(eni, pool)));
        }
        return new DiagnosticTable(List.of("ENI", "IN USE", "COOLING", "IDLE", "LEAVING", "UNUSED FOR"), rows);
    }

    private static String unused(EniAddresses eni, PoolSnapshot pool) {
        Duration time = eni.unusedFor(pool.at());
        return eni.unused() ? DurationText.show(Duration.ofSeconds(time.toSeconds())) : "-";
    }
}
