package io.enipam.pluginhost.operator;

import io.enipam.config.NearestName;
import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.port.Scheduler;
import io.enipam.pluginhost.operator.AnswerBounds.Bounded;
import io.enipam.pluginhost.operator.OperatorParts.OfferedCommand;
import io.enipam.sdk.Answer;
import io.enipam.sdk.Call;
import io.enipam.sdk.CommandSpec;
import io.enipam.sdk.CommandSpec.Impact;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Line;
import io.enipam.sdk.Setting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Runs the commands that parts of plugins bring, each within its deadline on a thread of its plugin. Thread-safe; nothing blocks.
 *
 * @param opening whether an extension is being opened
 */
public record PluginCommands(OperatorParts parts, BooleanSupplier opening, Scheduler engine) {
    private static final Duration READ = Duration.ofSeconds(5);
    private static final Duration CHANGE = Duration.ofSeconds(30);
    private static final Duration SETTLING = Duration.ofSeconds(3);
    private static final Duration LOOK_AGAIN = Duration.ofMillis(50);
    private static final Duration COMPLETION = Duration.ofMillis(300);
    private static final int MOST_VALUES = 200;
    private static final int LONGEST_VALUE = 200;

    /**
     * All of them, by their words, once every extension that is being opened has said what it brings, or after three seconds: a
     * command may be given as soon as the daemon serves.
     */
    public CompletableFuture<List<OfferedCommand>> settled() {
        CompletableFuture<List<OfferedCommand>> told = new CompletableFuture<>();
        settle(told, (int) (SETTLING.toMillis() / LOOK_AGAIN.toMillis()));
        return told;
    }

    private void settle(CompletableFuture<List<OfferedCommand>> told, int turns) {
        if (turns > 0 && unsettled()) {
            engine.after(LOOK_AGAIN, () -> settle(told, turns - 1));
        } else {
            told.complete(all());
        }
    }

    /** Whether a part may still say that it brings what is not there now. */
    boolean unsettled() {
        return opening.getAsBoolean() || parts.asking();
    }

    /** All of them now, by their words. */
    public List<OfferedCommand> all() {
        return parts.commands();
    }

    /**
     * Runs one that changes nothing.
     *
     * @param arguments the texts of what was typed, by name
     * @return fails with {@link IpamException}
     */
    public CompletableFuture<Bounded<?>> read(List<String> path, Map<String, List<String>> arguments) {
        OfferedCommand command = named(path);
        if (command.spec().impact() != Impact.READ) {
            throw new IpamException(
                    ErrorCode.INVALID_ARGUMENT,
                    "'" + words(path) + "' changes something",
                    "a program runs it by the service Control");
        }
        command.follows().filter(arguments::containsKey).ifPresent(flag -> {
            throw new IpamException(
                    ErrorCode.INVALID_ARGUMENT,
                    "'" + words(path) + "' goes on with '" + flag + "' until the caller leaves",
                    "a program follows it by FollowCommand");
        });
        return run(command, arguments, false, READ);
    }

    /**
     * Has a caller follow one, once every extension that is being opened has said what it brings, or after three seconds: a caller that was
     * cut off by a restart comes back at once.
     *
     * @param arguments the texts of what was typed, by name
     * @param after the place of the last line that the caller has; empty at the beginning
     * @return fails with {@link IpamException}
     */
    public CompletableFuture<FeedReader<Line>> follow(
            List<String> path, Map<String, List<String>> arguments, String after, FeedReader.Reader<Line> caller) {
        return settled().thenApply(all -> {
            OfferedCommand command = named(path);
            if (command.follows().filter(arguments::containsKey).isEmpty()) {
                throw new IpamException(
                        ErrorCode.INVALID_ARGUMENT,
                        "'" + words(path) + "' is not followed as it is typed"
                                + command.follows()
                                        .map(flag -> ": it is without its flag '" + flag + "'")
                                        .orElse(": it answers once"),
                        "run it by RunCommand");
            }
            return parts.follow(
                    command.part(),
                    words(path),
                    command.calls(),
                    more -> AnswerBounds.lines(command.command().follow(call(command, arguments), after, more)),
                    caller);
        });
    }

    private static Call call(OfferedCommand command, Map<String, List<String>> arguments) {
        try {
            return Call.of(command.spec(), arguments, false);
        } catch (IllegalArgumentException e) {
            throw new FactoryException(ErrorKind.MISCONFIGURED, ParameterTexts.problems(e));
        }
    }

    /** What became of a feed, or of a call, of a plugin's, as its caller is told. */
    public static IpamException told(Throwable failure) {
        Throwable cause = Stages.cause(failure);
        if (cause instanceof IpamException known) {
            return known;
        }
        ErrorKind kind = cause instanceof FactoryException known ? known.kind() : ErrorKind.INTERNAL;
        return new IpamException(code(kind), String.valueOf(cause.getMessage()), "", cause);
    }

