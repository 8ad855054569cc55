package io.enipam.recovery;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.enipam.store.SalvageResult;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;

/** For programs: a JSON object in each line, whose field {@code type} tells what it is. Field names are stable. */
public final class JsonReport implements RecoverReport {
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
        salvaged.commits()
                .gaps()
                .forEach(gap -> line.withArray("missing")
                        .addObject()
                        .put("from", gap.from())
                        .put("to", gap.to()));
        salvaged.files().forEach(file -> line.withArray("files").add(file));
        print(line);
    }

    @Override
    public void witnesses(Witnesses witnesses) {
        witness("kernel", witnesses.kernel());
        witness("apiServer", witnesses.pods());
        witness("cloud", witnesses.cloud());
    }

    private void witness(String name, Answer<?> answer) {
        print(line("witness").put("name", name).put("answered", answer.known()).put("message", answer.words()));
    }

    @Override
    public void outcome(Outcome outcome) {
        outcome.decisions()
                .forEach(decision -> print(line("decision")
                        .put("action", name(decision.action()))
                        .put("subject", decision.subject())
                        .put("of", decision.of())
                        .put("database", decision.database())
                        .put("kernel", decision.kernel())
                        .put("pod", decision.pod())
                        .put("cloud", decision.cloud())
                        .put("why", decision.why())));
        ObjectNode sum = line("summary");
        outcome.counts().forEach((action, count) -> sum.put(name(action), count));
        print(sum);
        if (!outcome.loss().isEmpty()) {
            Loss loss = outcome.loss();
            ObjectNode line = line("loss").put("message", loss.words()).put("uncounted", loss.uncounted());
            ArrayNode ended = line.putArray("ended");
            loss.ended().forEach(ended::add);
            ArrayNode doubtful = line.putArray("doubtful");
            loss.doubtful().forEach(doubtful::add);
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
