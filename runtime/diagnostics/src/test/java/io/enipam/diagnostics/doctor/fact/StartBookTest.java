package io.enipam.diagnostics.doctor.fact;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The book of starts never loses those that it has. */
class StartBookTest {
    private static final Instant FIRST = Instant.parse("2026-01-01T00:00:00Z");

    @TempDir
    Path directory;

    @Test
    void aStartThatCannotBeWrittenDownLeavesTheBookWhole() throws IOException {
        Path book = directory.resolve("starts");
        StartBook.add(book, FIRST);
        Files.createDirectories(directory.resolve("starts.new/in-the-way"));

        StartFacts told = StartBook.add(book, FIRST.plusSeconds(60));

        assertThat(told.starts()).containsExactly(FIRST, FIRST.plusSeconds(60));
        assertThat(book).hasContent(FIRST + "\n");
    }
}
