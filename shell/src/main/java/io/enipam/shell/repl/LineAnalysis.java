package io.enipam.shell.repl;

import io.enipam.shell.core.CommandLineLexer;
import io.enipam.shell.core.CommandLineLexer.Lexed;
import io.enipam.shell.core.Token;
import io.enipam.shell.core.Token.Kind;
import io.enipam.shell.repl.GrammarWalker.Role;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A line that is being typed, held against the grammar: what each word is, and what may come next. */
final class LineAnalysis {
    /**
     * A word and what it is.
     *
     * @param role empty for what is no word, and for the name of a file
     */
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

    /**
     * What stands before the word that the cursor is at the end of.
     *
     * @param line the line up to the cursor
     */
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
}
