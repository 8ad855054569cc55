package io.enipam.shell.pod;

import io.enipam.shell.core.Completes;
import io.enipam.shell.core.CompletionKind;
import io.enipam.shell.core.ConfirmationOption;
import io.enipam.shell.core.ControlCommand;
import io.enipam.shell.core.DaemonCommand;
import io.enipam.shell.core.ListCommand;
import io.enipam.shell.core.ListReply;
import io.enipam.shell.core.PodNameConverter;
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
@Command(
        name = "pod",
        description = "The node's pods.",
        subcommands = {PodCommands.ListAll.class, PodCommands.Show.class, PodCommands.Delete.class})
public final class PodCommands {
    private PodCommands() {}

    @Command(name = "list", description = "The node's pods and their addresses.", footer = "  pod list")
    public static final class ListAll extends ListCommand<PodInfo> {
        public ListAll() {
            super(PodViews.LIST);
        }

        @Override
        protected ListReply<PodInfo> ask() {
            return parts(stub -> stub.listPods(ListPodsRequest.getDefaultInstance()), ListPodsReply::getPodsList);
        }
    }

    @Command(name = "show", description = "One pod and what it holds.", footer = "  pod show default/web-0")
    public static final class Show extends DaemonCommand {
        @Completes(CompletionKind.PODS)
        @Parameters(paramLabel = "NS/NAME", converter = PodNameConverter.class, description = "The pod.")
        String pod = "";

        @Override
        public void run() {
            GetPodRequest request = GetPodRequest.newBuilder().setPod(pod).build();
            show(
                    inspect(stub -> stub.getPod(request)),
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
    public static final class Delete extends ControlCommand {
        @Completes(CompletionKind.PODS)
        @Parameters(paramLabel = "NS/NAME", converter = PodNameConverter.class, description = "The pod.")
        String pod = "";

        @Mixin
        ConfirmationOption consent = new ConfirmationOption();

        @Override
        public boolean needsConfirmation() {
            return !consent.yes;
        }

        @Override
        public void run() {
            if (!consent.given(session, () -> "Delete pod " + pod + " without a DEL?")) {
                return;
            }
            DeletePodRequest request = DeletePodRequest.newBuilder().setPod(pod).build();
            show(control(LOOK, stub -> stub.deletePod(request)), PodViews::vanished, reply -> List.of(reply.getPod()));
        }
    }
}
