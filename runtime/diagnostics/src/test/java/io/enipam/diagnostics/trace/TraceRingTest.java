package io.enipam.diagnostics.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.config.DaemonConfig.TraceBounds;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.port.Span;
import io.enipam.engine.port.Trace;
import io.enipam.engine.port.Trace.Operation;
import io.enipam.engine.port.TraceSink.Subject;
import io.enipam.engine.simulation.VirtualTime;
import io.enipam.engine.trace.TraceRecorder;
import io.enipam.engine.trace.TraceSnapshot;
import io.enipam.sdk.PodRef;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class TraceRingTest {
    private static final long PLENTY = 64L << 20;

    private final VirtualTime time = new VirtualTime();

    private TraceRing ring(int stories, long bytes) {
        return new TraceRing(time, new TraceBounds(stories, bytes));
    }

    private static Subject pod(String name) {
        return Subject.of(new OwnerKey("enipam", "c-" + name, "eth0"), PodRef.parse("default/" + name));
    }

    private static List<String> pods(TraceRing ring) {
        return ring.all().stream()
                .flatMap(story -> story.subject().pod().stream())
                .map(PodRef::name)
                .toList();
    }

    @Test
    void theOldestGivesWayAndTheRingSaysSinceWhenItRemembers() {
        TraceRing ring = ring(16, PLENTY);
        Instant started = time.now();
        for (int i = 0; i < 16; i++) {
            ring.begin(Operation.ADD, pod("p" + i)).done();
            time.advance(Duration.ofSeconds(1));
        }
        assertThat(ring.memory().since()).isEqualTo(started);
        assertThat(ring.memory().sinceStart()).isTrue();

        ring.begin(Operation.ADD, pod("last")).done();

        assertThat(pods(ring)).hasSize(16).doesNotContain("p0").contains("p1", "last");
        assertThat(ring.memory().since()).isEqualTo(started.plusSeconds(1));
        assertThat(ring.memory().sinceStart()).isFalse();
        assertThat(ring.memory().forgotten()).isEqualTo(1);
    }

    @Test
    void aBurstOfOnePodPushesOutItsOwnStoriesAndNobodyElses() {
        TraceRing ring = ring(64, PLENTY);
        ring.begin(Operation.ADD, pod("quiet")).done();
        for (int i = 0; i < 1_000; i++) {
            ring.begin(Operation.ADD, pod("mad")).failed("POOL_EXHAUSTED", "nothing to lend");
        }
        assertThat(pods(ring)).containsOnlyOnce("quiet").hasSize(1 + 64 / TraceBounds.SHARE);
        assertThat(ring.memory().sinceStart())
                .as("what other pods did is remembered whole")
                .isTrue();
        assertThat(ring.memory().pods()).isEqualTo(2);
    }

    @Test
    void callsOfTheCloudAndWaysOfAddressesPushOutNoSandbox() {
        TraceRing ring = ring(8, PLENTY);
        ring.begin(Operation.ADD, pod("web")).done();
        for (int i = 0; i < 100; i++) {
            ring.begin(Operation.CLOUD, Subject.named("eni-1")).done();
            ring.begin(Operation.CREATE, Subject.named("wish-" + i)).done();
        }
        assertThat(pods(ring)).containsExactly("web");
        assertThat(ring.all()).hasSizeLessThanOrEqualTo(1 + 8 + 8);
    }

    @Test
    void theMemoryIsBoundedWhateverIsTold() {
        TraceRing ring = ring(1_000, 256 << 10);
        for (int i = 0; i < 300; i++) {
            Trace trace = ring.begin(Operation.ADD, pod("p" + i));
            for (int step = 0; step < 500; step++) {
                trace.step("COMMIT").with("why", "x".repeat(10_000)).done();
            }
            trace.done();
            // undoing goes on after the end, and counts as well
            trace.step("UNDO").failed("X", "y".repeat(10_000));
        }
        assertThat(ring.memory().bytes()).isLessThanOrEqualTo(256 << 10);
        TraceSnapshot last = ring.all().get(ring.all().size() - 1);
        assertThat(last.steps()).hasSize(TraceRecorder.MOST_STEPS);
        assertThat(last.dropped()).isEqualTo(501 - TraceRecorder.MOST_STEPS);
    }

    @Test
    void whatHangsIsSeenWhileItHangs() {
        TraceRing ring = ring(8, PLENTY);
        Trace trace = ring.begin(Operation.ADD, pod("web"));
        trace.step("KERNEL");
        assertThat(ring.all()).singleElement().satisfies(story -> {
            assertThat(story.outcome()).isEqualTo(TraceSnapshot.RUNNING);
            assertThat(story.steps())
                    .singleElement()
                    .matches(step -> step.took().isEmpty());
        });
    }

    @Test
    void aRingOfNothingKeepsNothingAndCostsNothing() {
        TraceRing ring = ring(0, PLENTY);
        assertThat(ring.begin(Operation.ADD, pod("web"))).isSameAs(Trace.NONE);
        assertThat(ring.all()).isEmpty();
    }

    @Test
    void storiesThatNeverEndAreInTheBoundAsWell() {
        TraceRing ring = ring(1_000, 1 << 20);
        for (int i = 0; i < 500; i++) {
            Trace trace = ring.begin(Operation.DISPOSE, Subject.named("eni-1/" + i));
            for (int step = 0; step < 200; step++) {
                trace.step("FACTORY").failed("UNAVAILABLE", "y".repeat(400));
            }
        }
        int really = ring.all().stream()
                .flatMap(story -> story.steps().stream())
                .mapToInt(step -> 2 * step.why().length())
                .sum();

        assertThat(really).isLessThan(1 << 18);
        assertThat(ring.memory().bytes()).isLessThanOrEqualTo(1 << 18);
    }

    @Test
    void ofALongStoryItsBeginningIsKeptAndWhatHappenedLastAndWhatGoesOn() {
        TraceRing ring = ring(8, PLENTY);
        Trace trace = ring.begin(Operation.DISPOSE, Subject.named("eni-1"));
        for (int i = 1; i <= 100; i++) {
            Span step = trace.step("TRY-" + i);
            step.step("PART-" + i).done();
            if (i != 50) {
                step.done();
            }
        }
        TraceSnapshot story = ring.all().get(0);

        assertThat(story.steps())
                .extracting(TraceSnapshot.Step::name)
                .hasSize(TraceRecorder.MOST_STEPS)
                .startsWith("TRY-1", "PART-1")
                .contains("TRY-50")
                .endsWith("TRY-99", "PART-99", "TRY-100", "PART-100");
        assertThat(story.dropped()).isEqualTo(200 - TraceRecorder.MOST_STEPS);
        assertThat(new TraceAssembler(ring.all()).whole(story).steps())
                .as("no step hangs from one that was not kept")
                .hasSize(TraceRecorder.MOST_STEPS);
    }
}
