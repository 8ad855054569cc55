package io.enipam.platform;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;

/**
 * How much of the heap is free after a full collection. A start fills the heap with what it keeps: one that grew by a tenth at a time
 * made twelve full collections for ten thousand leases. Later the heap follows its contents.
 */
public final class HeapFreeRatio {
    private static final int LEAST_PERCENT = 10;
    private static final int MOST_PERCENT = 20;

    private HeapFreeRatio() {}

    /** From the next full collection on, little of the heap is free after one. Does nothing on a JVM with no such options. */
    public static void lower() {
        HotSpotDiagnosticMXBean options = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
        if (options != null) {
            // in this order: the JVM allows no least ratio above the greatest one
            options.setVMOption("MinHeapFreeRatio", Integer.toString(LEAST_PERCENT));
            options.setVMOption("MaxHeapFreeRatio", Integer.toString(MOST_PERCENT));
        }
    }
}
