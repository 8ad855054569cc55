package io.enipam.diagnostics.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.diagnostics.doctor.StartLog.LastRun;
import io.enipam.diagnostics.doctor.StartLog.Starts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The file of starts never loses those that it has. */
class StartLogTest {
    private static final Instant FIRST = Instant.parse("2026-01-01T00:00:00Z");

    @TempDir
    Path directory;

    @Test
    void aStartThatCannotBeWrittenDownLeavesTheBookWhole() throws IOException {
        Path book = directory.resolve("starts");
        StartLog.add(book, FIRST);
        Files.createDirectories(directory.resolve("starts.new/in-the-way"));

        Starts told = StartLog.add(book, FIRST.plusSeconds(60));

        assertThat(told.starts()).containsExactly(FIRST, FIRST.plusSeconds(60));
        assertThat(book).hasContent(FIRST + "\n");
    }

    @Test
    void theNextStartKnowsWhetherTheLastRunStoppedInOrderOrWasKilled() {
        Path book = directory.resolve("starts");
        assertThat(StartLog.add(book, FIRST).lastRun()).isEmpty();

        assertThat(StartLog.add(book, FIRST.plusSeconds(60)).lastRun()).contains(new LastRun(FIRST, Optional.empty()));

        StartLog.end(book, FIRST.plusSeconds(70));
        Starts told = StartLog.add(book, FIRST.plusSeconds(80));
        assertThat(told.lastRun()).contains(new LastRun(FIRST.plusSeconds(60), Optional.of(FIRST.plusSeconds(70))));
        assertThat(told.starts()).containsExactly(FIRST, FIRST.plusSeconds(60), FIRST.plusSeconds(80));
    }
}
