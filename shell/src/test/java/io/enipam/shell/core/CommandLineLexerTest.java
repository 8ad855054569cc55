package io.enipam.shell.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.CommandLineLexer.Kind;
import io.enipam.shell.core.CommandLineLexer.Token;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CommandLineLexerTest {
    @Test
    void saysWhatEachPieceIsAndWhere() {
        assertThat(CommandLineLexer.lex("pool inuse | head; db 'a b' >> f # why")
                        .tokens())
                .extracting(Token::kind, Token::text, Token::start, Token::end)
                .containsExactly(
                        tuple(Kind.WORD, "pool", 0, 4),
                        tuple(Kind.WORD, "inuse", 5, 10),
                        tuple(Kind.PIPE, "|", 11, 12),
                        tuple(Kind.WORD, "head", 13, 17),
                        tuple(Kind.SEPARATOR, ";", 17, 18),
                        tuple(Kind.WORD, "db", 19, 21),
                        tuple(Kind.WORD, "a b", 22, 27),
                        tuple(Kind.REDIRECT, ">>", 28, 30),
                        tuple(Kind.WORD, "f", 31, 32),
                        tuple(Kind.COMMENT, "# why", 33, 38));
    }

    @Test
    void takesAQuoteThatIsStillOpen() {
        CommandLineLexer.Lexed lexed = CommandLineLexer.lex("pod show \"my po");

        assertThat(lexed.openQuote()).isEqualTo('"');
        assertThat(lexed.tokens().get(2).text()).isEqualTo("my po");
    }

    @Test
    void aBackslashAtTheEndAsksForTheNextLine() {
        assertThat(CommandLineLexer.lex("pool \\").backslashAtEnd()).isTrue();
        assertThat(CommandLineLexer.lex("pool \\\\").backslashAtEnd()).isFalse();
        assertThat(CommandLineLexer.lex("pool \\\ninuse").tokens())
                .extracting(Token::text)
                .containsExactly("pool", "inuse");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "pool show              | [[pool, show]]",
                "a;b ; c                | [[a], [b], [c]]",
                "``                     | []",
                "` ; ;; `               | []",
                "db get 'a;b c'         | [[db, get, a;b c]]",
                "db get \"a;b 'c'\"     | [[db, get, a;b 'c']]",
                "db get a\\;b\\ c       | [[db, get, a;b c]]",
                "db get \"a\\\"b\\\\\"  | [[db, get, a\"b\\]]",
                "db get \"a\\n\"        | [[db, get, a\\n]]",
                "db get 'a\\'           | [[db, get, a\\]]",
                "db get x'y z'\"w\"     | [[db, get, xy zw]]",
                "status # not; this     | [[status]]",
                "db get a#b             | [[db, get, a#b]]",
            })
    void splitsAsAPosixShellWould(String line, String commands) {
        assertThat(words(line)).hasToString(commands);
    }

    @Test
    void anEmptyWordInQuotesIsAWord() {
        assertThat(words("db get ''")).isEqualTo(List.of(List.of("db", "get", "")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"db get 'a", "db get \"a", "status \\"})
    void whatIsLeftOpenIsAUsageError(String line) {
        assertThatThrownBy(() -> words(line))
                .isInstanceOfSatisfying(
                        ShellException.class, e -> assertThat(e.exit()).isEqualTo(ExitStatus.USAGE));
    }

    @Test
    void aRunbookJoinsLinesByABlankAndKnowsOneMoreSign() {
        assertThat(CommandLineLexer.script("expect a\\\nb 'c\\\nd' >= 2 \\; #x", 7)
                        .tokens())
                .extracting(Token::text, Token::bare)
                .containsExactly(
                        tuple("a", true),
                        tuple("b", true),
                        tuple("c d", false),
                        tuple(">=", true),
                        tuple("2", true),
                        tuple(";", false),
                        tuple("#x", true));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"plain", "with blank", "it's", "\"quoted\"", "a\\b", "'both\" kinds'\\", "#x", "a|b;c>d", ""})
    void whatIsQuotedIsReadAsItWas(String word) {
        assertThat(words("x " + CommandLineLexer.quoted(word, (char) 0, true))).containsExactly(List.of("x", word));
        assertThat(words("x " + CommandLineLexer.quoted(word, '"', true))).containsExactly(List.of("x", word));
        assertThat(words("x " + CommandLineLexer.quoted(word, '\'', true))).containsExactly(List.of("x", word));
    }

    private static List<List<String>> words(String line) {
        return CommandLineLexer.lex(line).commands().stream()
                .map(command -> command.stream().map(Token::text).toList())
                .toList();
    }

    @Test
    void twoAmpersandsSeparateCommandsAndALineGoesOnBehindThem() {
        assertThat(commands("a b&&c && d\n;e"))
                .isEqualTo(List.of(List.of("a", "b"), List.of("c"), List.of("d"), List.of("e")));
        assertThat(commands("a &&\n\n b")).isEqualTo(List.of(List.of("a"), List.of("b")));
        assertThat(CommandLineLexer.lex("a &&").missing()).hasValue("and");
        assertThat(commands("a '&&' \"x&&y\"")).isEqualTo(List.of(List.of("a", "&&", "x&&y")));
        for (String wrong : List.of("&& a", "a && && b", "a && ; b", "a; && b")) {
            assertThatThrownBy(() -> CommandLineLexer.lex(wrong).commands())
                    .as(wrong)
                    .hasMessageContaining("a command is missing");
        }
    }

    @Test
    void whatStandsBehindAnExclamationMarkIsOneWordUpToTheEndOfTheLine() {
        assertThat(commands("! ls 'a b' | wc; ls && x # y\nstatus"))
                .isEqualTo(List.of(List.of("!", "ls 'a b' | wc; ls && x # y"), List.of("status")));
        assertThat(commands("a | !less -R")).isEqualTo(List.of(List.of("a", "|", "!", "less -R")));
        assertThat(commands("a !b '!' \\! !!")).isEqualTo(List.of(List.of("a", "!b", "!", "!", "!!")));
        assertThat(commands("!! | wc").get(0)).startsWith("!!");
    }

    private static List<List<String>> commands(String line) {
        return CommandLineLexer.lex(line).commands().stream()
                .map(tokens -> tokens.stream().map(CommandLineLexer.Token::text).toList())
                .toList();
    }
}
