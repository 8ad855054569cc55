package io.enipam.shell.pipe;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.async.ByteArrayFeeder;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.util.TokenBuffer;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.JsonOutput;
import io.enipam.shell.core.Palette;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import net.thisptr.jackson.jq.BuiltinFunctionLoader;
import net.thisptr.jackson.jq.Function;
import net.thisptr.jackson.jq.JsonQuery;
import net.thisptr.jackson.jq.Scope;
import net.thisptr.jackson.jq.Versions;
import net.thisptr.jackson.jq.exception.JsonQueryException;

/**
 * Reads documents as their lines come, each of which is handed to the expression once it is whole, and writes the results.
 * This is the only class that knows jq and its JSON: it is loaded when a line has a jq, and not before.
 */
final class JqStage extends FilterStage {
    private static final ObjectMapper MAPPER =
            new ObjectMapper().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS);
    private static final DefaultIndenter INDENTED = new DefaultIndenter("  ", "\n");
    private static final Scope BUILTINS = builtins();
    private static final long MOST_NUMBERS = 1_000_000;
    private static final Duration LONGEST = Duration.ofSeconds(30);

    private final JsonQuery query;
    private final boolean raw;
    private final boolean judges;
    private final ObjectWriter writer;
    private final JsonParser parser;
    private TokenBuffer document;
    private int depth;
    private boolean found;
    private boolean open = true;

    JqStage(Jq jq, LineSink next) {
        super(next);
        this.query = compile(jq.expression);
        this.raw = jq.raw;
        this.judges = jq.judges;
        this.writer = jq.compact ? MAPPER.writer() : MAPPER.writer(pretty());
        try {
            this.parser = new JsonFactory().createNonBlockingByteArrayParser();
        } catch (IOException e) {
            throw new UncheckedIOException("a parser without input reads nothing", e);
        }
        this.document = new TokenBuffer(MAPPER, false);
    }

    /** Throws a usage error if it is no expression. */
    static JsonQuery compile(String expression) {
        try {
            return JsonQuery.compile(expression, Versions.JQ_1_7);
        } catch (StackOverflowError e) {
            throw Pipeline.usage("jq: the expression is nested too deeply", "As in: pool inuse | jq '.leases[].pod'");
        } catch (JsonQueryException e) {
            throw Pipeline.usage(
                    "jq: '" + expression + "' is no expression: " + firstLine(e),
                    "As in: pool inuse | jq '.leases[].pod'");
        }
    }

    private static Scope builtins() {
        Scope scope = Scope.newEmptyScope();
        BuiltinFunctionLoader.getInstance().loadFunctions(Versions.JQ_1_7, scope);
        return scope;
    }

    /** The functions, of which {@code range} alone could go on for ever without growing the stack, and is cut off. */
    private static Scope bounded() {
        Scope scope = Scope.newChildScope(BUILTINS);
        AtomicLong numbers = new AtomicLong();
        for (int arguments = 1; arguments <= 3; arguments++) {
            Function range = BUILTINS.getFunction("range", arguments);
            scope.addFunction(
                    "range",
                    arguments,
                    (at, values, in, path, output, version) -> range.apply(
                            at,
                            values,
                            in,
                            path,
                            (number, where) -> {
                                if (numbers.incrementAndGet() > MOST_NUMBERS) {
                                    throw new JsonQueryException("the expression does not come to an end");
                                }
                                output.emit(number, where);
                            },
                            version));
        }
        return scope;
    }

    private static DefaultPrettyPrinter pretty() {
        DefaultPrettyPrinter printer = new DefaultPrettyPrinter(Separators.createDefaultInstance()
                .withObjectFieldValueSpacing(Separators.Spacing.AFTER)
                .withObjectEmptySeparator("")
                .withArrayEmptySeparator(""));
        printer.indentArraysWith(INDENTED);
        printer.indentObjectsWith(INDENTED);
        return printer;
    }

    @Override
    public boolean line(String line) {
        byte[] bytes = (line + "\n").getBytes(StandardCharsets.UTF_8);
        feed(bytes);
        return open;
    }

    @Override
    public void end() {
        ((ByteArrayFeeder) parser.getNonBlockingInputFeeder()).endOfInput();
        if (open) {
            try {
                read();
            } catch (IOException e) {
                throw depth > 0 ? refused("the JSON ends in the middle of a document", "") : noJson(e);
            }
        }
        super.end();
    }

    @Override
    boolean found() {
        return !judges || found;
    }

    private void feed(byte[] bytes) {
        ByteArrayFeeder feeder = (ByteArrayFeeder) parser.getNonBlockingInputFeeder();
        try {
            feeder.feedInput(bytes, 0, bytes.length);
            read();
        } catch (IOException e) {
            throw noJson(e);
        }
    }

    /** Takes what tokens there are. */
    private void read() throws IOException {
        for (JsonToken token = parser.nextToken();
                open && token != null && token != JsonToken.NOT_AVAILABLE;
                token = parser.nextToken()) {
            document.copyCurrentEvent(parser);
            depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
            if (depth == 0) {
                JsonNode whole = MAPPER.readTree(document.asParser());
                document.close();
                document = new TokenBuffer(MAPPER, false);
                apply(whole);
            }
        }
    }

    private void apply(JsonNode input) {
        try {
            new JqEvaluation(query, bounded(), input, LONGEST).each(this::emit);
        } catch (Enough enough) {
            open = false;
        } catch (JsonQueryException e) {
            throw refused(firstLine(e), "Look at what it is given: the same line without jq, and with -o json");
        } catch (StackOverflowError e) {
            throw refused("the expression does not come to an end", "");
        } catch (IOException e) {
            throw new UncheckedIOException("nothing is read or written here", e);
        }
    }

    private void emit(JsonNode result) throws JsonQueryException {
        found = !(result.isNull() || result.isMissingNode() || (result.isBoolean() && !result.booleanValue()));
        String text;
        try {
            text = raw && result.isTextual()
                    ? cleaned(result.textValue())
                    : JsonOutput.harmless(writer.writeValueAsString(result));
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException("a tree can always be written", e);
        }
        for (String line : text.split("\n", -1)) {
            if (!pass(line)) {
                throw new Enough();
            }
        }
    }

    /** A string that was quoted until now: what a terminal would obey is taken out of it, but for tabs and ends of lines. */
    private static String cleaned(String text) {
        return text.lines()
                .map(line -> line.chars().anyMatch(c -> c == '\t')
                        ? java.util.Arrays.stream(line.split("\t", -1))
                                .map(Palette::clean)
                                .collect(Collectors.joining("\t"))
                        : Palette.clean(line))
                .collect(Collectors.joining("\n"));
    }

    private static ShellException noJson(IOException e) {
        String where =
                e instanceof JsonProcessingException json ? json.getOriginalMessage() : String.valueOf(e.getMessage());
        return ShellException.here(
                "FILTER",
                "jq: what it is given is no JSON (" + firstLine(where) + ")",
                "Put -o json to the command, and jq right behind it",
                e);
    }

    static ShellException refused(String why, String hint) {
        return ShellException.here("FILTER", "jq: " + why, hint);
    }

    private static String firstLine(Exception e) {
        return firstLine(String.valueOf(e.getMessage()));
    }

    private static String firstLine(String message) {
        return message.lines().findFirst().orElse("");
    }

    /** Ends an expression whose further results nobody wants. */
    private static final class Enough extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Enough() {
            super(null, null, false, false);
        }
    }
}
