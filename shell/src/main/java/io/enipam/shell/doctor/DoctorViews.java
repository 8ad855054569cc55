package io.enipam.shell.doctor;

import io.enipam.shell.core.Palette;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.Table;
import io.enipam.shell.core.TableListing;
import io.enipam.shell.core.TimeFormat;
import io.enipam.shell.core.Tone;
import io.enipam.v1.DoctorCheck;
import io.enipam.v1.DoctorEvidence;
import io.enipam.v1.DoctorFinding;
import io.enipam.v1.RepairFindingReply;
import io.enipam.v1.RunDoctorReply;
import java.util.ArrayList;
import java.util.List;

/** What the doctor found, and what it can find. */
public final class DoctorViews {
    private static final int WIDEST_SEEN = 90;
    private static final String SKIPPED = "SKIPPED";
    private static final String INDENT = "    ";

    /** All checks there are; the name of one is its id. */
    public static final TableListing<DoctorCheck> CHECKS = TableListing.<DoctorCheck>of("checks", DoctorCheck::getId)
            .none("this daemon has no checks", "")
            .text("id", "ID", DoctorCheck::getId)
            .toned("worst", "WORST", DoctorCheck::getWorst, check -> tone(check.getWorst()))
            .text("repair", "REPAIR", check -> check.getRepair().isEmpty() ? "" : "yes")
            .text("finds", "FINDS", DoctorCheck::getTitle)
            .flowing()
            .build();

    private DoctorViews() {}

    /**
     * The findings that are to be shown, the worst first, and how many checks were fine.
     *
     * @param all of the run, those that are not shown included
     */
    public static List<String> diagnosis(RunDoctorReply reply, List<DoctorFinding> all, RenderContext look) {
        List<String> lines = new ArrayList<>();
        String severity = "";
        for (DoctorFinding finding : reply.getFindingsList()) {
            if (!finding.getSeverity().equals(severity)) {
                severity = finding.getSeverity();
                separate(lines);
                lines.add(look.paint(tone(severity), severity));
            }
            lines.addAll(finding(finding, look));
        }
        separate(lines);
        lines.add(summary(all, reply) + ", in " + TimeFormat.took(reply.getTook()));
        return lines;
    }

    private static void separate(List<String> lines) {
        if (!lines.isEmpty() && !lines.get(lines.size() - 1).isEmpty()) {
            lines.add("");
        }
    }

    private static String summary(List<DoctorFinding> all, RunDoctorReply shown) {
        long fine = all.stream().filter(f -> f.getSeverity().equals("OK")).count();
        long skipped = all.stream().filter(f -> f.getSeverity().equals(SKIPPED)).count();
        long found = all.size() - fine - skipped;
        // those that could not look at what there is to look at, unless they are shown
        long blind = all.stream()
                .filter(f -> f.getSeverity().equals(SKIPPED) && !f.getNotApplicable())
                .count();
        boolean seen =
                shown.getFindingsList().stream().anyMatch(f -> f.getSeverity().equals(SKIPPED));
        return (found == 0 ? "" : Table.counted(found, "finding") + ", ") + Table.counted(fine, "check") + " fine"
                + (skipped == 0 ? "" : ", " + skipped + " skipped")
                + (blind == 0 || seen ? "" : " (" + blind + " could not look; see: doctor --severity skipped)");
    }

    private static List<String> finding(DoctorFinding finding, RenderContext look) {
        List<String> lines = new ArrayList<>();
        lines.add("  " + look.paint(tone(finding.getSeverity()), finding.getCheck()) + "  "
                + look.paint(Tone.PLAIN, finding.getSummary()));
        if (finding.getEvidenceCount() > 0) {
            Table evidence = Table.details();
            for (DoctorEvidence one : finding.getEvidenceList()) {
                Table.Cell source = new Table.Cell(one.getSource(), Tone.LABEL);
                Table.Cell since =
                        new Table.Cell(one.hasSince() ? "since " + look.age(one.getSince()) : "", Tone.LABEL);
                evidence.row(one.getSubject(), Table.clipped(one.getSeen(), WIDEST_SEEN), source, since);
            }
            evidence.lines(look.palette()).forEach(line -> lines.add((INDENT + line).stripTrailing()));
        }
        if (!finding.getFix().isEmpty() || !finding.getWhy().isEmpty()) {
            Table advice = Table.details()
                    .detailIfAny("why", finding.getWhy())
                    .detailIfAny("fix", finding.getFix())
                    .detailIf(finding.getRepairable(), "or", "doctor --repair " + finding.getCheck());
            advice.lines(look.palette()).forEach(line -> lines.add(INDENT + line));
            lines.add("");
        }
        return lines;
    }

    public static List<String> check(DoctorCheck check, RenderContext look) {
        return Table.details()
                .detail("check", check.getId())
                .detail("finds", check.getTitle())
                .detail("worst", check.getWorst(), tone(check.getWorst()))
                .detail("looks at", check.getLooksAt())
                .detail("why", check.getWhy())
                .detail("fix", check.getFix())
                .detailIfAny("repair", check.getRepair())
                .lines(look.palette());
    }

    public static List<String> repair(RepairFindingReply reply, RenderContext look) {
        List<String> lines = new ArrayList<>();
        if (reply.getStepsCount() == 0) {
            boolean fine = reply.getBefore().getSeverity().equals("OK");
            String why = fine ? " finds nothing to repair: " : " could not look, and nothing was repaired: ";
            return List.of(
                    Palette.clean(reply.getCheck() + why + reply.getBefore().getSummary()));
        }
        lines.add(said("before", reply.getBefore(), look));
        reply.getStepsList().forEach(step -> lines.add("  " + look.paint(Tone.PLAIN, step)));
        if (reply.hasAfter()) {
            lines.add(said("after", reply.getAfter(), look));
        }
        return lines;
    }

    public static String question(RepairFindingReply would) {
        return would.getBefore().getSummary() + ": " + String.join("; ", would.getStepsList()) + ". Do it?";
    }

    private static String said(String when, DoctorFinding finding, RenderContext look) {
        return look.paint(Tone.LABEL, when) + "  "
                + look.paint(tone(finding.getSeverity()), finding.getSeverity()) + "  "
                + look.paint(Tone.PLAIN, finding.getSummary());
    }

    private static Tone tone(String severity) {
        return switch (severity) {
            case "OK" -> Tone.GOOD;
            case "INFO" -> Tone.HEAD;
            case "WARN" -> Tone.WAIT;
            case "CRITICAL" -> Tone.BAD;
            default -> Tone.LABEL;
        };
    }
}
