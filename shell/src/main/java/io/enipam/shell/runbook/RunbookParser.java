package io.enipam.shell.runbook;

import io.enipam.shell.attach.Exit;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.runbook.Step.Call;
import io.enipam.shell.text.Spans;
import io.enipam.shell.text.Words;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads a runbook as a whole and finds all that is wrong with it before any of it runs. A line is one of
 *
 * <pre>
 * # a comment
 * CMD                                 must succeed
 * ! CMD                               the daemon must say no
 * expect CMD | grep TEXT              CMD must print a line with TEXT
 * expect ! CMD | grep TEXT            CMD must print no such line
 * retry TIME: any of these            again and again until it holds, or the time is over
 * </pre>
 *
 * <p>A value takes the place of {@code ${name}} after the line was split into words, so that no value can become a second
 * word or another command.
 */
public final class RunbookParser {
    private static final Pattern RETRY = Pattern.compile("retry\\s+([^\\s:]+)\\s*:\\s*(.*)");
    private static final Pattern KEYWORD = Pattern.compile("(retry|expect)(\\s.*)?");

    private final Commands commands;
    private final Variables variables;

    private RunbookParser(Commands commands, Map<String, String> values) {
        this.commands = commands;
        this.variables = new Variables(values);
    }

    /**
     * Reads a runbook.
     *
     * @param file its name, for messages
     * @param values of its variables, by name
     * @throws BrokenRunbook if anything is wrong with it, with all of that
     */
    public static Runbook parse(String file, String text, Map<String, String> values, Commands commands)
            throws BrokenRunbook {
        return new RunbookParser(commands, values).parse(file, text);
    }

    private Runbook parse(String file, String text) throws BrokenRunbook {
        List<Runbook.Line> lines = new ArrayList<>();
        List<String> problems = new ArrayList<>();
        int number = 0;
        for (String raw : text.lines().toList()) {
            number++;
            String line = raw.strip();
            if (!line.isEmpty() && !line.startsWith("#")) {
                try {
                    Step step = step(line);
                    lines.add(new Runbook.Line(number, variables.shownIn(line), step));
                } catch (ShellException e) {
                    problems.add(file + ":" + number + ": " + e.sentence());
                }
            }
        }
        variables.unusedValues().forEach(complaint -> problems.add(file + ": " + complaint));
        if (lines.isEmpty() && problems.isEmpty()) {
            problems.add(file + ": there is no command in it");
        }
        if (!problems.isEmpty()) {
            throw new BrokenRunbook(file, problems);
        }
        return new Runbook(file, lines);
    }

    private Step step(String line) {
        Matcher retry = RETRY.matcher(line);
        if (retry.matches()) {
            Duration within = Spans.parse(variables.in(retry.group(1)));
            return new Step.Retry(within, single(retry.group(2)));
        }
        return single(line);
    }

    private Step.Single single(String text) {
        if (text.startsWith("!")) {
            return new Step.Refused(call(text.substring(1)));
        }
        Matcher keyword = KEYWORD.matcher(text);
        if (!keyword.matches()) {
            return new Step.Run(call(text));
        }
        if (keyword.group(1).equals("retry")) {
            throw usage("retry takes a time and one step", "As in: retry 30s: expect pool inuse | grep web-0");
        }
        String rest = text.substring("expect".length()).strip();
        return rest.startsWith("!") ? expect(rest.substring(1), false) : expect(rest, true);
    }

    private Step.Expect expect(String text, boolean present) {
        List<List<String>> pipeline = pipeline(text);
        if (pipeline.size() != 2
                || pipeline.get(1).size() != 2
                || !pipeline.get(1).get(0).equals("grep")) {
            throw usage(
                    "expect takes a command, '| grep' and one text", "As in: expect pool inuse | grep 'default/web-0'");
        }
        return new Step.Expect(
                checked(pipeline.get(0)), variables.in(pipeline.get(1).get(1)), present);
    }

    private Call call(String text) {
        List<List<String>> pipeline = pipeline(text);
        if (pipeline.size() > 1) {
            throw usage("only expect takes a '|'", "As in: expect pool inuse | grep web-0; or put it in quotes");
        }
        return checked(pipeline.get(0));
    }

    private static List<List<String>> pipeline(String text) {
        if (Words.split(text).size() > 1) {
            throw usage(
                    "a line takes one command", "Put what follows the semicolon on a line of its own, or in quotes");
        }
        return Words.pipeline(text);
    }

    private Call checked(List<String> words) {
        if (words.isEmpty()) {
            throw usage("a command is missing", "");
        }
        List<String> valued = words.stream().map(variables::in).toList();
        return new Call(valued, commands.changes(valued));
    }

    private static ShellException usage(String why, String hint) {
        return new ShellException(Exit.USAGE, "", why, hint);
    }
}
