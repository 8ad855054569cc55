package io.enipam.shell.repl;

import io.enipam.shell.repl.Walk.Role;
import io.enipam.shell.text.Lexer;
import io.enipam.shell.text.Lexer.Lexed;
import io.enipam.shell.text.Token;
import io.enipam.shell.text.Token.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A line that is being typed, held against the grammar: what each word is, and what may come next. */
final class Reading {
    /**
     * A word and what it is.
     *
     * @param role empty for what is no word, and for the name of a file
     */
    record Part(Token token, Optional<Role> role) {}

    private final Grammar grammar;
    private final List<Part> parts = new ArrayList<>();
    private Walk walk;
    private boolean file;
    private int last;

    private Reading(Grammar grammar) {
        this.grammar = grammar;
        this.walk = new Walk(grammar.commands());
    }

    /** All of a line. The word at its end may become a known one as long as nothing stands behind it. */
    static Reading of(Grammar grammar, String line) {
        Reading reading = new Reading(grammar);
        reading.last = line.length();
        Lexer.lex(line).tokens().forEach(reading::next);
        return reading;
    }

    /**
     * What stands before the word that the cursor is at the end of.
     *
     * @param line the line up to the cursor
     */
    static Reading before(Grammar grammar, String line) {
        Reading reading = new Reading(grammar);
        Lexed lexed = Lexer.lex(line);
        List<Token> tokens = lexed.tokens();
        int count = typed(line).isPresent() ? tokens.size() - 1 : tokens.size();
        tokens.subList(0, count).forEach(reading::next);
        return reading;
    }

    /** The word that the cursor is at the end of; empty if it stands after a blank or what is no word. */
    static Optional<Token> typed(String line) {
        List<Token> tokens = Lexer.lex(line).tokens();
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
            case SEPARATOR -> begin(new Walk(grammar.commands()), false);
            case PIPE -> begin(new Walk(grammar.filters()), false);
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

    private void begin(Walk fresh, boolean redirected) {
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
    Walk walk() {
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
