package io.enipam.diagnostics.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.Duration;
import io.enipam.daemon.testing.LivingDaemon;
import io.enipam.v1.AddCloudFaultRequest;
import io.enipam.v1.CloudCall;
import io.enipam.v1.CloudFault;
import io.enipam.v1.FailCall;
import io.enipam.v1.GetHistoryRequest;
import io.enipam.v1.GetTraceReply;
import io.enipam.v1.GetTraceRequest;
import io.enipam.v1.Lease;
import io.enipam.v1.ListCloudCallsRequest;
import io.enipam.v1.TraceMemory;
import io.enipam.v1.TraceSpan;
import io.enipam.v1.TraceStory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The real daemon with the real client on the emulator: what somebody reads who asks how an address came to a pod. */
@Timeout(180)
class TraceOnTheEmulatorTest {
    @TempDir
    Path root;

    @AutoClose
    private LivingDaemon daemon;

    @BeforeEach
    void start() throws IOException {
        Path config = Files.createDirectories(root.resolve("etc/enipam")).resolve("enipam.yaml");
        // every ADD has an address made for it
        Files.writeString(config, "pool:\n  min_idle: 0\n  max_idle: 0\n");
        daemon = LivingDaemon.onTheEmulator(root);
    }

    private Lease add(String pod) {
        return daemon.add(pod, java.time.Duration.ofSeconds(40));
    }

    private void fails(String api, String code, int times) {
        daemon.client()
                .control()
                .addCloudFault(AddCloudFaultRequest.newBuilder()
                        .setFault(CloudFault.newBuilder()
                                .setApi(api)
                                .setAtMost(times)
                                .setFail(FailCall.newBuilder().setCode(code)))
                        .build());
    }

    private GetTraceReply trace(GetTraceRequest.Builder request) {
        GetTraceReply.Builder all = GetTraceReply.newBuilder();
        daemon.client().inspect().getTrace(request.build()).forEachRemaining(all::mergeFrom);
        return all.build();
    }

    private List<TraceStory> of(String target) {
        return trace(GetTraceRequest.newBuilder().setTarget(target)).getStoriesList();
    }

    private TraceStory only(String target, String operation) {
        List<TraceStory> stories = of(target).stream()
                .filter(story -> story.getOperation().equals(operation))
                .toList();
        assertThat(stories).hasSize(1);
        return stories.get(0);
    }

    private static Stream<TraceSpan> below(TraceStory story, TraceSpan parent) {
        return story.getSpansList().stream().filter(span -> span.getParent() == parent.getId());
    }

    private static TraceSpan call(TraceStory story, String api) {
        return story.getSpansList().stream()
                .filter(span -> span.getStep().equals("CLOUD") && api.equals(span.getAttributesOrThrow("api")))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no call of " + api + " in " + story));
    }

    private List<CloudCall> calls(String api) {
        return StreamSupport.stream(
                        ((Iterable<io.enipam.v1.ListCloudCallsReply>) () -> daemon.client()
                                        .inspect()
                                        .listCloudCalls(ListCloudCallsRequest.newBuilder()
                                                .setApi(api)
                                                .build()))
                                .spliterator(),
                        false)
                .flatMap(reply -> reply.getCallsList().stream())
                .toList();
    }

