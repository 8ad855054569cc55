package io.enipam.shell.repl;

import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.CompletionKind;
import io.enipam.shell.runbook.RunbookLibrary;
import io.enipam.shell.runbook.ScriptSource;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** What there is right now, to complete a word from: the daemon's things by {@link #of}, files and runbooks of this machine. */
@FunctionalInterface
interface CompletionValues {
    /** A value, and what to say beside it. The word goes on behind one that ends with an equals sign or a slash. */
    record Value(String text, String description) {}

    /** The values, which may depend on the positionals {@code before} the word. What cannot answer throws. */
    List<Value> of(CompletionKind kind, List<String> before);

    /** Files in the directory that the word names so far; hidden ones only where the word begins one. */
    static List<Value> files(String typed) {
        int name = typed.lastIndexOf('/') + 1;
        String directory = typed.substring(0, name);
        String begun = typed.substring(name);
        List<Value> values = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(Path.of(directory.isEmpty() ? "." : directory))) {
            for (Path file : files) {
                String text = String.valueOf(file.getFileName());
                if (text.startsWith(begun) && (!text.startsWith(".") || begun.startsWith("."))) {
                    values.add(new Value(directory + text + (Files.isDirectory(file) ? "/" : ""), ""));
                }
            }
        } catch (IOException | InvalidPathException none) {
            return List.of(); // a completion that fails is no completion; the command itself will say what is wrong
        }
        values.sort(Comparator.comparing(Value::text));
        return values;
    }

    static List<Value> runbooks(String typed) {
        Stream<Value> named = RunbookLibrary.names().stream()
                .filter(name -> name.startsWith(typed))
                .map(name -> new Value(
                        name,
                        RunbookLibrary.header(RunbookLibrary.required(name)).description()));
        return Stream.concat(named, files(typed).stream()).toList();
    }

    /** The parameters of the runbook that is named before, up to the value. */
    static List<Value> runbookParameters(List<String> before) {
        try {
            return before.stream()
                    .limit(1)
                    .map(word -> RunbookLibrary.named(word).orElseGet(() -> ScriptSource.file(Path.of(word))))
                    .flatMap(source -> RunbookLibrary.header(source).parameters().stream())
                    .map(parameter -> {
                        Optional<String> value = parameter.fallback();
                        String fallback = value.map(known -> " [" + known + "]").orElse(" (required)");
                        return new Value(parameter.name() + "=", parameter.doc() + fallback);
                    })
                    .toList();
        } catch (ShellException | InvalidPathException noSuchRunbook) {
            return List.of();
        }
    }

    /** Live values that never keep TAB waiting: asked for in the background, and late for the next time. Thread-safe. */
    static final class CachedCompletionValues implements CompletionValues {
        private static final Duration PATIENCE = Duration.ofMillis(400);

        /** For how long an answer is good enough not to ask again: TAB is pressed several times for one word. */
        private static final Duration FRESH = Duration.ofSeconds(2);

        /** How many answers are kept: a session may last for weeks. */
        private static final int MOST = 500;

        private record Question(CompletionKind kind, List<String> before) {}

        private record Answer(List<Value> values, long at) {}

        private record Pending(CompletableFuture<List<Value>> answer, long since) {}

        private final CompletionValues source;
        private final Executor background;
        private final LongSupplier nanos;
        private final Map<Question, Answer> answers = new ConcurrentHashMap<>();
        private final Map<Question, Pending> asked = new ConcurrentHashMap<>();
        private volatile long oldest;

        /** @param source may be slow and may throw; {@code nanos} is a clock that never goes back */
        CachedCompletionValues(CompletionValues source, Executor background, LongSupplier nanos) {
            this.source = source;
            this.background = background;
            this.nanos = nanos;
            this.oldest = nanos.getAsLong() - 1;
        }

        /** A command has run, so that what is known may be no more: the next one asks again. */
        void expire() {
            oldest = nanos.getAsLong();
        }

        @Override
        public List<Value> of(CompletionKind kind, List<String> before) {
            Question question = new Question(kind, List.copyOf(before));
            Optional<Answer> known = Optional.ofNullable(answers.get(question));
            if (known.filter(this::fresh).isPresent()) {
                return known.get().values();
            }
            return waited(question).or(() -> known.map(Answer::values)).orElse(List.of());
        }

        private boolean fresh(Answer answer) {
            return answer.at() - oldest > 0 && nanos.getAsLong() - answer.at() < FRESH.toNanos();
        }

        private Optional<List<Value>> waited(Question question) {
            try {
                Pending pending = asked.computeIfAbsent(question, this::ask);
                long left = PATIENCE.toNanos() - (nanos.getAsLong() - pending.since());
                return Optional.of(pending.answer().get(Math.max(0, left), TimeUnit.NANOSECONDS));
            } catch (TimeoutException | ExecutionException | RejectedExecutionException noAnswer) {
                return Optional
                        .empty(); // a completion that fails is no completion; the command itself says what is wrong
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return Optional.empty();
            }
        }

        private Pending ask(Question question) {
            long since = nanos.getAsLong();
            Supplier<List<Value>> asking = () -> {
                try {
                    List<Value> values = source.of(question.kind(), question.before());
                    if (answers.size() >= MOST) {
                        answers.clear();
                    }
                    answers.put(question, new Answer(values, since));
                    return values;
                } finally {
                    asked.remove(question);
                }
            };
            return new Pending(CompletableFuture.supplyAsync(asking, background), since);
        }
    }
}
