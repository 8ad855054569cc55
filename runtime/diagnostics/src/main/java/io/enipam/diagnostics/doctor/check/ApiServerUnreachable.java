package io.enipam.diagnostics.doctor.check;

import io.enipam.diagnostics.doctor.About;
import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Evidence;
import io.enipam.diagnostics.doctor.Facts;
import io.enipam.diagnostics.doctor.Outcome;
import io.enipam.diagnostics.doctor.Severity;
import io.enipam.diagnostics.doctor.fact.ClusterFacts;
import io.enipam.kubernetes.api.RequestStats.Count;
import io.enipam.node.cluster.ClusterInspector.ClusterState;
import java.util.ArrayList;
import java.util.List;

/** An API server that says nothing. */
final class ApiServerUnreachable implements Check {

    private static final About ABOUT = new About(
            "apiserver-unreachable",
            "The API server does not answer",
            Severity.CRITICAL,
            "The requests that were made, and the watch. WARN if the last of them got no answer, CRITICAL if nothing is heard of the watch either.",
            "Pods are added by what was seen of them before or by their calls alone; nothing is collected, and nobody outside hears of this node.",
            "curl -k the address that status shows, from this node; check route, security group and the load balancer of the API server");

    @Override
    public About about() {
        return ABOUT;
    }

    @Override
    public Outcome look(Facts facts) {
        ClusterState state = facts.the(ClusterFacts.class).state();
        List<Count> unanswered = ApiAnswers.since(state, count -> count.code() <= 0, count -> count.code() > 0);
        if (unanswered.isEmpty()) {
            return state.requests().isEmpty()
                    ? Outcome.skipped("nothing was asked of it yet")
                    : Outcome.ok("the API server at " + state.server() + " answers");
        }
        List<Evidence> evidence = new ArrayList<>();
        boolean silent = !state.watch().heard();
        if (silent) {
            evidence.add(new Evidence(
                    "watch",
                    state.watch().trouble(),
                    ApiAnswers.SOURCE,
                    state.watch().since()));
        }
        unanswered.forEach(count -> evidence.add(ApiAnswers.evidence(count, "no answer")));
        return Outcome.of(
                silent ? Severity.CRITICAL : Severity.WARN,
                "the API server at " + state.server() + " does not answer",
                evidence);
    }
}
