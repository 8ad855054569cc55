package io.enipam.node.cloud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.aliyun.api.EcsApi;
import io.enipam.aliyun.client.RetryingEcsApi.Sleeper;
import io.enipam.aliyun.eni.EniUse;
import io.enipam.aliyun.lent.CloudLender;
import io.enipam.engine.model.NodeIdentity;
import io.enipam.engine.simulation.MemoryFactory;
import io.enipam.engine.simulation.VirtualTime;
import io.enipam.node.cloud.CloudSession.EniPlacement;
import io.enipam.node.cloud.CloudSession.SharedCloudSession;
import io.enipam.platform.testing.FakeSweeper;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.ResourceFactory;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** One session for both factories of the cloud: what it opens, and when it ends. */
class SharedCloudSessionTest {
    private static final CloudLender.Session CALLS = new CloudLender.Session(
            (EcsApi) Proxy.newProxyInstance(
                    EcsApi.class.getClassLoader(), new Class<?>[] {EcsApi.class}, (self, method, arguments) -> {
                        throw new UnsupportedOperationException("no test calls it");
                    }),
            Sleeper.SLEEP,
            "i-1",
            () -> true,
            Optional.empty());

    private final List<String> log = new ArrayList<>();
    private final Map<EniUse, ResourceFactory> factories = Map.of(EniUse.ADDRESSES, factory(), EniUse.WHOLE, factory());
    private boolean away;
    private boolean lends = true;
    private final SharedCloudSession shared = new SharedCloudSession(() -> {
        if (away) {
            throw new FactoryException(ErrorKind.UNAVAILABLE, "no route");
        }
        log.add("opened");
        return new CloudSession(
                new NodeIdentity("i-1", "cn-hangzhou"),
                new CloudSession.Factories() {
                    @Override
                    public ResourceFactory of(EniUse use) {
                        return factories.get(use);
                    }

                    @Override
                    public void leave(EniUse use) {
                        log.add("left " + use);
                    }

                    @Override
                    public CloudLender.Session lend() {
                        return lends ? CALLS : CloudSession.Factories.super.lend();
                    }
                },
                List::of,
                new FakeSweeper(),
                Optional.empty(),
                Optional.empty(),
                EniPlacement.NONE,
                () -> log.add("closed"));
    });

    private static ResourceFactory factory() {
        return MemoryFactory.instant(new VirtualTime(), 3);
    }

    @Test
    void twoUsesShareOneSessionThatEndsWithTheLast() throws Throwable {
        CloudSession addresses = shared.open(EniUse.ADDRESSES);
        CloudSession whole = shared.open(EniUse.WHOLE);

        assertThat(addresses.factory()).isSameAs(factories.get(EniUse.ADDRESSES));
        assertThat(whole.factory()).isSameAs(factories.get(EniUse.WHOLE));
        addresses.closer().run();
        whole.closer().run();

        assertThat(log).containsExactly("opened", "left ADDRESSES", "closed");
    }

    @Test
    void closingTwiceEndsOneUseOnce() throws Throwable {
        CloudSession first = shared.open(EniUse.ADDRESSES);
        CloudSession again = shared.open(EniUse.ADDRESSES);
        first.closer().run();
        first.closer().run();
        assertThat(log).containsExactly("opened");

        again.closer().run();
        assertThat(log).containsExactly("opened", "closed");
    }

    @Test
    void pluginsThatCallTheCloudOpenTheSessionAndKeepItUntilTheyCallNoMore() throws Throwable {
        assertThat(shared.lend()).isSameAs(CALLS);
        shared.open(EniUse.ADDRESSES).closer().run();
        assertThat(shared.lend()).isSameAs(CALLS);
        assertThat(log).containsExactly("opened", "left ADDRESSES");

        shared.close();
        assertThat(log).endsWith("closed");
    }

    @Test
    void theSessionOfAFactoryOutlivesThePlugins() throws Throwable {
        CloudSession addresses = shared.open(EniUse.ADDRESSES);
        shared.lend();
        shared.close();
        assertThat(log).containsExactly("opened");

        addresses.closer().run();
        assertThat(log).endsWith("closed");
    }

    @Test
    void aCloudThatDoesNotAnswerOrHasNoCallsForPluginsLeavesNothingToEnd() {
        away = true;
        assertThatThrownBy(shared::lend).hasMessage("no route");
        away = false;
        lends = false;
        assertThatThrownBy(shared::lend).isInstanceOf(FactoryException.class).hasMessageContaining("plugins");

        assertThat(log).containsExactly("opened", "closed");
    }

    @Test
    void aSessionThatEndedIsOpenedAnew() throws Throwable {
        shared.open(EniUse.ADDRESSES).closer().run();
        shared.open(EniUse.WHOLE);

        assertThat(log).containsExactly("opened", "closed", "opened");
    }

    @Test
    void anOpeningThatFailsLeavesNothingToEnd() throws Throwable {
        away = true;
        assertThatThrownBy(() -> shared.open(EniUse.WHOLE)).hasMessage("no route");
        away = false;

        shared.open(EniUse.WHOLE).closer().run();

        assertThat(log).containsExactly("opened", "closed");
    }
}
