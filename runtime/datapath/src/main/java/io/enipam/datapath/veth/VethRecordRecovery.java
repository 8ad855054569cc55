package io.enipam.datapath.veth;

import io.enipam.datapath.iproute.NetnsSnapshot;
import io.enipam.datapath.link.PodRoutes;
import io.enipam.datapath.link.RulePriorities;
import io.enipam.datapath.link.AttachmentRecordBuilder;
import io.enipam.datapath.record.LinkAlias;
import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.datapath.record.AttachmentRecord.PodAddress;
import io.enipam.datapath.record.SandboxLinkNames;
import java.util.List;
import java.util.Optional;

/** Whose a veth is when its record is lost: its alias tells the owner, its routes the addresses, its rules the ENI's table. */
final class VethRecordRecovery {
    private VethRecordRecovery() {}

    static Optional<AttachmentRecord> of(LinkAlias alias, NetnsSnapshot.Link link, NetnsSnapshot node) {
        SandboxLinkNames name = new SandboxLinkNames(alias.owner());
        if (!link.name().endsWith(name.digits()) || !link.mac().equals(name.mac(0))) {
            return Optional.empty();
        }
        String table = table(link, node);
        Optional<NetnsSnapshot.Route> way = node.routes().stream()
                .filter(route ->
                        route.table().equals(table) && route.destination().equals("default") && !route.ipv6())
                .findFirst();
        return Optional.of(AttachmentRecordBuilder.of(VethKind.NAME, alias)
                .hostLink(link.name(), link.mac())
                .podLink(name.mac(1), link.mtu())
                .addresses(addresses(link, node, table))
                .eni(
                        way.flatMap(route -> node.link(route.link()))
                                .map(NetnsSnapshot.Link::mac)
                                .orElse(""),
                        table.equals("main") ? 0 : Long.parseLong(table))
                .throughNode(throughNode(node, table))
                .build());
    }

    private static String table(NetnsSnapshot.Link link, NetnsSnapshot node) {
        return node.rules().stream()
                .filter(rule ->
                        rule.priority() == RulePriorities.FROM_POD && rule.link().equals(link.name()))
                .map(NetnsSnapshot.Rule::table)
                .filter(table -> table.matches("\\d+"))
                .findFirst()
                .orElse("main");
    }

    private static List<PodAddress> addresses(NetnsSnapshot.Link link, NetnsSnapshot node, String table) {
        return PodRoutes.to(link.name(), node)
                .map(route -> new PodAddress(
                        route.destination(), route.ipv6() ? 128 : 32, gateway(node, table, route.ipv6())))
                .toList();
    }

    private static String gateway(NetnsSnapshot node, String table, boolean ipv6) {
        return node.routes().stream()
                .filter(route ->
                        route.table().equals(table) && route.destination().equals("default") && route.ipv6() == ipv6)
                .map(NetnsSnapshot.Route::gateway)
                .findFirst()
                .orElse("");
    }

    private static List<String> throughNode(NetnsSnapshot node, String table) {
        return node.routes().stream()
                .filter(route -> route.table().equals(table) && route.type().equals("throw"))
                .map(NetnsSnapshot.Route::destination)
                .map(cidr -> cidr.indexOf('/') >= 0 ? cidr : cidr + (cidr.indexOf(':') < 0 ? "/32" : "/128"))
                .toList();
    }
}
