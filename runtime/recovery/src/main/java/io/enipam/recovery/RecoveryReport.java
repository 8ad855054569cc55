package io.enipam.recovery;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.enipam.recovery.RebuildPlan.Decision;
import io.enipam.recovery.RebuildPlan.Loss;
import io.enipam.recovery.SourceAnswers.Answer;
import io.enipam.store.SalvageResult;
import io.enipam.store.SalvageResult.MissingCommits;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Receives what a recovery does, in the order of these methods. */
public interface RecoveryReport {
    /** What is left of the database. */
    void salvaged(Path database, SalvageResult salvaged);

    /** What the sources say, or that they say nothing. */
    void sources(SourceAnswers sources);

    /** Every decision, and how many of each there are. */
    void outcome(RebuildPlan outcome);

    /** @param kept where the old files are; empty if there were none, or nothing was changed */
    void end(End end, Path database, Optional<Path> kept);

    enum End {
        /** The database opens: nothing was done. */
        SOUND,
        /** Nothing was changed, as was asked. */
        DRY_RUN,
        /** A new database is in place. */
        DONE,
        /** The last step of an earlier recovery was done. */
        FINISHED
    }

    /** For operators: what is left, who was asked, one line for each decision, and the sum. */
    record TextReport(PrintWriter out) implements RecoveryReport {
        private static final List<String> HEAD =
                List.of("DECISION", "ADDRESS", "OF", "DATABASE", "KERNEL", "POD", "CLOUD", "WHY");

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
                out.println("  more commits may have followed, which cannot be known: no record is certain");
            }
        }

        private static String missing(SalvageResult salvaged) {
            String known = "of the " + salvaged.commits().last() + " commits that are known to have been made";
            return salvaged.commits().gaps().isEmpty()
                    ? known + " none is missing"
                    : known + " these are missing: "
                            + salvaged.commits().gaps().stream()
                                    .map(gap ->
                                            gap.from() == gap.to() ? "" + gap.from() : gap.from() + " to " + gap.to())
                                    .collect(Collectors.joining(", "));
        }

        @Override
        public void sources(SourceAnswers sources) {
            out.println("kernel: " + sources.kernel().words());
            out.println("API server: " + sources.pods().words());
            out.println("cloud: " + sources.cloud().words());
            out.println();
        }

        @Override
        public void outcome(RebuildPlan outcome) {
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
                            ? "There is nothing to decide: no source knows of a lease."
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
            String format = IntStream.range(0, HEAD.size() - 1)
                    .map(column -> rows.stream()
                            .mapToInt(row -> row.get(column).length())
                            .max()
                            .orElseThrow())
                    .mapToObj(width -> "%-" + (width + 2) + "s")
                    .collect(Collectors.joining("", "", "%s%n"));
            rows.forEach(row -> out.printf(format, row.toArray()));
        }
    }

    /** For programs: a JSON object in each line, whose field {@code type} says what it is. Field names are stable. */
    final class JsonReport implements RecoveryReport {
        private final JsonMapper mapper = new JsonMapper();
        private final PrintWriter out;

        public JsonReport(PrintWriter out) {
            this.out = out;
        }

        @Override
        public void salvaged(Path database, SalvageResult salvaged) {
            ObjectNode line = line("database")
                    .put("path", database.toString())
                    .put("state", name(salvaged.state()))
                    .put("lastCommit", salvaged.commits().last())
                    .put("moreMayFollow", salvaged.commits().open());
            salvaged.trouble().ifPresent(trouble -> line.put("trouble", trouble));
            for (MissingCommits gap : salvaged.commits().gaps()) {
                line.withArray("missing").addObject().put("from", gap.from()).put("to", gap.to());
            }
            salvaged.files().forEach(file -> line.withArray("files").add(file));
            print(line);
        }

        @Override
        public void sources(SourceAnswers sources) {
            source("kernel", sources.kernel());
            source("apiServer", sources.pods());
            source("cloud", sources.cloud());
        }

        private void source(String name, Answer<?> answer) {
            print(line("witness")
                    .put("name", name)
                    .put("answered", answer.known())
                    .put("message", answer.words()));
        }

        @Override
        public void outcome(RebuildPlan outcome) {
            for (Decision decision : outcome.decisions()) {
                ObjectNode line = line("decision");
                line.setAll(mapper.<ObjectNode>valueToTree(decision));
                print(line.put("action", name(decision.action())));
            }
            ObjectNode sum = line("summary");
            outcome.counts().forEach((action, count) -> sum.put(name(action), count));
            print(sum);
            if (!outcome.loss().isEmpty()) {
                Loss loss = outcome.loss();
                ObjectNode line = line("loss").put("message", loss.words()).put("uncounted", loss.uncounted());
                line.set("ended", mapper.valueToTree(loss.ended()));
                line.set("doubtful", mapper.valueToTree(loss.doubtful()));
                print(line);
            }
        }

        @Override
        public void end(End end, Path database, Optional<Path> kept) {
            ObjectNode line = line("end").put("end", name(end)).put("path", database.toString());
            kept.ifPresent(path -> line.put("kept", path.toString()));
            print(line);
            out.flush();
        }

        private ObjectNode line(String type) {
            return mapper.createObjectNode().put("type", type);
        }

        private static String name(Enum<?> value) {
            return value.name().toLowerCase(Locale.ROOT);
        }

        private void print(ObjectNode line) {
            out.println(line);
        }
    }
}
