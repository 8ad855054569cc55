package io.enipam.shell.eni;

import io.enipam.shell.core.Completes;
import io.enipam.shell.core.CompletionKind;
import io.enipam.shell.core.ConfirmationOption;
import io.enipam.shell.core.ControlCommand;
import io.enipam.shell.core.DaemonCommand;
import io.enipam.shell.core.ListCommand;
import io.enipam.shell.core.ListReply;
import io.enipam.shell.core.Session;
import io.enipam.shell.core.TableListing;
import io.enipam.v1.Eni;
import io.enipam.v1.GetEniRequest;
import io.enipam.v1.ListEnisReply;
import io.enipam.v1.ListEnisRequest;
import io.enipam.v1.SweepEnisReply;
import io.enipam.v1.SweepEnisRequest;
import io.enipam.v1.SweptEni;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The node's ENIs. */
public final class EniCommands {
    private EniCommands() {}

    @Command(name = "list", description = "The node's ENIs.", footer = "  eni list")
    public static final class ListAll extends ListCommand<Eni> {
        public ListAll(Session session) {
            super(session);
        }

        @Override
        public TableListing<Eni> listing() {
            return EniViews.LIST;
        }

        @Override
        public ListReply<Eni> ask() {
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

        public Show(Session session) {
            super(session);
        }

        @Override
        public void run() {
            show(
                    inspect(stub ->
                            stub.getEni(GetEniRequest.newBuilder().setId(id).build())),
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
    public static final class Sweep extends ControlCommand {
        /** One list of the cloud, which may be throttled for a while. */
        private static final Duration WITHIN = Duration.ofMinutes(1);

        @Option(names = "--dry-run", description = "Only say what would be deleted.")
        boolean dryRun;

        @Mixin
        ConfirmationOption consent = new ConfirmationOption();

        public Sweep(Session session) {
            super(session);
        }

        @Override
        public boolean changes() {
            return !dryRun;
        }

        @Override
        public boolean needsConfirmation() {
            return !dryRun && !consent.yes;
        }

        @Override
        public void run() {
            if (dryRun || consent.yes) {
                show(sweep(dryRun), EniViews::sweep, Sweep::names);
                return;
            }
            if (session.asker().isEmpty()) {
                throw ConfirmationOption.missing();
            }
            SweepEnisReply would = sweep(true);
            if (would.getReport().getCandidatesList().stream().noneMatch(SweptEni::getTaken)) {
                show(would, EniViews::sweep, Sweep::names);
            } else if (consent.given(session, () -> EniViews.question(would))) {
                show(sweep(false), EniViews::sweep, Sweep::names);
            }
        }

        /** What is taken. */
        private static List<String> names(SweepEnisReply reply) {
            return reply.getReport().getCandidatesList().stream()
                    .filter(SweptEni::getTaken)
                    .map(SweptEni::getId)
                    .toList();
        }

        private SweepEnisReply sweep(boolean dry) {
            return control(
                    WITHIN,
                    stub -> stub.sweepEnis(
                            SweepEnisRequest.newBuilder().setDryRun(dry).build()));
        }
    }
}
