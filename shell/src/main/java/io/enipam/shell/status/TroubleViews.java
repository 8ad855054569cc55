package io.enipam.shell.status;

import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.Table;
import io.enipam.shell.core.Tone;
import io.enipam.shell.doctor.DoctorCommand;
import io.enipam.v1.GetStatusReply;
import io.enipam.v1.Trouble;
import java.util.List;

/** What is wrong with a daemon, as it lists it itself. */
public final class TroubleViews {
    private TroubleViews() {}

    /** One row each, labelled with its severity, and below it what to do. */
    public static void rows(List<Trouble> troubles, Table table, RenderContext look) {
        for (Trouble trouble : troubles) {
            table.detail(trouble.getSeverity(), lasting(trouble, look), tone(trouble))
                    .detailIf(look.advice() && !trouble.getAdvice().isEmpty(), "try", trouble.getAdvice());
        }
    }

    /** What it is, and since when. */
    static String lasting(Trouble trouble, RenderContext look) {
        return look.since(trouble.getText(), trouble.getSince());
    }

    /** {@code  (and 2 more)}: how many there are behind the first; empty text if it is the only one. */
    static String more(GetStatusReply status) {
        int more = status.getTroublesCount() - 1;
        return more == 0 ? "" : " (and " + more + " more)";
    }

    static Tone tone(Trouble trouble) {
        return DoctorCommand.tone(trouble.getSeverity());
    }

    /** {@code 9 lost}: pods that had an address and have no network; or that no ADD is served; or empty text. */
    public static String alarm(GetStatusReply status) {
        long lost = status.getTroublesList().stream()
                .filter(trouble -> trouble.getCause().endsWith("_LOST"))
                .flatMap(trouble -> trouble.getPodsList().stream())
                .distinct()
                .count();
        boolean critical = status.getTroublesList().stream()
                .anyMatch(trouble -> trouble.getSeverity().equals("CRITICAL"));
        return lost > 0 ? lost + " lost" : critical ? "no ADD" : "";
    }
}
