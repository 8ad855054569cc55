package io.enipam.shell.text;

import io.enipam.shell.attach.Exit;
import io.enipam.shell.attach.ShellException;
import java.util.ArrayList;
import java.util.List;

/**
 * Splits a line into commands at {@code ;} and each command into words at blanks, as a POSIX shell would: single quotes
 * keep everything, double quotes keep all but {@code \"} and {@code \\}, a backslash outside of quotes keeps the
 * next character and joins lines, and {@code #} at the start of a word begins a comment.
 */
public final class Words {
    private final String line;
    private final String separators;
    private final List<List<String>> commands = new ArrayList<>();
    private List<String> command = new ArrayList<>();
    private final StringBuilder word = new StringBuilder();
    private boolean inWord;

    private Words(String line, String separators) {
        this.line = line;
        this.separators = separators;
    }

    /**
     * The commands of a line, without empty ones.
     *
     * @throws ShellException (usage) if a quote is not closed or a backslash ends the line
     */
    public static List<List<String>> split(String line) {
        return new Words(line, ";\n")
                .split().stream().filter(command -> !command.isEmpty()).toList();
    }

    /**
     * The commands of a pipeline, split at {@code |}; an empty one where there is nothing between two of them.
     *
     * @throws ShellException (usage) if a quote is not closed or a backslash ends the line
     */
    public static List<List<String>> pipeline(String line) {
        return new Words(line, "|").split();
    }

    private List<List<String>> split() {
        int i = 0;
        while (i < line.length()) {
            char c = line.charAt(i);
            if (c == '\'' || c == '"') {
                i = quoted(i + 1, c);
            } else if (c == '\\') {
                i = escaped(i + 1);
            } else if (separators.indexOf(c) >= 0) {
                endCommand();
                i++;
            } else if (Character.isWhitespace(c)) {
                endWord();
                i++;
            } else if (c == '#' && !inWord) {
                i = endOfLine(i);
            } else {
                append(c);
                i++;
            }
        }
        endCommand();
        return commands;
    }

    private int quoted(int from, char quote) {
        inWord = true;
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
            append(line.charAt(at));
        }
        return at + 1;
    }

    private int endOfLine(int from) {
        int end = line.indexOf('\n', from);
        return end < 0 ? line.length() : end;
    }

    private void append(char c) {
        inWord = true;
        word.append(c);
    }

    private void endWord() {
        if (inWord) {
            command.add(word.toString());
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
        return new ShellException(Exit.USAGE, "", why, "");
    }
}
