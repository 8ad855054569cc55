package io.enipam.shell.gc;

import io.enipam.shell.core.Palette;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.Table;
import io.enipam.shell.core.TimeFormat;
import io.enipam.shell.core.Tone;
import io.enipam.shell.pool.PoolViews;
import io.enipam.v1.GcReport;
import io.enipam.v1.GcSpared;
import io.enipam.v1.GetGcStatusReply;
import java.util.ArrayList;
import java.util.List;

/** Garbage collections. */
public final class GcViews {
    private GcViews() {}

    public static List<String> status(GetGcStatusReply reply, RenderContext look) {
        String every = "every " + TimeFormat.span(TimeFormat.duration(reply.getInterval()));
        if (!reply.hasLast()) {
            return List.of(look.withAdvice("no garbage collection has run yet; one runs " + every, ", or now: gc run"));
        }
        List<String> lines = new ArrayList<>();
        lines.add("last one " + look.age(reply.getLast().getStartedAt()) + " ago; one runs " + every);
        lines.addAll(report(reply.getLast(), look));
        return lines;
    }

    public static List<String> report(GcReport report, RenderContext look) {
        List<String> lines = new ArrayList<>();
        lines.add(summary(report) + ", in " + TimeFormat.took(report.getTook()));
        lines.addAll(Table.listed(
                look,
                report.getCollectedList(),
                "POD  ADDRESS  CONTAINER  REASON",
                collected -> Table.cells(
                        collected.getLease().getPod(),
                        PoolViews.addresses(collected.getLease().getResource()),
                        PoolViews.container(collected.getLease().getOwner().getContainer()),
                        collected.getReason())));
        report.getSparedList().forEach(spared -> lines.add(spared(spared, look)));
        report.getProblemsList().forEach(problem -> lines.add(look.paint(Tone.BAD, "problem: " + problem)));
        return lines;
    }

    private static String spared(GcSpared spared, RenderContext look) {
        String until = spared.hasUntil() ? ", until " + look.clock(spared.getUntil()) + " at least" : "";
        return Palette.clean("spared " + spared.getLease().getPod() + ", "
                + PoolViews.addresses(spared.getLease().getResource()) + until + ": " + spared.getReason());
    }

    /** {@code examined 3 leases, collected 1, spared 1}; a dry run says what it would do. */
    public static String summary(GcReport report) {
        return "examined " + Table.counted(report.getExamined(), "lease") + ", "
                + (report.getDryRun() ? "would collect " : "collected ") + report.getCollectedCount()
                + (report.getSparedCount() == 0 ? "" : ", spared " + report.getSparedCount())
                + (report.getProblemsCount() == 0 ? "" : ", " + Table.counted(report.getProblemsCount(), "problem"));
    }

    /** The pods whose leases ended. */
    public static List<String> pods(GcReport report) {
        return report.getCollectedList().stream()
                .map(collected -> collected.getLease().getPod())
                .toList();
    }
}
