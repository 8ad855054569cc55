package io.enipam.shell.eni;

import io.enipam.shell.core.Completes;
import io.enipam.shell.core.CompletionKind;
import io.enipam.shell.core.DaemonCommand;
import io.enipam.shell.core.ListCommand;
import io.enipam.shell.core.ListReply;
import io.enipam.shell.core.PreviewedCommand;
import io.enipam.v1.Eni;
import io.enipam.v1.GetEniRequest;
import io.enipam.v1.ListEnisReply;
import io.enipam.v1.ListEnisRequest;
import io.enipam.v1.SweepEnisReply;
import io.enipam.v1.SweepEnisRequest;
import io.enipam.v1.SweptEni;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The node's ENIs. */
@Command(
        name = "eni",
        description = "The node's ENIs.",
        subcommands = {EniCommands.ListAll.class, EniCommands.Show.class, EniCommands.Sweep.class})
public final class EniCommands {
    private EniCommands() {}

    @Command(name = "list", description = "The node's ENIs.", footer = "  eni list")
    public static final class ListAll extends ListCommand<Eni> {
        public ListAll() {
            super(EniViews.LIST);
        }

        @Override
        protected ListReply<Eni> ask() {
            return whole(stub -> stub.listEnis(ListEnisRequest.getDefaultInstance()), ListEnisReply::getEnisList);
        }
    }

    @Command(
            name = "show",
            description = "One ENI with its addresses and the pods that have them.",
            footer = "  eni show eni-bp1a2b3c")
    public static final class Show extends DaemonCommand {
        @Completes(CompletionKind.ENIS)
        @Parameters(paramLabel = "ID", description = "The ENI's id; see: eni list")
        String id = "";

        @Override
        public void run() {
            GetEniRequest request = GetEniRequest.newBuilder().setId(id).build();
            show(
                    inspect(stub -> stub.getEni(request)),
                    (reply, look) -> EniViews.one(reply.getEni(), look),
                    reply -> List.of(reply.getEni().getId()));
        }
    }

    @Command(
            name = "sweep",
            description = {
                "Delete ENIs that this node left behind in the cloud.",
                "Taken is what carries this node's tags, is Available, is known to nobody here and is older than ten minutes by the cloud's clock. The daemon does it by itself, two minutes after its start and then every hour. Without --yes it shows what it would take, and asks."
            },
            footer = {
                "  eni sweep --dry-run",
                "    examined 3 ENIs of this node, 1 known to nobody: would delete 1, in 84 ms",
                "    ENI         AGE  STATE      VSWITCH  ADDRESSES  TAKEN  WHY",
                "    eni-bp1a2b  34m  Available  vsw-a    10.0.1.9   yes    nobody knows it",
                "  eni sweep --yes"
            })
    public static final class Sweep extends PreviewedCommand<SweepEnisReply> {
        /** One list of the cloud, which may be throttled for a while. */
        private static final Duration WITHIN = Duration.ofMinutes(1);

        @Override
        protected SweepEnisReply ask(boolean dry) {
            SweepEnisRequest.Builder request = SweepEnisRequest.newBuilder().setDryRun(dry);
            return control(WITHIN, stub -> stub.sweepEnis(request.build()));
        }

        @Override
        protected Optional<String> question(SweepEnisReply preview) {
            boolean nothing = EniViews.taken(preview.getReport()).isEmpty();
            return nothing ? Optional.empty() : Optional.of(EniViews.question(preview));
        }

        @Override
        protected void show(SweepEnisReply reply) {
            List<String> taken = EniViews.taken(reply.getReport()).stream()
                    .map(SweptEni::getId)
                    .toList();
            show(reply, EniViews::sweep, r -> taken);
        }
    }
}
