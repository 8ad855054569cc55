package io.enipam.aliyun.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.groups.Tuple.tuple;

import io.enipam.aliyun.api.EcsApi.CreateInterfaceRequest;
import io.enipam.aliyun.api.EcsApi.InstanceTypeLimits;
import io.enipam.aliyun.api.EcsException;
import io.enipam.aliyun.calls.ApiCallLog;
import io.enipam.aliyun.client.RetryingEcsApi.CallConfig;
import io.enipam.aliyun.client.RetryingEcsApi.CallContext;
import io.enipam.aliyun.credentials.CredentialsProvider.CredentialsConfig;
import io.enipam.aliyun.credentials.CredentialsProvider.StaticCredentialsProvider;
import io.enipam.aliyun.testing.FakeEcsApi;
import io.enipam.aliyun.testing.FakeEcsApi.Call;
import io.enipam.engine.port.Trace.Operation;
import io.enipam.engine.simulation.RecordedTraces;
import io.enipam.engine.simulation.VirtualTime;
import io.enipam.engine.trace.TraceSnapshot;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What one call of the cloud tells of itself: each attempt, each wait, and for whom it was made. */
class CallTraceTest {
    private final VirtualTime time = new VirtualTime(Instant.EPOCH);
    private final FakeEcsApi cloud = new FakeEcsApi(time, new InstanceTypeLimits(3, 10, 0), Duration.ofSeconds(1));
    private final RecordedTraces traces = new RecordedTraces(time);
    private final RetryingEcsApi patient = new RetryingEcsApi(new CallContext(
            attempt -> cloud,
            new StaticCredentialsProvider(new CredentialsConfig.Fixed("key", "secret")),
            new ApiCallLog(time, new SplittableRandom(1), Map.of("DescribeVSwitches", 3), traces),
            CallConfig.USUAL,
            (severity, type, subject, message, attributes) -> {},
            time,
            time::advance));

    @BeforeEach
    void vswitch() {
        cloud.addVSwitch("vsw-1", 1, 50);
        time.advance(Duration.ofSeconds(50));
    }

    private TraceSnapshot only() {
        return traces.of(Operation.CLOUD).get(0);
    }

    private String made() {
        return patient.createNetworkInterface(
                        new CreateInterfaceRequest("vsw-1", List.of("sg-1"), Map.of(), "token-1", 0))
                .id();
    }

    @Test
    void aCallThatServesSeveralWishesNamesEachOfThem() {
        String eni = made();

        patient.onBehalfOf(List.of("wish-1", "wish-2")).assignPrivateIpAddresses(eni, 2, "token-2");

        TraceSnapshot assign = traces.of(Operation.CLOUD).get(1);
        assertThat(assign.subject().serves()).containsExactly("wish-1", "wish-2");
        assertThat(assign.attributes()).containsEntry("api", "AssignPrivateIpAddresses");
        assertThat(assign.attributes().get("addresses").split(" ")).hasSize(2);
        assertThat(assign.outcome()).isEqualTo(TraceSnapshot.OK);
        assertThat(only().attributes()).containsEntry("made", eni);
        assertThat(only().subject().serves()).isEmpty();
    }

    @Test
    void anAttemptThatFailsAndTheOneAfterTheBackOffAreTold() {
        cloud.failNext(Call.CREATE, "OperationConflict", 400);

        made();

        assertThat(only().steps())
                .extracting(TraceSnapshot.Step::name, TraceSnapshot.Step::outcome)
                .containsExactly(
                        tuple("ATTEMPT", "OperationConflict"),
                        tuple("BACK_OFF", TraceSnapshot.OK),
                        tuple("ATTEMPT", TraceSnapshot.OK));
        assertThat(only().steps().get(1).took().orElseThrow()).isPositive();
        assertThat(only().outcome()).isEqualTo(TraceSnapshot.OK);
    }

    @Test
    void aWaitForTheLimiterIsTold() {
        for (int i = 0; i < 4; i++) {
            patient.describeVSwitch("vsw-1");
        }

        TraceSnapshot held = traces.of(Operation.CLOUD).get(3);
        assertThat(held.steps().stream()
                        .filter(step -> step.name().equals("LIMITER"))
                        .findFirst())
                .hasValueSatisfying(wait -> {
                    assertThat(wait.took().orElseThrow()).isPositive();
                    assertThat(wait.attributes().get("why")).isNotEmpty();
                });
    }

    @Test
    void aRefusalEndsTheStoryWithItsCode() {
        cloud.failNext(Call.CREATE, "Forbidden.RAM", 403);

        assertThatThrownBy(this::made).isInstanceOf(EcsException.class);

        assertThat(only().outcome()).isEqualTo("Forbidden.RAM");
        assertThat(only().why()).contains("Forbidden.RAM");
        assertThat(only().steps()).singleElement().satisfies(attempt -> {
            assertThat(attempt.outcome()).isEqualTo("Forbidden.RAM");
            assertThat(attempt.attributes()).containsKey("requestId");
        });
    }

    @Test
    void aCallThatABugEndsIsOverInItsStoryToo() {
        RetryingEcsApi broken = new RetryingEcsApi(new CallContext(
                attempt -> {
                    throw new IllegalStateException("a bug");
                },
                new StaticCredentialsProvider(new CredentialsConfig.Fixed("key", "secret")),
                new ApiCallLog(time, new SplittableRandom(1), Map.of(), traces),
                CallConfig.USUAL,
                (severity, type, subject, message, attributes) -> {},
                time,
                time::advance));

        assertThatThrownBy(() -> broken.describeVSwitch("vsw-1")).isInstanceOf(IllegalStateException.class);

        assertThat(only().outcome()).isEqualTo("IllegalStateException");
        assertThat(only().why()).isEqualTo("a bug");
        assertThat(only().steps())
                .singleElement()
                .extracting(TraceSnapshot.Step::outcome)
                .isEqualTo("IllegalStateException");
    }
}
