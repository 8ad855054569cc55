package io.enipam.shell.eni;

import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.Table;
import io.enipam.shell.core.TableListing;
import io.enipam.shell.core.TimeFormat;
import io.enipam.shell.core.Tone;
import io.enipam.v1.Eni;
import io.enipam.v1.EniAddress;
import io.enipam.v1.SweepEnisReply;
import io.enipam.v1.SweepReport;
import io.enipam.v1.SweptEni;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The node's ENIs. */
public final class EniViews {
    private EniViews() {}

    /** The node's ENIs. */
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
            .build();

    private static long count(Eni eni, String state) {
        return eni.getAddressesList().stream()
                .filter(address -> address.getState().equals(state))
                .count();
    }

    public static List<String> one(Eni eni, RenderContext look) {
        String since = eni.hasSince() ? " for " + look.age(eni.getSince()) : "";
        boolean well = eni.getState().equals("InUse") && count(eni, "INVALID") == 0;
        List<String> lines = new ArrayList<>(Table.details()
                .detail("ENI", eni.getId())
                .detail("state", eni.getState() + since, Tone.ofState(eni.getState()))
                .detail("MAC", eni.getMac())
                .detail("vSwitch", eni.getVswitch())
                .detail("primary IP", eni.getPrimaryIp())
                .detail("addresses", used(eni))
                .detail("queued", Table.counted(eni.getQueued(), "request"))
                .detailIf(look.advice() && !well, "try", "explain " + eni.getId())
                .lines(look.palette()));
        if (eni.getAddressesCount() > 0) {
            Table table = Table.headed("ADDRESS", "ROLE", "STATE", "POD");
            eni.getAddressesList().forEach(one -> row(table, one, one.getPrimary() ? "primary" : "secondary"));
            eni.getIpv6AddressesList().forEach(address -> row(table, address, "IPv6"));
            lines.add("");
            lines.addAll(table.lines(look.palette()));
        }
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
        lines.addAll(Table.listed(
                look,
                report.getCandidatesList(),
                "ENI  AGE  STATE  VSWITCH  ADDRESSES  TAKEN  WHY",
                eni -> Table.cells(
                        eni.getId(),
                        age(eni),
                        Table.state(eni.getState()),
                        eni.getVswitch(),
                        String.join(",", eni.getAddressesList()),
                        eni.getTaken() ? "yes" : "no",
                        eni.getReason())));
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

    private static String used(Eni eni) {
        return eni.getAddressesCount() + " of " + eni.getAddressLimit();
    }
}