    @Test
    void anAddressThatWasMadeForAPodIsToldFromTheCallToTheRequestIdsOfTheCloud() {
        add("default/first");
        fails("AssignPrivateIpAddresses", "InternalError", 1);

        Lease lease = add("default/web");

        TraceStory story = only("default/web", "ADD");
        assertThat(story.getOutcome()).isEqualTo("OK");
        assertThat(story.getAttributesOrThrow("by")).startsWith("shell, uid ");
        assertThat(story.getResource().getId()).isEqualTo(lease.getResource().getId());
        assertThat(story.getSpansList().stream()
                        .filter(span -> span.getParent() == 0)
                        .map(TraceSpan::getStep))
                .containsExactly("TURN", "POD", "ACQUIRE", "COMMIT", "KERNEL");
        TraceSpan assign = call(story, "AssignPrivateIpAddresses");
        List<TraceSpan> attempts = below(story, assign)
                .filter(span -> span.getStep().equals("ATTEMPT"))
                .toList();
        assertThat(attempts).extracting(TraceSpan::getOutcome).containsExactly("InternalError", "OK");
        assertThat(attempts)
                .allMatch(attempt -> !attempt.getAttributesOrThrow("requestId").isEmpty());
        String requestId = attempts.get(1).getAttributesOrThrow("requestId");
        assertThat(calls("AssignPrivateIpAddresses"))
                .as("the story has the request ids that the book of calls has")
                .extracting(CloudCall::getRequestId)
                .contains(requestId);
        assertThat(story.getSpansList()).extracting(TraceSpan::getStep).contains("QUEUE", "FSYNC", "WRITE");

        String host = lease.getResource().getAddresses(0).replaceFirst("/.*", "");
        for (String name : List.of(
                lease.getOwner().getContainer(), host, lease.getResource().getParent())) {
            assertThat(of(name)).as(name).extracting(TraceStory::getId).contains(story.getId());
        }
        assertThat(of(requestId)).extracting(TraceStory::getOperation).containsOnlyOnce("CLOUD");

        daemon.client().del("default/web");
        assertThat(of(host)).extracting(TraceStory::getOperation).contains("CREATE", "ADD", "DEL");

        for (Duration senseless : List.of(
                Duration.newBuilder().setSeconds(-5).build(),
                Duration.newBuilder().setSeconds(Long.MAX_VALUE).build(),
                Duration.newBuilder().setSeconds(5).setNanos(-1).build())) {
            assertThatThrownBy(() -> trace(GetTraceRequest.newBuilder().setSince(senseless)))
                    .as("since %s", senseless)
                    .hasMessageStartingWith("INVALID_ARGUMENT: ");
            assertThatThrownBy(() -> daemon.client()
                            .inspect()
                            .getHistory(GetHistoryRequest.newBuilder()
                                    .setSince(senseless)
                                    .build())
                            .hasNext())
                    .as("since %s", senseless)
                    .hasMessageStartingWith("INVALID_ARGUMENT: ");
        }
    }

    @Test
    void aRefusalOfTheCloudIsTheFailingStepAlsoAfterARestart() {
        fails("CreateNetworkInterface", "Forbidden.RAM", 0);

        assertThatThrownBy(() -> add("default/web")).hasMessageContaining("Forbidden.RAM");

        TraceStory story = only("default/web", "ADD");
        assertThat(story.getOutcome()).isEqualTo("CLOUD_FAILED");
        assertThat(story.getHint()).isNotEmpty();
        TraceSpan create = call(story, "CreateNetworkInterface");
        assertThat(create.getOutcome()).isEqualTo("Forbidden.RAM");
        assertThat(below(story, create))
                .singleElement()
                .satisfies(attempt ->
                        assertThat(attempt.getAttributesOrThrow("requestId")).isNotEmpty());
        assertThat(story.toString()).doesNotContainIgnoringCase("signature").doesNotContain("accessKeySecret");
        GetTraceReply failed = trace(
                GetTraceRequest.newBuilder().setFailed(true).setBrief(true).setLimit(5));
        assertThat(failed.getStoriesList()).singleElement().satisfies(brief -> {
            assertThat(brief.getPod()).isEqualTo("default/web");
            assertThat(brief.getSpansList()).isEmpty();
        });

        daemon.close();
        daemon = LivingDaemon.onTheEmulator(root);

        GetTraceReply anew = trace(GetTraceRequest.newBuilder().setTarget("default/web"));
        TraceStory kept = anew.getStoriesList().stream()
                .filter(one -> one.getOperation().equals("ADD"))
                .findFirst()
                .orElseThrow();
        assertThat(kept.getOutcome()).isEqualTo("CLOUD_FAILED");
        assertThat(kept.getHint()).isEqualTo(story.getHint());
        assertThat(kept.getSpansCount()).isEqualTo(story.getSpansCount());
        assertThat(call(kept, "CreateNetworkInterface").getOutcome()).isEqualTo("Forbidden.RAM");
        assertThat(call(kept, "CreateNetworkInterface").getAttributesMap()).isEqualTo(create.getAttributesMap());
        TraceMemory memory = anew.getMemory();
        assertThat(memory.getSinceStart()).isTrue();
        assertThat(memory.hasSince()).isTrue();
        assertThat(memory.getKept()).isPositive();
        assertThat(memory.getMostStories()).isEqualTo(2_000);
    }
}
