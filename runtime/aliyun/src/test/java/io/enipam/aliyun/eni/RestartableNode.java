package io.enipam.aliyun.eni;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.aliyun.RecordedEvents;
import io.enipam.aliyun.api.EcsApi;
import io.enipam.aliyun.api.EcsApi.InstanceTypeLimits;
import io.enipam.aliyun.api.EcsApi.VSwitch;
import io.enipam.aliyun.api.EcsException;
import io.enipam.aliyun.eni.CloudFactory.KnownAddressPairs;
import io.enipam.aliyun.testing.FakeEcsApi;
import io.enipam.engine.port.CloudJournal;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.simulation.MemoryCloudJournal;
import io.enipam.engine.simulation.VirtualTime;
import io.enipam.sdk.CreateRequest;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.DisposeResult;
import io.enipam.sdk.RequestToken;
import io.enipam.sdk.Resource;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A node whose daemon dies at a chosen step and is started again, on one cloud and one journal that live on. A step is a write
 * of the journal or a call of the cloud that changes something, each of them once before and once after it is done.
 */
final class RestartableNode {
    static final int ENIS = 2;
    static final int IPS = 3;

    /** Ends a run in the middle of whatever it does. */
    private static final class Death extends Error {
        private static final long serialVersionUID = 1L;
    }

    final VirtualTime time = new VirtualTime(Instant.EPOCH);
    final FakeEcsApi cloud = new FakeEcsApi(time, new InstanceTypeLimits(ENIS + 1, IPS, IPS), Duration.ofSeconds(2));
    final MemoryCloudJournal journal = new MemoryCloudJournal();
    private final VSwitch vswitch = cloud.addDualVSwitch("vsw-1", 1, 200);
    private final FactorySettings settings;
    private final boolean dual;
    private int tokens;

    /** @param dual whether each resource has an address of both families */
    RestartableNode(boolean dual) {
        FactorySettings single = FactoryFixture.settings(FactoryFixture.OWN, ENIS, IPS);
        this.dual = dual;
        this.settings = dual ? FactoryFixture.dual(single, IPS) : single;
    }

    void everyAddressHasItsPartner(String story) {
        assertThat(cloud.ipv6Addresses())
                .as(story)
                .doesNotHaveDuplicates()
                .hasSize(dual ? cloud.addresses().size() : 0);
    }

    /** One life of the daemon. */
    final class Run {
        private final int lastStep;
        private final Optional<Duration> landing;
        private final CloudFactory factory;
        private int steps;
        private String death = "";

        /**
         * @param lastStep dies there, counted from 1
         * @param landing how long after a death a call that was just going out reaches the cloud all the same; empty: never
         */
        Run(int lastStep, Optional<Duration> landing) {
            this.lastStep = lastStep;
            this.landing = landing;
            Scheduler mortalTimers = new Scheduler() {
                @Override
                public void execute(Runnable task) {
                    time.execute(() -> living(task));
                }

                @Override
                public Cancellable after(Duration delay, Runnable task) {
                    return time.after(delay, () -> living(task));
                }
            };
            factory = new CloudFactory(
                    settings,
                    List.of(vswitch),
                    new CloudFactory.Context(
                            mortalCloud(),
                            mortalJournal(),
                            time,
                            mortalTimers,
                            new RecordedEvents(),
                            call -> time.execute(() -> living(call)),
                            new EniSlots(ENIS, ENIS),
                            KnownAddressPairs.NONE));
        }

        int steps() {
            return steps;
        }

        boolean dead() {
            return !death.isEmpty();
        }

        /** At which step it died. */
        String death() {
            return death;
        }

        private void living(Runnable task) {
            if (!dead()) {
                task.run();
            }
        }

        private void step(String name) {
            if (dead()) {
                throw new Death();
            }
            if (++steps == lastStep) {
                death = steps + " (" + name + ")";
                throw new Death();
            }
        }

        private CloudJournal mortalJournal() {
            return new CloudJournal() {
                @Override
                public CompletionStage<Void> begin(Entry entry) {
                    step("before the begin of " + entry.id());
                    CompletionStage<Void> durable = journal.begin(entry);
                    step("after the begin of " + entry.id());
                    return durable;
                }

                @Override
                public void end(String id) {
                    step("before the end of " + id);
                    journal.end(id);
                    step("after the end of " + id);
                }

                @Override
                public List<Entry> open() {
                    return journal.open();
                }
            };
        }

        private EcsApi mortalCloud() {
            return (EcsApi) Proxy.newProxyInstance(
                    EcsApi.class.getClassLoader(), new Class<?>[] {EcsApi.class}, (proxy, method, arguments) -> {
                        boolean look = method.getName().startsWith("describe");
                        try {
                            if (!look) {
                                step("before " + method.getName());
                            }
                        } catch (Death e) {
                            landing.ifPresent(late -> time.after(late, () -> land(method, arguments)));
                            throw e;
                        }
                        try {
                            return method.invoke(cloud, arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        } finally {
                            if (!look) {
                                step("after " + method.getName());
                            }
                        }
                    });
        }

        private void land(Method method, Object[] arguments) {
            try {
                method.invoke(cloud, arguments);
            } catch (InvocationTargetException e) {
                if (!(e.getCause() instanceof EcsException)) {
                    throw new IllegalStateException(e.getCause());
                }
            } catch (IllegalAccessException e) {
                throw new IllegalStateException(e);
            }
        }

        /** Lets time pass, until the run dies if it does. */
        void live(Duration duration) {
            try {
                time.advance(duration);
            } catch (Death e) {
                if (!dead()) {
                    throw e;
                }
            }
        }

        List<Resource> list() {
            CompletableFuture<List<Resource>> listed = factory.list().toCompletableFuture();
            live(Duration.ofMinutes(2));
            return listed.getNow(List.of());
        }

        List<CompletableFuture<CreateResult>> ask(int count) {
            List<CreateRequest> requests = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                requests.add(new CreateRequest(
                        new RequestToken("t-" + ++tokens),
                        settings.families(),
                        time.now().plus(Duration.ofMinutes(5))));
            }
            List<CompletableFuture<CreateResult>> asked = factory.create(requests).stream()
                    .map(CompletionStage::toCompletableFuture)
                    .toList();
            live(Duration.ofMinutes(2));
            return asked;
        }

        List<CompletableFuture<DisposeResult>> giveBack(List<Resource> resources) {
            List<CompletableFuture<DisposeResult>> going = factory.dispose(resources).stream()
                    .map(CompletionStage::toCompletableFuture)
                    .toList();
            live(Duration.ofMinutes(2));
            return going;
        }

        Map<String, String> states() {
            return factory.enis().stream()
                    .collect(java.util.stream.Collectors.toMap(eni -> eni.id(), eni -> eni.state()));
        }
    }
}
