package io.enipam.shell.runbook;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonObject;
import io.enipam.shell.core.Palette;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** A run for programs: one JSON document a line, for its beginning, each step that ended, and its end. */
public final class JsonLinesReport implements RunReport {
    private static final Gson GSON = new GsonBuilder().disableHtmlEscaping().create();

    private final PrintStream out;
    private int number;

    public JsonLinesReport(PrintStream out) {
        this.out = out;
    }

    @Override
    public void begins(Runbook runbook, Map<String, String> values) {
        JsonObject line = event("begin");
        line.addProperty("file", clean(runbook.file()));
        line.addProperty("name", runbook.header().name());
        line.addProperty("needs", runbook.needs().toString());
        JsonObject given = new JsonObject();
        values.forEach((name, value) -> given.addProperty(name, clean(value)));
        line.add("values", given);
        print(line);
    }

    @Override
    public void starts(int depth, String text) {}

    @Override
    public void ended(StepRecord step) {
        JsonObject line = event("step");
        line.addProperty("number", ++number);
        line.addProperty("file", clean(step.place().file()));
        line.addProperty("line", step.place().line());
        line.addProperty("depth", step.depth());
        line.addProperty("kind", step.kind());
        line.addProperty("text", clean(step.text()));
        line.addProperty("changes", step.changes());
        line.addProperty("state", step.state().name().toLowerCase(Locale.ROOT));
        line.addProperty("tries", step.tries());
        line.addProperty("began", step.began().toString());
        line.addProperty("tookMs", step.took().toMillis());
        line.addProperty("output", lines(step.output()));
        step.failure().ifPresent(failure -> line.add("failure", failure(failure)));
        print(line);
    }

    private static JsonObject failure(StepFailure failure) {
        JsonObject told = new JsonObject();
        told.addProperty("exit", failure.exit().status());
        told.addProperty("why", clean(failure.why()));
        told.addProperty("expected", clean(failure.expected()));
        told.addProperty("seen", clean(failure.seen()));
        return told;
    }

    @Override
    public void ended(RunResult verdict) {
        JsonObject line = event("end");
        line.addProperty("exit", verdict.exit().status());
        line.addProperty("steps", verdict.steps());
        line.addProperty("changed", verdict.changed());
        line.addProperty("tookMs", millis(verdict.took()));
        verdict.stopped().ifPresent(stopped -> line.add("stopped", stopped(stopped)));
        verdict.alsoFailed().ifPresent(stopped -> line.add("alsoFailed", stopped(stopped)));
        print(line);
    }

    private static long millis(Duration span) {
        return span.toMillis();
    }

    private static JsonObject stopped(RunResult.Stopped stopped) {
        JsonObject told = failure(stopped.failure());
        told.addProperty("file", clean(stopped.place().file()));
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

    private static String clean(String text) {
        return Palette.clean(text);
    }
}