    /**
     * Runs one, whatever it changes.
     *
     * @param arguments the texts of what was typed, by name
     * @return fails with {@link IpamException}
     */
    public CompletableFuture<Bounded<?>> change(
            List<String> path, Map<String, List<String>> arguments, boolean dryRun) {
        return run(named(path), arguments, dryRun, CHANGE);
    }

    private static CompletableFuture<Bounded<?>> run(
            OfferedCommand command, Map<String, List<String>> arguments, boolean dryRun, Duration deadline) {
        String words = words(command.spec().path());
        return command.calls()
                .<Bounded<?>>call(
                        "command " + words, deadline, () -> AnswerBounds.of(answer(command, arguments, dryRun)))
                .handle((answer, failure) -> {
                    if (failure != null) {
                        throw failed(command, Stages.cause(failure));
                    }
                    if (answer.answer() instanceof Answer.Refusal refusal) {
                        throw new IpamException(code(refusal.kind()), refusal.why(), "");
                    }
                    return answer;
                });
    }

    /** On the plugin's thread: the patterns of parameters are the plugin's. */
    private static Answer answer(OfferedCommand command, Map<String, List<String>> arguments, boolean dryRun) {
        Call call;
        try {
            call = Call.of(command.spec(), arguments, dryRun);
        } catch (IllegalArgumentException e) {
            return Answer.refuse(ErrorKind.MISCONFIGURED, ParameterTexts.problems(e));
        }
        try {
            return command.command().run(call);
        } catch (FactoryException e) {
            if (e.kind() == ErrorKind.INTERNAL) {
                throw e;
            }
            return Answer.refuse(e.kind(), String.valueOf(e.getMessage()));
        }
    }

    private static IpamException failed(OfferedCommand command, Throwable cause) {
        ErrorKind kind = cause instanceof FactoryException known ? known.kind() : ErrorKind.INTERNAL;
        return new IpamException(
                code(kind),
                String.valueOf(cause.getMessage()),
                "'plugin info " + command.plugin() + "' shows how the plugin fares",
                cause);
    }

    private static ErrorCode code(ErrorKind kind) {
        return switch (kind) {
            case NOT_FOUND -> ErrorCode.NOT_FOUND;
            case MISCONFIGURED -> ErrorCode.INVALID_ARGUMENT;
            case DEADLINE_EXCEEDED -> ErrorCode.DEADLINE_EXCEEDED;
            case THROTTLED, UNAVAILABLE -> ErrorCode.TRY_AGAIN;
            case QUOTA_EXHAUSTED, ADDRESSES_EXHAUSTED, UNAUTHORIZED, CONFLICT, INTERNAL -> ErrorCode.PLUGIN_FAILED;
        };
    }

    /** What may be typed for a parameter; nothing if the plugin is slow or fails. */
    public CompletableFuture<List<String>> complete(List<String> path, String parameter, String typed) {
        OfferedCommand command = named(path);
        Setting<?> setting = command.spec().parameters().stream()
                .filter(known -> known.name().equals(parameter))
                .findFirst()
                .orElseThrow(() -> new IpamException(
                        ErrorCode.NOT_FOUND, "'" + words(path) + "' has no parameter '" + parameter + "'", ""));
        return command.calls()
                // a slow completion is no failure of the plugin's, for which its commands would be refused
                .call("completion of " + words(path), READ, () -> values(command, setting, typed))
                .completeOnTimeout(List.of(), COMPLETION.toMillis(), TimeUnit.MILLISECONDS)
                .exceptionally(failure -> List.of());
    }

    private static List<String> values(OfferedCommand command, Setting<?> parameter, String typed) {
        List<String> values = new ArrayList<>();
        for (String value : command.command().complete(parameter, typed)) {
            boolean shown = value.length() <= LONGEST_VALUE
                    && value.startsWith(typed)
                    && value.chars().noneMatch(Character::isISOControl);
            if (shown) {
                values.add(value);
            }
            if (values.size() == MOST_VALUES) {
                break;
            }
        }
        return values;
    }

    private OfferedCommand named(List<String> path) {
        List<OfferedCommand> all = all();
        return all.stream()
                .filter(command -> command.spec().path().equals(path))
                .findFirst()
                .orElseThrow(() -> {
                    List<String> there = all.stream()
                            .map(OfferedCommand::spec)
                            .map(CommandSpec::path)
                            .map(PluginCommands::words)
                            .toList();
                    return new IpamException(
                            ErrorCode.NOT_FOUND,
                            "there is no command '" + words(path) + "'" + NearestName.hint(words(path), there, ""),
                            "'help' lists those of plugins whose extensions run");
                });
    }

    private static String words(List<String> path) {
        return String.join(" ", path);
    }
}
