package io.enipam.shell;

import com.google.protobuf.util.Durations;
import com.google.protobuf.util.Timestamps;
import io.enipam.v1.GetTraceReply;
import io.enipam.v1.GetTraceRequest;
import io.enipam.v1.Owner;
import io.enipam.v1.Resource;
import io.enipam.v1.TraceMemory;
import io.enipam.v1.TraceSpan;
import io.enipam.v1.TraceStory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What a daemon tells of pod default/web-0: an ADD that the cloud refused, one that worked, and what followed. */
final class CannedTrace {
    private static final String POD = "default/web-0";

    private CannedTrace() {}

    static GetTraceReply reply(GetTraceRequest request, long now) {
        long at = now - 120_000;
        List<TraceStory> all = new ArrayList<>();
        all.add(refused(at));
        all.add(granted(at + 30_000));
        all.add(event(at + 40_000));
        all.add(del(at + 60_000));
        all.add(hold(at + 63_000));
        boolean known = List.of("", POD, "sim-3", "10.0.1.3").contains(request.getTarget());
        List<TraceStory> chosen = all.stream()
                .filter(story -> known)
                .filter(story -> !request.hasTo() || Timestamps.compare(story.getBegin(), request.getTo()) <= 0)
                .filter(story -> !request.getFailed() || !story.getOutcome().equals("OK"))
                .filter(story -> !request.getTarget().isEmpty() || story.hasOwner())
                .map(story ->
                        request.getBrief() ? story.toBuilder().clearSpans().build() : story)
                .toList();
        int limit = request.getLimit() == 0 ? chosen.size() : Math.min(request.getLimit(), chosen.size());
        return GetTraceReply.newBuilder()
                .addAllStories(chosen.subList(chosen.size() - limit, chosen.size()))
                .setMemory(TraceMemory.newBuilder()
                        .setSince(Timestamps.fromMillis(now - 7_200_000))
                        .setSinceStart(true)
                        .setStories(37)
                        .setPods(12)
                        .setBytes(54_321)
                        .setMostStories(2_000)
                        .setMostBytes(8 << 20))
                .build();
    }

    private static TraceStory.Builder sandbox(long id, String operation, long at, long micros, String outcome) {
        return TraceStory.newBuilder()
                .setId(id)
                .setOperation(operation)
                .setBegin(Timestamps.fromMillis(at))
                .setTook(Durations.fromMicros(micros))
                .setOutcome(outcome)
                .setPod(POD)
                .setOwner(Owner.newBuilder()
                        .setNetwork("enipam")
                        .setContainer("sim-3")
                        .setIfname("eth0"));
    }

    private static Resource address() {
        return Resource.newBuilder()
                .setId("eni-1/10.0.1.3")
                .setKind("eni-ip")
                .addAddresses("10.0.1.3/24")
                .setParent("eni-1")
                .build();
    }

    private static final class Steps {
        private final TraceStory.Builder story;
        private final long at;

        Steps(TraceStory.Builder story) {
            this.story = story;
            this.at = Timestamps.toMicros(story.getBegin());
        }

        Steps step(int parent, String step, long from, long took, String outcome, String why, String... details) {
            TraceSpan.Builder span = TraceSpan.newBuilder()
                    .setId(story.getSpansCount() + 1)
                    .setParent(parent)
                    .setStep(step)
                    .setBegin(Timestamps.fromMicros(at + from))
                    .setTook(Durations.fromMicros(took))
                    .setOutcome(outcome)
                    .setMessage(why);
            for (int i = 0; i < details.length; i += 2) {
                span.putAttributes(details[i], details[i + 1]);
            }
            story.addSpans(span);
            return this;
        }

        Steps ok(int parent, String step, long from, long took, String... details) {
            return step(parent, step, from, took, "OK", "", details);
        }
    }

