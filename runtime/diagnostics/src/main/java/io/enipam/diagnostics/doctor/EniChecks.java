package io.enipam.diagnostics.doctor;

import io.enipam.aliyun.CloudProbe;
import io.enipam.aliyun.CloudProbe.VSwitchRoom;
import io.enipam.diagnostics.doctor.Outcome.Evidence;
import io.enipam.diagnostics.doctor.Outcome.Severity;
import io.enipam.diagnostics.sources.EniSource.KnownEnis;
import io.enipam.engine.port.EniDirectory;
import io.enipam.engine.port.EniSweeper;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/** ENIs and the vSwitches that they take their addresses from. */
public final class EniChecks {
    /** The factory itself calls it stuck after one. */
    private static final Duration STUCK_AFTER = Duration.ofMinutes(3);

    private static final Set<String> PASSING_STATES = Set.of("Creating", "Attaching", "Detaching", "Deleting");
    private static final int FEW_ADDRESSES = 20;

    private EniChecks() {}

    static List<Check> all() {
        return List.of(
                new Check(
                        "eni-backlog",
                        "Too many requests wait for one ENI",
                        Severity.WARN,
                        "The queue of requests for addresses at each ENI. WARN from 10 on, which is where terway"
                                + " stops taking more.",
                        "Each waits for a call of the cloud; the last ones will run into their deadlines.",
                        "ecs budget; ecs calls",
                        EniChecks::eniBacklog),
                new Check(
                                "eni-leaked",
                                "An ENI of this node is unknown here",
                                Severity.WARN,
                                "A dry run of the sweep: ENIs with this node's tags that are in no book here. WARN"
                                        + " for those a sweep would delete, INFO for those that are too young or hang"
                                        + " on something.",
                                "It costs quota and addresses of the vSwitch, and once attached a slot of the"
                                        + " instance.",
                                "eni sweep --dry-run; eni sweep",
                                EniChecks::leakedEnis)
                        .mendedBy(Repair.SWEEP),
                new Check(
                        "eni-stuck",
                        "An ENI does not come to its end",
                        Severity.WARN,
                        "The ENIs in the book. WARN if one is Stuck, or Creating, Attaching, Detaching or Deleting"
                                + " for more than three minutes.",
                        "It keeps its slot of the instance, so the node has room for fewer pods. The daemon asks"
                                + " again every 30 s; what stays stuck for long, only the cloud can free.",
                        "eni show ENI; ecs calls --failed; a ticket to the cloud with the request id if it lasts",
                        EniChecks::stuckEnis),
                new Check(
                        "vswitch-low",
                        "A vSwitch has few addresses left, or none",
                        Severity.CRITICAL,
                        "The vSwitches of this node's zone, counted by the cloud now. WARN for one that has fewer"
                                + " than 20 free addresses, has none, or cannot be used; CRITICAL if there is none"
                                + " left with free addresses.",
                        "An ENI takes its addresses from its vSwitch for ever: when it is empty, its ENIs get no"
                                + " more, and a new one needs another vSwitch.",
                        "add a vSwitch of the same zone to vswitches in eni.json, and restart; a restart alone is no"
                                + " help",
                        EniChecks::vSwitchLow));
    }

    private static Outcome eniBacklog(Facts facts) {
        return Outcome.each(
                facts.the(KnownEnis.class).enis().stream()
                        .filter(eni -> eni.queued() >= 10)
                        .map(eni ->
                                new Evidence(eni.id(), Figures.count(eni.queued(), "request") + " wait", "factory")),
                Severity.WARN,
                n -> "requests pile up at " + Figures.count(n, "ENI"),
                "no requests pile up");
    }

    private static Outcome leakedEnis(Facts facts) {
        EniSweeper.Report report = facts.the(EniSweeper.Report.class);
        if (report.candidates().isEmpty()) {
            return Outcome.ok("all " + Figures.count(report.examined(), "ENI") + " of this node are known");
        }
        List<Evidence> evidence = report.candidates().stream()
                .map(eni -> new Evidence(
                        eni.id(),
                        eni.state() + " in " + eni.vswitch() + " with "
                                + Figures.count(eni.addresses().size(), "IP") + ": " + eni.reason(),
                        "cloud",
                        eni.createdAt()))
                .toList();
        long taken =
                report.candidates().stream().filter(EniSweeper.Candidate::taken).count();
        return taken > 0
                ? Outcome.of(Severity.WARN, Figures.count(taken, "ENI") + " left behind in the cloud", evidence)
                : Outcome.of(
                        Severity.INFO,
                        Figures.count(evidence.size(), "ENI") + " that are unknown here, and that no sweep takes yet",
                        evidence);
    }

    private static Outcome stuckEnis(Facts facts) {
        return Outcome.each(
                facts.the(KnownEnis.class).enis().stream()
                        .filter(eni -> isStuck(eni, facts.now()))
                        .map(eni -> new Evidence(eni.id(), eni.state(), "factory", eni.since())),
                Severity.WARN,
                n -> Figures.count(n, "ENI") + " on the way for too long",
                "no ENI is stuck");
    }

    private static boolean isStuck(EniDirectory.Eni eni, Instant now) {
        return eni.state().equals("Stuck")
                || (PASSING_STATES.contains(eni.state())
                        && eni.since().plus(STUCK_AFTER).isBefore(now));
    }

    private static Outcome vSwitchLow(Facts facts) {
        List<CloudProbe.VSwitchRoom> rooms = facts.the(VSwitches.class).rooms();
        List<Evidence> evidence = rooms.stream()
                .filter(room -> !room.usable() || room.available() < FEW_ADDRESSES)
                .map(EniChecks::vSwitch)
                .toList();
        String others = Figures.list(rooms.stream()
                .filter(room -> room.usable() && room.available() >= FEW_ADDRESSES)
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
                                + Figures.list(
                                        evidence.stream().map(Evidence::subject).toList())
                                + (others.isEmpty() ? ", and there is no other" : "; others: " + others),
                        evidence);
    }

    private static Evidence vSwitch(CloudProbe.VSwitchRoom room) {
        String seen =
                room.usable() ? room.available() + " free in " + room.cidr() + ", zone " + room.zone() : room.problem();
        return new Evidence(room.id(), seen, "cloud");
    }

    /** The vSwitches that ENIs are made in, as the cloud counts them now. */
    public record VSwitches(List<VSwitchRoom> rooms) {
        public VSwitches {
            rooms = List.copyOf(rooms);
        }
    }
}
