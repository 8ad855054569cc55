package io.enipam.shell.core;

import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.attach.ShellException;
import java.util.ArrayList;
import java.util.List;

/**
 * Splits a line into commands at {@code ;} and each command into words at blanks, as a POSIX shell would: single quotes
 * keep everything, double quotes keep all but {@code \"} and {@code \\}, a backslash outside of quotes keeps the
 * next character and joins lines, and {@code #} at the start of a word begins a comment.
 */
public final class CommandLineSplitter {
    private static final String ENDS = ";\n";

    private final String line;
    private final String separators;
    private final String operators;
    private final List<List<Token>> commands = new ArrayList<>();
    private List<Token> command = new ArrayList<>();
    private final StringBuilder word = new StringBuilder();
    private boolean inWord;
    private int start;

    /**
     * A word, or a sign between words.
     *
     * @param text without its quotes
     * @param operator whether it is one of {@code |}, {@code >} and {@code >>} outside of quotes
     * @param start where in the line it begins
     * @param glued whether nothing stands between it and what is before it
     */
    public record Token(String text, boolean operator, int start, boolean glued) {
        private boolean isBar() {
            return operator && text.equals("|");
        }
    }

    private CommandLineSplitter(String line, String separators, String operators) {
        this.line = line;
        this.separators = separators;
        this.operators = operators;
    }

    /**
     * The commands of a line with the signs that join them to filters and files, without empty ones.
     *
     * @throws ShellException (usage) if a quote is not closed or a backslash ends the line
     */
    public static List<List<Token>> tokens(String line) {
        return new CommandLineSplitter(line, ENDS, "|>")
                .split().stream().filter(command -> !command.isEmpty()).toList();
    }

    /**
     * The commands of a line, without empty ones.
     *
     * @throws ShellException (usage) if a quote is not closed or a backslash ends the line
     */
    public static List<List<String>> split(String line) {
        return texts(new CommandLineSplitter(line, ENDS, "").split()).stream()
                .filter(command -> !command.isEmpty())
                .toList();
    }

    /**
     * The commands of a pipeline, split at {@code |}; an empty one where there is nothing between two of them.
     *
     * @throws ShellException (usage) if a quote is not closed or a backslash ends the line
     */
    public static List<List<String>> pipeline(String line) {
        return texts(new CommandLineSplitter(line, "|", "").split());
    }

    private static List<List<String>> texts(List<List<Token>> commands) {
        return commands.stream()
                .map(command -> command.stream().map(Token::text).toList())
                .toList();
    }

    private List<List<Token>> split() {
        int i = 0;
        while (i < line.length()) {
            char c = line.charAt(i);
            if (c == '\'' || c == '"') {
                i = quoted(i + 1, c);
            } else if (c == '\\') {
                i = escaped(i + 1);
            } else if (separators.indexOf(c) >= 0 && !(c == '\n' && behindBar())) {
                endCommand();
                i++;
            } else if (operators.indexOf(c) >= 0) {
                i = operator(i);
            } else if (Character.isWhitespace(c)) {
                endWord();
                i++;
            } else if (c == '#' && !inWord) {
                i = endOfLine(i);
            } else {
                begin(i);
                append(c);
                i++;
            }
        }
        endCommand();
        return commands;
    }

    /** Whether a filter has to come: then the line goes on in the next one. */
    private boolean behindBar() {
        return !inWord && !command.isEmpty() && command.get(command.size() - 1).isBar();
    }

    private int operator(int at) {
        boolean glued = inWord;
        endWord();
        int end = line.startsWith(">>", at) ? at + 2 : at + 1;
        command.add(new Token(line.substring(at, end), true, at, glued));
        return end;
    }

    private int quoted(int from, char quote) {
        begin(from - 1);
        int i = from;
        while (i < line.length() && line.charAt(i) != quote) {
            boolean escape = quote == '"' && line.charAt(i) == '\\' && i + 1 < line.length();
            if (escape && (line.charAt(i + 1) == '"' || line.charAt(i + 1) == '\\')) {
                i++;
            }
            append(line.charAt(i));
            i++;
        }
        if (i == line.length()) {
            throw usage("a quote (" + quote + ") is not closed");
        }
        return i + 1;
    }

    private int escaped(int at) {
        if (at == line.length()) {
            throw usage("the line ends with a backslash");
        }
        if (line.charAt(at) != '\n') { // a backslash before the end of a line joins the next line to it
            begin(at - 1);
            append(line.charAt(at));
        }
        return at + 1;
    }

    private int endOfLine(int from) {
        int end = line.indexOf('\n', from);
        return end < 0 ? line.length() : end;
    }

    private void begin(int at) {
        if (!inWord) {
            inWord = true;
            start = at;
        }
    }

    private void append(char c) {
        word.append(c);
    }

    private void endWord() {
        if (inWord) {
            boolean glued = start > 0 && !Character.isWhitespace(line.charAt(start - 1));
            command.add(new Token(word.toString(), false, start, glued));
            word.setLength(0);
            inWord = false;
        }
    }

    private void endCommand() {
        endWord();
        commands.add(List.copyOf(command));
        command = new ArrayList<>();
    }

    private static ShellException usage(String why) {
        return new ShellException(ExitStatus.USAGE, "", why, "");
    }
}
