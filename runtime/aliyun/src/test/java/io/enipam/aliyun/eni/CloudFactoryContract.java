package io.enipam.aliyun.eni;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.aliyun.RecordedEvents;
import io.enipam.aliyun.api.EcsApi;
import io.enipam.aliyun.api.EcsApi.InstanceTypeLimits;
import io.enipam.aliyun.api.EcsApi.VSwitch;
import io.enipam.aliyun.api.EcsException;
import io.enipam.aliyun.eni.CloudFactory.KnownAddressPairs;
import io.enipam.aliyun.testing.FakeEcsApi;
import io.enipam.engine.simulation.MemoryCloudJournal;
import io.enipam.engine.testing.RealTime;
import io.enipam.sdk.CreateRequest;
import io.enipam.sdk.Created;
import io.enipam.sdk.PluginContext;
import io.enipam.sdk.RequestToken;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.testkit.ResourceFactoryContract;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The SDK's rules for the factories of this module, in real time and with real threads, on a cloud whose attaches are quick. */
abstract class CloudFactoryContract extends ResourceFactoryContract {
    static final int ENIS = 4;
    static final int IPS = 4;
    private static final Map<String, String> OWN = Map.of("creator", "enipam", "node", "i-1");

    private final RealTime time = new RealTime();
    private final ExecutorService calls = Executors.newFixedThreadPool(4, task -> {
        Thread thread = new Thread(task, "test-calls");
        thread.setDaemon(true);
        return thread;
    });
    final FakeEcsApi cloud = new FakeEcsApi(time, new InstanceTypeLimits(ENIS + 1, IPS, IPS), Duration.ofMillis(5));
    private final VSwitch vswitch = cloud.addDualVSwitch("vsw-1", 1, 200);
    private volatile boolean away;

    @AfterEach
    void stopTheThreads() {
        calls.shutdownNow();
        time.close();
    }

    @Override
    protected ResourceFactory open(PluginContext context) {
        return factory(calls);
    }

    private CloudFactory factory(Executor threads) {
        FactorySettings settings = new FactorySettings(
                new FactorySettings.EniSpec("i-1", List.of("sg-1"), OWN, OWN),
                new FactorySettings.Limits(ENIS, 0, IPS, dual() ? IPS : 0));
        return new CloudFactory(
                use() == EniUse.WHOLE ? settings.forWholeEnis() : settings,
                List.of(vswitch),
                new CloudFactory.Context(
                        reachable(),
                        new MemoryCloudJournal(),
                        time,
                        time,
                        new RecordedEvents(),
                        threads,
                        new EniSlots(ENIS, ENIS),
                        KnownAddressPairs.NONE));
    }

    /** Whether each resource has an address of both families. */
    boolean dual() {
        return false;
    }

    /** What the factory makes, on four ENIs with four addresses each. */
    abstract EniUse use();

    /** What threads that create and list at random once found: the list was asked for in the very moment of the answer. */
    @Test
    void whoeverIsGivenAResourceFindsItInTheListAtOnce() throws Exception {
        try (CloudFactory factory = factory(Runnable::run)) {
            factory.list().toCompletableFuture().get(60, TimeUnit.SECONDS);
            CreateRequest wish = new CreateRequest(
                    new RequestToken("t-1"), declared().families(), time.now().plusSeconds(10));
            boolean found = factory.create(List.of(wish))
                    .get(0)
                    .thenCompose(result ->
                            factory.list().thenApply(listed -> listed.contains(((Created) result).resource())))
                    .toCompletableFuture()
                    .get(60, TimeUnit.SECONDS);
            assertThat(found).isTrue();
        }
    }

    /** The cloud, behind a network that may be down. */
    private EcsApi reachable() {
        return (EcsApi) Proxy.newProxyInstance(
                EcsApi.class.getClassLoader(), new Class<?>[] {EcsApi.class}, (proxy, method, arguments) -> {
                    if (away) {
                        throw new EcsException(method.getName(), "SDK.ServerUnreachable", 0, "", "no route");
                    }
                    try {
                        return method.invoke(cloud, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @Override
    protected Duration patience() {
        return Duration.ofSeconds(30);
    }

    /** Each ENI that comes or goes takes some tenths of a second. */
    @Override
    protected int steps() {
        return 20;
    }

    @Override
    protected boolean breakProvider() {
        away = true;
        return true;
    }

    @Override
    protected void mendProvider() {
        away = false;
    }

    /** The threads are the daemon's, which lends them. */
    @Override
    protected boolean foreign(Thread thread) {
        return thread.getName().startsWith("test-");
    }
}
