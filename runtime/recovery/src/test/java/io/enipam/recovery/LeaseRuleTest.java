package io.enipam.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.recovery.DatabaseRebuilder.LeaseRule;
import io.enipam.recovery.DatabaseRebuilder.LeaseRule.Fate;
import io.enipam.recovery.SourceIndex.KernelState;
import io.enipam.recovery.SourceIndex.PodState;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every combination of what three witnesses can say of a lease. */
class LeaseRuleTest {
    @ParameterizedTest
    @CsvSource({
        "true,  ATTACHED,  RUNS,    KEPT,     CONNECTED",
        "true,  ATTACHED,  GONE,    KEPT,     CONNECTED",
        "true,  ATTACHED,  UNKNOWN, KEPT,     CONNECTED",
        "true,  ELSEWHERE, RUNS,    MOVED,    CONNECTED_ELSEWHERE",
        "true,  ELSEWHERE, GONE,    MOVED,    CONNECTED_ELSEWHERE",
        "true,  ELSEWHERE, UNKNOWN, MOVED,    CONNECTED_ELSEWHERE",
        "true,  ABSENT,    RUNS,    KEPT,     PROVEN",
        "true,  ABSENT,    GONE,    KEPT,     PROVEN",
        "true,  ABSENT,    UNKNOWN, KEPT,     PROVEN",
        "true,  UNKNOWN,   RUNS,    KEPT,     PROVEN",
        "true,  UNKNOWN,   GONE,    KEPT,     PROVEN",
        "true,  UNKNOWN,   UNKNOWN, KEPT,     PROVEN",
        "false, ATTACHED,  RUNS,    KEPT,     CONNECTED",
        "false, ATTACHED,  GONE,    KEPT,     CONNECTED",
        "false, ATTACHED,  UNKNOWN, KEPT,     CONNECTED",
        "false, ELSEWHERE, RUNS,    MOVED,    CONNECTED_ELSEWHERE",
        "false, ELSEWHERE, GONE,    MOVED,    CONNECTED_ELSEWHERE",
        "false, ELSEWHERE, UNKNOWN, MOVED,    CONNECTED_ELSEWHERE",
        "false, ABSENT,    RUNS,    KEPT,     POD_RUNS",
        "false, ABSENT,    GONE,    RELEASED, NO_TRACE",
        "false, ABSENT,    UNKNOWN, KEPT,     POD_UNKNOWN",
        "false, UNKNOWN,   RUNS,    KEPT,     KERNEL_SILENT",
        "false, UNKNOWN,   GONE,    KEPT,     KERNEL_SILENT",
        "false, UNKNOWN,   UNKNOWN, KEPT,     KERNEL_SILENT",
    })
    void aLeaseIsReleasedOnlyIfNobodySpeaksForIt(
            boolean certain, KernelState kernel, PodState pod, Fate fate, LeaseRule rule) {
        assertThat(LeaseRule.of(certain, kernel, pod)).isEqualTo(rule);
        assertThat(rule.fate).isEqualTo(fate);
    }
}
