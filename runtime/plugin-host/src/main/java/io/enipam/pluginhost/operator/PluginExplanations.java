package io.enipam.pluginhost.operator;

import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.pluginhost.operator.AnswerBounds.Bounded;
import io.enipam.pluginhost.operator.OperatorParts.OfferedCommand;
import io.enipam.sdk.Answer;
import io.enipam.sdk.Setting;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/**
 * What plugins say of a thing: the answers of their commands that {@linkplain io.enipam.sdk.Command#explains explain}. Thread-safe; nothing
 * blocks.
 */
public record PluginExplanations(PluginCommands commands) {
    private static final int NEAREST = 3;

    /**
     * What one of them says.
     *
     * @param command as it is typed: {@code nodeipam node worker-1}
     * @param answer a table or text
     */
    public record PluginExplanation(String plugin, String command, Bounded<?> answer) {}

    /**
     * Asks all of them.
     *
     * @return nothing if none knows the thing; one that fails says why
     */
    public CompletableFuture<List<PluginExplanation>> of(String what) {
        return explaining()
                .thenCompose(all -> inOrder(
                        all.stream().map(command -> asked(command, what)).toList()))
                .thenApply(said -> said.stream().flatMap(Optional::stream).toList());
    }

    /** What an operator is told of a thing that none of them knows: what can be asked. Empty where none of them explains anything. */
    public CompletableFuture<Optional<IpamException>> unknown(String what) {
        return explaining()
                .thenCompose(all -> inOrder(all.stream()
                                .map(command -> commands.complete(
                                        command.spec().path(), operand(command).name(), what))
                                .toList())
                        .thenApply(near -> all.isEmpty() ? Optional.empty() : Optional.of(unknown(what, near, all))));
    }

    private static IpamException unknown(String what, List<List<String>> near, List<OfferedCommand> all) {
        List<String> nearest =
                near.stream().flatMap(List::stream).distinct().limit(NEAREST).toList();
        return new IpamException(
                ErrorCode.NOT_FOUND,
                "nobody here knows '" + what + "'",
                nearest.isEmpty()
                        ? "'explain' says what these do: " + usages(all)
                        : "did you mean " + String.join(" or ", nearest) + "?");
    }

    private CompletableFuture<List<OfferedCommand>> explaining() {
        return commands.settled()
                .thenApply(all -> all.stream().filter(OfferedCommand::explains).toList());
    }

    private CompletableFuture<Optional<PluginExplanation>> asked(OfferedCommand command, String what) {
        return Stages.call(() -> commands.read(
                        command.spec().path(), Map.of(operand(command).name(), List.of(what))))
                .toCompletableFuture()
                .<Optional<Bounded<?>>>handle((answer, failure) -> failure == null
                        ? Optional.of(answer)
                        : withoutAnswer(Stages.cause(failure)).map(why -> new Bounded<>(Answer.text(why), false)))
                .thenApply(answer ->
                        answer.map(said -> new PluginExplanation(command.plugin(), words(command) + " " + what, said)));
    }

    /** Empty if the command does not know the thing, or cannot be asked about it. */
    private static Optional<String> withoutAnswer(Throwable cause) {
        boolean unknown = cause instanceof IpamException known
                && (known.code() == ErrorCode.NOT_FOUND || known.code() == ErrorCode.INVALID_ARGUMENT);
        return unknown ? Optional.empty() : Optional.of("no answer: " + cause.getMessage());
    }

    private static String usages(List<OfferedCommand> all) {
        return all.stream()
                .map(command -> words(command) + " " + operand(command).name().toUpperCase(Locale.ROOT))
                .collect(Collectors.joining(", "));
    }

    private static String words(OfferedCommand command) {
        return String.join(" ", command.spec().path());
    }

    private static Setting<?> operand(OfferedCommand command) {
        return command.spec().operands().get(0);
    }

    private static <T> CompletableFuture<List<T>> inOrder(List<CompletableFuture<T>> all) {
        return CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
                .thenApply(done -> all.stream().map(CompletableFuture::join).toList());
    }
}
