package io.enipam.datapath;

import io.enipam.datapath.KernelDatapath.KernelFault;
import io.enipam.datapath.KernelDatapath.KernelFault.Part;
import io.enipam.datapath.iproute.NetnsSnapshot;
import io.enipam.datapath.iproute.Runner.CommandFailedException;
import io.enipam.datapath.iproute.Sysctls;
import io.enipam.datapath.link.Expectation;
import io.enipam.engine.model.OwnerKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Compares what should be there for one sandbox with what is. Not thread-safe. */
final class KernelStateDiff {
    private final OwnerKey owner;
    private final List<KernelFault> faults = new ArrayList<>();

    KernelStateDiff(OwnerKey owner) {
        this.owner = owner;
    }

    List<KernelFault> faults() {
        return List.copyOf(faults);
    }

    void fault(Part part, String what, boolean mendable) {
        faults.add(new KernelFault(Optional.of(owner), part, what, mendable));
    }

    /** Compares one side; {@code where} says which, as in "on the node". */
    void side(Expectation.Side wanted, NetnsSnapshot there, String where) {
        int before = faults.size();
        wanted.links().forEach(link -> link(link, there, where));
        if (faults.size() > before) {
            // without its link nothing else is there either: one fault is enough
            return;
        }
        for (NetnsSnapshot.OnLink on : wanted.addresses()) {
            if (!there.addresses().contains(on)) {
                fault(Part.ADDRESS, "the address " + on.address() + " is missing on " + on.link() + " " + where, true);
            }
        }
        for (NetnsSnapshot.Neighbour one : wanted.neighbours()) {
            if (!there.neighbours().contains(one)) {
                String what = "no permanent neighbour " + one.ip() + " at " + one.mac() + " on " + one.link();
                fault(Part.NEIGHBOUR, what + " " + where, true);
            }
        }
        wanted.routes().forEach(route -> route(route, there, where));
        wanted.rate().ifPresent(rate -> rate(rate, wanted.links().get(0).name(), there, where));
    }

    private void link(Expectation.Link wanted, NetnsSnapshot there, String where) {
        Optional<NetnsSnapshot.Link> link = there.link(wanted.name());
        if (link.isEmpty()) {
            fault(Part.LINK, "the link " + wanted.name() + " is missing " + where, wanted.replaceable());
        } else if (!wanted.mac().isEmpty() && !link.get().mac().equals(wanted.mac())) {
            String mac = link.get().mac() + " instead of " + wanted.mac();
            fault(Part.LINK, "the link " + wanted.name() + " " + where + " has the hardware address " + mac, false);
        } else if (!link.get().up()) {
            fault(Part.LINK, "the link " + wanted.name() + " is down " + where, true);
        }
    }

    private void route(Expectation.Route wanted, NetnsSnapshot there, String where) {
        boolean found = there.routes().stream()
                .anyMatch(route -> route.table().equals(wanted.table())
                        && route.type().equals(wanted.type())
                        && route.destination().equals(wanted.destination())
                        && route.gateway().equals(wanted.gateway())
                        && (wanted.link().isEmpty() || route.link().equals(wanted.link())));
        if (!found) {
            fault(Part.ROUTE, "the route '" + text(wanted) + "' is missing " + where, true);
        }
    }

    private static String text(Expectation.Route route) {
        return (route.type().equals("unicast") ? "" : route.type() + " ")
                + route.destination()
                + (route.gateway().isEmpty() ? "" : " via " + route.gateway())
                + (route.link().isEmpty() ? "" : " dev " + route.link())
                + (route.table().equals("main") ? "" : " table " + route.table());
    }

    private void rate(long wanted, String link, NetnsSnapshot there, String where) {
        Optional<NetnsSnapshot.Qdisc> bucket = there.qdiscs().stream()
                .filter(qdisc -> qdisc.link().equals(link) && qdisc.kind().equals("tbf"))
                .findFirst();
        if (bucket.isEmpty()) {
            fault(Part.QDISC, "no tbf of " + wanted + " bytes a second on " + link + " " + where, true);
        } else if (Math.abs(bucket.get().rate() - wanted) > Math.max(1, wanted / 100)) {
            String rate = bucket.get().rate() + " bytes a second instead of " + wanted;
            fault(Part.QDISC, "the tbf on " + link + " " + where + " passes " + rate, true);
        }
    }

    void rules(List<NetnsSnapshot.Rule> wanted, NetnsSnapshot node) {
        for (NetnsSnapshot.Rule rule : wanted) {
            if (node.rules().stream().noneMatch(rule::matches)) {
                fault(Part.RULE, "the rule '" + rule.text() + "' is missing", true);
            }
        }
    }

    void sysctls(Map<String, String> wanted, Sysctls node) {
        wanted.forEach((path, value) -> {
            String name = path.replace('/', '.');
            try {
                String now = node.get(path);
                if (!now.equals(value)) {
                    fault(Part.SYSCTL, "the sysctl " + name + " is " + now + " instead of " + value, true);
                }
            } catch (CommandFailedException e) {
                fault(Part.SYSCTL, e.getMessage(), false);
            }
        });
    }
}
