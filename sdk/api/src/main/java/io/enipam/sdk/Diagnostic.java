package io.enipam.sdk;

import java.util.List;

/**
 * A read-only question a plugin answers about itself: what a person on call asks with {@code plugin run ID NAME}.
 *
 * <p><b>Read-only.</b> Running it changes nothing, neither in the plugin nor outside. It may block for a few seconds; the
 * daemon gives it a thread, a deadline of five seconds, and cuts off a table longer than 10,000 rows.
 *
 * <p><b>Thread-safety.</b> May be run several times at once, while factories and policies of the plugin are at work.
 *
 * <pre>{@code
 * public List<Diagnostic> diagnostics() {
 *     return List.of(new Diagnostic() {
 *         public String name() { return "ranges"; }
 *         public String summary() { return "How full each range is."; }
 *         public DiagnosticTable run(DiagnosticRequest request) {
 *             return DiagnosticTable.of("RANGE", "USED").row("10.0.0.0/24", "17");
 *         }
 *     });
 * }
 * }</pre>
 */
public interface Diagnostic {
    /** What a person types: {@code [a-z][a-z0-9-]*}, constant, unique within the plugin. */
    String name();

    /** What it tells, one sentence with a full stop; constant. */
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
}
