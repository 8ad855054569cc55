package io.enipam.examples.nodeipam.operate;

import io.enipam.examples.nodeipam.assign.NodeController;
import io.enipam.examples.nodeipam.assign.PodCidrs;
import io.enipam.examples.nodeipam.assign.UnderWay;
import io.enipam.examples.nodeipam.blocks.Owner;
import io.enipam.sdk.Answer;
import io.enipam.sdk.Call;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Failed;
import io.enipam.sdk.cluster.Cluster;
import io.enipam.sdk.cluster.ClusterObject;
import io.enipam.sdk.cluster.ObjectRef;
import io.enipam.sdk.cluster.Reply;
import io.enipam.sdk.ranges.Subnet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Gives up what is held for a node that is gone, or to which nothing can be written. A block that a node has in its spec is never free:
 * its pods have addresses of it. Thread-safe.
 */
final class Release {
    private final Cluster cluster;
    private final Supplier<ClusterView> view;
    private final NodeController controller;

    Release(Cluster cluster, Supplier<ClusterView> view, NodeController controller) {
        this.cluster = cluster;
        this.view = view;
        this.controller = controller;
    }

    Answer run(Call call) {
        String name = call.arguments().get(Commands.NODE);
        ClusterView now = view.get();
        if (!cluster.leads()) {
            return Answer.refuse(
                    ErrorKind.UNAVAILABLE,
                    "this replica does not lead"
                            + cluster.leader().map(its -> ": ask " + its).orElse(""));
        }
        if (!now.problem().isEmpty()) {
            return Answer.refuse(ErrorKind.UNAVAILABLE, "the nodes are not all known: " + now.problem());
        }
        List<Subnet> held = now.blocks().heldBy(Owner.node(name));
        String what = ClusterView.shown(held);
        ClusterObject node = now.nodes().get(name);
        if (node != null && !PodCidrs.of(node).isEmpty()) {
            return refused(name, PodCidrs.of(node));
        }
        if (held.isEmpty() || !(now.underWay().get(name) instanceof UnderWay.Assigning)) {
            return Answer.text("nothing is held for " + name);
        }
        // past all caches: a patch may have arrived of which no answer came
        Reply<ClusterObject> asked = cluster.get(ObjectRef.node(name))
                .toCompletableFuture()
                .completeOnTimeout(
                        Reply.failed(Failed.of(ErrorKind.DEADLINE_EXCEEDED, "no answer")),
                        Cluster.LONGEST_SECONDS + 1,
                        TimeUnit.SECONDS)
                .join();
        if (asked.value().isPresent() && !PodCidrs.of(asked.value().get()).isEmpty()) {
            return refused(name, PodCidrs.of(asked.value().get()));
        }
        if (asked.failure().isPresent() && !asked.is(ErrorKind.NOT_FOUND)) {
            return Answer.refuse(
                    asked.failure().get().kind(),
                    "whether " + name + " has " + what + " is not known: "
                            + asked.failure().get().message());
        }
        if (call.dryRun()) {
            return Answer.text(what + " would be free; " + name + " " + now.state(name));
        }
        return controller.giveUp(name)
                ? Answer.text(
                        what + " is given up; " + name + (node == null ? " is gone" : " gets other blocks, or these"))
                : Answer.text("nothing is held for " + name + " any more");
    }

    private static Answer refused(String name, PodCidrs has) {
        return Answer.refuse(
                ErrorKind.CONFLICT,
                name + " has " + String.join(",", has.written())
                        + " in its spec, and its pods have addresses of it: delete the" + " node instead");
    }
}
