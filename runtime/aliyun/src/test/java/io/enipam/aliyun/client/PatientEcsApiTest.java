package io.enipam.aliyun.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.aliyun.VirtualTime;
import io.enipam.aliyun.api.EcsApi.InstanceTypeLimits;
import io.enipam.aliyun.api.EcsApi.NewInterface;
import io.enipam.aliyun.api.EcsFailure;
import io.enipam.aliyun.testing.FakeEcsApi;
import io.enipam.aliyun.testing.FakeEcsApi.Call;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class PatientEcsApiTest {
    private static final NewInterface WISH = new NewInterface("vsw-1", List.of("sg-1"), Map.of(), "token-1");

    private final FakeEcsApi cloud =
            new FakeEcsApi(new VirtualTime(), new InstanceTypeLimits(3, 10), Duration.ofSeconds(1));
    private final PatientEcsApi patient = new PatientEcsApi(cloud, Duration.ofMillis(1));

    @BeforeEach
    void vswitch() {
        cloud.addVSwitch("vsw-1", 1, 50);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"Throttling", "Throttling.User", "Throttling.Api", "Operation.Conflict", "OperationConflict"})
    void whatTheCloudRefusedUnreadIsAskedAgain(String code) {
        String eni = patient.createNetworkInterface(WISH).id();
        cloud.failNext(Call.ATTACH, code, 400);

        patient.attachNetworkInterface(eni, "i-1");

        assertThat(cloud.calls(Call.ATTACH)).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"InternalError", "ServiceUnavailable"})
    void aCreateIsRepeatedWithItsTokenAndMakesOneEni(String code) {
        cloud.loseAnswerOf(Call.CREATE);
        cloud.failNext(Call.CREATE, code, 500);

        String eni = patient.createNetworkInterface(WISH).id();

        assertThat(cloud.calls(Call.CREATE)).isEqualTo(3);
        assertThat(cloud.all())
                .singleElement()
                .satisfies(only -> assertThat(only.id()).isEqualTo(eni));
    }

    @Test
    void anAttachOfUnknownOutcomeIsNotRepeatedBlindly() {
        String eni = patient.createNetworkInterface(WISH).id();
        cloud.loseAnswerOf(Call.ATTACH);

        assertThatThrownBy(() -> patient.attachNetworkInterface(eni, "i-1"))
                .isInstanceOfSatisfying(
                        EcsFailure.class,
                        failure -> assertThat(failure.outcomeUnknown()).isTrue());
        assertThat(cloud.calls(Call.ATTACH)).isEqualTo(1);
    }

    @Test
    void aRefusalThatNothingWillChangeIsNotRepeated() {
        cloud.failNext(Call.CREATE, "Forbidden.RAM", 403);

        assertThatThrownBy(() -> patient.createNetworkInterface(WISH)).isInstanceOf(EcsFailure.class);
        assertThat(cloud.calls(Call.CREATE)).isEqualTo(1);
    }

    @Test
    void patienceEnds() {
        for (int i = 0; i < 20; i++) {
            cloud.failNext(Call.LIST, "Throttling", 400);
        }

        assertThatThrownBy(() -> patient.describeNetworkInterfaces(Map.of())).hasMessageContaining("Throttling");
        assertThat(cloud.calls(Call.LIST)).isEqualTo(6);
    }
}
