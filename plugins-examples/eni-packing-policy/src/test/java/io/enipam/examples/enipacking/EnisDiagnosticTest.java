package io.enipam.examples.enipacking;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.sdk.Diagnostic;
import io.enipam.sdk.DiagnosticRequest;
import io.enipam.sdk.PoolSnapshot;
import io.enipam.sdk.ResourceState;
import io.enipam.sdk.Settings;
import io.enipam.sdk.testkit.Snapshots;
import java.util.List;
import org.junit.jupiter.api.Test;

class EnisDiagnosticTest {
    @Test
    void theEniThatGoesBackFirstIsOnTop() {
        PoolSnapshot pool = Snapshots.pool()
                .inUse("eni-1", 7)
                .idle("eni-1", 3)
                .in(ResourceState.DISPOSING, "eni-2", 1)
                .in(ResourceState.COOLING, "eni-3", 1)
                .idle("eni-3", 1)
                .idle("eni-2", 2)
                .build();
        Diagnostic diagnostic = new EniPackingPlugin().diagnostics().get(0);

        assertThat(diagnostic
                        .run(new DiagnosticRequest(
                                Settings.usual(diagnostic.parameters()), pool, Settings.usual(EniPackingConfig.SCHEMA)))
                        .rows())
                .containsExactly(
                        List.of("eni-2", "0", "0", "2", "1", "1h59m46s"),
                        List.of("eni-3", "0", "1", "1", "0", "-"),
                        List.of("eni-1", "7", "0", "3", "0", "-"));
    }
}
