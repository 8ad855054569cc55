package io.enipam.shell.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StreamingTableTest {
    private static final RenderContext PLAIN = new RenderContext(Palette.PLAIN, Instant.EPOCH, ZoneOffset.UTC, false);
    private static final TableListing<String> WORDS = TableListing.of("words", (String word) -> word)
            .text("word", "WORD", word -> word)
            .number("length", "LENGTH", String::length)
            .build();

    private static List<String> lines(int limit, String... words) {
        return new StreamingTable<>(WORDS.columns(false), OutputFormat.TABLE)
                .lines(List.of(words), PLAIN.within(limit));
    }

    @Test
    void aLaterPartMayWidenAColumnAndNeverNarrowsIt() {
        StreamingTable<String> rows = new StreamingTable<>(WORDS.columns(false), OutputFormat.TABLE);

        assertThat(rows.lines(List.of("abcdef"), PLAIN)).containsExactly("WORD    LENGTH", "abcdef  6");
        assertThat(rows.lines(List.of("a"), PLAIN)).containsExactly("a       1");
        assertThat(rows.lines(List.of("abcdefghi", "a"), PLAIN)).containsExactly("abcdefghi  9", "a          1");
    }

    @Test
    void aNameIsCutInTheMiddleAndAColumnWithoutRoomIsHidden() {
        StreamingTable<String> rows = new StreamingTable<>(WORDS.columns(false), OutputFormat.TABLE);

        assertThat(rows.lines(List.of("kube-system/coredns-7f9c6d8b5-x2x4z"), PLAIN.within(30)))
                .containsExactly("WORD                    LENGTH", "kube-system\u2026d8b5-x2x4z  35");
        assertThat(rows.hidden()).isEmpty();
        assertThat(lines(25, "kube-system/coredns-7f9c6d8b5-x2x4z"))
                .containsExactly("WORD", "kube-system/\u2026c6d8b5-x2x4z");
        assertThat(lines(4, "abcdef")).containsExactly("WORD", "ab\u2026f");
        assertThat(lines(1, "abcdef")).containsExactly("\u2026", "\u2026");
    }

    @Test
    void aTableSaysHowManyColumnsItHides() {
        StreamingTable<String> rows = new StreamingTable<>(WORDS.columns(false), OutputFormat.TABLE);
        rows.lines(List.of("kube-system/coredns-7f9c6d8b5-x2x4z"), PLAIN.within(25));

        assertThat(rows.hidden()).hasValue("1 column hidden: -o wide");
    }

    @Test
    void aLaterPartUsesRoomThatIsLeftAndNoMore() {
        StreamingTable<String> rows = new StreamingTable<>(WORDS.columns(false), OutputFormat.TABLE);

        assertThat(rows.lines(List.of("abcdef"), PLAIN.within(20))).containsExactly("WORD    LENGTH", "abcdef  6");
        assertThat(rows.lines(List.of("abcdefghijklmn"), PLAIN.within(20))).containsExactly("abcdef\u2026jklmn  14");
    }

    @Test
    void proseIsWrappedAtWordsInItsColumnOrBelowTheRow() {
        TableListing<String> listing = TableListing.of("words", (String word) -> word)
                .text("word", "WORD", word -> word)
                .text("says", "SAYS", word -> "the address is not attached to any ENI of this node")
                .flowing()
                .build();

        assertThat(new StreamingTable<>(listing.columns(false), OutputFormat.TABLE)
                        .lines(List.of("a"), PLAIN.within(36)))
                .containsExactly("WORD  SAYS", "a     the address is not attached to", "      any ENI of this node");
        assertThat(new StreamingTable<>(listing.columns(false), OutputFormat.TABLE)
                        .lines(List.of("a"), PLAIN.within(25)))
                .containsExactly("WORD", "a", "    the address is not", "    attached to any ENI", "    of this node");
    }

    @Test
    void noLineIsWiderThanTheTerminalWhateverIsInIt() {
        List<String> wide =
                IntStream.rangeClosed(1, 30).mapToObj("\u5bb9"::repeat).toList();
        for (int limit = 1; limit < 70; limit++) {
            int room = limit;
            assertThat(new StreamingTable<>(WORDS.columns(false), OutputFormat.TABLE).lines(wide, PLAIN.within(room)))
                    .allSatisfy(line -> assertThat(Table.width(line)).isLessThanOrEqualTo(room));
        }
    }

    @Test
    void aRowIsABlockOfFieldsOrALineOfCsv() {
        List<String> words = List.of("a,b", "say \"hi\"", "");

        assertThat(new StreamingTable<>(WORDS.columns(false), OutputFormat.VERTICAL).lines(words, PLAIN))
                .containsExactly(
                        "WORD    a,b",
                        "LENGTH  3",
                        "",
                        "WORD    say \"hi\"",
                        "LENGTH  8",
                        "",
                        "WORD    -",
                        "LENGTH  0");
        assertThat(new StreamingTable<>(WORDS.columns(false), OutputFormat.CSV).lines(words, PLAIN))
                .containsExactly("word,length\r", "\"a,b\",3\r", "\"say \"\"hi\"\"\",8\r", ",0\r");
    }

    @ParameterizedTest
    @CsvSource({"abc,3", "\u5bb9\u5668,4", "e\u0301,1", "\uD83D\uDE00,2", "'',0"})
    void widthIsCountedInCells(String text, int cells) {
        assertThat(Table.width(text)).isEqualTo(cells);
    }
}
