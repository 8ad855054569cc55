package io.enipam.shell.command;

import io.enipam.shell.render.Listing;
import io.enipam.shell.render.PodViews;
import io.enipam.v1.DeletePodRequest;
import io.enipam.v1.GetPodRequest;
import io.enipam.v1.ListPodsReply;
import io.enipam.v1.ListPodsRequest;
import io.enipam.v1.PodInfo;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Pods of the node. */
final class PodCommands {
    private PodCommands() {}

    @Command(name = "list", description = "The node's pods and their addresses.", footer = "  pod list")
    static final class ListAll extends ListCommand<PodInfo> {
        ListAll(Session session) {
            super(session);
        }

        @Override
        Listing<PodInfo> listing() {
            return PodViews.LIST;
        }

        @Override
        Answer<PodInfo> ask() {
            return parts(stub -> stub.listPods(ListPodsRequest.getDefaultInstance()), ListPodsReply::getPodsList);
        }
    }

    @Command(name = "show", description = "One pod and what it holds.", footer = "  pod show default/web-0")
    static final class Show extends DaemonCommand {
        @Completes(LiveKind.PODS)
        @Parameters(paramLabel = "NS/NAME", converter = PodName.class, description = "The pod.")
        String pod = "";

        Show(Session session) {
            super(session);
        }

        @Override
        void run() {
            show(
                    inspect(stub ->
                            stub.getPod(GetPodRequest.newBuilder().setPod(pod).build())),
                    (reply, look) -> PodViews.one(reply.getPod(), look),
                    reply -> List.of(reply.getPod().getPod()));
        }
    }

    @Command(
            name = "delete",
            description = {
                "Make a simulated pod vanish, in a sandbox.",
                "There is no CNI DEL, as when a node loses a pod: its address stays lent until the next garbage collection."
            },
            footer = {"  pod delete default/web-0 --yes", "  gc run"})
    static final class Delete extends ControlCommand {
        @Completes(LiveKind.PODS)
        @Parameters(paramLabel = "NS/NAME", converter = PodName.class, description = "The pod.")
        String pod = "";

        @Mixin
        Consent consent = new Consent();

        Delete(Session session) {
            super(session);
        }

        @Override
        boolean asks() {
            return !consent.yes;
        }

        @Override
        void run() {
            if (!consent.given(session, () -> "Delete pod " + pod + " without a DEL?")) {
                return;
            }
            show(
                    control(
                            LOOK,
                            stub -> stub.deletePod(
                                    DeletePodRequest.newBuilder().setPod(pod).build())),
                    PodViews::vanished,
                    reply -> List.of(reply.getPod()));
        }
    }
}
