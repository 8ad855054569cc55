package ${package};

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.enipam.sdk.DiagnosticRequest;
import io.enipam.sdk.PoolSnapshot;
import io.enipam.sdk.Settings;
import io.enipam.sdk.Target;
import io.enipam.sdk.testkit.Snapshots;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What this policy is about; what all policies have in common is tested by the contract. */
class ${className}PolicyTest {
    private final Settings settings =
            Settings.of(new ${className}Plugin().settings(), Map.of("headroom", List.of("25")));
    private final ${className}Policy policy = new ${className}Policy(settings);

    @Test
    void aBusyNodeKeepsItsShareIdle() {
        PoolSnapshot pool =
                Snapshots.pool().watermarks(2, 5).inUse("eni-1", 41).build();

        assertEquals(Target.between(11, 14), policy.target(pool));
    }

    @Test
    void aQuietNodeKeepsTheConfiguredWatermarks() {
        PoolSnapshot pool =
                Snapshots.pool().watermarks(2, 5).inUse("eni-1", 3).build();

        assertEquals(Target.between(2, 5), policy.target(pool));
    }

    @Test
    void aNodeThatIsAlmostFullAsksForNoMoreThanFits() {
        PoolSnapshot pool = Snapshots.pool()
                .capacity(50)
                .watermarks(2, 5)
                .inUse("eni-1", 47)
                .build();

        assertEquals(Target.between(3, 3), policy.target(pool));
    }

    @Test
    void theDiagnosticTellsWhatThePolicyWants() {
        PoolSnapshot pool = Snapshots.pool()
                .watermarks(2, 5)
                .idle("eni-1", 6)
                .inUse("eni-1", 40)
                .build();

        DiagnosticRequest request = new DiagnosticRequest(Settings.usual(List.of()), pool, settings);

        assertEquals(
                List.of(List.of("40", "6", "10", "13")),
                new ${className}Diagnostic().run(request).rows());
    }
}
