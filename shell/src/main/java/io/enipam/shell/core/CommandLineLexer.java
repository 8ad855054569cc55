package io.enipam.shell.core;

import static io.enipam.shell.attach.ShellException.usage;

import io.enipam.shell.attach.ShellException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The one lexer of command lines, finished or not. As in a POSIX shell, but double quotes keep all except {@code \"}
 * and {@code \\}; {@code #} at the start of a word begins a comment. {@code !} in the place of a command or filter is a word, and what
 * stands behind it up to the end of the line is one other, as it is: it is for the system's shell.
 */
public final class CommandLineLexer {
    private static final String SPECIAL = " \t'\"\\;|<>&\n";

    private final String line;
    private final boolean script;
    private final List<Token> tokens = new ArrayList<>();
    private final StringBuilder word = new StringBuilder();
    private int wordStart = -1;
    private boolean bare;
    private int quoteAt = -1;
    private boolean backslashAtEnd;

    private CommandLineLexer(String line, boolean script) {
        this.line = line;
        this.script = script;
    }

    /** The word that begins a line of the system's shell. */
    public static final String SYSTEM = "!";

    private static final String AND = "&&";

    /** What a token is; PIPE is followed by a filter, REDIRECT by a file, SEPARATOR by another command. */
    public enum Kind {
        WORD,
        SEPARATOR,
        PIPE,
        REDIRECT,
        COMMENT
    }

    /** A piece of a line, unquoted; {@code quote} is open at its end (0: none), nothing was quoted if {@code bare}. */
    public record Token(Kind kind, int start, int end, String text, char quote, boolean bare) {
        public boolean open() {
            return quote != 0;
        }

        private boolean and() {
            return kind == Kind.SEPARATOR && text.equals(AND);
        }

        /** Whether the line goes on in the next one behind it. */
        private boolean unfinished() {
            return kind == Kind.PIPE || and();
        }

        /** Whether it is one of {@code |}, {@code >} and {@code >>} outside of quotes. */
        public boolean operator() {
            return kind == Kind.PIPE || kind == Kind.REDIRECT;
        }
    }

    /** Tokens; {@code quoteAt} is where an unclosed quote is (-1: none); {@code backslashAtEnd} joins the next line. */
    public record Lexed(List<Token> tokens, int quoteAt, boolean backslashAtEnd) {
        private Optional<Token> last() {
            return tokens.isEmpty() ? Optional.empty() : Optional.of(tokens.get(tokens.size() - 1));
        }

        public char openQuote() {
            return last().map(Token::quote).orElse((char) 0);
        }

        /** What an unfinished line lacks, for the prompt of the next one; empty if it lacks nothing. */
        public Optional<String> missing() {
            if (openQuote() != 0) {
                return Optional.of(openQuote() == '"' ? "dquote" : "quote");
            }
            return backslashAtEnd
                    ? Optional.of("")
                    : last().filter(Token::unfinished).map(token -> token.and() ? "and" : "pipe");
        }

        /** The commands, without empty ones, with their operators. Throws a usage error if the line is not finished. */
        public List<List<Token>> commands() {
            if (openQuote() != 0) {
                throw usage("a quote (" + openQuote() + ") is not closed", "");
            }
            if (backslashAtEnd) {
                throw usage("the line ends with a backslash", "");
            }
            List<List<Token>> commands = new ArrayList<>(List.of(new ArrayList<>()));
            boolean behindAnd = false;
            for (Token token : tokens) {
                if (token.kind() == Kind.SEPARATOR) {
                    boolean empty = commands.get(commands.size() - 1).isEmpty();
                    if (empty && (token.and() || behindAnd)) {
                        throw missingCommand(behindAnd ? "behind" : "before");
                    }
                    behindAnd = token.and();
                    commands.add(new ArrayList<>());
                } else if (token.kind() != Kind.COMMENT) {
                    commands.get(commands.size() - 1).add(token);
                }
            }
            if (behindAnd && commands.get(commands.size() - 1).isEmpty()) {
                throw missingCommand("behind");
            }
            commands.removeIf(List::isEmpty);
            return commands;
        }

        private static ShellException missingCommand(String where) {
            return usage("a command is missing " + where + " '" + AND + "'", "As in: gc run && pool idle");
        }
    }

    /** A line of commands. Never fails. */
    public static Lexed lex(String line) {
        return new CommandLineLexer(line, false).run(0);
    }

    /** A line of a runbook from an offset on: a backslash and an end of line are a blank there, and {@code >=} is a sign. */
    public static Lexed script(String line, int from) {
        return new CommandLineLexer(line, true).run(from);
    }

    private Lexed run(int from) {
        int i = from;
        while (i < line.length()) {
            i = step(i);
        }
        endWord(line.length());
        return new Lexed(List.copyOf(tokens), quoteAt, backslashAtEnd);
    }

    private int step(int i) {
        char c = line.charAt(i);
        if (c == '\'' || c == '"') {
            return quoted(i, c);
        }
        if (c == '\\') {
            return escaped(i);
        }
        if (c == ';' || (c == '\n' && !script && !goesOn())) {
            return single(Kind.SEPARATOR, i, i + 1);
        }
        if (!script && line.startsWith(AND, i)) {
            return single(Kind.SEPARATOR, i, i + AND.length());
        }
        if (!script && c == '!' && beginsCommand() && !line.startsWith("!!", i)) {
            return system(i);
        }
        if (c == '|') {
            return single(Kind.PIPE, i, i + 1);
        }
        if (c == '>') {
            boolean two = line.startsWith(">>", i) || (script && line.startsWith(">=", i));
            return single(Kind.REDIRECT, i, i + (two ? 2 : 1));
        }
        if (Character.isWhitespace(c)) {
            endWord(i);
        } else if (c == '#' && wordStart < 0) {
            int end = line.indexOf('\n', i);
            return single(Kind.COMMENT, i, end < 0 ? line.length() : end);
        } else {
            begin(i);
            word.append(c);
        }
        return i + 1;
    }

    /** Whether a filter or a command has to come: then the line goes on in the next one. */
    private boolean goesOn() {
        return wordStart < 0
                && !tokens.isEmpty()
                && tokens.get(tokens.size() - 1).unfinished();
    }

    private boolean beginsCommand() {
        if (wordStart >= 0) {
            return false;
        }
        Kind before = tokens.isEmpty()
                ? Kind.SEPARATOR
                : tokens.get(tokens.size() - 1).kind();
        return before == Kind.SEPARATOR || before == Kind.PIPE;
    }

    private int system(int at) {
        int end = line.indexOf('\n', at) < 0 ? line.length() : line.indexOf('\n', at);
        tokens.add(new Token(Kind.WORD, at, at + 1, SYSTEM, (char) 0, true));
        int from = at + 1;
        while (from < end && Character.isWhitespace(line.charAt(from))) {
            from++;
        }
        if (from < end) {
            tokens.add(new Token(Kind.WORD, from, end, line.substring(from, end), (char) 0, false));
        }
        return end;
    }

    private boolean joint(int at) {
        return script && line.startsWith("\\\n", at);
    }

    private int single(Kind kind, int start, int end) {
        endWord(start);
        tokens.add(new Token(kind, start, end, line.substring(start, end), (char) 0, true));
        return end;
    }

    private int quoted(int from, char opening) {
        begin(from);
        bare = false;
        int i = from + 1;
        while (i < line.length() && line.charAt(i) != opening) {
            if (joint(i)) {
                word.append(' ');
                i += 2;
            } else {
                boolean escape = opening == '"' && (line.startsWith("\\\"", i) || line.startsWith("\\\\", i));
                i += escape ? 1 : 0;
                word.append(line.charAt(i));
                i++;
            }
        }
        if (i >= line.length()) {
            quoteAt = from;
        }
        return i + 1;
    }

    private int escaped(int at) {
        if (joint(at)) {
            endWord(at);
        } else if (at + 1 == line.length()) {
            begin(at);
            backslashAtEnd = true;
            return at + 1;
        } else if (line.charAt(at + 1) != '\n') { // a backslash before the end of a line joins the next line to it
            begin(at);
            bare = false;
            word.append(line.charAt(at + 1));
        }
        return at + 2;
    }

    private void begin(int at) {
        if (wordStart < 0) {
            wordStart = at;
            bare = true;
        }
    }

    private void endWord(int end) {
        if (wordStart >= 0) {
            char quote = quoteAt < 0 ? 0 : line.charAt(quoteAt);
            tokens.add(new Token(Kind.WORD, wordStart, end, word.toString(), quote, bare));
            word.setLength(0);
            wordStart = -1;
        }
    }

    /** The word in quotes if it needs any or one is {@code open} (0: none), which stays open unless {@code closed}. */
    public static String quoted(String word, char open, boolean closed) {
        boolean special = word.isEmpty() || word.startsWith("#") || word.chars().anyMatch(c -> SPECIAL.indexOf(c) >= 0);
        if (open == 0 && !special) {
            return word;
        }
        boolean apostrophe = word.indexOf('\'') >= 0;
        char quote = open != 0 && !(open == '\'' && apostrophe) ? open : apostrophe ? '"' : '\'';
        String inside = quote == '"' ? word.replace("\\", "\\\\").replace("\"", "\\\"") : word;
        return quote + inside + (closed ? quote : "");
    }
}
