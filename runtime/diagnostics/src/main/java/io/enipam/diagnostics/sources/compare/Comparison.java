package io.enipam.diagnostics.sources.compare;

import io.enipam.diagnostics.sources.Snapshot;
import java.util.List;

/** Holds sources against each other. Pure: the same snapshot gives the same differences, and nothing is asked. */
@FunctionalInterface
public interface Comparison {
    /** What differs; nothing if a source that it needs did not answer. */
    List<Difference> differences(Snapshot snapshot);

    /** All that there are, in the order in which their findings are shown. */
    static List<Comparison> all() {
        return List.of(
                new AddressTwice(),
                new LeaseAndPool(),
                new HoldAndPool(),
                new LeaseAndKernel(),
                new LeaseAndPod(),
                new PoolAndCloud(),
                new CloudAndBook());
    }
}
