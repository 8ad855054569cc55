package io.enipam.shell.cni;

import io.enipam.shell.core.Palette;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.Table;
import io.enipam.shell.core.TimeFormat;
import io.enipam.shell.core.Tone;
import io.enipam.shell.gc.GcViews;
import io.enipam.shell.pool.PoolViews;
import io.enipam.v1.CheckCniReply;
import io.enipam.v1.CniAddReply;
import io.enipam.v1.CniDelReply;
import io.enipam.v1.CniGcReply;
import io.enipam.v1.GetCniStatusReply;
import io.enipam.v1.Lease;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Replies to CNI calls. */
final class CniViews {
    private CniViews() {}

    static List<String> check(CheckCniReply reply, RenderContext look) {
        return Table.listed(
                look,
                reply.getFindingsList(),
                finding -> Table.cells(
                        finding.getWhat(),
                        new Table.Cell(finding.getState(), tone(finding.getState())),
                        finding.getDetail()),
                "WHAT",
                "STATE",
                "WHAT IT SAYS");
    }

    private static Tone tone(String state) {
        return switch (state) {
            case "OK" -> Tone.GOOD;
            case "WRONG" -> Tone.BAD;
            default -> Tone.WAIT;
        };
    }

    static List<String> status(GetCniStatusReply reply, RenderContext look) {
        List<String> lines = new ArrayList<>();
        lines.add(
                reply.getReady()
                        ? look.paint(Tone.GOOD, "ready") + ": an ADD can be served"
                        : look.paint(Tone.BAD, "not ready") + " (CNI code " + reply.getCode()
                                + "): no ADD can be served");
        reply.getReasonsList().forEach(reason -> lines.add("  " + Palette.clean(reason)));
        return lines;
    }

    static List<String> added(CniAddReply reply, RenderContext look) {
        Lease lease = reply.getLease();
        return Table.details()
                .detail("pod", lease.getPod())
                .detail("address", PoolViews.addresses(lease.getResource()))
                .detail("ENI", PoolViews.eni(lease.getResource()))
                .detail("container", lease.getOwner().getContainer())
                .detail(
                        "took",
                        TimeFormat.took(reply.getTook())
                                + (reply.getRepeated()
                                        ? " (repeated: it had this address already, nothing changed)"
                                        : ""))
                .lines(look.palette());
    }

    static List<String> deleted(String pod, CniDelReply reply, RenderContext look) {
        if (!reply.hasReleased()) {
            return List.of("nothing was held by " + Palette.clean(pod) + ", so there was nothing to give back");
        }
        Lease lease = reply.getReleased();
        String address = PoolViews.addresses(lease.getResource());
        String fate = switch (reply.getState()) {
            case "COOLING" -> "is cooling" + until(reply, look) + ", then idle";
            case "RESERVED" -> "is reserved for " + lease.getPod() + until(reply, look) + ", then idle";
            case "IDLE" -> "is idle";
            case "INVALID" -> "was gone from the cloud already, and is dropped";
            case "DISPOSING" -> "goes back to where it came from";
            default -> "is " + reply.getState();
        };
        return List.of(Palette.clean(
                lease.getPod() + " gave back " + address + " in " + TimeFormat.took(reply.getTook()) + "; it " + fate));
    }

    private static String until(CniDelReply reply, RenderContext look) {
        return reply.hasUntil()
                ? " until " + TimeFormat.clock(reply.getUntil(), look.zone()) + " ("
                        + TimeFormat.left(reply.getUntil(), look.now()) + " from now)"
                : "";
    }

    /** What a CNI GC ended: leases, and connections without one. */
    static List<String> ended(CniGcReply reply, RenderContext look) {
        List<String> lines = new ArrayList<>(GcViews.report(reply.getReport(), look));
        String verb = reply.getReport().getDryRun() ? "would disconnect " : "disconnected ";
        reply.getDisconnectedList()
                .forEach(owner -> lines.add(Palette.clean(verb + "container " + owner.getContainer() + ", interface "
                        + owner.getIfname() + ", which has no lease")));
        return lines;
    }

    /** What the operator has to agree to. */
    static String question(CniGcReply would) {
        String pods = would.getReport().getCollectedList().stream()
                .map(collected -> collected.getLease().getPod())
                .collect(Collectors.joining(", "));
        return "End " + GcViews.counted(would.getReport().getCollectedCount(), "lease")
                + (pods.isEmpty() ? "" : " (" + pods + ")")
                + (would.getDisconnectedCount() == 0
                        ? ""
                        : " and disconnect " + GcViews.counted(would.getDisconnectedCount(), "connection")
                                + " without one")
                + "? A pod that runs loses its network.";
    }
}
