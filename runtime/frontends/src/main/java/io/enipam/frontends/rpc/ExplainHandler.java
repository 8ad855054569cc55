package io.enipam.frontends.rpc;

import io.enipam.diagnostics.explain.Explainer;
import io.enipam.v1.ExplainReply;
import io.enipam.v1.ExplainRequest;
import io.grpc.stub.StreamObserver;

/** The call that explains one thing. Thread-safe. */
final class ExplainHandler {
    /** Longer is no name of anything here. */
    private static final int LONGEST = 512;

    private final Explainer explainer;

    ExplainHandler(Explainer explainer) {
        this.explainer = explainer;
    }

    void explain(ExplainRequest request, StreamObserver<ExplainReply> observer) {
        String what = request.getWhat().strip();
        UnaryReplies.async(
                observer,
                () -> {
                    if (what.isEmpty() || what.length() > LONGEST) {
                        throw GrpcFailures.invalid(
                                "nothing is named" + (what.isEmpty() ? "" : " so: that is too long"),
                                "name an address, a pod, an ENI or a container");
                    }
                    return explainer.explain(what, request.getAnew());
                },
                ExplanationMapper::reply);
    }
}
