package io.enipam.aliyun;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.aliyun.AliyunCloud.EcsStateReader;
import io.enipam.aliyun.api.EcsApi;
import io.enipam.aliyun.api.EcsApi.CreateInterfaceRequest;
import io.enipam.aliyun.api.EcsApi.InstanceTypeLimits;
import io.enipam.aliyun.eni.EniTags;
import io.enipam.aliyun.eni.EniUse;
import io.enipam.aliyun.testing.FakeEcsApi;
import io.enipam.aliyun.testing.FakeEcsApi.Call;
import io.enipam.engine.port.CloudInspector.CloudState;
import io.enipam.engine.port.CloudInspector.ObservedEni;
import io.enipam.engine.port.CloudInspector.ObservedVSwitch;
import io.enipam.engine.simulation.VirtualTime;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the cloud is asked past all books, and what is made of its answer. */
class EcsStateReaderTest {
    private static final Map<String, String> OURS = EniTags.identity(EniUse.ADDRESSES, "i-1");

    private final VirtualTime time = new VirtualTime(Instant.EPOCH);
    private final FakeEcsApi cloud = new FakeEcsApi(time, new InstanceTypeLimits(4, 10, 0), Duration.ZERO);
    private final EcsStateReader look = new EcsStateReader("i-1", () -> List.of("vsw-a"), cloud, Runnable::run);

    @BeforeEach
    void vswitch() {
        cloud.addVSwitch("vsw-a", 1, 9);
    }

    private String make(Map<String, String> tags, String token) {
        return cloud.createNetworkInterface(new CreateInterfaceRequest("vsw-a", List.of("sg-1"), tags, token, 0))
                .id();
    }

    private CloudState told() {
        return look.inspect().toCompletableFuture().join();
    }

    @Test
    void whatCarriesTheNodesTagsAndWhatHangsOnItsInstanceAreBothTold() {
        String ours = make(OURS, "t1");
        String whole = make(EniTags.identity(EniUse.WHOLE, "i-1"), "t2");
        String foreign = make(Map.of(), "t3");
        String others = make(Map.of("creator", "enipam", "node", "i-2"), "t4");
        cloud.attachNetworkInterface(ours, "i-1");
        cloud.attachNetworkInterface(foreign, "i-1");

        CloudState testimony = told();
        assertThat(testimony.instance()).isEqualTo("i-1");
        assertThat(testimony.enis())
                .extracting(ObservedEni::id)
                .contains(ours, whole, foreign)
                .doesNotContain(others);
        assertThat(testimony.enis())
                .filteredOn(ObservedEni::tagged)
                .extracting(ObservedEni::id)
                .contains(ours, whole);
        assertThat(testimony.enis())
                .filteredOn(eni -> !eni.tagged())
                .extracting(ObservedEni::id)
                .contains(foreign);
        assertThat(testimony.vswitches()).singleElement().satisfies(vswitch -> {
            assertThat(vswitch.cidr()).isEqualTo("10.0.1.0/24");
            assertThat(vswitch).extracting(ObservedVSwitch::id).isEqualTo("vsw-a");
        });
    }

    @Test
    void theHolderOfAnAddressIsFoundWhereverItHangs() {
        String others = make(Map.of(), "t1");
        String ip = cloud.describeNetworkInterface(others).get(0).primaryIp();

        assertThat(look.holders("vsw-a", List.of(ip)).toCompletableFuture().join())
                .extracting(ObservedEni::id)
                .containsExactly(others);
    }

    @Test
    void aVSwitchThatCannotBeReadIsNotKnownAndTheEnisAreTold() {
        String ours = make(OURS, "t1");
        EcsStateReader look = new EcsStateReader("i-1", () -> List.of("vsw-a", "vsw-gone"), cloud, Runnable::run);

        CloudState testimony = look.inspect().toCompletableFuture().join();
        assertThat(testimony.enis()).extracting(ObservedEni::id).contains(ours);
        assertThat(testimony.vswitches()).extracting(ObservedVSwitch::id).containsExactly("vsw-a");
    }

    @Test
    void aCloudThatRefusesIsAFailureAndNeverHalfAnAnswer() {
        cloud.failNext(Call.LIST_ATTACHED, "Throttling.User", 400);

        assertThatThrownBy(() -> told())
                .isInstanceOf(CompletionException.class)
                .cause()
                .isInstanceOfSatisfying(
                        FactoryException.class,
                        failure -> assertThat(failure.kind()).isEqualTo(ErrorKind.THROTTLED));
    }

    @Test
    void anErrorOfTheProgramIsAnAnswerToo() {
        EcsApi broken = (EcsApi) Proxy.newProxyInstance(
                EcsApi.class.getClassLoader(), new Class<?>[] {EcsApi.class}, (api, method, arguments) -> {
                    throw new AssertionError("cannot be");
                });
        EcsStateReader asking = new EcsStateReader("i-1", () -> List.of("vsw-a"), broken, Runnable::run);

        assertThat(asking.inspect().toCompletableFuture()).isCompletedExceptionally();
        assertThatThrownBy(() -> asking.holders("vsw-a", List.of("10.0.0.1"))
                        .toCompletableFuture()
                        .join())
                .hasRootCauseMessage("cannot be");
    }
}
