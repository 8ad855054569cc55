package io.enipam.engine.simulation;

import io.enipam.engine.testing.RealTime;
import io.enipam.sdk.Capabilities;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Family;
import io.enipam.sdk.PluginContext;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.testkit.ResourceFactoryContract;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AutoClose;

/** The cloud that the engine's tests stand on keeps the rules that a real one's factory must keep. */
class MemoryFactoryTest extends ResourceFactoryContract {
    private static final int CAPACITY = 16;

    @AutoClose
    private final RealTime time = new RealTime(4);

    private final MemoryFactory cloud =
            new MemoryFactory("eni-fake", 0, time, time::now, CAPACITY, () -> Duration.ofMillis(1), this::mishap);

    private final AtomicBoolean refusing = new AtomicBoolean();

    private Optional<Failed> mishap() {
        return refusing.compareAndSet(true, false)
                ? Optional.of(Failed.of(ErrorKind.UNAVAILABLE, "the cloud refused it"))
                : Optional.empty();
    }

    /** The same object again: it is factory and cloud in one, and outlives a crash of the engine. */
    @Override
    protected ResourceFactory open(PluginContext context) {
        return cloud;
    }

    @Override
    protected Capabilities declared() {
        return new Capabilities(Set.of(Family.IPV4), CAPACITY, 10, false);
    }

    @Override
    protected boolean breakProvider() {
        cloud.down(true);
        return true;
    }

    @Override
    protected boolean refuseNext() {
        refusing.set(true);
        return true;
    }

    @Override
    protected void mendProvider() {
        cloud.down(false);
    }

    /** The threads are the scheduler's, which the engine lends. */
    @Override
    protected boolean foreign(Thread thread) {
        return thread.getName().startsWith("pool-");
    }
}
