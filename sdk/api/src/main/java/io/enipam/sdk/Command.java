package io.enipam.sdk;

import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * A command of the shell that a {@link Part} brings: listed by {@code help}, completed by TAB, with {@code -o json}, filters and
 * {@code --watch} as the built-in ones.
 *
 * <p><b>Deadlines.</b> Each run has a thread of the plugin's. A command of impact READ has 5 s, another one 30 s; a run that is late is an
 * error for its caller alone, and is interrupted. What {@link #complete} answers within 300 ms is
 * offered.
 *
 * <p><b>Dry run.</b> A command of impact CHANGE or DESTROY is asked what it would do with {@link Call#dryRun()}, and then changes
 * nothing. Of a DESTROY command the shell shows that answer before it asks the operator.
 *
 * <p><b>Private.</b> Answers are printed, and those of READ commands kept in support bundles: no secrets.
 *
 * <p><b>Thread-safety.</b> May be run several times at once, while the part is at work.
 *
 * <pre>{@code
 * public List<Command> commands() {
 *     return List.of(Command.of(CommandSpec.read("How full each range is.", "hostlocal", "ranges").option(ABOVE), call -> {
 *         int above = call.arguments().get(ABOVE);
 *         DiagnosticTable table = DiagnosticTable.of("RANGE", "USED");
 *         for (Range range : ranges) {
 *             if (range.used() > above) {
 *                 table = table.row(range.toString(), Integer.toString(range.used()));
 *             }
 *         }
 *         return Answer.table(table);
 *     }));
 * }
 * }</pre>
 */
public interface Command {
    /** How it is typed; constant. */
    CommandSpec spec();

    /**
     * Does it.
     *
     * @throws FactoryException the same as {@link Answer#refuse}
     */
    Answer run(Call call);

    /**
     * What may be typed for a parameter now. Choices of a setting are offered without this.
     *
     * @param parameter one of {@link CommandSpec#parameters()}
     * @param typed the beginning of the word; what does not begin so need not be left out
     * @return whole values; the host shows the first 200, and none that a terminal cannot show in one line of 200 characters
     */
    default List<String> complete(Setting<?> parameter, String typed) {
        return List.of();
    }

    /**
     * Whether {@code explain WORD} shows what this command answers, too: a command of impact READ with one operand that is no list. A
     * thing that it does not know it refuses with {@link ErrorKind#NOT_FOUND}; a word that its operand does not allow it is not asked
     * about. What it {@linkplain #complete completes} for the operand, {@code explain} completes. Constant.
     */
    default boolean explains() {
        return false;
    }

    /**
     * The option of a command of impact READ that names a file of the operator's machine. Where it is typed, the shell writes the text of
     * the answer there, and not to the terminal. Constant.
     */
    default Optional<Setting<String>> file() {
        return Optional.empty();
    }

    /**
     * The flag with which a command of impact READ goes on with what comes until the caller leaves, {@code -f} for short: the host then
     * calls {@link #follow}, and {@link #run} without it. One of the options, false by default. Constant.
     */
    default Optional<Setting<Boolean>> follows() {
        return Optional.empty();
    }

    /**
     * Begins to follow. Must return within 5 s; the host reads what comes as fast as the caller does.
     *
     * @param after the {@link Line#place} of the last line that the caller has, to go on behind it; empty at the beginning. A place that the
     *     command does not know counts as none
     * @param more to be run when there may be more of the feed than it had
     * @throws FactoryException the same as {@link Answer#refuse}
     */
    default Feed<Line> follow(Call call, String after, Runnable more) {
        throw new FactoryException(ErrorKind.MISCONFIGURED, "this command follows nothing");
    }

    /** A command of this form, which {@code run} answers, and that completes nothing but choices. */
    static Command of(CommandSpec spec, Function<Call, Answer> run) {
        return of(spec, run, (parameter, typed) -> List.of());
    }

    /** The same that completes values, too, see {@link #complete}. */
    static Command of(
            CommandSpec spec, Function<Call, Answer> run, BiFunction<Setting<?>, String, List<String>> complete) {
        record Given(
                CommandSpec spec, Function<Call, Answer> answer, BiFunction<Setting<?>, String, List<String>> values)
                implements Command {
            @Override
            public Answer run(Call call) {
                return answer.apply(call);
            }

            @Override
            public List<String> complete(Setting<?> parameter, String typed) {
                return values.apply(parameter, typed);
            }
        }
        return new Given(spec, run, complete);
    }
}
