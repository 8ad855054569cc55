package io.enipam.sdk.testkit;

import io.enipam.sdk.Address;
import io.enipam.sdk.Pick;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.PodView;
import io.enipam.sdk.PoolPolicy;
import io.enipam.sdk.PoolSnapshot;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceState;
import io.enipam.sdk.ResourceView;
import io.enipam.sdk.Target;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * What a policy says to every question about one snapshot; which resource to lend is asked for several pods. A question that threw, or was answered with null, has no value and
 * says so in {@code trouble}; so each rule can look at what it is about.
 */
record PolicyAnswers(
        List<Pick> picks,
        Optional<Target> target,
        Optional<Duration> coolDown,
        Optional<Duration> stick,
        String thrown,
        String nulls) {
    /** How many questions are asked about one pool. */
    static final int QUESTIONS = 6;

    private static final PodRef POD = new PodRef("default", "web-0");
    private static final PodView NEWCOMER =
            PodView.of(POD, Map.of("app", "web", "tier", "t0"), Map.of("example.com/team", "team-0"));
    private static final PodView UNKNOWN = PodView.of(new PodRef("elsewhere", "job-1"));
    private static final Resource STRAY = new Resource(
            new ResourceId("eni-0/10.255.0.1"),
            io.enipam.sdk.ResourceKind.ENI_IP,
            List.of(Address.parse("10.255.0.1/8")),
            "eni-0",
            Map.of());
    private static final List<Duration> COOL_DOWNS =
            List.of(Duration.ZERO, Duration.ofSeconds(30), Duration.ofMinutes(10), Duration.ofHours(1));
    private static final List<Duration> STICKS = List.of(Duration.ZERO, Duration.ofMinutes(5), Duration.ofDays(1));

    static PolicyAnswers of(PoolPolicy policy, PoolSnapshot pool) {
        Resource released = pool.in(ResourceState.IN_USE).stream()
                .findFirst()
                .map(ResourceView::resource)
                .orElse(STRAY);
        Duration configured = COOL_DOWNS.get(pool.resources().size() % COOL_DOWNS.size());
        Duration wished = STICKS.get(pool.resources().size() % STICKS.size());
        StringBuilder thrown = new StringBuilder();
        StringBuilder nulls = new StringBuilder();
        List<Pick> picks = Stream.of(NEWCOMER, UNKNOWN, owner(pool))
                .flatMap(pod -> ask("pick", () -> policy.pick(pool, pod), thrown, nulls).stream())
                .toList();
        return new PolicyAnswers(
                picks,
                ask("target", () -> policy.target(pool), thrown, nulls),
                ask("release", () -> policy.release(pool, released, configured), thrown, nulls),
                ask("stick", () -> policy.stick(pool, released, POD, wished), thrown, nulls),
                thrown.toString(),
                nulls.toString());
    }

    /** A pod that has a resource already: its runtime sets the sandbox up anew. */
    private static PodView owner(PoolSnapshot pool) {
        return pool.resources().stream()
                .flatMap(view -> view.owner().stream())
                .findFirst()
                .orElse(NEWCOMER);
    }

    private static <T> Optional<T> ask(String question, Supplier<T> call, StringBuilder thrown, StringBuilder nulls) {
        try {
            T answer = call.get();
            if (answer == null) {
                nulls.append(question).append(' ');
            }
            return Optional.ofNullable(answer);
        } catch (RuntimeException | LinkageError | StackOverflowError e) {
            thrown.append(question).append(" threw ").append(e).append("; ");
            return Optional.empty();
        }
    }
}
