package io.enipam.aliyun.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.aliyun.RecordedEvents;
import io.enipam.aliyun.api.EcsApi.CreateInterfaceRequest;
import io.enipam.aliyun.api.EcsApi.InstanceTypeLimits;
import io.enipam.aliyun.api.EcsException;
import io.enipam.aliyun.calls.ApiCallLog;
import io.enipam.aliyun.calls.ApiCallLog.CloudCall;
import io.enipam.aliyun.client.RetryingEcsApi.CallConfig;
import io.enipam.aliyun.client.RetryingEcsApi.CallContext;
import io.enipam.aliyun.credentials.CredentialsProvider.CredentialsConfig;
import io.enipam.aliyun.credentials.CredentialsProvider.StaticCredentialsProvider;
import io.enipam.aliyun.testing.FakeEcsApi;
import io.enipam.aliyun.testing.FakeEcsApi.Call;
import io.enipam.engine.simulation.VirtualTime;
import io.enipam.sdk.ErrorKind;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class RetryingEcsApiTest {
    private static final CreateInterfaceRequest WISH =
            new CreateInterfaceRequest("vsw-1", List.of("sg-1"), Map.of(), "token-1", 0);

    private final VirtualTime time = new VirtualTime(Instant.EPOCH);
    private final FakeEcsApi cloud = new FakeEcsApi(time, new InstanceTypeLimits(3, 10, 0), Duration.ofSeconds(1));
    private final RecordedEvents events = new RecordedEvents();
    private final ApiCallLog book = new ApiCallLog(time, new SplittableRandom(1), Map.of("DescribeVSwitches", 3));
    private final RetryingEcsApi patient = new RetryingEcsApi(new CallContext(
            attempt -> cloud,
            new StaticCredentialsProvider(new CredentialsConfig.Fixed("key", "secret")),
            book,
            CallConfig.USUAL,
            events,
            time,
            time::advance));

    @BeforeEach
    void vswitch() {
        cloud.addVSwitch("vsw-1", 1, 50);
        time.advance(Duration.ofSeconds(50));
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
    void aCreateWhoseAnswerWasLostIsNotTakenForUndoneBecauseItsRepetitionWasThrottled() {
        time.advance(Duration.ofSeconds(15)); // 5 s into the next minute: its end is beyond the deadline
        cloud.loseAnswerOf(Call.CREATE);
        cloud.failNext(Call.CREATE, "Throttling.User", 400);

        assertThatThrownBy(() -> patient.createNetworkInterface(WISH))
                .isInstanceOfSatisfying(EcsException.class, failure -> {
                    assertThat(failure.outcomeUnknown()).isTrue();
                    assertThat(failure.retryAfter()).isGreaterThan(RetryingEcsApi.BUDGET);
                });
        assertThat(cloud.all()).hasSize(1);
    }

    @Test
    void anAttachOfUnknownOutcomeIsNotRepeatedBlindly() {
        String eni = patient.createNetworkInterface(WISH).id();
        cloud.loseAnswerOf(Call.ATTACH);

        assertThatThrownBy(() -> patient.attachNetworkInterface(eni, "i-1"))
                .isInstanceOfSatisfying(
                        EcsException.class,
                        failure -> assertThat(failure.outcomeUnknown()).isTrue());
        assertThat(cloud.calls(Call.ATTACH)).isEqualTo(1);
    }

    @Test
    void aRefusalThatNothingWillChangeIsNotRepeated() {
        cloud.failNext(Call.CREATE, "Forbidden.RAM", 403);

        assertThatThrownBy(() -> patient.createNetworkInterface(WISH)).isInstanceOf(EcsException.class);
        assertThat(cloud.calls(Call.CREATE)).isEqualTo(1);
    }

    @Test
    void aCreateWithoutAnAnswerIsAskedAgainWithinItsDeadlineAndThenTold() {
        for (int i = 0; i < 20; i++) {
            cloud.failNext(Call.CREATE, "SDK.ReadTimeout", 0);
        }

        assertThatThrownBy(() -> patient.createNetworkInterface(WISH)).hasMessageContaining("SDK.ReadTimeout");
        assertThat(cloud.calls(Call.CREATE)).isEqualTo(6);
        assertThat(book.calls().get(0).took()).isLessThanOrEqualTo(RetryingEcsApi.BUDGET);
    }

    @Test
    void aThrottledCallWaitsForTheNextMinute() {
        cloud.failNext(Call.LIST, "Throttling.User", 400);

        patient.describeNetworkInterfaces(Map.of());

        assertThat(time.now()).isAfter(Instant.EPOCH.plusSeconds(60)).isBefore(Instant.EPOCH.plusSeconds(62));
    }

    @Test
    void aThrottledMinuteIsToldOnce() {
        time.advance(Duration.ofSeconds(15)); // 5 s into the next minute
        for (int i = 0; i < 5; i++) {
            patient.describeNetworkInterfaces(Map.of());
        }
        cloud.failNext(Call.LIST, "Throttling.User", 400);
        for (int i = 0; i < 10; i++) {
            assertThatThrownBy(() -> patient.describeNetworkInterfaces(Map.of()))
                    .isInstanceOf(EcsException.class);
        }

        assertThat(events.messages())
                .singleElement(InstanceOfAssertFactories.STRING)
                .contains("ApiThrottled")
                .contains("the cloud throttles DescribeNetworkInterfaces: it is left alone for 5")
                .contains("called 16 times a minute at most");
    }

    @Test
    void callsThatAreHeldBackDoNotDriveOutWhatTellsWhy() {
        time.advance(Duration.ofSeconds(15));
        cloud.failNext(Call.LIST, "Throttling.User", 400);
        for (int i = 0; i < 300; i++) {
            assertThatThrownBy(() -> patient.describeNetworkInterfaces(Map.of()))
                    .isInstanceOf(EcsException.class);
        }

        assertThat(book.calls()).extracting(CloudCall::code).containsExactly("Throttling.Client", "Throttling.User");
    }

    @Test
    void aThrottledCallFailsAtOnceWhenTheMinuteEndsAfterItsDeadline() {
        time.advance(Duration.ofSeconds(20)); // 10 s into the next minute
        cloud.failNext(Call.LIST, "Throttling.User", 400);

        assertThatThrownBy(() -> patient.describeNetworkInterfaces(Map.of()))
                .isInstanceOfSatisfying(EcsException.class, failure -> {
                    assertThat(failure.code()).isEqualTo("Throttling.User");
                    assertThat(failure.kind()).isEqualTo(ErrorKind.THROTTLED);
                    assertThat(failure.retryAfter()).isBetween(Duration.ofSeconds(50), Duration.ofSeconds(52));
                });
        assertThat(time.now()).isEqualTo(Instant.EPOCH.plusSeconds(70));

        assertThatThrownBy(() -> patient.describeNetworkInterfaces(Map.of()))
                .as("and so does everybody who comes while the API is inhibited")
                .isInstanceOfSatisfying(EcsException.class, failure -> {
                    assertThat(failure.kind()).isEqualTo(ErrorKind.THROTTLED);
                    assertThat(failure.retryAfter()).isBetween(Duration.ofSeconds(50), Duration.ofSeconds(52));
                    assertThat(failure.outcomeUnknown()).isFalse();
                })
                .hasMessageContaining("the cloud has throttled it");
        assertThat(cloud.calls(Call.LIST)).isEqualTo(1);
        patient.describeVSwitch("vsw-1");
    }

    @Test
    void whoWouldExceedTheNodesOwnLimitWaitsForTheNextMinuteOrFailsAtOnce() {
        for (int i = 0; i < 3; i++) {
            patient.describeVSwitch("vsw-1");
        }
        patient.describeVSwitch("vsw-1");
        assertThat(time.now()).isAfter(Instant.EPOCH.plusSeconds(60)).isBefore(Instant.EPOCH.plusSeconds(62));

        patient.describeVSwitch("vsw-1");
        patient.describeVSwitch("vsw-1");
        assertThatThrownBy(() -> patient.describeVSwitch("vsw-1"))
                .hasMessageContaining("this node's 3 calls of this minute are used up");
        assertThat(book.calls().get(0)).satisfies(held -> {
            assertThat(held.attempts()).isZero();
            assertThat(held.code()).isEqualTo("Throttling.Client");
        });
    }

    @Test
    void aThreadThatIsInterruptedInABackOffEndsItsCall() {
        cloud.failNext(Call.LIST, "ServiceUnavailable", 503);
        RetryingEcsApi closing = new RetryingEcsApi(new CallContext(
                attempt -> cloud,
                new StaticCredentialsProvider(new CredentialsConfig.Fixed("key", "secret")),
                book,
                CallConfig.USUAL,
                events,
                time,
                wait -> {
                    throw new InterruptedException();
                }));

        assertThatThrownBy(() -> closing.describeNetworkInterfaces(Map.of())).hasMessageContaining("interrupted");
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void aDefectOfTheWireIsNotTakenForAFailureOfTheCloud() {
        RetryingEcsApi broken = new RetryingEcsApi(new CallContext(
                attempt -> {
                    throw new IllegalStateException("a defect");
                },
                new StaticCredentialsProvider(new CredentialsConfig.Fixed("key", "secret")),
                book,
                CallConfig.USUAL,
                events,
                time,
                time::advance));

        assertThatThrownBy(() -> broken.describeVSwitch("vsw-1")).isInstanceOf(IllegalStateException.class);
    }
}
