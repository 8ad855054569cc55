package io.enipam.shell.runbook;

import io.enipam.shell.core.CommandLineLexer;
import io.enipam.shell.core.CommandLineLexer.Kind;
import io.enipam.shell.core.CommandLineLexer.Lexed;
import io.enipam.shell.core.CommandLineLexer.Token;
import io.enipam.shell.runbook.Runbook.SourcePosition;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A line with those that continue it, and backslashes and line ends between; {@code number} is the first's. */
record RunbookLine(String file, int number, String text) {
    /** The lines that say something: comments and blank ones are left out. */
    static List<RunbookLine> of(String file, String text) {
        List<RunbookLine> lines = new ArrayList<>();
        List<String> raw = text.lines().toList();
        for (int i = 0; i < raw.size(); i++) {
            int first = i;
            StringBuilder line = new StringBuilder(raw.get(i));
            boolean comment = raw.get(i).stripLeading().startsWith("#");
            while (!comment && continued(raw.get(i)) && i + 1 < raw.size()) {
                i++;
                line.append('\n').append(raw.get(i));
            }
            if (!comment && !line.toString().isBlank()) {
                lines.add(new RunbookLine(file, first + 1, line.toString()));
            }
        }
        return lines;
    }

    /** Whether it ends with a backslash that no other backslash keeps. */
    private static boolean continued(String line) {
        int backslashes = 0;
        while (backslashes < line.length() && line.charAt(line.length() - 1 - backslashes) == '\\') {
            backslashes++;
        }
        return backslashes % 2 == 1;
    }

    /** Refuses a line that is too long, before anything reads it more than once. */
    void requireReadable() throws RunbookSyntaxException {
        if (text.length() > RunbookLimits.LINE) {
            throw new SourcePosition(file, number, 1)
                    .wrong("the line is longer than " + RunbookLimits.LINE + " characters", "Break it up");
        }
    }

    SourcePosition at(int offset) {
        int lineStart = text.lastIndexOf('\n', offset - 1) + 1;
        int further = (int) text.chars().limit(offset).filter(c -> c == '\n').count();
        return new SourcePosition(file, number + further, offset - lineStart + 1);
    }

    /** The words from an offset on; throws for the first thing that is wrong. */
    List<WordTemplate> words(int from) throws RunbookSyntaxException {
        Lexed lexed = CommandLineLexer.script(text, from);
        List<WordTemplate> words = new ArrayList<>();
        for (Token token : lexed.tokens()) {
            if (token.open()) {
                throw at(lexed.quoteAt()).wrong("a quote (" + token.quote() + ") is not closed", "");
            }
            if (lexed.backslashAtEnd() && token.end() == text.length()) {
                throw at(text.length() - 1).wrong("the line ends with a backslash", "");
            }
            if (token.kind() != Kind.COMMENT) {
                words.add(WordTemplate.of(at(token.start()), token.text(), token.bare()));
            }
        }
        return words;
    }

    /** Where its first word begins. */
    SourcePosition start() {
        return at(text.length() - text.stripLeading().length());
    }

    /** The error that something is wrong here; the hint may be empty. */
    RunbookSyntaxException wrong(String why, String hint) {
        return start().wrong(why, hint);
    }

    /** Its first word, whether quoted or not. */
    String keyword() {
        return shown().split("\\s+", 2)[0];
    }

    /** As one line, for operators. */
    String shown() {
        return text.indexOf('\n') < 0
                ? text.strip()
                : Stream.of(text.split("\\\\\n", -1)).map(String::strip).collect(Collectors.joining(" "));
    }
}
