package io.enipam.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.model.Pod;
import io.enipam.engine.model.Pod.Metadata;
import io.enipam.engine.model.Pod.PodNetworkSpec;
import io.enipam.engine.port.Span;
import io.enipam.sdk.PodRef;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What a claim on an allocator knows of its pod: as much as an ADD, and never at the price of one. */
class PodDescriptionTest {
    private static final PodRef WEB = PodRef.parse("default/web");

    private final EngineFixture node = EngineFixture.started(3, 0, 5);

    @Test
    void thePodOfTheWatchIsTakenWithoutARequest() {
        labelled("uid-1", "shop");
        node.pods.watch();

        assertThat(described("uid-1")).contains(Map.of("team", "shop"));
        assertThat(node.pods.questions()).isZero();
    }

    @Test
    void theApiServerIsAskedForAPodThatTheWatchDoesNotHave() {
        labelled("uid-1", "shop");

        assertThat(described("uid-1")).contains(Map.of("team", "shop"));
        assertThat(described("")).contains(Map.of("team", "shop"));
    }

    @Test
    void anotherPodOfThatNameSaysNothing() {
        labelled("uid-2", "shop");
        node.pods.watch();

        assertThat(described("uid-1")).isEmpty();
    }

    @Test
    void anApiServerThatIsAwayOrSilentFailsNothing() {
        labelled("uid-1", "shop");
        node.pods.watch();
        node.pods.down(true);
        assertThat(described("")).as("what was heard last").contains(Map.of("team", "shop"));

        node.pods.down(false);
        node.pods.stopAnswering();
        CompletableFuture<Optional<Pod>> asked = node.engine.describe(PodRef.parse("default/other"), "", Span.NONE);
        node.time.settle();
        assertThat(asked).isNotDone();
        node.time.advance(Duration.ofSeconds(1));
        assertThat(asked.join()).isEmpty();
    }

    private void labelled(String uid, String team) {
        node.pods.put(new Pod(
                WEB,
                uid,
                false,
                Duration.ZERO,
                List.of(),
                PodNetworkSpec.NONE,
                new Metadata(Map.of("team", team), Map.of())));
    }

    private Optional<Map<String, String>> described(String uid) {
        CompletableFuture<Optional<Pod>> found = node.engine.describe(WEB, uid, Span.NONE);
        node.time.settle();
        return found.join().map(pod -> pod.metadata().labels());
    }
}
