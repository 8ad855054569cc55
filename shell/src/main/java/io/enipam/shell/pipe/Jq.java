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
import io.enipam.shell.core.Interrupts;
import io.enipam.shell.core.JsonOutput;
import io.enipam.shell.core.Palette;
import io.enipam.shell.pipe.Filter.FilterStage;
import io.enipam.shell.pipe.Filter.LineSink;
import io.grpc.Context;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import net.thisptr.jackson.jq.BuiltinFunctionLoader;
import net.thisptr.jackson.jq.Function;
import net.thisptr.jackson.jq.JsonQuery;
import net.thisptr.jackson.jq.Scope;
import net.thisptr.jackson.jq.Versions;
import net.thisptr.jackson.jq.exception.JsonQueryException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A jq expression over each JSON document that comes. */
@Command(
        name = "jq",
        customSynopsis = "jq [-r] [-c] [-e] EXPR",
        description = {
            "What a jq expression makes of JSON.",
            "The command right before it prints JSON without being told to. The language is jq's, version 1.7, but for repeat and $ENV, which it does not know; after 30 s an expression is given up."
        },
        footer = "  pool inuse | jq -r '.leases[].pod'")
public final class Jq implements Filter {
    @Option(
            names = {"-r", "--raw-output"},
            description = "A string without its quotes.")
    boolean raw;

    @Option(
            names = {"-c", "--compact-output"},
            description = "Each result on one line.")
    boolean compact;

    @Option(
            names = {"-e", "--exit-status"},
            description = "Exit status 1 if the last result is null or false, or there is none.")
    boolean exitStatus;

    @Parameters(paramLabel = "EXPR", description = "The expression, in single quotes.")
    String expression = "";

    @Override
    public void prepare() {
        JqStage.compile(expression);
    }

    @Override
    public FilterStage open(LineSink next) {
        return new JqStage(next);
    }

    /** Writes the results of documents as they come. Only it knows jq and its JSON, and is loaded for a jq. */
    private final class JqStage extends FilterStage {
        private static final ObjectMapper MAPPER =
                new ObjectMapper().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS);
        private static final DefaultIndenter INDENTED = new DefaultIndenter("  ", "\n");
        private static final Scope BUILTINS = builtins();
        private static final long MOST_NUMBERS = 1_000_000;

        private final JsonQuery query;
        private final ObjectWriter writer;
        private final JsonParser parser;
        private TokenBuffer document;
        private int depth;
        private boolean found;
        private boolean open = true;

        JqStage(LineSink next) {
            super(next);
            this.query = compile(expression);
            this.writer = compact ? MAPPER.writer() : MAPPER.writer(pretty());
            try {
                this.parser = new JsonFactory().createNonBlockingByteArrayParser();
            } catch (IOException e) {
                throw new UncheckedIOException("a parser without input reads nothing", e);
            }
            this.document = new TokenBuffer(MAPPER, false);
        }

