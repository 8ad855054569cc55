package io.enipam.diagnostics.doctor.check;

import io.enipam.diagnostics.doctor.About;
import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Facts;
import io.enipam.diagnostics.doctor.Outcome;
import io.enipam.diagnostics.doctor.Severity;
import io.enipam.diagnostics.doctor.fact.ClusterFacts;
import io.enipam.kubernetes.api.RequestStats.Count;
import io.enipam.node.cluster.ClusterInspector.ClusterState;
import java.util.List;
import java.util.Set;

/** What the daemon may not do. */
final class PermissionMissing implements Check {
    private static final int FORBIDDEN = 403;
    private static final Set<String> OF_PODS = Set.of("GET pods", "LIST pods", "WATCH pods");

    private static final About ABOUT = new About(
            "permission-missing",
            "The API server forbids what the daemon needs",
            Severity.CRITICAL,
            "The answers to all requests: those that were 403 and have not been served since. WARN, and CRITICAL where pods are concerned.",
            "Without pods no ADD is sure of its pod and nothing is collected; without the others nobody outside hears of this node.",
            "kubectl auth can-i --list --as=system:serviceaccount:kube-system:enipam; apply the deployment's rbac.yaml, and for PATCH pods its components/pod-ips");

    @Override
    public About about() {
        return ABOUT;
    }

    @Override
    public Outcome look(Facts facts) {
        ClusterState state = facts.the(ClusterFacts.class).state();
        List<Count> forbidden = state.requests().stream()
                .filter(count -> count.code() == FORBIDDEN && !servedSince(state, count))
                .toList();
        if (forbidden.isEmpty()) {
            return Outcome.ok("nothing is forbidden of what was asked for");
        }
        boolean pods = forbidden.stream().anyMatch(count -> OF_PODS.contains(count.request()));
        return Outcome.of(
                pods ? Severity.CRITICAL : Severity.WARN,
                "not allowed: "
                        + Say.list(forbidden.stream()
                                .map(count -> ApiAnswers.permission(count.request()))
                                .toList()),
                forbidden.stream()
                        .map(count -> ApiAnswers.evidence(count, "403 with " + state.credentials()))
                        .toList());
    }

    private static boolean servedSince(ClusterState state, Count refused) {
        return state.requests().stream()
                .anyMatch(count -> count.served()
                        && count.request().equals(refused.request())
                        && !count.last().isBefore(refused.last()));
    }
}
