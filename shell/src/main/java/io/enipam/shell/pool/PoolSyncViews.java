package io.enipam.shell.pool;

import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.Table;
import io.enipam.shell.core.TimeFormat;
import io.enipam.shell.core.Tone;
import io.enipam.v1.SyncFinding;
import io.enipam.v1.SyncReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Comparisons of the pool with the cloud. */
public final class PoolSyncViews {
    private static final List<String> KINDS = List.of("LOST", "CLASH", "REGAINED", "ADOPTED", "RETURNED");

    private PoolSyncViews() {}

    public static List<String> report(SyncReport report, RenderContext look) {
        List<String> lines = new ArrayList<>();
        lines.add(summary(report) + ", in " + TimeFormat.took(report.getTook()));
        if (report.getFindingsCount() > 0) {
            Table table = Table.headed("FOUND", "ADDRESS", "ENI", "POD", "WHAT IT MEANS");
            for (SyncFinding finding : report.getFindingsList()) {
                table.row(
                        Table.state(finding.getKind()),
                        Table.cell(PoolViews.addresses(finding.getResource())),
                        Table.cell(finding.getResource().getParent()),
                        Table.cell(finding.getPod()),
                        Table.cell(finding.getDetail()));
            }
            lines.addAll(table.lines(look.palette()));
        }
        for (String problem : report.getProblemsList()) {
            lines.add(look.palette().paint(Tone.BAD, "problem: " + problem));
        }
        return lines;
    }

    /** {@code compared 14 addresses, 1 lost, 2 adopted}. */
    public static String summary(SyncReport report) {
        StringBuilder text = new StringBuilder();
        text.append("compared ").append(report.getListed());
        text.append(report.getListed() == 1 ? " address" : " addresses");
        boolean any = false;
        for (String kind : KINDS) {
            long count = report.getFindingsList().stream()
                    .filter(finding -> finding.getKind().equals(kind))
                    .count();
            if (count > 0) {
                any = true;
                text.append(", ").append(count).append(' ').append(word(kind));
            }
        }
        int problems = report.getProblemsCount();
        if (problems > 0) {
            text.append(", ").append(problems).append(problems == 1 ? " problem" : " problems");
        } else if (!any) {
            text.append(", all is as it should be");
        }
        return text.toString();
    }

    private static String word(String kind) {
        return kind.equals("CLASH") ? "in two places" : kind.toLowerCase(Locale.ROOT);
    }
}
