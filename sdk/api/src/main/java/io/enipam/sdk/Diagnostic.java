package io.enipam.sdk;

import java.util.List;
import java.util.function.Function;

/**
 * A read-only question a plugin answers about itself: what an operator on call asks with {@code plugin run ID NAME}.
 *
 * <p><b>Read-only.</b> Running it changes nothing, neither in the plugin nor outside. It may block for a few seconds;
 * the daemon gives it a thread of the plugin's and a deadline of five seconds, and cuts off a table longer than 10,000
 * rows or a million characters, and a cell longer than 1,000. A run that is late is an error for the caller alone.
 *
 * <p><b>Private.</b> The table is printed and kept in support bundles: no secrets.
 *
 * <p><b>Thread-safety.</b> May be run several times at once, while factories and policies of the plugin are at work.
 *
 * <pre>{@code
 * public List<Diagnostic> diagnostics() {
 *     return List.of(Diagnostic.of("ranges", "How full each range is.", List.of(ABOVE), request -> {
 *         int above = request.arguments().get(ABOVE);
 *         DiagnosticTable table = DiagnosticTable.of("RANGE", "USED");
 *         for (Range range : ranges) {
 *             if (range.used() > above) {
 *                 table = table.row(range.toString(), Integer.toString(range.used()));
 *             }
 *         }
 *         return table;
 *     }));
 * }
 * static final Setting<Integer> ABOVE =
 *         Setting.wholeNumber("above", 0, 10_000, 0).unit("addresses").doc("Leave out ranges with no more in use.");
 * }</pre>
 *
 * <p>An operator runs it with {@code plugin run ID ranges above=10}, and gets JSON with {@code -o json}.
 */
public interface Diagnostic {
    /** What an operator types: {@code [a-z][a-z0-9-]*}, constant, unique within the plugin. */
    String name();

    /** What it reports, one sentence with a full stop; constant. */
    String summary();

    /** What can be asked for, given as {@code NAME=VALUE}; constant. */
    default List<Setting<?>> parameters() {
        return List.of();
    }

    /**
     * Answers.
     *
     * @throws FactoryException if it cannot; the message is shown
     */
    DiagnosticTable run(DiagnosticRequest request);

    /** A diagnostic of these constants, which {@code table} answers. */
    static Diagnostic of(
            String name,
            String summary,
            List<Setting<?>> parameters,
            Function<DiagnosticRequest, DiagnosticTable> table) {
        record Given(
                String name,
                String summary,
                List<Setting<?>> parameters,
                Function<DiagnosticRequest, DiagnosticTable> table)
                implements Diagnostic {
            @Override
            public DiagnosticTable run(DiagnosticRequest request) {
                return table.apply(request);
            }
        }
        return new Given(name, summary, List.copyOf(parameters), table);
    }
}
