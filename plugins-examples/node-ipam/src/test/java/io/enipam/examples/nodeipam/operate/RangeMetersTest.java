package io.enipam.examples.nodeipam.operate;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.examples.nodeipam.blocks.BlockRange;
import io.enipam.examples.nodeipam.blocks.Blocks;
import io.enipam.examples.nodeipam.blocks.Owner;
import io.enipam.sdk.Meter;
import io.enipam.sdk.PluginEvent;
import io.enipam.sdk.Signals;
import io.enipam.sdk.ranges.Subnet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.DoubleSupplier;
import org.junit.jupiter.api.Test;

/** The numbers of ranges, as a scrape has them. */
class RangeMetersTest {
    private final Blocks blocks = new Blocks();
    private final Map<String, DoubleSupplier> gauges = new HashMap<>();
    private final Map<String, Long> counters = new HashMap<>();
    private final AtomicInteger waiting = new AtomicInteger();

    /** As a host keeps them, without its bounds. */
    private final class Kept implements Signals {
        @Override
        public Counter counter(Meter meter, String... values) {
            return more -> counters.merge(name(meter, values), more, Long::sum);
        }

        @Override
        public void gauge(Meter meter, DoubleSupplier value, String... values) {
            gauges.put(name(meter, values), value);
        }

        @Override
        public void event(PluginEvent event) {}
    }

    private static String name(Meter meter, String... values) {
        assertThat(values).hasSameSizeAs(meter.labels());
        return meter.name() + List.of(values);
    }

    private void range(String pool, String cidr) {
        blocks.add(pool, List.of(new BlockRange(Subnet.parse(cidr), 26)));
    }

    private double read(String name) {
        return gauges.get(name).getAsDouble();
    }

    /** As the host reads all gauges. */
    private void scrape() {
        assertThat(read("waiting_nodes[]")).isEqualTo(waiting.get());
    }

    @Test
    void usageSizeAllocationsReleasesAndTriesAreThoseOfTheRange() {
        range("cluster-cidr", "10.0.0.0/24");
        new RangeMeters(new Kept(), blocks, () -> blocks).show(waiting::get);
        blocks.hold(Owner.node("first"), List.of(Subnet.parse("10.0.0.0/26")));
        blocks.allocate(Owner.node("second"), "cluster-cidr");
        blocks.release(Owner.node("first"));
        waiting.set(3);
        scrape();
        scrape();

        assertThat(read("waiting_nodes[]")).isEqualTo(3);
        assertThat(read("cidrset_usage_cidrs[10.0.0.0/24, cluster-cidr]")).isEqualTo(0.25);
        assertThat(read("cidrset_max_cidrs[10.0.0.0/24, cluster-cidr]")).isEqualTo(4);
        assertThat(counters)
                .containsEntry("cidrset_cidrs_allocations[10.0.0.0/24, cluster-cidr]", 2L)
                .containsEntry("cidrset_cidrs_releases[10.0.0.0/24, cluster-cidr]", 1L)
                .containsEntry("cidrset_allocation_tries[10.0.0.0/24, cluster-cidr]", 1L);
    }

    @Test
    void aRangeThatComesIsShownAndOneThatGoesIsNoNumberAndBeginsAnewWhenItComesAgain() {
        new RangeMeters(new Kept(), blocks, () -> blocks).show(waiting::get);
        range("pool-a", "10.0.0.0/24");
        scrape();
        blocks.allocate(Owner.node("n"), "pool-a");
        scrape();
        assertThat(read("cidrset_usage_cidrs[10.0.0.0/24, pool-a]")).isEqualTo(0.25);

        blocks.remove("pool-a");
        scrape();
        assertThat(read("cidrset_usage_cidrs[10.0.0.0/24, pool-a]")).isNaN();

        blocks.release(Owner.node("n"));
        range("pool-a", "10.0.0.0/24");
        blocks.allocate(Owner.node("m"), "pool-a");
        scrape();
        assertThat(read("cidrset_usage_cidrs[10.0.0.0/24, pool-a]")).isEqualTo(0.25);
        assertThat(counters).containsEntry("cidrset_cidrs_allocations[10.0.0.0/24, pool-a]", 2L);
    }

    @Test
    void aReplicaThatDoesNotLeadShowsWhatNodesHaveAndCountsNothing() {
        Blocks known = new Blocks();
        known.add("cluster-cidr", List.of(new BlockRange(Subnet.parse("10.0.0.0/24"), 26)));
        known.hold(Owner.node("n"), List.of(Subnet.parse("10.0.0.0/26")));
        range("cluster-cidr", "10.0.0.0/24");
        new RangeMeters(new Kept(), blocks, () -> known).show(waiting::get);
        scrape();

        assertThat(read("cidrset_usage_cidrs[10.0.0.0/24, cluster-cidr]")).isEqualTo(0.25);
        assertThat(counters).containsEntry("cidrset_cidrs_allocations[10.0.0.0/24, cluster-cidr]", 0L);
    }
}
