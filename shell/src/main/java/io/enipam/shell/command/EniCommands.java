package io.enipam.shell.command;

import io.enipam.shell.render.EniViews;
import io.enipam.v1.GetEniRequest;
import io.enipam.v1.ListEnisRequest;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The node's ENIs. */
final class EniCommands {
    private EniCommands() {}

    @Command(name = "list", description = "The node's ENIs.", footer = "  eni list")
    static final class ListAll extends DaemonCommand {
        ListAll(Session session) {
            super(session);
        }

        @Override
        void run() {
            show(
                    inspect(stub -> stub.listEnis(ListEnisRequest.getDefaultInstance())),
                    (reply, look) -> EniViews.list(reply.getEnisList(), look));
        }
    }

    @Command(
            name = "show",
            description = "One ENI with its addresses and the pods that have them.",
            footer = "  eni show eni-bp1a2b3c")
    static final class Show extends DaemonCommand {
        @Completes(LiveKind.ENIS)
        @Parameters(paramLabel = "ID", description = "The ENI's id; see: eni list")
        String id = "";

        Show(Session session) {
            super(session);
        }

        @Override
        void run() {
            show(
                    inspect(stub ->
                            stub.getEni(GetEniRequest.newBuilder().setId(id).build())),
                    (reply, look) -> EniViews.one(reply.getEni(), look));
        }
    }
}
