package io.enipam.datapath.veth;

import io.enipam.datapath.iproute.Snapshot;
import io.enipam.datapath.record.Alias;
import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.datapath.record.AttachmentRecord.PodAddress;
import io.enipam.datapath.record.OwnerName;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Whose a veth is when its record is lost: its alias tells the owner, its routes the addresses, its rules the ENI's table. */
final class VethRecognition {
    private VethRecognition() {}

    static Optional<AttachmentRecord> of(Alias alias, Snapshot.Link link, Snapshot node) {
        OwnerName name = new OwnerName(alias.owner());
        if (!link.name().endsWith(name.digits()) || !link.mac().equals(name.mac(0))) {
            return Optional.empty();
        }
        String table = table(link, node);
        Optional<Snapshot.Route> way = node.routes().stream()
                .filter(route ->
                        route.table().equals(table) && route.destination().equals("default") && !route.ipv6())
                .findFirst();
        return Optional.of(new AttachmentRecord(
                alias.owner().toString(),
                alias.pod().map(pod -> pod.namespace()).orElse(""),
                alias.pod().map(pod -> pod.name()).orElse(""),
                alias.podUid(),
                VethKind.NAME,
                "",
                link.name(),
                link.mac(),
                name.mac(1),
                link.mtu(),
                addresses(link, node, table),
                way.flatMap(route -> node.link(route.link()))
                        .map(Snapshot.Link::mac)
                        .orElse(""),
                table.equals("main") ? 0 : Long.parseLong(table),
                0,
                0,
                throughNode(node, table),
                Map.of()));
    }

    private static String table(Snapshot.Link link, Snapshot node) {
        return node.rules().stream()
                .filter(rule ->
                        rule.priority() == VethFacts.FROM_POD && rule.link().equals(link.name()))
                .map(Snapshot.Rule::table)
                .filter(table -> table.matches("\\d+"))
                .findFirst()
                .orElse("main");
    }

    private static List<PodAddress> addresses(Snapshot.Link link, Snapshot node, String table) {
        List<PodAddress> addresses = new ArrayList<>();
        for (Snapshot.Route route : node.routes()) {
            if (route.link().equals(link.name()) && VethKind.leadsToPod(route)) {
                String gateway = node.routes().stream()
                        .filter(other -> other.table().equals(table)
                                && other.destination().equals("default")
                                && other.ipv6() == route.ipv6())
                        .map(Snapshot.Route::gateway)
                        .findFirst()
                        .orElse("");
                addresses.add(new PodAddress(route.destination(), route.ipv6() ? 128 : 32, gateway));
            }
        }
        return addresses;
    }

    private static List<String> throughNode(Snapshot node, String table) {
        return node.routes().stream()
                .filter(route -> route.table().equals(table) && route.type().equals("throw"))
                .map(Snapshot.Route::destination)
                .map(cidr -> cidr.indexOf('/') >= 0 ? cidr : cidr + (cidr.indexOf(':') < 0 ? "/32" : "/128"))
                .toList();
    }
}
