package io.enipam.node.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.EngineConfig;
import io.enipam.engine.EnginePorts;
import io.enipam.engine.NodeIpam;
import io.enipam.engine.lease.AddCommand;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.policy.DirectPolicy;
import io.enipam.engine.policy.WatermarkPolicy;
import io.enipam.engine.port.EngineContext;
import io.enipam.engine.port.FactorySet;
import io.enipam.engine.port.FactorySet.NamedFactory;
import io.enipam.engine.simulation.MemoryDatapath;
import io.enipam.engine.simulation.MemoryDb;
import io.enipam.engine.simulation.MemoryFactory;
import io.enipam.engine.simulation.MemoryPods;
import io.enipam.engine.simulation.RecordedEvents;
import io.enipam.engine.simulation.VirtualTime;
import io.enipam.sdk.PodRef;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Deletions while something else is in a bad way, in virtual time. */
class PodDeletionGcIsolationTest {
    private final VirtualTime time = new VirtualTime();
    private final MemoryPods pods = new MemoryPods();
    private final MemoryDatapath kernel = new MemoryDatapath();
    private final RecordedEvents events = new RecordedEvents(time);
    private final NodeIpam engine = new NodeIpam(
            EngineConfig.defaults(),
            new EnginePorts(
                    new EngineContext(
                            time, time, new SplittableRandom(1), new MemoryDb(time, () -> Duration.ZERO), events),
                    pods,
                    kernel,
                    FactorySet.of(new NamedFactory("cloud", MemoryFactory.instant(time, 10))),
                    new DirectPolicy(new WatermarkPolicy(), events)));
    private final PodDeletionGcTrigger collector = new PodDeletionGcTrigger(() -> engine, time);

    @Test
    void aLeaseThatCannotBeEndedDoesNotDelayTheNextPodsDeletion() {
        engine.start();
        time.advance(Duration.ofSeconds(1));
        add("default/web-0");
        add("default/web-1");
        kernel.failTearDown(true);
        delete("default/web-0");
        time.advance(Duration.ofMinutes(11));
        assertThat(leased()).hasSize(2);

        kernel.failTearDown(false);
        delete("default/web-1");
        time.advance(Duration.ofSeconds(10));

        assertThat(leased()).isEmpty();
    }

    @Test
    void whatCouldNotBeEndedIsTriedEverMoreSeldom() {
        engine.start();
        time.advance(Duration.ofSeconds(1));
        add("default/web-0");
        kernel.failTearDown(true);
        delete("default/web-0");
        time.advance(Duration.ofHours(1));
        assertThat(events.types().stream().filter("GcFinished"::equals).count())
                .as("twelve by the clock, and one every two minutes at most")
                .isBetween(20L, 50L);
    }

    private void add(String pod) {
        pods.put(pod);
        engine.add(new AddCommand(
                new OwnerKey("enipam", pod.replace('/', '-'), "eth0"), PodRef.parse(pod), Duration.ofSeconds(10)));
        time.settle();
    }

    private void delete(String pod) {
        pods.remove(pod);
        collector.podDeleted(PodRef.parse(pod));
    }

    private List<String> leased() {
        return engine.leases().stream().map(lease -> lease.pod().toString()).toList();
    }
}
