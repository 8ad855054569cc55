package io.enipam.shell.core;

import io.enipam.shell.core.Token.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Splits a line as {@link CommandLineSplitter} does, and says of each piece where it is. It takes every line, also one that somebody
 * is still typing: a quote may be open and a backslash may be the last character.
 */
public final class CommandLineLexer {
    private final String line;
    private final List<Token> tokens = new ArrayList<>();
    private final StringBuilder word = new StringBuilder();
    private int wordStart = -1;
    private char quote;
    private boolean backslashAtEnd;

    private CommandLineLexer(String line) {
        this.line = line;
    }

    /**
     * The pieces of a line.
     *
     * @param tokens in the order of the line
     * @param backslashAtEnd whether a backslash that quotes is its last character, so that the next line belongs to it
     */
    public record Lexed(List<Token> tokens, boolean backslashAtEnd) {
        /** The quote that is not closed; 0 if all are. */
        public char openQuote() {
            return tokens.isEmpty() ? 0 : tokens.get(tokens.size() - 1).quote();
        }

        /** What an unfinished line lacks, so that it goes on in the next: a word for the prompt; empty if it lacks nothing. */
        public Optional<String> missing() {
            if (openQuote() != 0) {
                return Optional.of(openQuote() == '"' ? "dquote" : "quote");
            }
            if (backslashAtEnd) {
                return Optional.of("");
            }
            boolean pipe = !tokens.isEmpty() && tokens.get(tokens.size() - 1).kind() == Kind.PIPE;
            return pipe ? Optional.of("pipe") : Optional.empty();
        }
    }

    /** Splits a line. Never fails. */
    public static Lexed lex(String line) {
        CommandLineLexer lexer = new CommandLineLexer(line);
        lexer.run();
        return new Lexed(List.copyOf(lexer.tokens), lexer.backslashAtEnd);
    }

    private void run() {
        int i = 0;
        while (i < line.length()) {
            i = step(i);
        }
        endWord(line.length());
    }

    private int step(int i) {
        char c = line.charAt(i);
        if (c == '\'' || c == '"') {
            return quoted(i, c);
        }
        if (c == '\\') {
            return escaped(i);
        }
        if (c == ';' || (c == '\n' && !behindBar())) {
            return single(Kind.SEPARATOR, i, i + 1);
        }
        if (c == '|') {
            return single(Kind.PIPE, i, i + 1);
        }
        if (c == '>') {
            return single(Kind.REDIRECT, i, i + (line.startsWith(">>", i) ? 2 : 1));
        }
        if (Character.isWhitespace(c)) {
            endWord(i);
        } else if (c == '#' && wordStart < 0) {
            int end = line.indexOf('\n', i);
            return single(Kind.COMMENT, i, end < 0 ? line.length() : end);
        } else {
            append(i, c);
        }
        return i + 1;
    }

    /** Whether a filter has to come: then the line goes on in the next one. */
    private boolean behindBar() {
        return wordStart < 0
                && !tokens.isEmpty()
                && tokens.get(tokens.size() - 1).kind() == Kind.PIPE;
    }

    private int single(Kind kind, int start, int end) {
        endWord(start);
        tokens.add(new Token(kind, start, end, line.substring(start, end), (char) 0));
        return end;
    }

    private int quoted(int from, char opening) {
        begin(from);
        quote = opening;
        int i = from + 1;
        while (i < line.length() && line.charAt(i) != opening) {
            boolean escape = opening == '"' && line.charAt(i) == '\\' && i + 1 < line.length();
            if (escape && (line.charAt(i + 1) == '"' || line.charAt(i + 1) == '\\')) {
                i++;
            }
            word.append(line.charAt(i));
            i++;
        }
        if (i < line.length()) {
            quote = 0;
        }
        return i + 1;
    }

    private int escaped(int at) {
        if (at + 1 == line.length()) {
            begin(at);
            backslashAtEnd = true;
            return at + 1;
        }
        if (line.charAt(at + 1) != '\n') {
            append(at, line.charAt(at + 1));
        }
        return at + 2;
    }

    private void append(int at, char c) {
        begin(at);
        word.append(c);
    }

    private void begin(int at) {
        if (wordStart < 0) {
            wordStart = at;
        }
    }

    private void endWord(int end) {
        if (wordStart >= 0) {
            tokens.add(new Token(Kind.WORD, wordStart, end, word.toString(), quote));
            word.setLength(0);
            wordStart = -1;
        }
    }
}
