package io.enipam.shell.runbook;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonObject;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.Table;
import io.enipam.shell.core.Tone;
import io.enipam.shell.runbook.RunResult.StepFailure;
import io.enipam.shell.runbook.StepRecord.State;
import io.enipam.shell.runbook.StepRecord.StepResult;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Receives the steps of a run in order, on one thread, without secrets. */
public interface RunReport {
    /** It begins, with the values given and the defaults; secrets are stars. */
    void begins(Runbook runbook, Map<String, String> values);

    default void starts(int depth, String text) {}

    /** It ended; the steps of its block come after that. */
    void ended(StepRecord step);

    /** The run ended. Called in any case once the run began. */
    void ended(RunResult result);

    record CompositeReport(List<RunReport> all) implements RunReport {
        @Override
        public void begins(Runbook runbook, Map<String, String> values) {
            all.forEach(report -> report.begins(runbook, values));
        }

        @Override
        public void starts(int depth, String text) {
            all.forEach(report -> report.starts(depth, text));
        }

        @Override
        public void ended(StepRecord step) {
            all.forEach(report -> report.ended(step));
        }

        @Override
        public void ended(RunResult result) {
            all.forEach(report -> report.ended(result));
        }
    }

    /** A run as at a prompt: each step, and below it what its command printed; of a retried step, the last try. */
    final class TextRunReport implements RunReport {
        private static final String PROMPT = "enipam> ";

        private final PrintStream out;
        private final Palette palette;
        private String file = "";

        public TextRunReport(PrintStream out, Palette palette) {
            this.out = out;
            this.palette = palette;
        }

        @Override
        public void begins(Runbook runbook, Map<String, String> values) {
            file = runbook.file();
        }

        @Override
        public void starts(int depth, String text) {
            out.println(palette.paint(Tone.LABEL, PROMPT + "  ".repeat(depth) + text));
            out.flush();
        }

        @Override
        public void ended(StepRecord step) {
            StepResult result = step.result();
            boolean counted = step.kind().equals("for") && result.failure().isEmpty();
            if (counted) {
                note(result.output().strip());
            } else {
                out.print(result.output());
            }
            if (result.state() == State.YES || result.state() == State.NO) {
                note(result.state() == State.YES ? "it holds" : "it does not hold");
            } else if (result.tries() > 1 && result.failure().isEmpty()) {
                note("at the try " + result.tries() + ", after " + seconds(step.took()));
            }
            out.flush();
        }

        private void note(String text) {
            out.println(palette.paint(Tone.LABEL, "# " + text));
        }

        @Override
        public void ended(RunResult result) {
            if (result.stopped().isEmpty()) {
                note(file + ": " + Table.counted(result.steps(), "step") + " done in " + seconds(result.took()) + ", "
                        + result.changed() + " of them changed something");
            }
            out.flush();
        }

        static String seconds(Duration span) {
            return String.format(Locale.ROOT, "%.1f s", span.toNanos() / 1e9);
        }
    }

    /** A run for programs: one JSON document a line, for its beginning, each step that ended, and its end. */
    final class JsonLinesReport implements RunReport {
        private static final Gson GSON = new GsonBuilder().disableHtmlEscaping().create();

        private final PrintStream out;
        private int number;

        public JsonLinesReport(PrintStream out) {
            this.out = out;
        }

        @Override
        public void begins(Runbook runbook, Map<String, String> values) {
            JsonObject line = event("begin");
            line.addProperty("file", Palette.clean(runbook.file()));
            line.addProperty("name", runbook.header().name());
            line.addProperty("needs", runbook.needs().toString());
            JsonObject given = new JsonObject();
            values.forEach((name, value) -> given.addProperty(name, Palette.clean(value)));
            line.add("values", given);
            print(line);
        }

        @Override
        public void ended(StepRecord step) {
            Runbook.Planned planned = step.step();
            StepResult result = step.result();
            JsonObject line = event("step");
            line.addProperty("number", ++number);
            line.addProperty("file", Palette.clean(planned.place().file()));
            line.addProperty("line", planned.place().line());
            line.addProperty("depth", planned.depth());
            line.addProperty("kind", step.kind());
            line.addProperty("text", Palette.clean(planned.text()));
            line.addProperty("changes", planned.changes());
            line.addProperty("state", result.state().name().toLowerCase(Locale.ROOT));
            line.addProperty("tries", result.tries());
            line.addProperty("began", step.began().toString());
            line.addProperty("tookMs", step.took().toMillis());
            line.addProperty("output", lines(result.output()));
            result.failure().ifPresent(failure -> line.add("failure", failure(failure)));
            print(line);
        }

        private static JsonObject failure(StepFailure failure) {
            JsonObject told = new JsonObject();
            told.addProperty("exit", failure.exit().status());
            told.addProperty("why", Palette.clean(failure.why()));
            told.addProperty("expected", Palette.clean(failure.expected()));
            told.addProperty("seen", Palette.clean(failure.seen()));
            return told;
        }

        @Override
        public void ended(RunResult result) {
            JsonObject line = event("end");
            line.addProperty("exit", result.exit().status());
            line.addProperty("steps", result.steps());
            line.addProperty("changed", result.changed());
            line.addProperty("tookMs", result.took().toMillis());
            result.stopped().ifPresent(stopped -> line.add("stopped", stopped(stopped)));
            result.alsoFailed().ifPresent(stopped -> line.add("alsoFailed", stopped(stopped)));
            print(line);
        }

        private static JsonObject stopped(RunResult.Stopped stopped) {
            JsonObject told = failure(stopped.failure());
            told.addProperty("file", Palette.clean(stopped.place().file()));
            told.addProperty("line", stopped.place().line());
            return told;
        }

        private static JsonObject event(String name) {
            JsonObject line = new JsonObject();
            line.addProperty("event", name);
            return line;
        }

        private void print(JsonObject line) {
            out.print(GSON.toJson(line) + "\n");
            out.flush();
        }

        private static String lines(String output) {
            return Palette.plain(output).lines().map(Palette::clean).collect(Collectors.joining("\n"));
        }
    }

    enum ReportFormat {
        TEXT,
        JSONL,
        JUNIT;

        static final class Reader implements ITypeConverter<ReportFormat> {
            @Override
            public ReportFormat convert(String value) {
                if (value.equalsIgnoreCase("json")) {
                    return JSONL; // as everywhere else: the same for a program
                }
                String error = "'" + value + "' is not text, jsonl (or json) or junit";
                return Stream.of(values())
                        .filter(format -> format.name().equalsIgnoreCase(value))
                        .findFirst()
                        .orElseThrow(() -> new TypeConversionException(error));
            }
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
