package io.enipam.acceptance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** The fixture of tests that run {@code enipamd --root DIR} as a program: a new directory for each test. */
abstract class DaemonFixture {
    /** Kept when the test fails: the database and the daemon's log say why. */
    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path scratch;

    ProgramRunner programs;
    Path root;
    /** Not started yet. */
    @AutoClose
    DaemonWithShell daemon;

    @BeforeEach
    final void makeRoot() throws IOException {
        programs = new ProgramRunner(scratch);
        root = Files.createDirectory(scratch.resolve("root"));
        daemon = new DaemonWithShell(programs, root);
    }
}
