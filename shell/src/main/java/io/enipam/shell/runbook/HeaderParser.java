package io.enipam.shell.runbook;

import io.enipam.shell.core.ClosestMatch;
import io.enipam.shell.runbook.RunbookHeader.Needs;
import io.enipam.shell.runbook.RunbookHeader.ParameterType;
import io.enipam.shell.runbook.RunbookHeader.RunbookParameter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Reads what stands between the two lines {@code ---} at the beginning of a runbook. */
final class HeaderParser {
    private static final String FENCE = "---";
    private static final Pattern FIELD = Pattern.compile("\\s*(param\\s+[^\\s:]+|[^\\s:]+)\\s*:(.*)", Pattern.DOTALL);
    private static final List<String> FIELDS = List.of("name", "description", "needs", "param");
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,62}");

    private final Consumer<RunbookSyntaxException> problems;
    private final Set<String> once = new HashSet<>();
    private final List<RunbookParameter> parameters = new ArrayList<>();
    private String name = "";
    private String description = "";
    private Optional<Needs> needs = Optional.empty();

    private HeaderParser(Consumer<RunbookSyntaxException> problems) {
        this.problems = problems;
    }

    record Split(RunbookHeader header, List<RunbookLine> rest) {}

    /** Reads it; {@code problems} takes what is wrong with it. */
    static Split split(List<RunbookLine> lines, Consumer<RunbookSyntaxException> problems) {
        if (lines.isEmpty() || !isFence(lines.get(0))) {
            return new Split(RunbookHeader.NONE, lines);
        }
        int end = 1;
        while (end < lines.size() && !isFence(lines.get(end))) {
            end++;
        }
        if (end == lines.size()) {
            problems.accept(lines.get(0).wrong("the header has no end", "It ends with another line ---"));
            return new Split(RunbookHeader.NONE, List.of());
        }
        HeaderParser parser = new HeaderParser(problems);
        lines.subList(1, end).forEach(parser::line);
        if (parser.name.isEmpty() && parser.once.add("name")) {
            problems.accept(lines.get(0).wrong("the header names no runbook", "As in: name: drain-pool"));
        }
        RunbookHeader header =
                new RunbookHeader(parser.name, parser.description, parser.needs, parser.parameters, true);
        return new Split(header, lines.subList(end + 1, lines.size()));
    }

    private static boolean isFence(RunbookLine line) {
        return line.text().strip().equals(FENCE);
    }

    private void line(RunbookLine line) {
        try {
            line.requireReadable();
            field(line);
        } catch (RunbookSyntaxException e) {
            problems.accept(e);
        }
    }

    private void field(RunbookLine line) throws RunbookSyntaxException {
        Matcher field = FIELD.matcher(line.text());
        if (!field.matches()) {
            throw line.wrong("'" + line.shown() + "' is no field of a header", "As in: name: drain-pool");
        }
        String key = field.group(1);
        String value = field.group(2).replaceAll("\\\\\\n", " ").strip();
        if (key.matches("param\\s.*")) {
            parameters.add(parameter(line, key.substring("param".length()).strip(), field.start(2)));
            return;
        }
        if (!key.equals("description") && !once.add(key)) {
            throw line.wrong("'" + key + "' is there twice", "Leave one of them out");
        }
        switch (key) {
            case "name" -> {
                if (!NAME.matcher(value).matches()) {
                    throw line.wrong("'" + value + "' is no name of a runbook", "One is [a-z][a-z0-9-]*");
                }
                name = value;
            }
            case "description" -> description = (description + " " + value).strip();
            case "needs" -> needs = Optional.of(needed(line, value));
            default ->
                throw line.wrong(
                        "'" + key + "' is no field of a header",
                        ClosestMatch.hint(key, FIELDS, "There are " + String.join(", ", FIELDS)));
        }
    }

    private static Needs needed(RunbookLine line, String value) throws RunbookSyntaxException {
        return Stream.of(Needs.values())
                .filter(needs -> needs.toString().equals(value))
                .findFirst()
                .orElseThrow(() -> line.wrong(
                        "'" + value + "' is no permission", "It is inspect, to look, or control, to change"));
    }

    private RunbookParameter parameter(RunbookLine line, String parameter, int from) throws RunbookSyntaxException {
        if (!WordTemplate.isName(parameter)) {
            throw line.wrong("'" + parameter + "' is no name of a parameter", "One is [A-Za-z_][A-Za-z0-9_-]*");
        }
        if (!once.add("param " + parameter)) {
            throw line.wrong("the parameter '" + parameter + "' is there twice", "Leave one of them out");
        }
        String types = "There are string, integer, duration, boolean, pod, address and choice(a,b)";
        List<WordTemplate> words = line.words(from);
        if (words.isEmpty()) {
            throw line.wrong("a type is missing", types);
        }
        WordTemplate first = words.get(0);
        ParameterType type = ParameterType.of(first.source())
                .orElseThrow(() -> first.wrong("'" + first.source() + "' is no type", types));
        boolean required = false;
        boolean secret = false;
        Optional<String> fallback = Optional.empty();
        String doc = "";
        for (int i = 1; i < words.size(); i++) {
            WordTemplate word = words.get(i);
            if (word.is("required")) {
                required = true;
            } else if (word.is("secret")) {
                secret = true;
            } else if (word.is("=") && i + 1 < words.size()) {
                i++;
                WordTemplate value = words.get(i);
                if (!type.takes(value.source())) {
                    throw value.wrong("'" + value.source() + "' is not " + type.allowed(), "");
                }
                fallback = Optional.of(value.source());
            } else if (!word.bare() && doc.isEmpty()) {
                doc = word.source();
            } else {
                throw word.wrong(
                        "'" + word.source() + "' says nothing of a parameter",
                        "After the type come required or = VALUE, secret, and what it is for in double quotes");
            }
        }
        if (required == fallback.isPresent()) {
            String why = required ? "required and has a default" : "neither required nor has it a default";
            throw line.wrong("the parameter '" + parameter + "' is " + why, "Write required, or = VALUE");
        }
        return new RunbookParameter(line.start(), parameter, type, fallback, secret, doc);
    }
}
