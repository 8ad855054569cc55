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
import java.util.List;

/** A token that is not accepted. */
final class ApiServerRefusesToken implements Check {
    private static final int UNAUTHORIZED = 401;

    private static final About ABOUT = new About(
            "apiserver-refuses-token",
            "The API server does not know who asks",
            Severity.CRITICAL,
            "The answers to all requests. CRITICAL if one was 401 and nothing was served since.",
            "No pod can be looked up and none is heard of, as if the API server were away.",
            "kubectl -n kube-system delete pod -l app.kubernetes.io/name=enipam --field-selector spec.nodeName=NODE, which gets"
                    + " this node's daemon a new token; with a kubeconfig: renew what is in it");

    @Override
    public About about() {
        return ABOUT;
    }

    @Override
    public Outcome look(Facts facts) {
        ClusterState state = facts.the(ClusterFacts.class).state();
        List<Evidence> evidence = ApiAnswers.since(state, count -> count.code() == UNAUTHORIZED, Count::served).stream()
                .map(count -> ApiAnswers.evidence(count, "401 with " + state.credentials()))
                .toList();
        return Outcome.unless(
                evidence,
                Severity.CRITICAL,
                "the API server does not accept " + state.credentials(),
                "the API server accepts " + state.credentials());
    }
}
