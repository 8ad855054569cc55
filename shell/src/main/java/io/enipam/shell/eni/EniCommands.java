package io.enipam.shell.eni;

import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.Completes;
import io.enipam.shell.core.CompletionKind;
import io.enipam.shell.core.DaemonCommand;
import io.enipam.shell.core.DaemonCommand.KnowsThePast;
import io.enipam.shell.core.ListCommand;
import io.enipam.shell.core.ListPrinter;
import io.enipam.shell.core.ListPrinter.Listed;
import io.enipam.shell.core.ListReply;
import io.enipam.shell.core.PreviewedCommand;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.Table;
import io.enipam.shell.core.TableListing;
import io.enipam.shell.core.TimeFormat;
import io.enipam.shell.core.Tone;
import io.enipam.v1.Eni;
import io.enipam.v1.EniAddress;
import io.enipam.v1.GetEniReply;
import io.enipam.v1.GetEniRequest;
import io.enipam.v1.ListEnisReply;
import io.enipam.v1.ListEnisRequest;
import io.enipam.v1.SweepEnisReply;
import io.enipam.v1.SweepEnisRequest;
import io.enipam.v1.SweepReport;
import io.enipam.v1.SweptEni;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
        name = "eni",
        description = "The node's ENIs.",
        subcommands = {EniCommands.ListAll.class, EniCommands.Show.class, EniCommands.Sweep.class})
public final class EniCommands {
    private EniCommands() {}

    @Command(name = "list", description = "The node's ENIs.")
    public static final class ListAll extends ListCommand<Eni> implements KnowsThePast {
        @Override
        protected Listed<Eni> listed() {
            if (session.past().isPresent()) {
                return past(this, session.past().get());
            }
            return whole(
                    EniCommands.LIST,
                    stub -> stub.listEnis(ListEnisRequest.getDefaultInstance()),
                    ListEnisReply::getEnisList);
        }
    }

    @Command(name = "show", description = "One ENI with its addresses and the pods that have them.")
    public static final class Show extends DaemonCommand implements KnowsThePast {
        @Completes(CompletionKind.ENIS)
        @Parameters(paramLabel = "ID", description = "The ENI's id; see: eni list")
        String id = "";

        @Override
        public void run() {
            if (session.past().isPresent()) {
                Eni then = PastEnis.at(this, session.past().get()).stream()
                        .filter(eni -> eni.getId().equals(id))
                        .findFirst()
                        .orElseThrow(() -> ShellException.verdict(
                                "NOT_FOUND", "nothing is recorded of an ENI " + id + " then", "See: eni list"));
                show(
                        GetEniReply.newBuilder().setEni(then).build(),
                        (reply, look) -> EniCommands.past(reply.getEni(), look),
                        reply -> List.of(id));
                return;
            }
            GetEniRequest request = GetEniRequest.newBuilder().setId(id).build();
            show(
                    inspect(stub -> stub.getEni(request)),
                    (reply, look) -> EniCommands.one(reply.getEni(), look),
                    reply -> List.of(reply.getEni().getId()));
        }
    }

