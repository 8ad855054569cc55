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
        return new StreamingTable<>(WORDS.columns(false), limit).lines(List.of(words), PLAIN);
    }

    @Test
    void aLaterPartMayWidenAColumnAndNeverNarrowsIt() {
        StreamingTable<String> rows = new StreamingTable<>(WORDS.columns(false), 0);

        assertThat(rows.lines(List.of("abcdef"), PLAIN)).containsExactly("WORD    LENGTH", "abcdef  6");
        assertThat(rows.lines(List.of("a"), PLAIN)).containsExactly("a       1");
        assertThat(rows.lines(List.of("abcdefghi", "a"), PLAIN)).containsExactly("abcdefghi  9", "a          1");
    }

    @Test
    void aLineIsCutWhereTheTerminalEnds() {
        assertThat(lines(11, "abcdef")).containsExactly("WORD    LE\u2026", "abcdef  6");
        assertThat(lines(4, "abcdef")).containsExactly("WORD", "abc\u2026");
        assertThat(lines(1, "abcdef")).containsExactly("\u2026", "\u2026");
    }

    @Test
    void noLineIsWiderThanTheTerminalWhateverIsInIt() {
        List<String> wide =
                IntStream.rangeClosed(1, 30).mapToObj("\u5bb9"::repeat).toList();
        for (int limit = 1; limit < 70; limit++) {
            int room = limit;
            assertThat(new StreamingTable<>(WORDS.columns(false), limit).lines(wide, PLAIN))
                    .allSatisfy(line -> assertThat(Table.width(line)).isLessThanOrEqualTo(room));
        }
    }

    @ParameterizedTest
    @CsvSource({"abc,3", "\u5bb9\u5668,4", "e\u0301,1", "\uD83D\uDE00,2", "'',0"})
    void widthIsCountedInCells(String text, int cells) {
        assertThat(Table.width(text)).isEqualTo(cells);
    }
}
