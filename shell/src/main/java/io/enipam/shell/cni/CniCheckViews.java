package io.enipam.shell.cni;

import io.enipam.shell.core.Palette;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.Table;
import io.enipam.shell.core.Tone;
import io.enipam.v1.CheckCniReply;
import io.enipam.v1.CniFinding;
import io.enipam.v1.GetCniStatusReply;
import java.util.ArrayList;
import java.util.List;

/** CNI CHECK and CNI STATUS. */
public final class CniCheckViews {
    private CniCheckViews() {}

    /** A line for each that was looked at. */
    public static List<String> check(CheckCniReply reply, RenderContext look) {
        Table table = Table.headed("WHAT", "STATE", "WHAT IT SAYS");
        for (CniFinding finding : reply.getFindingsList()) {
            table.row(
                    Table.cell(finding.getWhat()),
                    new Table.Cell(finding.getState(), tone(finding.getState())),
                    Table.cell(finding.getDetail()));
        }
        return table.lines(look.palette());
    }

    private static Tone tone(String state) {
        return switch (state) {
            case "OK" -> Tone.GOOD;
            case "WRONG" -> Tone.BAD;
            default -> Tone.WAIT;
        };
    }

    public static List<String> status(GetCniStatusReply reply, RenderContext look) {
        List<String> lines = new ArrayList<>();
        lines.add(
                reply.getReady()
                        ? look.palette().paint(Tone.GOOD, "ready") + ": an ADD can be served"
                        : look.palette().paint(Tone.BAD, "not ready") + " (CNI code " + reply.getCode()
                                + "): no ADD can be served");
        reply.getReasonsList().forEach(reason -> lines.add("  " + Palette.clean(reason)));
        return lines;
    }
}
