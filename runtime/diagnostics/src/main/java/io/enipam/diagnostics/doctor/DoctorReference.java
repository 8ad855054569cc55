package io.enipam.diagnostics.doctor;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The reference of all checks, drawn from what the checks say of themselves. No line is longer than {@link #WIDTH}. */
public final class DoctorReference {
    private static final int WIDTH = 140;

    private DoctorReference() {}

    /** The lines of a document in Markdown. */
    public static List<String> markdown(List<Check> checks) {
        List<String> lines = new ArrayList<>();
        lines.add("# The doctor's checks");
        lines.add("");
        lines.add("Made by `enipamd --doctor-reference`; `doctor --explain ID` tells the same of one of them.");
        checks.stream()
                .map(Check::about)
                .sorted(Comparator.comparing(About::id))
                .forEach(about -> add(about, lines));
        return lines;
    }

    private static void add(About about, List<String> lines) {
        lines.add("");
        lines.add("## `" + about.id() + "`");
        lines.add("");
        lines.add(about.title() + "; at worst " + about.worst() + ".");
        lines.add("");
        item(lines, "Looks at: " + about.looksAt());
        item(lines, "Why: " + about.why());
        if (!about.fix().isEmpty()) {
            item(lines, "Fix: " + about.fix());
        }
        about.repair()
                .ifPresent(repair -> item(
                        lines,
                        "`doctor --repair " + about.id() + "` (as `" + repair.command() + "`): " + repair.words()));
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