        /** Throws a usage error if it is no expression. */
        static JsonQuery compile(String expression) {
            String why;
            try {
                return JsonQuery.compile(expression, Versions.JQ_1_7);
            } catch (StackOverflowError e) {
                why = "the expression is nested too deeply";
            } catch (JsonQueryException e) {
                why = "'" + expression + "' is no expression: " + firstLine(e.getMessage());
            }
            throw ShellException.usage("jq: " + why, "As in: pool inuse | jq '.leases[].pod'");
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
            try {
                ((ByteArrayFeeder) parser.getNonBlockingInputFeeder()).feedInput(bytes, 0, bytes.length);
                read();
            } catch (IOException e) {
                throw noJson(e);
            }
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
            return !exitStatus || found;
        }

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
                new JqEvaluation(query, bounded(), input).each(this::emit);
            } catch (Enough enough) {
                open = false;
            } catch (JsonQueryException e) {
                throw refused(
                        firstLine(e.getMessage()),
                        "Look at what it is given: the same line without jq, and with -o json");
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

        /** A string that was quoted so far, without what a terminal would obey but tabs and ends of lines. */
        private static String cleaned(String text) {
            return text.lines()
                    .map(line ->
                            Stream.of(line.split("\t", -1)).map(Palette::clean).collect(Collectors.joining("\t")))
                    .collect(Collectors.joining("\n"));
        }

        private static ShellException noJson(IOException e) {
            String why = e instanceof JsonProcessingException json ? json.getOriginalMessage() : e.getMessage();
            return ShellException.here(
                    "FILTER",
                    "jq: what it is given is no JSON (" + firstLine(why) + ")",
                    "Put -o json to the command, and jq right behind it",
                    e);
        }

        static ShellException refused(String why, String hint) {
            return ShellException.here("FILTER", "jq: " + why, hint);
        }

        private static String firstLine(@Nullable String message) {
            return String.valueOf(message).lines().findFirst().orElse("");
        }

        /** Ends an expression whose further results are not wanted. */
        private static final class Enough extends RuntimeException {
            private static final long serialVersionUID = 1L;

            Enough() {
                super(null, null, false, false);
            }
        }
    }

    /** One document's way through an expression, on a thread that is left to itself if it takes too long. */
    private static final class JqEvaluation {
        private static final long LOOK_EVERY_MILLIS = 50;
        /** How long an expression may keep its reader waiting, over all of its results. */
        private static final Duration LONGEST = Duration.ofSeconds(30);

        private static final ExecutorService THREADS =
                Executors.newCachedThreadPool(Interrupts.daemonThreads("enipam-jq"));

        private final JsonQuery query;
        private final Scope scope;
        private final JsonNode input;
        private final BlockingQueue<Told> told = new ArrayBlockingQueue<>(64);
        private long waited;

        /** A result, or that there are no more, and why. */
        private record Told(
                @Nullable JsonNode result, @Nullable Throwable failure) {}

        /** Takes a result; on the thread of the reader. */
        interface Results {
            void result(JsonNode result) throws JsonQueryException;
        }

        JqEvaluation(JsonQuery query, Scope scope, JsonNode input) {
            this.query = query;
            this.scope = scope;
            this.input = input;
        }

        /** Hands on each result as it comes. Throws {@link ShellException} if that takes too long, or is interrupted. */
        void each(Results results) throws IOException {
            Future<?> work = THREADS.submit(this::evaluate);
            try {
                for (Told next = next(); ; next = next()) {
                    JsonNode result = next.result();
                    if (result == null) {
                        rethrow(next.failure());
                        return;
                    }
                    results.result(result);
                }
            } finally {
                work.cancel(true);
            }
        }

        private Told next() {
            while (waited < LONGEST.toNanos()) {
                long start = System.nanoTime();
                try {
                    Told next = told.poll(LOOK_EVERY_MILLIS, TimeUnit.MILLISECONDS);
                    if (next != null) {
                        return next;
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw ShellException.interrupted();
                } finally {
                    waited += System.nanoTime() - start;
                }
                if (Context.current().isCancelled()) {
                    throw ShellException.interrupted();
                }
            }
            throw JqStage.refused(
                    "the expression took longer than " + LONGEST.toSeconds() + " s",
                    "Ask for less at once, or save the JSON and use a jq outside of this shell");
        }

        private static void rethrow(@Nullable Throwable failure) throws IOException {
            if (failure instanceof IOException known) {
                throw known;
            } else if (failure instanceof RuntimeException known) {
                throw known;
            } else if (failure instanceof Error known) {
                throw known;
            }
        }

        private void evaluate() {
            try {
                query.apply(scope, input, result -> put(new Told(result, null)));
                put(new Told(null, null));
            } catch (IOException | RuntimeException | StackOverflowError | OutOfMemoryError e) {
                if (!Thread.currentThread().isInterrupted()) {
                    put(new Told(null, e));
                }
            }
        }

        private void put(Told next) {
            try {
                told.put(next);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("the reader is gone", e);
            }
        }
    }
}
