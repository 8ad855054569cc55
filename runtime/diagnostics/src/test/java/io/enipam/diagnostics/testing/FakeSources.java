package io.enipam.diagnostics.testing;

import io.enipam.aliyun.api.CloudApi;
import io.enipam.diagnostics.sources.PeoplesShare;
import io.enipam.diagnostics.sources.Source;
import io.enipam.diagnostics.sources.Sources;
import io.enipam.diagnostics.sources.compare.Comparing;
import io.enipam.diagnostics.sources.compare.Comparison;
import io.enipam.engine.port.TimeSource;
import io.enipam.engine.testing.VirtualTime;
import java.util.List;

/** Sources of a test's own making. */
public final class FakeSources {
    private FakeSources() {}

    /** Those of these sources, in a time that stands still: every look is the only one. */
    public static Comparing comparing(Source<?>... sources) {
        VirtualTime time = new VirtualTime();
        return new Comparing(new Sources(List.of(sources), time, time), Comparison.all(), time);
    }

    /** A share of a cloud that may be asked much. */
    public static PeoplesShare share(TimeSource time) {
        return new PeoplesShare(time, FakeSources::plenty);
    }

    /** What an API may be asked that nobody has asked yet. */
    public static PeoplesShare.Room plenty(CloudApi api) {
        return new PeoplesShare.Room(800, 800);
    }
}
