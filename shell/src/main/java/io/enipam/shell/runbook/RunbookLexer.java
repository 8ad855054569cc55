package io.enipam.shell.runbook;

import java.util.ArrayList;
import java.util.List;

/**
 * Splits a line into words, as {@link io.enipam.shell.core.CommandLineSplitter} does at the prompt: single quotes keep everything, double
 * quotes keep all but {@code \"} and {@code \\}, a backslash outside of quotes keeps the next character, {@code #} at the
 * start of a word begins a comment. The signs {@code | ; > >> >=} outside of quotes are words of their own.
 */
final class RunbookLexer {
    private final RunbookLine line;
    private final String text;
    private final List<WordTemplate> words = new ArrayList<>();
    private final StringBuilder word = new StringBuilder();
    private int at;
    private int start = -1;
    private boolean bare = true;

    private RunbookLexer(RunbookLine line, int from) {
        this.line = line;
        this.text = line.text();
        this.at = from;
    }

    /** The words from an offset of the line on. */
    static List<WordTemplate> words(RunbookLine line, int from) throws RunbookSyntaxException {
        return new RunbookLexer(line, from).words();
    }

    private List<WordTemplate> words() throws RunbookSyntaxException {
        while (at < text.length()) {
            char c = text.charAt(at);
            if (joint(at)) {
                endWord();
                at += 2;
            } else if (c == '\'' || c == '"') {
                quoted(c);
            } else if (c == '\\') {
                escaped();
            } else if (c == '|' || c == ';' || c == '>') {
                sign(c);
            } else if (Character.isWhitespace(c)) {
                endWord();
                at++;
            } else if (c == '#' && start < 0) {
                at = endOfLine();
            } else {
                begin();
                word.append(c);
                at++;
            }
        }
        endWord();
        return words;
    }

    /** Whether a backslash and the end of a line stand here, which are a blank. */
    private boolean joint(int offset) {
        return text.startsWith("\\\n", offset);
    }

    private void begin() {
        if (start < 0) {
            start = at;
            bare = true;
        }
    }

    private void quoted(char quote) throws RunbookSyntaxException {
        begin();
        bare = false;
        int opened = at;
        at++;
        while (at < text.length() && text.charAt(at) != quote) {
            char next = at + 1 < text.length() ? text.charAt(at + 1) : ' ';
            if (joint(at)) {
                word.append(' ');
                at += 2;
            } else {
                boolean escape = quote == '"' && text.charAt(at) == '\\' && (next == '"' || next == '\\');
                at += escape ? 1 : 0;
                word.append(text.charAt(at));
                at++;
            }
        }
        if (at == text.length()) {
            throw new RunbookSyntaxException(line.at(opened), "a quote (" + quote + ") is not closed", "");
        }
        at++;
    }

    private void escaped() throws RunbookSyntaxException {
        if (at + 1 == text.length()) {
            throw new RunbookSyntaxException(line.at(at), "the line ends with a backslash", "");
        }
        begin();
        bare = false;
        word.append(text.charAt(at + 1));
        at += 2;
    }

    private void sign(char c) throws RunbookSyntaxException {
        endWord();
        char next = at + 1 < text.length() ? text.charAt(at + 1) : ' ';
        int length = c == '>' && (next == '>' || next == '=') ? 2 : 1;
        words.add(WordTemplate.of(line.at(at), text.substring(at, at + length), true));
        at += length;
    }

    private int endOfLine() {
        int end = text.indexOf('\n', at);
        return end < 0 ? text.length() : end;
    }

    private void endWord() throws RunbookSyntaxException {
        if (start >= 0) {
            words.add(WordTemplate.of(line.at(start), word.toString(), bare));
            word.setLength(0);
            start = -1;
        }
    }
}
