package io.enipam.engine.simulation.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.EnginePorts;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.Datapath;
import io.enipam.engine.port.EngineContext;
import io.enipam.engine.port.FactorySet;
import io.enipam.engine.port.FactorySet.NamedFactory;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.Span;
import io.enipam.engine.simulation.fuzz.Shrinker.Shrunk;
import io.enipam.sdk.DisposeResult;
import io.enipam.sdk.Disposed;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceFactory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Faults stand between an engine and its ports. Each is found by few seeds, and shrunk to a script that a person reads at a glance. */
class PlantedFaultsTest {
    private static final int SEEDS = 60;

    enum Fault {
        /** A commit is answered as durable, and what it says of a lease is not written. */
        A_DISK_THAT_DROPS_LEASES("a lease that was acknowledged is on disk", 2, PlantedFaultsTest::dropsLeases),
        /** A tear-down is answered as done, and the pod stays connected. */
        A_KERNEL_THAT_FORGETS_TEAR_DOWNS("no pod is connected in the end", 3, PlantedFaultsTest::forgetsTearDowns),
        /** A cloud says that an address is gone, and keeps it. */
        A_CLOUD_THAT_KEEPS_WHAT_IT_DISPOSED_OF("what was disposed of stays away", 5, PlantedFaultsTest::keepsDisposed),
        /** Timers of more than two seconds never fire: the pool of eight has to be full for an ADD to need one. */
        A_SCHEDULER_THAT_FORGETS("an ADD is answered within its timeout", 12, PlantedFaultsTest::forgetsTimers),
        /** An engine that finds a database of a former one cannot be made. */
        A_RESTART_THAT_THROWS(
                "the engine throws no java.lang.IllegalStateException", 2, PlantedFaultsTest::throwsAtRestart);

        private final String invariant;
        private final int most;
        private final UnaryOperator<EnginePorts> plug;

        Fault(String invariant, int most, UnaryOperator<EnginePorts> plug) {
            this.invariant = invariant;
            this.most = most;
            this.plug = plug;
        }
    }

    @ParameterizedTest
    @EnumSource(Fault.class)
    void aPlantedFaultIsFoundAndShrunkToAFewStepsThatStillShowIt(Fault fault) {
        Simulation simulation = new Simulation(fault.plug);
        long seed = LongStream.range(1, SEEDS)
                .filter(one -> simulation
                        .run(ScriptGenerator.script(one))
                        .filter(seen -> seen.invariant().equals(fault.invariant))
                        .isPresent())
                .findFirst()
                .orElseThrow(() -> new AssertionError("no seed finds " + fault + ", but " + seen(simulation)));
        Shrunk shrunk = shrunk(simulation, seed);

        assertThat(shrunk.script().steps()).hasSizeLessThanOrEqualTo(fault.most);
        Script read = Script.parse(shrunk.script().lines());
        assertThat(simulation.run(read)).contains(shrunk.violation());
        assertThat(new Simulation().run(read)).isEmpty();
        assertThat(shrunk(simulation, seed)).isEqualTo(shrunk);
        for (int i = 0; i < read.steps().size(); i++) {
            List<Step> fewer = new ArrayList<>(read.steps());
            fewer.remove(i);
            assertThat(simulation.run(read.with(fewer)).map(Violation::invariant))
                    .isNotEqualTo(Optional.of(fault.invariant));
        }
    }

    private static List<String> seen(Simulation simulation) {
        return LongStream.range(1, SEEDS)
                .mapToObj(ScriptGenerator::script)
                .flatMap(script -> simulation.run(script).stream())
                .map(Violation::invariant)
                .distinct()
                .toList();
    }

    private static Shrunk shrunk(Simulation simulation, long seed) {
        Script script = ScriptGenerator.script(seed);
        return Shrinker.shrink(simulation, script, simulation.run(script).orElseThrow(), () -> true);
    }

    private static EnginePorts dropsLeases(EnginePorts ports) {
        EngineContext now = ports.context();
        ResourceDb db = replacing(ResourceDb.class, now.db(), "commit", words -> {
            Stream<Change> changes = ((List<?>) words[0]).stream().map(Change.class::cast);
            return now.db()
                    .commit(
                            changes.filter(change -> !(change instanceof Change.PutLease))
                                    .toList(),
                            Span.NONE);
        });
        return new EnginePorts(
                new EngineContext(now.time(), now.scheduler(), now.random(), db, now.events(), now.traces()),
                ports.pods(),
                ports.datapath(),
                ports.supplies(),
                ports.policy());
    }

    private static EnginePorts forgetsTearDowns(EnginePorts ports) {
        Datapath kernel = replacing(
                Datapath.class, ports.datapath(), "tearDown", words -> CompletableFuture.completedFuture(null));
        return new EnginePorts(ports.context(), ports.pods(), kernel, ports.supplies(), ports.policy());
    }

    private static EnginePorts keepsDisposed(EnginePorts ports) {
        NamedFactory active = ports.supplies().active();
        ResourceFactory keeping = replacing(ResourceFactory.class, active.factory(), "dispose", words -> {
            List<CompletionStage<DisposeResult>> done = new ArrayList<>();
            for (Object resource : (List<?>) words[0]) {
                done.add(CompletableFuture.completedFuture(new Disposed(((Resource) resource).id())));
            }
            return done;
        });
        FactorySet supplies = new FactorySet(
                new NamedFactory(active.name(), keeping),
                ports.supplies().leaving(),
                ports.supplies().drained());
        return new EnginePorts(ports.context(), ports.pods(), ports.datapath(), supplies, ports.policy());
    }

    private static EnginePorts forgetsTimers(EnginePorts ports) {
        EngineContext now = ports.context();
        Scheduler scheduler = replacing(Scheduler.class, now.scheduler(), "after", words -> {
            Duration delay = (Duration) words[0];
            boolean forgotten = delay.compareTo(Duration.ofSeconds(2)) > 0;
            return now.scheduler().after(delay, forgotten ? () -> {} : (Runnable) words[1]);
        });
        return new EnginePorts(
                new EngineContext(now.time(), scheduler, now.random(), now.db(), now.events(), now.traces()),
                ports.pods(),
                ports.datapath(),
                ports.supplies(),
                ports.policy());
    }

    private static EnginePorts throwsAtRestart(EnginePorts ports) {
        if (ports.context().db().contents().node().isPresent()) {
            throw new IllegalStateException("a second engine");
        }
        return ports;
    }

    /** A port whose method of that name does something else. */
    private static <T> T replacing(Class<T> port, T real, String name, Function<Object[], Object> instead) {
        return port.cast(Proxy.newProxyInstance(port.getClassLoader(), new Class<?>[] {port}, (self, method, words) -> {
            if (method.getName().equals(name)) {
                return instead.apply(words);
            }
            try {
                return method.invoke(real, words);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }));
    }
}
