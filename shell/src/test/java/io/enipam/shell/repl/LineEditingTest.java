package io.enipam.shell.repl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.shell.CommandTree;
import io.enipam.shell.attach.DaemonConnection;
import io.enipam.shell.core.CommandLineLexer;
import io.enipam.shell.core.OutputFormat;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.Session;
import io.enipam.shell.core.Session.SessionOutput;
import io.enipam.shell.repl.GrammarCompleter.UsageHints;
import io.enipam.shell.repl.GrammarWalker.EditorGrammar;
import io.enipam.shell.repl.LineAnalysis.GrammarHighlighter;
import io.enipam.shell.repl.LineAnalysis.ShellParser;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import org.jline.reader.CompletingParsedLine;
import org.jline.reader.EOFError;
import org.jline.reader.LineReader;
import org.jline.reader.LineReaderBuilder;
import org.jline.reader.Parser.ParseContext;
import org.jline.terminal.impl.DumbTerminal;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStyle;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What somebody sees while typing: colours, tips, where a line goes on. */
class LineEditingTest {
    private static EditorGrammar grammar;

    @AutoClose
    private static DumbTerminal terminal;

    private static LineReader reader;

    @BeforeAll
    static void build() throws IOException {
        PrintStream nowhere = new PrintStream(PrintStream.nullOutputStream());
        Session session = new Session(
                new SessionOutput(nowhere, nowhere, Palette.PLAIN, Palette.PLAIN, false),
                OutputFormat.TABLE,
                CommandTree::of,
                () -> DaemonConnection.open(Path.of("/nowhere")),
                InstantSource.system(),
                ZoneOffset.UTC);
        grammar = EditorGrammar.of(session);
        terminal = new DumbTerminal(InputStream.nullInputStream(), nowhere);
        reader = LineReaderBuilder.builder().terminal(terminal).build();
    }

    /** The words of a line in red. */
    private static String red(String line) {
        return styled(line, AttributedStyle.DEFAULT.foreground(AttributedStyle.RED));
    }

    private static String styled(String line, AttributedStyle style) {
        AttributedString text = new GrammarHighlighter(() -> Optional.of(grammar)).highlight(reader, line);
        assertThat(text.toString()).isEqualTo(line);
        StringBuilder found = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            if (text.styleAt(i).equals(style)) {
                found.append(text.charAt(i));
            }
        }
        return found.toString();
    }

    private static List<String> tips(String line) {
        return new UsageHints(() -> Optional.of(grammar)).of(line);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "pool inuse -o json | grep -v web | head -n 3 > file",
                "cni add --pod a/b; pool show",
                "cni add --pod=a/b --timeout 3s",
                "pod show 'a b' # why not",
                "poo",
                "pool in",
                "pool inuse --outp",
                "pool inuse -o js",
                "pool inuse -ojson",
                "help cni add",
                "pool inuse | he"
            })
    void whatTheGrammarTakesOrMayTakeIsNotRed(String line) {
        assertThat(red(line)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "stauts|stauts",
                "poo show|poo",
                "pool nonsense|nonsense",
                "pool inuse --nonsense x|--nonsensex",
                "pool inuse -o xml |xml",
                "pool show one|one",
                "status; stauts|stauts"
            })
    void whatTheGrammarDoesNotKnowIsRed(String line, String words) {
        assertThat(red(line)).startsWith(words.substring(0, 3)).isEqualTo(words);
    }

    @Test
    void filtersAreKnownBehindTheBarAlone() {
        assertThat(red("pool inuse | status")).isEqualTo("status");
        assertThat(red("grep x")).contains("grep");
    }

    @Test
    void aQuoteThatIsOpenIsYellow() {
        AttributedStyle yellow = AttributedStyle.DEFAULT.foreground(AttributedStyle.YELLOW);

        assertThat(styled("pod show 'a b", yellow)).isEqualTo("'a b");
        assertThat(styled("pod show 'a b'", yellow)).isEmpty();
    }

    @Test
    void nothingIsColouredBeforeTheGrammarIsThere() {
        assertThat(new GrammarHighlighter(Optional::empty).highlight(reader, "stauts"))
                .isEqualTo(new AttributedString("stauts"));
    }

    @Test
    void tipsShowHowACommandIsUsedAndWhatStandsAtTheCursor() {
        assertThat(tips("pod show ")).hasSize(2);
        assertThat(tips("pod show ").get(0)).startsWith("pod show").contains("NS/NAME");
        assertThat(tips("pod show ").get(1)).startsWith("NS/NAME: ");
        assertThat(tips("cni add --pod ").get(1)).startsWith("--pod NS/NAME: ");
        assertThat(tips("cni add --pod=x").get(1)).startsWith("--pod NS/NAME: ");
        assertThat(tips("pool show -o ").get(1)).contains("table", "json").doesNotContain("$");
        assertThat(tips("pool inuse | grep ").get(1)).startsWith("PATTERN: ");
        assertThat(tips("pool inuse > ")).containsExactly("FILE: where the output goes");
    }

    @Test
    void tipsShowWhatAWordMayBecome() {
        assertThat(tips("pool i")).containsExactly("idle  inuse");
        assertThat(tips("status"))
                .containsExactly("status: The daemon's phase, pool, ENIs and last garbage collection.");
        assertThat(tips("stauts")).isEmpty();
        assertThat(tips("")).isEmpty();
        assertThat(tips("pool show # x")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {"pod show 'a|quote", "pod show \"a|dquote", "pod show \\|''", "pod show 'a; b|quote"})
    void aLineThatIsNotFinishedGoesOn(String line, String missing) {
        assertThatThrownBy(() -> new ShellParser().parse(line, line.length(), ParseContext.ACCEPT_LINE))
                .isInstanceOfSatisfying(
                        EOFError.class, e -> assertThat(e.getMissing()).isEqualTo(missing.equals("''") ? "" : missing));
    }

    @Test
    void aBarAtTheEndAsksForAFilter() {
        assertThat(CommandLineLexer.lex("pool inuse |").missing()).contains("pipe");
        assertThat(CommandLineLexer.lex("pool inuse |\n head").missing()).isEmpty();
        assertThat(CommandLineLexer.lex("pool inuse # it's").missing()).isEmpty();
    }

    @Test
    void aCompletedWordGetsTheQuotesItNeeds() {
        assertThat(escaped("pod show my", "my pod", true)).isEqualTo("'my pod'");
        assertThat(escaped("pod show \"my", "my pod", true)).isEqualTo("\"my pod\"");
        assertThat(escaped("pod show 'my", "my pod", false)).isEqualTo("'my pod");
        assertThat(escaped("pod show my", "mypod", true)).isEqualTo("mypod");
    }

    @Test
    void aWordThatTheMenuTakesAwayIsAsLongAsItStandsInTheLine() {
        assertThat(escaped("pod show ", "", false)).isEmpty();
        assertThat(escaped("pod show my\\ p", "my p", false)).isEqualTo("my\\ p");
        assertThat(escaped("pod show 'my p", "my p", false)).isEqualTo("'my p");
    }

    private static String escaped(String line, String candidate, boolean complete) {
        CompletingParsedLine parsed =
                (CompletingParsedLine) new ShellParser().parse(line, line.length(), ParseContext.COMPLETE);
        assertThat(parsed.rawWordCursor()).isEqualTo(line.length() - "pod show ".length());
        return parsed.escape(candidate, complete).toString();
    }
}
