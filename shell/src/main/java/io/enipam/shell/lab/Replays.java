package io.enipam.shell.lab;

import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.protobuf.Struct;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.ProgressLine;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.Session;
import io.enipam.shell.core.Table;
import io.enipam.shell.core.TimeFormat;
import io.enipam.shell.core.Tone;
import io.grpc.Context;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/** What the program has said so far. */
final class Replays {
    /** Less than this says nothing of how long the rest takes: the program has just begun. */
    private static final double SOME = 0.02;

    final List<Struct> results = new ArrayList<>();
    /** Of a sweep, what came of it; empty for one that did not end, and for what is none. */
    private Optional<JsonObject> sweep = Optional.empty();

    private boolean whole;

    /** Runs it to its end, or to the operator's. */
    static Replays of(Session session, String command, List<String> words) {
        Replays replays = new Replays();
        replays.whole = run(session, command, words, replays::hear);
        return replays;
    }

    private void hear(JsonObject said) {
        if (said.has("result")) {
            results.add(LabResults.struct(said.getAsJsonObject("result")));
        } else if (said.has("sweep")) {
            sweep = Optional.of(said.getAsJsonObject("sweep"));
        }
    }

    /**
     * Runs the program, and shows on the terminal how far it is.
     *
     * @param said gets each line that it prints
     * @return whether it came to its end; false if the operator ended it
     */
    static boolean run(Session session, String command, List<String> words, Consumer<JsonObject> said) {
        AtomicReference<String> doing = new AtomicReference<>(command);
        Consumer<JsonObject> heard = json -> {
            if (json.has("progress")) {
                doing.set(progress(command, json.getAsJsonObject("progress")));
            }
            said.accept(json);
        };
        return ProgressLine.during(
                session.screen(),
                doing::get,
                () -> new LabProgram(session).run(words, line -> parsed(line).ifPresent(heard)));
    }

    /** A line of the program; empty for one that its end cut off. */
    private static Optional<JsonObject> parsed(String line) {
        try {
            return Optional.of(JsonParser.parseString(line).getAsJsonObject());
        } catch (JsonParseException | IllegalStateException e) {
            if (Context.current().isCancelled()) {
                return Optional.empty();
            }
            throw ShellException.here("LAB_FAILED", "the lab said what is no JSON: " + Palette.clean(line), "");
        }
    }

    /** What a line of progress says, for the terminal. */
    private static String progress(String command, JsonObject progress) {
        return Palette.clean(command + ": " + progress.get("policy").getAsString() + ", " + far(progress));
    }

    static String far(JsonObject progress) {
        String left =
                TimeFormat.span(Duration.ofSeconds(progress.get("etaSeconds").getAsLong()));
        if (progress.has("started")) {
            long started = progress.get("started").getAsLong();
            long nodes = progress.get("nodes").getAsLong();
            return started + " of " + Table.counted(nodes, "node") + " have started"
                    + (started < SOME * nodes ? "" : ", the trace begins in " + left);
        }
        double part = progress.get("part").getAsDouble();
        return String.format(Locale.ROOT, "%.0f %%%s", 100 * part, part < SOME ? "" : ", " + left + " left");
    }

    /** Whether a sweep has come to its end. */
    boolean swept() {
        return sweep.isPresent();
    }

    /** What is said below a table of an unfinished one. */
    List<String> unfinished(RenderContext look) {
        return whole
                ? List.of()
                : List.of(look.paint(
                        Tone.WAIT, "ended after " + Table.counted(results.size(), "replay") + ", before the last one"));
    }

    /** A text, or several. */
    List<String> texts(String field) {
        List<String> texts = new ArrayList<>();
        sweep.map(said -> said.get(field)).ifPresent(said -> {
            if (said.isJsonArray()) {
                said.getAsJsonArray().forEach(text -> texts.add(text.getAsString()));
            } else {
                texts.add(said.getAsString());
            }
        });
        return texts;
    }

    /** @param trace the file that was replayed */
    LabReport report(Path trace) {
        List<String> sentences = new ArrayList<>(texts("place"));
        sentences.addAll(texts("advice"));
        return new LabReport(
                String.valueOf(trace.getFileName()), results, String.join("", texts("present")), sentences);
    }
}
