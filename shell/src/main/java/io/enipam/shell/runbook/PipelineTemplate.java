package io.enipam.shell.runbook;

import io.enipam.shell.attach.ShellException;
import io.enipam.shell.pipe.Filter;
import io.enipam.shell.pipe.Pipeline;
import io.enipam.shell.pipe.Pipeline.Redirect;
import io.enipam.shell.runbook.WordTemplate.VariableValue;
import io.enipam.shell.runbook.WordTemplate.Within;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** A command with its filters and its file, without values; {@code changes} if it changes the daemon. */
record PipelineTemplate(
        List<WordTemplate> command,
        List<List<WordTemplate>> filters,
        Optional<WordTemplate> file,
        boolean append,
        boolean changes) {
    List<WordTemplate> lastFilter() {
        return filters.isEmpty() ? List.of() : filters.get(filters.size() - 1);
    }

    /** The name of its last filter; empty if there is none. */
    String last() {
        return filters.isEmpty() ? "" : lastFilter().get(0).source();
    }

    List<WordTemplate> words() {
        List<WordTemplate> words = new ArrayList<>(command);
        filters.forEach(words::addAll);
        file.ifPresent(words::add);
        return words;
    }

    /**
     * With values; {@code perLine} puts each result of a last jq on a line. Throws a usage error for a value that would
     * be read as an option.
     */
    Pipeline with(Function<String, VariableValue> values, boolean perLine) {
        List<Filter> made = new ArrayList<>();
        for (int i = 0; i < filters.size(); i++) {
            made.add(filter(filters.get(i), values, perLine && i == filters.size() - 1));
        }
        return new Pipeline(words(values), made, file.map(word -> redirect(word.with(values, Within.COMMAND))));
    }

    private Redirect redirect(String name) {
        try {
            return new Redirect(Path.of(name), append);
        } catch (InvalidPathException e) {
            throw ShellException.usage("'" + name + "' is no name of a file", "");
        }
    }

    List<String> words(Function<String, VariableValue> values) {
        return command.stream().map(word -> word(word, values, Within.COMMAND)).toList();
    }

    String call(Function<String, VariableValue> values) {
        StringBuilder call = new StringBuilder(WordTemplate.typed(command, values));
        filters.forEach(filter -> call.append(" | ").append(WordTemplate.typed(filter, values)));
        return call.toString();
    }

    static Filter filter(List<WordTemplate> filter, Function<String, VariableValue> values, boolean perLine) {
        String name = filter.get(0).source();
        Within where = name.equals("jq")
                ? Within.JQ
                : name.equals("grep") && !isFixed(filter) ? Within.PATTERN : Within.COMMAND;
        List<String> words = new ArrayList<>();
        filter.forEach(word -> words.add(word(word, values, where)));
        if (perLine && name.equals("jq")) {
            words.add(1, "-c");
        }
        return Filter.of(words);
    }

    private static boolean isFixed(List<WordTemplate> grep) {
        return grep.stream()
                .anyMatch(word -> word.is("--fixed-strings") || word.source().matches("-[a-zA-Z]*F[a-zA-Z]*"));
    }

    private static String word(WordTemplate word, Function<String, VariableValue> values, Within where) {
        String text = word.with(values, where);
        if (word.beginsWithValue() && text.length() > 1 && text.startsWith("-")) {
            throw ShellException.usage(
                    "'" + word.source() + "' would be read as an option, since its value begins with a dash",
                    "Put the option's name before it, as in --option=" + word.source());
        }
        return text;
    }
}
