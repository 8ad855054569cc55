package io.enipam.shell.pipe;

import static io.enipam.shell.attach.ShellException.usage;

import io.enipam.shell.core.CommandLineLexer;
import io.enipam.shell.core.CommandLineLexer.Token;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * A command and what becomes of what it prints: {@code CMD | grep X | head > FILE}.
 *
 * @param system the line of the system's shell that reads it, as in {@code CMD | !less}; none where there is a file
 */
public record Pipeline(
        List<String> command, List<Filter> filters, Optional<Redirect> redirect, Optional<String> system) {
    public Pipeline {
        command = List.copyOf(command);
        filters = List.copyOf(filters);
    }

    /** One that ends in this shell, or in a file. */
    public Pipeline(List<String> command, List<Filter> filters, Optional<Redirect> redirect) {
        this(command, filters, redirect, Optional.empty());
    }

    /** The pipelines of a line, which semicolons separate. Commands are not looked at. Throws a usage error. */
    public static List<Pipeline> parse(String line) {
        return parse(line, UnaryOperator.identity());
    }

    /** The same with values put in for words after the split: no value becomes a second word, a filter or a file. */
    public static List<Pipeline> parse(String line, UnaryOperator<String> value) {
        List<Pipeline> pipelines = new ArrayList<>();
        for (List<Token> tokens : CommandLineLexer.lex(line).commands()) {
            pipelines.add(of(tokens, value));
        }
        return pipelines;
    }

    public boolean plain() {
        return filters.isEmpty() && redirect.isEmpty() && system.isEmpty();
    }

    public boolean readsJson() {
        return !filters.isEmpty() && filters.get(0) instanceof Jq;
    }

    private static Pipeline of(List<Token> tokens, UnaryOperator<String> value) {
        List<List<String>> parts = new ArrayList<>();
        parts.add(new ArrayList<>());
        Optional<Redirect> redirect = Optional.empty();
        for (int i = 0; i < tokens.size(); i++) {
            Token token = tokens.get(i);
            if (!token.operator()) {
                if (redirect.isPresent()) {
                    throw usage(
                            "'" + token.text() + "' stands behind the file", "The file is the last word of a command");
                }
                parts.get(parts.size() - 1).add(value.apply(token.text()));
            } else if (redirect.isPresent()) {
                throw usage(
                        "'" + token.text() + "' stands behind the file",
                        "What goes to a file does not go on; to read it, use a command of its own");
            } else if (token.text().equals("|")) {
                parts.add(new ArrayList<>());
            } else {
                redirect = Optional.of(redirect(tokens, i, value));
                i++;
            }
        }
        if (parts.get(0).isEmpty()) {
            String first = tokens.get(0).text(); // without words before it, it is an operator
            throw usage("a command is missing before '" + first + "'", "As in: pool inuse | grep web");
        }
        List<String> end = parts.get(parts.size() - 1);
        boolean out = parts.size() > 1 && !end.isEmpty() && end.get(0).equals(CommandLineLexer.SYSTEM);
        if (out && end.size() == 1) {
            throw usage("a command of the system's shell is missing behind '| !'", "As in: events | !less");
        }
        List<Filter> filters = parts.subList(1, out ? parts.size() - 1 : parts.size()).stream()
                .map(Filter::of)
                .toList();
        return new Pipeline(parts.get(0), filters, redirect, out ? Optional.of(end.get(1)) : Optional.empty());
    }

    private static Redirect redirect(List<Token> tokens, int at, UnaryOperator<String> value) {
        String sign = tokens.get(at).text();
        boolean ofNumber = at > 0
                && tokens.get(at).start() == tokens.get(at - 1).end()
                && !tokens.get(at - 1).operator()
                && tokens.get(at - 1).text().matches("[0-9]");
        boolean missing = at + 1 == tokens.size() || tokens.get(at + 1).operator();
        String file = missing ? "" : value.apply(tokens.get(at + 1).text());
        if (file.isEmpty()) {
            throw usage("a file is missing behind '" + sign + "'", "As in: pool inuse > leases.txt");
        }
        if (ofNumber || file.startsWith("&")) {
            throw usage(
                    "only what a command prints can go to a file",
                    "Errors stay on the terminal; to keep them too, use the shell that enipam was started from");
        }
        try {
            return new Redirect(Path.of(file), sign.equals(">>"));
        } catch (InvalidPathException e) {
            throw usage("'" + file + "' is no name of a file", "As in: pool inuse > leases.txt");
        }
    }

    /** {@code > FILE}, or {@code >> FILE}, which keeps what is in the file. */
    public record Redirect(Path file, boolean append) {
        @Override
        public String toString() {
            return (append ? ">> " : "> ") + file;
        }
    }
}
