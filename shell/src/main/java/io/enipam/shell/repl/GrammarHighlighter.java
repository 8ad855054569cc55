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
 * Colours each word by what it is: command, option, value, unknown (red), open quote (yellow). It runs with every key,
 * on what is in memory.
 */
record GrammarHighlighter(Supplier<Optional<EditorGrammar>> grammar) implements Highlighter {
    private static final AttributedStyle COMMAND = AttributedStyle.BOLD;
    private static final AttributedStyle OPTION = AttributedStyle.DEFAULT.foreground(AttributedStyle.CYAN);
    private static final AttributedStyle VALUE = AttributedStyle.DEFAULT;
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
