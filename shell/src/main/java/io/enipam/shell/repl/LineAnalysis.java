package io.enipam.shell.repl;

import io.enipam.shell.core.CommandLineLexer;
import io.enipam.shell.core.CommandLineLexer.Kind;
import io.enipam.shell.core.CommandLineLexer.Lexed;
import io.enipam.shell.core.CommandLineLexer.Token;
import io.enipam.shell.repl.GrammarWalker.EditorGrammar;
import io.enipam.shell.repl.GrammarWalker.Role;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jline.reader.CompletingParsedLine;
import org.jline.reader.EOFError;
import org.jline.reader.ParsedLine;
import org.jline.reader.Parser;

/** A line that is being typed, held against the grammar: what each word is, and what may come next. */
final class LineAnalysis {
    /** A word and what it is; empty for what is no word, and for the name of a file. */
    record Part(Token token, Optional<Role> role) {}

    private final EditorGrammar grammar;
    private final List<Part> parts = new ArrayList<>();
    private GrammarWalker walk;
    private boolean file;
    private int last;

    private LineAnalysis(EditorGrammar grammar) {
        this.grammar = grammar;
        this.walk = new GrammarWalker(grammar.commands());
    }

    /** All of a line. The word at its end may become a known one as long as nothing stands behind it. */
    static LineAnalysis of(EditorGrammar grammar, String line) {
        LineAnalysis reading = new LineAnalysis(grammar);
        reading.last = line.length();
        CommandLineLexer.lex(line).tokens().forEach(reading::next);
        return reading;
    }

    /** What stands before the word at the end of a line that was cut at the cursor. */
    static LineAnalysis before(EditorGrammar grammar, String line) {
        LineAnalysis reading = new LineAnalysis(grammar);
        Lexed lexed = CommandLineLexer.lex(line);
        List<Token> tokens = lexed.tokens();
        int count = typed(line).isPresent() ? tokens.size() - 1 : tokens.size();
        tokens.subList(0, count).forEach(reading::next);
        return reading;
    }

    /** The word that the cursor is at the end of; empty if it stands after a blank or what is no word. */
    static Optional<Token> typed(String line) {
        List<Token> tokens = CommandLineLexer.lex(line).tokens();
        return Optional.of(tokens)
                .filter(all -> !all.isEmpty())
                .map(all -> all.get(all.size() - 1))
                .filter(token -> token.kind() == Kind.WORD && token.end() >= line.length())
                .filter(token -> token.open() || !line.endsWith("\\\n"));
    }

    private void next(Token token) {
        parts.add(new Part(token, role(token)));
    }

    private Optional<Role> role(Token token) {
        switch (token.kind()) {
            case SEPARATOR -> begin(new GrammarWalker(grammar.commands()), false);
            case PIPE -> begin(new GrammarWalker(grammar.filters()), false);
            case REDIRECT -> file = true;
            case WORD -> {
                if (!file) {
                    return Optional.of(word(token));
                }
                file = false;
            }
            case COMMENT -> {}
        }
        return Optional.empty();
    }

    private void begin(GrammarWalker fresh, boolean redirected) {
        walk = fresh;
        file = redirected;
    }

    private Role word(Token token) {
        boolean unfinished = token.end() >= last && walk.mayBecomeKnown(token.text());
        Role role = walk.advance(token.text());
        return role == Role.UNKNOWN && unfinished ? Role.VALUE : role;
    }

    List<Part> parts() {
        return parts;
    }

    /** Where the words lead to. */
    GrammarWalker walk() {
        return walk;
    }

    /** Whether the next word is a file that is written to. */
    boolean takesFile() {
        return file;
    }

    /** Whether the cursor is in a filter, behind a pipe. */
    boolean inFilter() {
        return walk.root() == grammar.filters();
    }

    /** Whether a comment goes on to the end of the line. */
    boolean inComment() {
        return !parts.isEmpty() && parts.get(parts.size() - 1).token().kind() == Kind.COMMENT;
    }

    /**
     * Reads lines for JLine: whether Enter continues a line, and which word TAB replaces, with the quotes that it
     * needs.
     */
    static final class ShellParser implements Parser {
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
                        // a quote that is open at the cursor would include all the rest of the line
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
                    // the menu takes away as many characters as this has: what stands in the line, no quotes that do
                    // not
                    return typed.map(token -> line.substring(token.start(), cursor))
                            .orElse("");
                }
                return CommandLineLexer.quoted(
                        candidate.toString(), typed.map(Token::quote).orElse((char) 0), complete);
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
}
