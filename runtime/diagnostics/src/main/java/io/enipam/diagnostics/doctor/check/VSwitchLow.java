package io.enipam.diagnostics.doctor.check;

import io.enipam.aliyun.CloudProbe;
import io.enipam.diagnostics.doctor.About;
import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Evidence;
import io.enipam.diagnostics.doctor.Facts;
import io.enipam.diagnostics.doctor.Outcome;
import io.enipam.diagnostics.doctor.Severity;
import io.enipam.diagnostics.doctor.fact.VSwitchFacts;
import java.util.List;

/** vSwitches that run out. */
final class VSwitchLow implements Check {
    private static final int FEW = 20;

    private static final About ABOUT = new About(
            "vswitch-low",
            "A vSwitch has few addresses left, or none",
            Severity.CRITICAL,
            "The vSwitches of this node's zone, counted by the cloud now. WARN for one that has"
                    + " fewer than 20 free addresses, has none, or cannot be used; CRITICAL if there is none"
                    + " left with free addresses.",
            "An ENI takes its addresses from its vSwitch for ever: when it is empty, its ENIs get"
                    + " no more, and a new one needs another vSwitch.",
            "add a vSwitch of the same zone to vswitches in eni.json, and restart; a restart alone is no help");

    @Override
    public About about() {
        return ABOUT;
    }

    @Override
    public Outcome look(Facts facts) {
        List<CloudProbe.VSwitchRoom> rooms = facts.the(VSwitchFacts.class).rooms();
        List<Evidence> evidence = rooms.stream()
                .filter(room -> !room.usable() || room.available() < FEW)
                .map(VSwitchLow::evidence)
                .toList();
        String others = Say.list(rooms.stream()
                .filter(room -> room.usable() && room.available() >= FEW)
                .map(room -> room.id() + " with " + room.available())
                .toList());
        if (evidence.isEmpty()) {
            return Outcome.ok("free addresses: " + others);
        }
        boolean none = rooms.stream().noneMatch(room -> room.usable() && room.available() > 0);
        return none
                ? Outcome.of(Severity.CRITICAL, "no vSwitch of this node has a free address", evidence)
                : Outcome.of(
                        Severity.WARN,
                        "few addresses left in "
                                + Say.list(
                                        evidence.stream().map(Evidence::subject).toList())
                                + (others.isEmpty() ? ", and there is no other" : "; others: " + others),
                        evidence);
    }

    private static Evidence evidence(CloudProbe.VSwitchRoom room) {
        String seen =
                room.usable() ? room.available() + " free in " + room.cidr() + ", zone " + room.zone() : room.problem();
        return new Evidence(room.id(), seen, "cloud");
    }
}
