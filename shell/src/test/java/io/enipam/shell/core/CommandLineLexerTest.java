package io.enipam.shell.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.enipam.shell.core.Token.Kind;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
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
    @ValueSource(
            strings = {
                "pod show default/a; db get 'x y'",
                "a \\; b",
                "x\\\ny z",
                "a |\n b",
                "a\"b c\"d'e f'",
                "''",
                "a # b ; c\nd",
                "a#b",
                "--x=\"\\\"\\\\\\n\"",
                "\\\n",
                "one>two"
            })
    void readsWhatIsFinishedAsTheCommandsDo(String line) {
        List<String> words = CommandLineSplitter.tokens(line).stream()
                .flatMap(List::stream)
                .map(CommandLineSplitter.Token::text)
                .toList();

        assertThat(CommandLineLexer.lex(line).tokens())
                .filteredOn(token -> token.kind() != Kind.SEPARATOR && token.kind() != Kind.COMMENT)
                .extracting(Token::text)
                .containsExactlyElementsOf(words);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"plain", "with blank", "it's", "\"quoted\"", "a\\b", "'both\" kinds'\\", "#x", "a|b;c>d", ""})
    void whatIsQuotedIsReadAsItWas(String word) {
        assertThat(CommandLineSplitter.split("x " + Quoting.quoted(word))).containsExactly(List.of("x", word));
        assertThat(CommandLineSplitter.split("x " + Quoting.quoted(word, '"', true)))
                .containsExactly(List.of("x", word));
        assertThat(CommandLineSplitter.split("x " + Quoting.quoted(word, '\'', true)))
                .containsExactly(List.of("x", word));
    }
}
