package io.enipam.shell.runbook;

import io.enipam.shell.core.Table;
import io.enipam.shell.runbook.Runbook.SourcePosition;
import io.enipam.shell.runbook.RunbookHeader.Needs;
import io.enipam.shell.runbook.WordTemplate.VariableValue;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * Reads a runbook as a whole, with all that it includes, and finds all that is wrong with it before any of it runs. The
 * grammar is in the package's README; each line is a step, and steps between {@code if}, {@code for} or {@code on-error} and
 * {@code end} are a block.
 *
 * <p>A value takes the place of {@code ${name}} after the line was split into words, so that no value can become a second
 * word or another command; in a jq expression it becomes a JSON string or number, and in a pattern it means itself.
 */
public final class RunbookParser {
    private final Map<String, String> given;
    private final List<RunbookHeader> headers = new ArrayList<>();
    private final VariableScope names;
    private final ActionParser actions;
    private final List<RunbookSyntaxException> problems = new ArrayList<>();

    private RunbookParser(CommandExecutor commands, Map<String, String> given) {
        this.given = given;
        this.names = new VariableScope(given);
        this.actions = new ActionParser(commands, names);
    }

    /**
     * Reads a runbook with values for its variables, of which none may be missing if it is {@code complete}. Throws a
     * usage error if its own file cannot be read.
     */
    public static Runbook parse(
            ScriptSource source, Map<String, String> given, boolean complete, CommandExecutor commands)
            throws InvalidRunbookException {
        return new RunbookParser(commands, given).root(source, complete);
    }

    private Runbook root(ScriptSource source, boolean complete) throws InvalidRunbookException {
        HeaderParser.Split split = HeaderParser.split(RunbookLine.of(source.name(), source.text()), problems::add);
        RunbookHeader header = split.header();
        headers.add(header);
        names.root(header, complete, problems::add);
        List<RunbookStep> steps = new StepParser(names, actions, problems, headers).file(source, split.rest());
        if (header.needs().filter(Needs.INSPECT::equals).isPresent()) {
            String why = "the header says that to inspect is enough for this runbook, and for this command it is not";
            actions.controls().forEach(place -> problems.add(place.wrong(why, "Write needs: control")));
        }
        Variables shown = new Variables();
        headers.forEach(shown::declare);
        given.forEach((name, value) -> shown.put(name, VariableValue.text(value)));
        names.values().forEach(shown::put);
        List<String> complaints = new ArrayList<>(problems.stream()
                .sorted(Comparator.comparing(RunbookSyntaxException::place, SourcePosition.ORDER))
                .map(wrong -> wrong.line(shown::redact))
                .toList());
        if (problems.isEmpty() || complaints.size() < RunbookLimits.PROBLEMS) {
            complaints.addAll(names.unused(source.name(), header));
        }
        if (steps.isEmpty() && complaints.isEmpty()) {
            complaints.add(source.name() + ": there is no command in it");
        }
        if (!complaints.isEmpty()) {
            List<String> first = complaints.subList(0, Math.min(RunbookLimits.PROBLEMS, complaints.size()));
            throw new InvalidRunbookException(source.name(), first);
        }
        boolean control = !actions.controls().isEmpty();
        return new Runbook(source.name(), header, steps, names.values(), control);
    }

    public static final class InvalidRunbookException extends Exception {
        private static final long serialVersionUID = 1L;

        private final transient List<String> problems;

        InvalidRunbookException(String file, List<String> problems) {
            super(file + " has " + Table.counted(problems.size(), "problem"));
            this.problems = List.copyOf(problems);
        }

        /** One line for each, {@code FILE:LINE:COLUMN: WHAT. HINT}. */
        public List<String> problems() {
            return problems;
        }
    }
}