    @Command(name = "sweep", description = "Delete ENIs that this node left behind in the cloud.")
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
            boolean nothing = EniCommands.taken(preview.getReport()).isEmpty();
            return nothing ? Optional.empty() : Optional.of(EniCommands.question(preview));
        }

        @Override
        protected void show(SweepEnisReply reply) {
            List<String> taken = EniCommands.taken(reply.getReport()).stream()
                    .map(SweptEni::getId)
                    .toList();
            show(reply, EniCommands::sweep, r -> taken);
        }
    }

    static final TableListing<Eni> LIST = TableListing.<Eni>of("enis", Eni::getId)
            .none("no ENI is attached yet", "; the first pod makes one: cni add --pod default/web-0")
            .text("eni", "ENI", Eni::getId)
            .state("state", "STATE", Eni::getState)
            .age("for", "FOR", Eni::getSince)
            .by("addresses", "ADDRESSES", Eni::getAddressesCount, (eni, look) -> Table.cell(used(eni)))
            .number("inuse", "IN USE", eni -> count(eni, "IN_USE"))
            .number("queued", "QUEUED", Eni::getQueued)
            .text("primary", "PRIMARY", Eni::getPrimaryIp)
            .text("mac", "MAC", Eni::getMac)
            .text("vswitch", "VSWITCH", Eni::getVswitch)
            .wideNumber("idle", "IDLE", eni -> count(eni, "IDLE"))
            .wideNumber("cooling", "COOLING", eni -> count(eni, "COOLING"))
            .wideNumber("free", "FREE", eni -> Math.max(0, eni.getAddressLimit() - eni.getAddressesCount()))
            .under(eni -> eni.getTrouble().isEmpty() ? List.of() : List.of(eni.getTrouble()))
            .build();

    /** Of the past are known the addresses that pods had. */
    private static final TableListing<Eni> PAST =
            LIST.past("no ENI was attached", "addresses", "queued", "idle", "cooling", "free");

    /** The ENIs that there were at a moment of the past. */
    static Listed<Eni> past(DaemonCommand command, Instant then) {
        return new Listed<>(PAST, () -> ListReply.of(PastEnis.at(command, then))).ofThePast();
    }

    private static long count(Eni eni, String state) {
        return eni.getAddressesList().stream()
                .filter(address -> address.getState().equals(state))
                .count();
    }

    public static List<String> one(Eni eni, RenderContext look) {
        String since = eni.hasSince() ? " for " + look.age(eni.getSince()) : "";
        Table.Cell trouble = new Table.Cell(look.since(eni.getTrouble(), eni.getTroubleSince()), Tone.BAD);
        boolean well = eni.getState().equals("InUse") && eni.getTrouble().isEmpty();
        List<String> lines = new ArrayList<>(Table.details()
                .detail("ENI", eni.getId())
                .detail("state", eni.getState() + since, Tone.ofState(eni.getState()))
                .detailIf(!eni.getTrouble().isEmpty(), "trouble", trouble)
                .detail("MAC", eni.getMac())
                .detail("vSwitch", eni.getVswitch())
                .detail("primary IP", eni.getPrimaryIp())
                .detail("addresses", used(eni))
                .detail("queued", Table.counted(eni.getQueued(), "request"))
                .detailIf(look.advice() && !well, "try", "explain " + eni.getId())
                .lines(look));
        int width = look.columnsOr(EniMap.PLAIN_WIDTH);
        Table.section(lines, EniMap.grid(eni, look, width));
        lines.addAll(EniMap.legend(List.of(eni), look, width));
        Table.section(lines, addresses(eni, look));
        return lines;
    }

    private static List<String> addresses(Eni eni, RenderContext look) {
        Table table = Table.headed("ADDRESS", "ROLE", "STATE", "POD");
        eni.getAddressesList().forEach(one -> row(table, one, one.getPrimary() ? "primary" : "secondary"));
        eni.getIpv6AddressesList().forEach(address -> row(table, address, "IPv6"));
        return eni.getAddressesCount() > 0 ? table.lines(look) : List.of();
    }

    /** The same of the past. */
    private static List<String> past(Eni eni, RenderContext look) {
        String since = eni.hasSince() ? " for " + look.age(eni.getSince()) : "";
        List<String> lines = new ArrayList<>(Table.details()
                .detail("ENI", eni.getId())
                .detail("state", eni.getState().isEmpty() ? "-" : eni.getState() + since, Tone.ofState(eni.getState()))
                .detail("MAC", eni.getMac())
                .detail("vSwitch", eni.getVswitch())
                .detail("primary IP", eni.getPrimaryIp())
                .detail("in use", count(eni, "IN_USE"))
                .lines(look));
        Table.section(lines, addresses(eni, look));
        lines.add(ListPrinter.notRecorded(look));
        return lines;
    }

    private static void row(Table table, EniAddress address, String role) {
        table.row(address.getAddress(), role, Table.state(address.getState()), address.getPod());
    }

    /** What a sweep found: a line with the totals, and every ENI that no record has. */
    static List<String> sweep(SweepEnisReply reply, RenderContext look) {
        SweepReport report = reply.getReport();
        List<String> lines = new ArrayList<>();
        String examined = "examined " + Table.counted(report.getExamined(), "ENI") + " of this node, ";
        String took = ", in " + TimeFormat.took(report.getTook());
        if (report.getCandidatesCount() == 0) {
            lines.add(examined + "nothing is left behind" + took);
            return lines;
        }
        lines.add(examined + report.getCandidatesCount() + " known to nobody: "
                + (report.getDryRun() ? "would delete " : "deleting ")
                + taken(report).size() + took);
        String headings = "ENI  AGE  STATE  VSWITCH  ADDRESSES  TAKEN  WHY";
        lines.addAll(Table.listed(look, report.getCandidatesList(), headings, eni -> {
            String addresses = String.join(",", eni.getAddressesList());
            String taken = eni.getTaken() ? "yes" : "no";
            Table.Cell state = Table.state(eni.getState());
            return Table.cells(eni.getId(), age(eni), state, eni.getVswitch(), addresses, taken, eni.getReason());
        }));
        return lines;
    }

    /** Names what a sweep would delete, so that an operator knows what to agree to. */
    static String question(SweepEnisReply would) {
        List<SweptEni> taken = taken(would.getReport());
        String enis = taken.stream()
                .map(eni -> eni.getId() + " (" + age(eni) + " old, " + String.join(", ", eni.getAddressesList()) + ")")
                .collect(Collectors.joining("; "));
        return "Delete " + Table.counted(taken.size(), "ENI") + " that nobody knows? " + enis + ".";
    }

    static List<SweptEni> taken(SweepReport report) {
        return report.getCandidatesList().stream().filter(SweptEni::getTaken).toList();
    }

    private static String age(SweptEni eni) {
        return eni.hasAge() ? TimeFormat.span(TimeFormat.duration(eni.getAge())) : "";
    }

    /** How many addresses it has of those that it can have; of the past that is not known. */
    static String used(Eni eni) {
        return eni.getAddressesCount() + (eni.getAddressLimit() == 0 ? "" : " of " + eni.getAddressLimit());
    }
}
