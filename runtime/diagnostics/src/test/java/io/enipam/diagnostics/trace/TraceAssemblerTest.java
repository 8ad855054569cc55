package io.enipam.diagnostics.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.port.Span;
import io.enipam.engine.port.Trace;
import io.enipam.engine.port.Trace.Operation;
import io.enipam.engine.port.TraceSink.Subject;
import io.enipam.engine.simulation.RecordedTraces;
import io.enipam.engine.simulation.VirtualTime;
import io.enipam.engine.trace.TraceSnapshot;
import io.enipam.sdk.Address;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceKind;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Which stories become part of which. */
class TraceAssemblerTest {
    private final VirtualTime time = new VirtualTime();
    private final RecordedTraces traces = new RecordedTraces(time);

    private static Resource address(int last) {
        return new Resource(
                new ResourceId("eni-1/10.0.0." + last),
                new ResourceKind("eni-ip"),
                List.of(Address.parse("10.0.0." + last + "/24")),
                "eni-1",
                Map.of());
    }

    private Trace add(String pod) {
        return traces.begin(
                Operation.ADD, Subject.of(new OwnerKey("enipam", "c-" + pod, "eth0"), PodRef.parse("default/" + pod)));
    }

    private void passes(int millis) {
        time.advance(Duration.ofMillis(millis));
    }

    private TraceSnapshot told(int place) {
        List<TraceSnapshot> all = traces.all();
        return new TraceAssembler(all).whole(all.get(place));
    }

    private static List<String> names(TraceSnapshot story) {
        return story.steps().stream().map(TraceSnapshot.Step::name).toList();
    }

    @Test
    void oneCallThatServedTwoWaitersIsInTheStoryOfEach() {
        Trace first = add("first");
        Span firstWait = first.step("ACQUIRE").with("how", "waited");
        Trace second = add("second");
        Span secondWait = second.step("ACQUIRE").with("how", "waited");
        Trace one = traces.begin(Operation.CREATE, Subject.named("wish-1"));
        Trace other = traces.begin(Operation.CREATE, Subject.named("wish-2"));
        Span oneFactory = one.step("FACTORY");
        Span otherFactory = other.step("FACTORY");
        passes(5);
        Trace call = traces.begin(Operation.CLOUD, Subject.named("eni-1 +2", List.of("wish-1", "wish-2")));
        call.with("api", "AssignPrivateIpAddresses");
        Span attempt = call.step("ATTEMPT").with("requestId", "R-1");
        passes(100);
        attempt.done();
        call.done();
        one.about(address(1));
        other.about(address(2));
        oneFactory.done();
        otherFactory.done();
        one.done();
        other.done();
        first.about(address(1));
        second.about(address(2));
        firstWait.done();
        secondWait.done();
        first.done();
        second.done();

        for (int pod = 0; pod < 2; pod++) {
            TraceSnapshot story = told(pod);
            assertThat(names(story)).containsExactly("ACQUIRE", "CREATE", "FACTORY", "CLOUD", "ATTEMPT");
            assertThat(story.steps()).extracting(TraceSnapshot.Step::parent).containsExactly(0, 1, 2, 3, 4);
            TraceSnapshot.Step cloud = story.steps().get(3);
            assertThat(cloud.offset()).isEqualTo(Duration.ofMillis(5));
            assertThat(cloud.attributes())
                    .containsEntry("api", "AssignPrivateIpAddresses")
                    .containsEntry("target", "eni-1 +2")
                    .containsEntry("serves", "2");
            assertThat(story.steps().get(4).attributes()).containsEntry("requestId", "R-1");
        }
        assertThat(told(0).steps().get(1).attributes()).containsEntry("resource", "eni-1/10.0.0.1");
        assertThat(told(1).steps().get(1).attributes()).containsEntry("resource", "eni-1/10.0.0.2");
    }

    @Test
    void whoWaitedInVainIsToldWhatWasTriedMeanwhileAndNothingElse() {
        Trace before = traces.begin(Operation.CREATE, Subject.named("long-ago"));
        before.failed("UNAVAILABLE", "away");
        passes(1_000);
        Trace add = add("web");
        Span wait = add.step("ACQUIRE").with("how", "waited");
        passes(10);
        Trace tried = traces.begin(Operation.CREATE, Subject.named("tried"));
        tried.step("FACTORY").failed("ADDRESSES_EXHAUSTED", "vSwitch empty");
        tried.failed("ADDRESSES_EXHAUSTED", "vSwitch empty");
        passes(10);
        wait.failed("POOL_EXHAUSTED", "nothing came");
        add.failed("POOL_EXHAUSTED", "nothing came", "add a vSwitch");
        passes(10);
        traces.begin(Operation.CREATE, Subject.named("after")).failed("UNAVAILABLE", "away");

        TraceSnapshot story = told(1);

        assertThat(names(story)).containsExactly("ACQUIRE", "CREATE", "FACTORY");
        assertThat(story.steps().get(1).attributes()).containsEntry("token", "tried");
        assertThat(story.steps().get(2).why()).isEqualTo("vSwitch empty");
    }

    @Test
    void anAddThatFoundAnIdleAddressIsNotToldWhatHappenedToBeMade() {
        Trace make = traces.begin(Operation.CREATE, Subject.named("wish"));
        Trace add = add("web");
        Span acquire = add.step("ACQUIRE").with("how", "idle");
        make.about(address(1));
        make.done();
        add.about(address(1));
        acquire.done();
        add.done();

        assertThat(names(told(1))).containsExactly("ACQUIRE");
    }

    @Test
    void eachTryOfADisposalHasItsOwnCalls() {
        Trace dispose = traces.begin(Operation.DISPOSE, Subject.named("eni-1/10.0.0.1"));
        for (int attempt = 0; attempt < 2; attempt++) {
            Span factory = dispose.step("FACTORY");
            passes(1);
            Trace call = traces.begin(Operation.CLOUD, Subject.named("eni-1 -1", List.of("eni-1/10.0.0.1")));
            passes(1);
            call.done();
            factory.done();
            passes(1);
        }
        dispose.done();

        assertThat(names(told(0))).containsExactly("FACTORY", "CLOUD", "FACTORY", "CLOUD");
        assertThat(told(0).steps()).extracting(TraceSnapshot.Step::parent).containsExactly(0, 1, 0, 3);
    }

    @Test
    void aNameIsAPodAContainerAnAddressAnEniOrARequest() {
        Trace add = add("web");
        add.about(address(7));
        add.done();
        Trace call = traces.begin(Operation.CLOUD, Subject.named("eni-1 +1", List.of("wish")));
        call.step("ATTEMPT").with("requestId", "R-9").done();
        call.done();
        List<TraceSnapshot> all = traces.all();

        for (String name : List.of("default/web", "c-web", "c-we", "10.0.0.7", "eni-1/10.0.0.7")) {
            assertThat(new TraceQuery(name).in(all)).as(name).containsExactly(all.get(0));
        }
        assertThat(new TraceQuery("eni-1").in(all)).hasSize(2);
        assertThat(new TraceQuery("R-9").in(all)).containsExactly(all.get(1));
        assertThat(new TraceQuery("").in(all)).containsExactly(all.get(0));
        assertThat(new TraceQuery("c-").in(all)).isEmpty();
        assertThat(new TraceQuery("10.0.0").in(all)).isEmpty();
    }
}
