package io.enipam.shell;

import com.google.protobuf.Timestamp;
import com.google.protobuf.util.Durations;
import com.google.protobuf.util.Timestamps;
import io.enipam.v1.CloudCall;
import io.enipam.v1.EniAddress;
import io.enipam.v1.Event;
import io.enipam.v1.ExplainReply;
import io.enipam.v1.ExplainRequest;
import io.enipam.v1.Explanation;
import io.enipam.v1.NextStep;
import io.enipam.v1.Owner;
import io.enipam.v1.PendingOperation;
import io.enipam.v1.Resource;
import io.enipam.v1.SourceDifference;
import io.enipam.v1.SourceStatement;
import io.enipam.v1.SourceWord;
import java.util.List;
import java.util.Map;

/** What the fake daemon knows: an address that cools down, one that the cloud took, a pod that waits, a stuck ENI. */
final class CannedExplain {
    private static final Map<String, List<Explanation>> KNOWN = Map.of(
            "10.0.1.7", List.of(cooling()),
            "10.0.1.8", List.of(taken()),
            "default/web-9", List.of(waiting()),
            "eni-2", List.of(stuck()),
            "web", List.of(waiting(), cooling()));

    private CannedExplain() {}

    static ExplainReply reply(ExplainRequest request) {
        ExplainReply.Builder reply =
                ExplainReply.newBuilder().setWhat(request.getWhat()).setAt(at(0));
        List<Explanation> things = KNOWN.getOrDefault(request.getWhat(), List.of());
        reply.addAllThings(things);
        if (things.isEmpty()) {
            reply.addLooked("database: 12 statements, none of it")
                    .addLooked("cloud: did not answer: no answer within 5000 ms")
                    .addNearest("default/web-9");
        }
        return reply.build();
    }

    /** Seconds from the moment that the fake shell takes for now. */
    private static Timestamp at(long seconds) {
        return Timestamps.fromMillis(CannedReplies.NOW.plusSeconds(seconds).toEpochMilli());
    }

    private static Explanation cooling() {
        return Explanation.newBuilder()
                .setKind("ADDRESS")
                .setName("10.0.1.7")
                .setState("COOLING")
                .setSince(at(-12))
                .setUntil(at(18))
                .addWhy("cooling down, because pod default/web-1 gave it back")
                .addNext(NextStep.newBuilder().setAt(at(18)).setWhat("the cool-down ends"))
                .setPod("default/web-1")
                .setEni("eni-1")
                .setResource(Resource.newBuilder()
                        .setId("eni-1/10.0.1.7")
                        .setKind("eni-ip")
                        .addAddresses("10.0.1.7/24")
                        .setParent("eni-1"))
                .addSays(says("database", 0, "cooling after pod default/web-1"))
                .addSays(says("pool", 0, "COOLING, pod default/web-1").toBuilder()
                        .setSince(at(-12)))
                .addSays(says("cloud", 8, "on eni-1, which is InUse and attached here"))
                .addSays(says("kernel", 0))
                .addSays(SourceStatement.newBuilder()
                        .setSource("API server")
                        .setState("ABSENT")
                        .setAt(at(0))
                        .addWords("no cluster is asked: every pod that a call names is taken to exist"))
                .build();
    }

    private static Explanation taken() {
        return Explanation.newBuilder()
                .setKind("ADDRESS")
                .setName("10.0.1.8")
                .setState("IN_USE")
                .setSince(at(-3600))
                // what a pod's name could hide
                .addWhy("in use by pod default/web-\u001b[2J2, container c2")
                .setPod("default/web-2")
                .setOwner(owner("c2"))
                .setEni("eni-1")
                .addSays(says("database", 0, "leased to pod default/web-2, container c2").toBuilder()
                        .setSince(at(-3600)))
                .addSays(says("pool", 0, "IN_USE by pod default/web-2, container c2").toBuilder()
                        .setDiffers(true))
                .addSays(says("cloud", 0).toBuilder().setDiffers(true))
                .addSays(SourceStatement.newBuilder()
                        .setSource("kernel")
                        .setState("FAILED")
                        .setAt(at(0))
                        .setCode("TIMEOUT")
                        .addWords("no answer within 5000 ms"))
                .addDifferences(SourceDifference.newBuilder()
                        .setKind("ADDRESS_NOT_IN_CLOUD")
                        .setWhat("the cloud has taken 10.0.1.8 off eni-1")
                        .addSays(SourceWord.newBuilder().setSource("pool").setWords("IN_USE by pod default/web-2"))
                        .addSays(SourceWord.newBuilder().setSource("cloud").setWords("not on eni-1")))
                .build();
    }

    private static Explanation waiting() {
        return Explanation.newBuilder()
                .setKind("POD")
                .setName("default/web-9")
                .setState("WAITING")
                .setSince(at(-4))
                .setUntil(at(116))
                .addWhy("no address yet: it waits in the queue at place 2 of 5, because nothing is idle")
                .addWhy("the last address could not be made: THROTTLED: Throttling.User")
                .addNext(NextStep.newBuilder().setAt(at(3)).setWhat("an address is asked for again"))
                .addNext(NextStep.newBuilder().setAt(at(116)).setWhat("its ADD fails with POOL_EXHAUSTED"))
                .setPod("default/web-9")
                .setOwner(owner("c9"))
                .addSays(says("pool", 0, "waits for an address, place 2 in the queue"))
                .build();
    }

    private static Explanation stuck() {
        return Explanation.newBuilder()
                .setKind("ENI")
                .setName("eni-2")
                .setState("Stuck")
                .setSince(at(-90))
                .setEni("eni-2")
                .setAddressLimit(10)
                .addWhy("too long on its way, by more than 60 s")
                .addNext(NextStep.newBuilder().setWhat("it is looked at again within 30 s"))
                .addAddresses(EniAddress.newBuilder().setAddress("10.0.1.9/24").setPrimary(true))
                .addOperations(PendingOperation.newBuilder()
                        .setName("create")
                        .setSince(at(-150))
                        .setWords("create an ENI in vsw-a")
                        .setClientToken("enipam-1f"))
                .addCalls(CloudCall.newBuilder()
                        .setSequence(7)
                        .setAt(at(-30))
                        .setApi("AttachNetworkInterface")
                        .setTarget("eni-2")
                        .setCode("OperationConflict")
                        .setRequestId("8A1F-9")
                        .setAttempts(3))
                .addEvents(Event.newBuilder()
                        .setSequence(9)
                        .setAt(at(-90))
                        .setSeverity("WARNING")
                        .setType("EniStuck")
                        .setSubject("eni-2")
                        .setMessage("ENI eni-2: has been Attaching for too long"))
                .addSays(says("ENI book", 0, "on eni-2, which is Stuck and has 1 of 10 addresses"))
                .build();
    }

    private static Owner owner(String container) {
        return Owner.newBuilder()
                .setNetwork("enipam")
                .setContainer(container)
                .setIfname("eth0")
                .build();
    }

    private static SourceStatement says(String source, long age, String... words) {
        return SourceStatement.newBuilder()
                .setSource(source)
                .setState("KNOWN")
                .setAt(at(-age))
                .setAge(Durations.fromSeconds(age))
                .addAllWords(List.of(words))
                .build();
    }
}
