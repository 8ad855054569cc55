package io.enipam.shell.repl;

import io.enipam.shell.core.CommandLineLexer.Kind;
import io.enipam.shell.core.CommandLineLexer.Token;
import io.enipam.shell.repl.GrammarWalker.EditorGrammar;
import io.enipam.shell.repl.LineAnalysis.Part;
import java.util.Optional;
import java.util.function.Supplier;
import org.jline.reader.Highlighter;
import org.jline.reader.LineReader;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStringBuilder;
import org.jline.utils.AttributedStyle;

/**
 * Shows while somebody types what a word is: a command, an option, a value, nothing that the grammar knows (red), a quote
 * that is open (yellow). It runs with every key, so it only looks at what is in memory.
 */
final class GrammarHighlighter implements Highlighter {
    private static final AttributedStyle COMMAND = AttributedStyle.BOLD;
    private static final AttributedStyle OPTION = AttributedStyle.DEFAULT.foreground(AttributedStyle.CYAN);
    private static final AttributedStyle VALUE = AttributedStyle.DEFAULT;
    private static final AttributedStyle UNKNOWN = AttributedStyle.DEFAULT.foreground(AttributedStyle.RED);
    private static final AttributedStyle OPEN = AttributedStyle.DEFAULT.foreground(AttributedStyle.YELLOW);
    private static final AttributedStyle SIGN =
            AttributedStyle.DEFAULT.foreground(AttributedStyle.MAGENTA).bold();
    private static final AttributedStyle COMMENT = AttributedStyle.DEFAULT.faint();

    private final Supplier<Optional<EditorGrammar>> grammar;

    /**
     * @param grammar what may be typed; empty if it is not built yet, and then nothing is shown
     */
    GrammarHighlighter(Supplier<Optional<EditorGrammar>> grammar) {
        this.grammar = grammar;
    }

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
        Kind kind = part.token().kind();
        if (kind == Kind.COMMENT) {
            return COMMENT;
        }
        if (kind != Kind.WORD) {
            return SIGN;
        }
        if (part.token().open()) {
            return OPEN;
        }
        return part.role()
                .map(role -> switch (role) {
                    case COMMAND -> COMMAND;
                    case OPTION -> OPTION;
                    case VALUE -> VALUE;
                    case UNKNOWN -> UNKNOWN;
                })
                .orElse(VALUE);
    }
}
