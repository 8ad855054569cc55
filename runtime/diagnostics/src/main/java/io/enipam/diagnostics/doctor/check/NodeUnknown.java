package io.enipam.diagnostics.doctor.check;

import io.enipam.diagnostics.doctor.About;
import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Evidence;
import io.enipam.diagnostics.doctor.Facts;
import io.enipam.diagnostics.doctor.Outcome;
import io.enipam.diagnostics.doctor.Severity;
import io.enipam.diagnostics.doctor.fact.NodeFacts;

/** A node that the cluster does not know. */
final class NodeUnknown implements Check {

    private static final About ABOUT = new About(
            "node-unknown",
            "The cluster has no node of this name",
            Severity.CRITICAL,
            "The node object, asked for by the name that this daemon goes by. CRITICAL if there is none.",
            "By a wrong name no pod is found to be on this node: every ADD is refused, and nothing is heard of deletions.",
            "kubectl get nodes; set node.name, or NODE_NAME from spec.nodeName in the DaemonSet, and restart the daemon");

    @Override
    public About about() {
        return ABOUT;
    }

    @Override
    public Outcome look(Facts facts) {
        NodeFacts node = facts.the(NodeFacts.class);
        return node.word().isPresent()
                ? Outcome.ok("the cluster knows this node as " + node.name())
                : Outcome.of(
                        Severity.CRITICAL,
                        "the cluster has no node " + node.name(),
                        new Evidence(node.name(), "404, there is no such node", ApiAnswers.SOURCE));
    }
}
