package io.enipam.recovery;

import io.enipam.store.SalvageResult;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** For people: what is left, who was asked, one line for each decision, and the sum. */
public final class TextReport implements RecoverReport {
    private static final List<String> HEAD =
            List.of("DECISION", "ADDRESS", "OF", "DATABASE", "KERNEL", "POD", "CLOUD", "WHY");

    private final PrintWriter out;

    public TextReport(PrintWriter out) {
        this.out = out;
    }

    @Override
    public void salvaged(Path database, SalvageResult salvaged) {
        if (salvaged.state() == SalvageResult.State.MISSING) {
            out.println("There is no database in " + database + ".");
            return;
        }
        salvaged.trouble().ifPresent(out::println);
        salvaged.files().forEach(line -> out.println("  " + line));
        out.println("  " + missing(salvaged));
        if (salvaged.commits().open()) {
            out.println("  more commits may have followed, which nobody can know: no record is certain");
        }
    }

    private static String missing(SalvageResult salvaged) {
        String known = "of the " + salvaged.commits().last() + " commits that are known to have been made";
        return salvaged.commits().gaps().isEmpty()
                ? known + " none is missing"
                : known + " these are missing: "
                        + salvaged.commits().gaps().stream()
                                .map(gap -> gap.from() == gap.to() ? "" + gap.from() : gap.from() + " to " + gap.to())
                                .collect(Collectors.joining(", "));
    }

    @Override
    public void witnesses(Witnesses witnesses) {
        out.println("kernel: " + witnesses.kernel().words());
        out.println("API server: " + witnesses.pods().words());
        out.println("cloud: " + witnesses.cloud().words());
        out.println();
    }

    @Override
    public void outcome(Outcome outcome) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(HEAD);
        outcome.decisions()
                .forEach(decision -> rows.add(List.of(
                        decision.action().words(),
                        decision.subject(),
                        decision.of(),
                        decision.database(),
                        decision.kernel(),
                        decision.pod(),
                        decision.cloud(),
                        decision.why())));
        if (rows.size() > 1) {
            table(rows);
            out.println();
        }
        out.println(
                outcome.decisions().isEmpty()
                        ? "There is nothing to decide: nobody knows of a lease."
                        : outcome.counts().entrySet().stream()
                                .map(count -> count.getKey().words() + " " + count.getValue())
                                .collect(Collectors.joining(", ")));
        if (!outcome.loss().isEmpty()) {
            String words = outcome.loss().words();
            out.println(Character.toUpperCase(words.charAt(0)) + words.substring(1) + ".");
        }
        out.flush();
    }

    @Override
    public void end(End end, Path database, Optional<Path> kept) {
        out.println(
                switch (end) {
                    case SOUND ->
                        "The database in " + database + " opens: there is nothing to recover, and nothing was"
                                + " changed.";
                    case DRY_RUN -> "Nothing was changed. Without --dry-run this would be done.";
                    case DONE ->
                        "A new database is in " + database + "; "
                                + kept.map(path -> "the old files are kept in " + path + ".")
                                        .orElse("there were no old files.")
                                + " Start enipamd: it compares all of this once more before it hands anything out.";
                    case FINISHED ->
                        "An earlier recovery was interrupted before its last step, which is done now: the new"
                                + " database is in " + database + ".";
                });
        out.flush();
    }

    private void table(List<List<String>> rows) {
        int last = HEAD.size() - 1;
        int[] width = new int[last];
        for (List<String> row : rows) {
            for (int i = 0; i < last; i++) {
                width[i] = Math.max(width[i], row.get(i).length());
            }
        }
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < last; i++) {
                line.append(row.get(i)).append(" ".repeat(width[i] - row.get(i).length() + 2));
            }
            out.println(line.append(row.get(last)));
        }
    }
}
