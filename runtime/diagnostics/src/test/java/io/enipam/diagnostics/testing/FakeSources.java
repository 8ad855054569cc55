package io.enipam.diagnostics.testing;

import io.enipam.aliyun.api.CloudApi;
import io.enipam.diagnostics.sources.OperatorQuota;
import io.enipam.diagnostics.sources.Source;
import io.enipam.diagnostics.sources.Sources;
import io.enipam.diagnostics.sources.compare.SourceComparison;
import io.enipam.engine.port.TimeSource;
import io.enipam.engine.simulation.VirtualTime;
import java.util.List;

/** Sources of a test's own making. */
public final class FakeSources {
    private FakeSources() {}

    /** Those of these sources, in a time that stands still: every look is the only one. */
    public static SourceComparison comparing(Source<?>... sources) {
        VirtualTime time = new VirtualTime();
        return new SourceComparison(new Sources(List.of(sources), time, time), time);
    }

    /** A share of a cloud that may be asked much. */
    public static OperatorQuota share(TimeSource time) {
        return new OperatorQuota(time, FakeSources::plenty);
    }

    /** What an API may be asked that nobody has asked yet. */
    public static OperatorQuota.Budget plenty(CloudApi api) {
        return new OperatorQuota.Budget(800, 800);
    }
}
