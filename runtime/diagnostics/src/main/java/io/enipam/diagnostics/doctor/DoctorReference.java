package io.enipam.diagnostics.doctor;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The reference of all checks, generated from their texts. No line is longer than {@link #WIDTH}. */
public final class DoctorReference {
    private static final int WIDTH = 140;

    private DoctorReference() {}

    /** The lines of a document in Markdown. */
    public static List<String> markdown(List<Check> checks) {
        List<String> lines = new ArrayList<>();
        lines.add("# The doctor's checks");
        lines.add("");
        lines.add("Made by `enipamd --doctor-reference`; `doctor --explain ID` tells the same of one of them.");
        checks.stream().sorted(Comparator.comparing(Check::id)).forEach(check -> add(check, lines));
        return lines;
    }

    private static void add(Check check, List<String> lines) {
        lines.add("");
        lines.add("## `" + check.id() + "`");
        lines.add("");
        lines.add(check.title() + "; at worst " + check.worst() + ".");
        lines.add("");
        item(lines, "Looks at: " + check.looksAt());
        item(lines, "Why: " + check.why());
        if (!check.fix().isEmpty()) {
            item(lines, "Fix: " + check.fix());
        }
        check.repair()
                .ifPresent(repair -> item(
                        lines,
                        "`doctor --repair " + check.id() + "` (as `" + repair.command() + "`): " + repair.words()));
    }

    /** An item of a list, broken between words. */
    private static void item(List<String> lines, String text) {
        StringBuilder line = new StringBuilder("-");
        for (String word : text.split(" ")) {
            if (line.length() + 1 + word.length() > WIDTH) {
                lines.add(line.toString());
                line = new StringBuilder(" ");
            }
            line.append(' ').append(word);
        }
        lines.add(line.toString());
    }
}
