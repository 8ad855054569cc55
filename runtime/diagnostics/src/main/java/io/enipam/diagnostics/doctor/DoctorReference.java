package io.enipam.diagnostics.doctor;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The reference of all checks, drawn from what the checks say of themselves. */
public final class DoctorReference {
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
        lines.add("- Looks at: " + about.looksAt());
        lines.add("- Why: " + about.why());
        if (!about.fix().isEmpty()) {
            lines.add("- Fix: " + about.fix());
        }
        about.repair()
                .ifPresent(repair -> lines.add(
                        "- `doctor --repair " + about.id() + "` (as `" + repair.command() + "`): " + repair.words()));
    }
}
