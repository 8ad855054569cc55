package io.enipam.shell.fleet;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.JsonStreamParser;
import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.ErrorLine;
import io.enipam.shell.core.JsonOutput;
import io.enipam.shell.core.SessionOutput;
import io.enipam.shell.core.YamlFormat;
import java.util.ArrayList;
import java.util.List;

/**
 * {@code {"node":…,"reply":…}} for each document that a node answered with, and {@code {"node":…,"error":…}} for what failed: as
 * lines of JSON, or as documents of YAML.
 */
final class DocumentReplyWriter extends NodeReplyWriter {
    private final boolean yaml;

    DocumentReplyWriter(SessionOutput screen, int nodes, boolean yaml) {
        super(screen, nodes);
        this.yaml = yaml;
    }

    @Override
    void write(NodeReply answer) {
        for (JsonElement reply : replies(answer.out())) {
            print(answer.node(), "reply", reply);
        }
        answer.trouble()
                .ifPresent(e ->
                        print(answer.node(), "error", JsonParser.parseString(ErrorLine.forProgram(answer.what(), e))));
        if (!answer.done() && answer.trouble().isEmpty()) {
            ShellException unsaid = new ShellException(
                    ExitStatus.of(answer.status()), "", "it ended with status " + answer.status(), "");
            print(answer.node(), "error", JsonParser.parseString(ErrorLine.forProgram(answer.what(), unsaid)));
        }
        screen.out().flush();
    }

    /** All documents in what was printed; a command that prints none had its text printed, which is one. */
    private static List<JsonElement> replies(String out) {
        List<JsonElement> documents = new ArrayList<>();
        try {
            JsonStreamParser parser = new JsonStreamParser(out);
            while (parser.hasNext()) {
                documents.add(parser.next());
            }
            return documents;
        } catch (JsonParseException text) {
            JsonObject printed = new JsonObject();
            printed.addProperty("text", out);
            return List.of(printed);
        }
    }

    private void print(String node, String what, JsonElement value) {
        JsonObject line = new JsonObject();
        line.addProperty("node", node);
        line.add(what, value);
        if (yaml) {
            screen.out().println("---");
            screen.out().println(YamlFormat.document(line));
        } else {
            screen.out().println(JsonOutput.harmless(line.toString()));
        }
    }

    @Override
    void finish() {}
}
