package io.enipam.shell.repl;

import io.enipam.shell.core.CommandLineLexer;
import io.enipam.shell.core.CommandLineLexer.Kind;
import io.enipam.shell.core.CommandLineLexer.Token;
import io.enipam.shell.core.ShellCommand;
import io.enipam.shell.repl.GrammarWalker.EditorGrammar;
import io.enipam.shell.repl.GrammarWalker.Role;
import io.enipam.shell.repl.LineAnalysis.Part;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jline.reader.EOFError;
import org.jline.reader.Highlighter;
import org.jline.reader.LineReader;
import org.jline.reader.ParsedLine;
import org.jline.reader.Parser;
import org.jline.reader.impl.DefaultParser;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStringBuilder;
import org.jline.utils.AttributedStyle;
import picocli.CommandLine;

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
        List<Token> tokens = CommandLineLexer.lex(line).tokens();
        int count = typed(line).isPresent() ? tokens.size() - 1 : tokens.size();
        tokens.subList(0, count).forEach(reading::next);
        boolean option = count < tokens.size() && tokens.get(count).text().startsWith("-");
        if (!option) {
            reading.enterWatched();
        }
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
            case SEPARATOR -> begin(grammar.commands());
            case PIPE -> begin(grammar.filters());
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

    private void begin(CommandLine root) {
        walk = new GrammarWalker(root);
        file = false;
    }

    private Role word(Token token) {
        if (!token.text().startsWith("-")) {
            enterWatched();
        }
        boolean unfinished = token.end() >= last && walk.mayBecomeKnown(token.text());
        Role role = walk.advance(token.text());
        return role == Role.UNKNOWN && unfinished ? Role.VALUE : role;
    }

    /** Behind {@code watch} and its options stands a command. */
    private void enterWatched() {
        boolean watch = walk.command().getCommand() instanceof ShellCommand command && command.takesCommand();
        if (watch && walk.awaitsValue().isEmpty() && walk.positionals().isEmpty()) {
            begin(grammar.commands());
        }
    }

    List<Part> parts() {
        return parts;
    }

    GrammarWalker walk() {
        return walk;
    }

    boolean takesFile() {
        return file;
    }

    boolean inComment() {
        return !parts.isEmpty() && parts.get(parts.size() - 1).token().kind() == Kind.COMMENT;
    }

    /** Reads lines for JLine: whether Enter continues a line, and which word TAB replaces, with the quotes it needs. */
    static final class ShellParser implements Parser {
        private static final DefaultParser ARGUMENTS = new DefaultParser();

        @Override
        public ParsedLine parse(String line, int cursor, ParseContext context) {
            if (context == ParseContext.ACCEPT_LINE
                    || context == ParseContext.UNSPECIFIED
                    || context == ParseContext.SECONDARY_PROMPT) {
                CommandLineLexer.lex(line).missing().ifPresent(what -> {
                    throw new EOFError(-1, -1, "the line goes on", what);
                });
            }
            int at = Math.min(cursor, line.length());
            Optional<Token> typed = typed(line.substring(0, at));
            String word = typed.map(Token::text).orElse("");
            int start = typed.map(Token::start).orElse(at);
            int length = typed.map(token -> wordEnd(line, token) - start).orElse(0);
            return ARGUMENTS.new ArgumentList(line, List.of(word), 0, word.length(), at, null, at - start, length) {
                @Override
                public CharSequence escape(CharSequence candidate, boolean complete) {
                    if (!complete && candidate.toString().equals(word)) {
                        // the menu takes away as many characters as this has: what stands in the line
                        return line.substring(start, at);
                    }
                    char quote = typed.map(Token::quote).orElse((char) 0);
                    return CommandLineLexer.quoted(candidate.toString(), quote, complete);
                }
            };
        }

        @Override
        public boolean isEscapeChar(char c) {
            return c == '\\';
        }

        private static int wordEnd(String line, Token typed) {
            return CommandLineLexer.lex(line).tokens().stream()
                    .filter(token -> token.start() == typed.start())
                    // a quote that is open at the cursor would include all the rest of the line
                    .map(token -> token.open() ? typed.end() : token.end())
                    .findFirst()
                    .orElse(typed.end());
        }
    }

    /** Colours each word by what it is. It runs with every key, on what is in memory. */
    record GrammarHighlighter(Supplier<Optional<EditorGrammar>> grammar) implements Highlighter {
        private static final AttributedStyle OPTION = AttributedStyle.DEFAULT.foreground(AttributedStyle.CYAN);
        private static final AttributedStyle UNKNOWN = AttributedStyle.DEFAULT.foreground(AttributedStyle.RED);
        private static final AttributedStyle OPEN = AttributedStyle.DEFAULT.foreground(AttributedStyle.YELLOW);
        private static final AttributedStyle SIGN =
                AttributedStyle.DEFAULT.foreground(AttributedStyle.MAGENTA).bold();
        private static final AttributedStyle COMMENT = AttributedStyle.DEFAULT.faint();

        @Override
        public AttributedString highlight(LineReader reader, String line) {
            return grammar.get().map(g -> painted(g, line)).orElseGet(() -> new AttributedString(line));
        }

        private static AttributedString painted(EditorGrammar grammar, String line) {
            AttributedStringBuilder text = new AttributedStringBuilder(line.length());
            int at = 0;
            for (Part part : LineAnalysis.of(grammar, line).parts()) {
                Token token = part.token();
                text.append(line, at, token.start());
                text.styled(style(part), line.substring(token.start(), token.end()));
                at = token.end();
            }
            return text.append(line, at, line.length()).toAttributedString();
        }

        private static AttributedStyle style(Part part) {
            return switch (part.token().kind()) {
                case COMMENT -> COMMENT;
                case SEPARATOR, PIPE, REDIRECT -> SIGN;
                case WORD -> part.token().open() ? OPEN : style(part.role().orElse(Role.VALUE));
            };
        }

        private static AttributedStyle style(Role role) {
            return switch (role) {
                case COMMAND -> AttributedStyle.BOLD;
                case OPTION -> OPTION;
                case VALUE -> AttributedStyle.DEFAULT;
                case UNKNOWN -> UNKNOWN;
            };
        }
    }
}
