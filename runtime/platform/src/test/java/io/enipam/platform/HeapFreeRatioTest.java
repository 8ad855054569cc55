package io.enipam.platform;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

class HeapFreeRatioTest {
    private final HotSpotDiagnosticMXBean options = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);

    @Test
    void theJvmKeepsLittleOfTheHeapFreeFromThenOn() {
        HeapFreeRatio.lower();

        assertThat(options.getVMOption("MinHeapFreeRatio").getValue()).isEqualTo("10");
        assertThat(options.getVMOption("MaxHeapFreeRatio").getValue()).isEqualTo("20");
    }
}
