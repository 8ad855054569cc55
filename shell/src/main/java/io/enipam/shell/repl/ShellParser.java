package io.enipam.shell.repl;

import io.enipam.shell.core.CommandLineLexer;
import io.enipam.shell.core.Quoting;
import io.enipam.shell.core.Token;
import java.util.List;
import java.util.Optional;
import org.jline.reader.CompletingParsedLine;
import org.jline.reader.EOFError;
import org.jline.reader.ParsedLine;
import org.jline.reader.Parser;

/**
 * Reads lines for JLine: says when a line is not finished, so that Enter continues it, and which word TAB replaces, with
 * the quotes that the replacement needs.
 */
final class ShellParser implements Parser {
    @Override
    public ParsedLine parse(String line, int cursor, ParseContext context) {
        if (context == ParseContext.ACCEPT_LINE
                || context == ParseContext.UNSPECIFIED
                || context == ParseContext.SECONDARY_PROMPT) {
            missing(line).ifPresent(what -> {
                throw new EOFError(-1, -1, "the line goes on", what);
            });
        }
        return new Line(line, Math.min(cursor, line.length()));
    }

    /** What an unfinished line lacks, for the prompt of the next one; empty if it lacks nothing. */
    static Optional<String> missing(String line) {
        return CommandLineLexer.lex(line).missing();
    }

    @Override
    public boolean isEscapeChar(char c) {
        return c == '\\';
    }

    /** A line with a cursor in it, for the completer. */
    private static final class Line implements CompletingParsedLine {
        private final String line;
        private final int cursor;
        private final Optional<Token> typed;
        private final int end;

        Line(String line, int cursor) {
            this.line = line;
            this.cursor = cursor;
            this.typed = LineAnalysis.typed(line.substring(0, cursor));
            this.end = typed.isEmpty() ? cursor : wordEnd(line, typed.get());
        }

        private static int wordEnd(String line, Token typed) {
            return CommandLineLexer.lex(line).tokens().stream()
                    .filter(token -> token.start() == typed.start())
                    // a quote that is open at the cursor would swallow all the rest of the line
                    .map(token -> token.open() ? typed.end() : token.end())
                    .findFirst()
                    .orElse(typed.end());
        }

        @Override
        public String word() {
            return typed.map(Token::text).orElse("");
        }

        @Override
        public int wordCursor() {
            return word().length();
        }

        @Override
        public int wordIndex() {
            return words().size() - 1;
        }

        @Override
        public List<String> words() {
            return List.of(word());
        }

        @Override
        public String line() {
            return line;
        }

        @Override
        public int cursor() {
            return cursor;
        }

        @Override
        public CharSequence escape(CharSequence candidate, boolean complete) {
            if (!complete && candidate.toString().equals(word())) {
                // the menu takes away as many characters as this has: what stands in the line, no quotes that do not
                return typed.map(token -> line.substring(token.start(), cursor)).orElse("");
            }
            return Quoting.quoted(candidate.toString(), typed.map(Token::quote).orElse((char) 0), complete);
        }

        @Override
        public int rawWordCursor() {
            return typed.map(token -> cursor - token.start()).orElse(0);
        }

        @Override
        public int rawWordLength() {
            return typed.map(token -> end - token.start()).orElse(0);
        }
    }
}
