package io.enipam.shell.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.shell.core.Table.Cell;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.Test;

class TableTest {
    private static final RenderContext LOOK =
            new RenderContext(Palette.PLAIN, Instant.EPOCH, ZoneOffset.UTC, false, 80);

    @Test
    void aRowThatLooksLikeTheHeadingsIsARow() {
        List<Table.Heading> headings = List.of(new Table.Heading("worst", "WORST", false));

        assertThat(Table.headed(headings, OutputFormat.CSV)
                        .row(new Cell("INFO", Tone.HEAD))
                        .lines(LOOK))
                .containsExactly("worst\r", "INFO\r");
        assertThat(Table.headed(headings, OutputFormat.VERTICAL)
                        .row(new Cell("INFO", Tone.HEAD))
                        .lines(LOOK))
                .containsExactly("WORST  INFO");
    }
}
