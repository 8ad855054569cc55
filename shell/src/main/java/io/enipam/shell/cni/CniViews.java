package io.enipam.shell.cni;

import com.google.protobuf.Timestamp;
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
import io.enipam.v1.Owner;
import java.util.ArrayList;
import java.util.List;

/** Replies to CNI calls. */
final class CniViews {
    private CniViews() {}

    static List<String> check(CheckCniReply reply, RenderContext look) {
        return Table.listed(look, reply.getFindingsList(), "WHAT  STATE  WHAT IT SAYS", finding -> {
            Tone tone = switch (finding.getState()) {
                case "OK" -> Tone.GOOD;
                case "WRONG" -> Tone.BAD;
                default -> Tone.WAIT;
            };
            return Table.cells(finding.getWhat(), new Table.Cell(finding.getState(), tone), finding.getDetail());
        });
    }

    static List<String> status(GetCniStatusReply reply, RenderContext look) {
        List<String> lines = new ArrayList<>();
        String not = look.paint(Tone.BAD, "not ready") + " (CNI code " + reply.getCode() + "): no ADD can be served";
        lines.add(reply.getReady() ? look.paint(Tone.GOOD, "ready") + ": an ADD can be served" : not);
        reply.getReasonsList().forEach(reason -> lines.add("  " + Palette.clean(reason)));
        return lines;
    }

    static List<String> added(CniAddReply reply, RenderContext look) {
        Lease lease = reply.getLease();
        String repeated = reply.getRepeated() ? " (repeated: it had this address already, nothing changed)" : "";
        return Table.details()
                .detail("pod", lease.getPod())
                .detail("address", PoolViews.addresses(lease.getResource()))
                .detail("ENI", PoolViews.eni(lease.getResource()))
                .detail("container", lease.getOwner().getContainer())
                .detail("took", TimeFormat.took(reply.getTook()) + repeated)
                .lines(look.palette());
    }

    static List<String> deleted(String pod, CniDelReply reply, RenderContext look) {
        if (!reply.hasReleased()) {
            return List.of("nothing was held by " + Palette.clean(pod) + ", so there was nothing to give back");
        }
        Lease lease = reply.getReleased();
        String address = PoolViews.addresses(lease.getResource());
        Timestamp at = reply.getUntil();
        String until = reply.hasUntil() ? " until " + look.clock(at) + " (" + look.left(at) + " from now)" : "";
        String fate = switch (reply.getState()) {
            case "COOLING" -> "is cooling" + until + ", then idle";
            case "RESERVED" -> "is reserved for " + lease.getPod() + until + ", then idle";
            case "IDLE" -> "is idle";
            case "INVALID" -> "was gone from the cloud already, and is dropped";
            case "DISPOSING" -> "goes back to where it came from";
            default -> "is " + reply.getState();
        };
        return List.of(Palette.clean(
                lease.getPod() + " gave back " + address + " in " + TimeFormat.took(reply.getTook()) + "; it " + fate));
    }

    /** What a CNI GC ended: leases, and connections without one. */
    static List<String> ended(CniGcReply reply, RenderContext look) {
        List<String> lines = new ArrayList<>(GcViews.report(reply.getReport(), look));
        String verb = reply.getReport().getDryRun() ? "would disconnect " : "disconnected ";
        for (Owner owner : reply.getDisconnectedList()) {
            String what = "container " + owner.getContainer() + ", interface " + owner.getIfname();
            lines.add(Palette.clean(verb + what + ", which has no lease"));
        }
        return lines;
    }

    /** What the operator has to agree to. */
    static String question(CniGcReply would) {
        String pods = String.join(", ", GcViews.pods(would.getReport()));
        int loose = would.getDisconnectedCount();
        return "End " + Table.counted(would.getReport().getCollectedCount(), "lease")
                + (pods.isEmpty() ? "" : " (" + pods + ")")
                + (loose == 0 ? "" : " and disconnect " + Table.counted(loose, "connection") + " without one")
                + "? A pod that runs loses its network.";
    }
}