    private static TraceStory refused(long at) {
        TraceStory.Builder story = sandbox(11, "ADD", at, 61_300, "CLOUD_FAILED")
                .setMessage(
                        "no address for pod default/web-0: CreateNetworkInterface failed: Forbidden.RAM: not authorized"
                                + " (request C108F264)")
                .setHint("correct the RAM policy; it is tried again about once a minute")
                .putAllAttributes(Map.of("by", "shell, uid 0, pid 4711", "timeout", "60000 ms"));
        String why = "CreateNetworkInterface failed: Forbidden.RAM: not authorized (request C108F264)";
        new Steps(story)
                .ok(0, "TURN", 4, 30)
                .ok(0, "POD", 50, 210, "asked", "the sandbox's pods", "from", "the sandbox's pods")
                .step(0, "ACQUIRE", 400, 60_800, "CLOUD_FAILED", story.getMessage(), "how", "waited", "place", "1")
                .step(3, "CREATE", 900, 60_100, "UNAUTHORIZED", why, "token", "enipam-77ab")
                .ok(4, "INTENT", 910, 4_100)
                .step(4, "FACTORY", 5_100, 55_800, "UNAUTHORIZED", why, "factory", "eni-ip")
                .step(
                        6,
                        "CLOUD",
                        5_400,
                        55_200,
                        "Forbidden.RAM",
                        why,
                        "api",
                        "CreateNetworkInterface",
                        "target",
                        "vsw-a")
                .step(7, "ATTEMPT", 5_500, 55_000, "Forbidden.RAM", why, "requestId", "C108F264");
        return story.build();
    }

    private static TraceStory granted(long at) {
        TraceStory.Builder story = sandbox(19, "ADD", at, 1_812_000, "OK")
                .setResource(address())
                .putAllAttributes(Map.of("by", "shell, uid 0, pid 4712"));
        new Steps(story)
                .ok(0, "TURN", 4, 20)
                .ok(0, "POD", 40, 180, "asked", "the sandbox's pods", "from", "the sandbox's pods")
                .ok(0, "ACQUIRE", 300, 1_800_000, "how", "waited", "place", "2", "servedBy", "a create")
                .ok(3, "CREATE", 700, 1_799_000, "token", "enipam-81cd", "resource", "eni-1/10.0.1.3")
                .ok(4, "INTENT", 710, 3_900)
                .ok(4, "FACTORY", 4_700, 1_794_000, "factory", "eni-ip")
                .ok(
                        6,
                        "CLOUD",
                        5_000,
                        1_793_000,
                        "api",
                        "AssignPrivateIpAddresses",
                        "target",
                        "eni-1 +10",
                        "serves",
                        "10",
                        "addresses",
                        "10.0.1.3 10.0.1.4")
                .step(
                        7,
                        "ATTEMPT",
                        5_100,
                        12_000,
                        "Throttling.User",
                        "AssignPrivateIpAddresses failed: Throttling.User: too many (request 77C0-1)",
                        "requestId",
                        "77C0-1")
                .ok(7, "LIMITER", 17_200, 1_770_000, "why", "the cloud throttles it")
                .ok(7, "ATTEMPT", 1_787_300, 10_600, "requestId", "8A1F-9")
                .ok(0, "COMMIT", 1_800_400, 4_300)
                .ok(11, "QUEUE", 1_800_410, 90)
                .ok(11, "FSYNC", 1_800_500, 4_100, "together", "3")
                .ok(0, "KERNEL", 1_804_800, 7_100)
                .ok(14, "WRITE", 1_804_900, 6_900, "file", "simulated attachment");
        return story.build();
    }

    private static TraceStory event(long at) {
        return TraceStory.newBuilder()
                .setOperation("EVENT")
                .setBegin(Timestamps.fromMillis(at))
                .setTook(Durations.fromMicros(0))
                .setOutcome("ERROR")
                .setMessage("the cloud took address 10.0.1.3 from pod default/web-0 \u001b[31mnow")
                .putAttributes("type", "AddressLost")
                .build();
    }

    private static TraceStory del(long at) {
        TraceStory.Builder story = sandbox(25, "DEL", at, 9_400, "OK")
                .setResource(address())
                .putAttributes("by", "shell, uid 0, pid 4713");
        new Steps(story)
                .ok(0, "TURN", 3, 10)
                .ok(0, "KERNEL", 20, 200)
                .ok(0, "COMMIT", 300, 8_800)
                .ok(0, "RELEASE", 9_200, 40, "state", "COOLING");
        return story.build();
    }

    private static TraceStory hold(long at) {
        return TraceStory.newBuilder()
                .setId(26)
                .setOperation("HOLD")
                .setBegin(Timestamps.fromMillis(at))
                .setTook(Durations.fromMicros(5))
                .setOutcome("OK")
                .setPod(POD)
                .setResource(address())
                .putAttributes("name", "eni-1/10.0.1.3")
                .putAttributes("was", "COOLING")
                .putAttributes("state", "IDLE")
                .build();
    }
}
