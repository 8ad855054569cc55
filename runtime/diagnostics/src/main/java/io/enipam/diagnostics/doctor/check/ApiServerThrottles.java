package io.enipam.diagnostics.doctor.check;

import io.enipam.diagnostics.doctor.About;
import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Evidence;
import io.enipam.diagnostics.doctor.Facts;
import io.enipam.diagnostics.doctor.Outcome;
import io.enipam.diagnostics.doctor.Severity;
import io.enipam.diagnostics.doctor.fact.ClusterFacts;
import io.enipam.node.cluster.ClusterInspector.ClusterState;
import java.time.Duration;
import java.util.List;

/** Throttling by the API server. */
final class ApiServerThrottles implements Check {
    private static final int TOO_MANY = 429;
    private static final Duration LATELY = Duration.ofMinutes(5);

    private static final About ABOUT = new About(
            "apiserver-throttles",
            "The API server has too much to do",
            Severity.WARN,
            "The answers to all requests. WARN if one was 429 in the last five minutes.",
            "Pods are looked up late: an ADD that waits too long goes by what was seen of its pod before.",
            "kubectl get --raw /debug/api_priority_and_fairness/dump_priority_levels; give kube-system's service accounts a level of their own, or lower kubernetes.requests_per_second");

    @Override
    public About about() {
        return ABOUT;
    }

    @Override
    public Outcome look(Facts facts) {
        ClusterState state = facts.the(ClusterFacts.class).state();
        List<Evidence> evidence = state.requests().stream()
                .filter(count -> count.code() == TOO_MANY
                        && count.last().isAfter(facts.now().minus(LATELY)))
                .map(count -> ApiAnswers.evidence(count, "429"))
                .toList();
        return Outcome.unless(
                evidence,
                Severity.WARN,
                "the API server refuses requests of this node for now",
                "no request was throttled in the last " + Say.span(LATELY));
    }
}
