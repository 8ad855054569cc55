package io.enipam.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** The fixture of tests that run {@code enipam --sandbox}: after each no process and no file of a sandbox is left. */
abstract class SandboxFixture {
    @TempDir
    Path scratch;

    ProgramRunner programs;

    @BeforeEach
    final void watchScratchDirectory() {
        programs = new ProgramRunner(scratch);
    }

    @AfterEach
    void nothingIsLeftBehind() {
        assertThat(programs.leftProcesses()).isEmpty();
        assertThat(programs.leftFiles()).isEmpty();
    }
}
