package io.enipam.examples.warmtarget;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.sdk.Diagnostic;
import io.enipam.sdk.DiagnosticRequest;
import io.enipam.sdk.DiagnosticTable;
import io.enipam.sdk.ResourceState;
import io.enipam.sdk.Settings;
import io.enipam.sdk.testkit.Snapshots;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TargetsDiagnosticTest {
    @Test
    void itTellsHowManyAreShort() {
        assertThat(run(
                        Map.of("warm_ip_target", "5", "minimum_ip_target", "10"),
                        Snapshots.pool().inUse("eni-1", 7).idle("eni-1", 2).creating(1)))
                .containsExactly("addresses", "10", "7", "0", "3", "5", "2", "0", "5", "5");
    }

    @Test
    void itTellsHowManyAreOverBesideThoseThatCool() {
        assertThat(run(
                        Map.of("warm_ip_target", "1"),
                        Snapshots.pool().inUse("eni-1", 2).idle("eni-1", 4).in(ResourceState.COOLING, "eni-1", 3)))
                .containsExactly("addresses", "9", "5", "3", "4", "1", "0", "3", "1", "1");
    }

    @Test
    void itTellsWhetherEnisAreCounted() {
        assertThat(run(
                        Map.of("addresses_per_eni", "10"),
                        Snapshots.pool().inUse("eni-1", 7).idle("eni-1", 3)))
                .containsExactly("ENIs", "10", "7", "0", "3", "13", "10", "0", "13", "100");
    }

    private static List<String> run(Map<String, String> values, Snapshots.Builder pool) {
        Diagnostic diagnostic = new WarmTargetPlugin().diagnostics().get(0);
        Settings arguments = Settings.usual(diagnostic.parameters());
        DiagnosticTable table =
                diagnostic.run(new DiagnosticRequest(arguments, pool.build(), WarmTargetPolicyTest.settings(values)));
        assertThat(table.rows()).hasSize(1);
        return table.rows().get(0);
    }
}
