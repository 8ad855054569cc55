package io.enipam.daemon.testing;

import io.enipam.daemon.sources.Source;
import io.enipam.daemon.sources.Sources;
import io.enipam.daemon.sources.compare.Comparing;
import io.enipam.daemon.sources.compare.Comparison;
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
}
