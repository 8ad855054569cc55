package io.enipam.shell.render;

import io.enipam.v1.Eni;
import io.enipam.v1.EniAddress;
import java.util.ArrayList;
import java.util.List;

/** The node's ENIs. */
public final class EniViews {
    private EniViews() {}

    public static List<String> list(List<Eni> enis, Look look) {
        if (enis.isEmpty()) {
            return List.of(
                    look.advising("no ENI is attached yet", "; the first pod makes one: cni add --pod default/web-0"));
        }
        Table table = Table.headed("ENI", "STATE", "FOR", "ADDRESSES", "IN USE", "QUEUED", "PRIMARY", "MAC", "VSWITCH");
        for (Eni eni : enis) {
            table.row(
                    Table.cell(eni.getId()),
                    Table.state(eni.getState()),
                    Table.cell(since(eni, look)),
                    Table.cell(used(eni)),
                    Table.cell(eni.getAddressesList().stream()
                            .filter(a -> a.getState().equals("IN_USE"))
                            .count()),
                    Table.cell(eni.getQueued()),
                    Table.cell(eni.getPrimaryIp()),
                    Table.cell(eni.getMac()),
                    Table.cell(eni.getVswitch()));
        }
        return table.lines(look.palette());
    }

    public static List<String> one(Eni eni, Look look) {
        String since = since(eni, look);
        List<String> lines = new ArrayList<>(Table.details()
                .detail("ENI", eni.getId())
                .detail(
                        "state",
                        new Table.Cell(
                                eni.getState() + (since.isEmpty() ? "" : " for " + since),
                                Tone.ofState(eni.getState())))
                .detail("MAC", eni.getMac())
                .detail("vSwitch", eni.getVswitch())
                .detail("primary IP", eni.getPrimaryIp())
                .detail("addresses", used(eni))
                .detail("queued", eni.getQueued() + (eni.getQueued() == 1 ? " request" : " requests"))
                .lines(look.palette()));
        if (eni.getAddressesCount() > 0) {
            Table table = Table.headed("ADDRESS", "ROLE", "STATE", "POD");
            for (EniAddress address : eni.getAddressesList()) {
                table.row(
                        Table.cell(address.getAddress()),
                        Table.cell(address.getPrimary() ? "primary" : "secondary"),
                        Table.state(address.getState()),
                        Table.cell(address.getPod()));
            }
            lines.add("");
            lines.addAll(table.lines(look.palette()));
        }
        return lines;
    }

    private static String since(Eni eni, Look look) {
        return eni.hasSince() ? Times.age(eni.getSince(), look.now()) : "";
    }

    private static String used(Eni eni) {
        return eni.getAddressesCount() + " of " + eni.getAddressLimit();
    }
}
