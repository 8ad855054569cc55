package io.enipam.shell.pipe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OutputFileTest {
    @TempDir
    Path directory;

    private static final PrintStream NOWHERE =
            new PrintStream(PrintStream.nullOutputStream(), false, StandardCharsets.UTF_8);

    private void write(String redirect, String lines, boolean complete) {
        try (PipelineExecution flow =
                new PipelineExecution(Pipeline.parse("x " + redirect).get(0), NOWHERE, false, () -> {})) {
            flow.input().print(lines);
            flow.end(complete);
        }
    }

    private long files() throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return all.count();
        }
    }

    @Test
    void aNewFileIsForItsOwnerAlone() throws IOException {
        Path file = directory.resolve("f");
        write("> " + file, "a\nb", true);

        assertThat(file).hasContent("a\nb");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(files()).isEqualTo(1);
    }

    @Test
    void anOldFileKeepsItsPermissionsAndItsLinks() throws IOException {
        Path file = Files.writeString(directory.resolve("f"), "old");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        Path link = Files.createSymbolicLink(directory.resolve("l"), file);

        write("> " + link, "new\n", true);

        assertThat(link).isSymbolicLink();
        assertThat(file).hasContent("new\n");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-r--r--");
    }

    @Test
    void aCommandThatFailsLeavesTheFileAsItWas() throws IOException {
        Path file = Files.writeString(directory.resolve("f"), "old");

        write("> " + file, "half", false);

        assertThat(file).hasContent("old");
        assertThat(files()).isEqualTo(1);
    }

    @Test
    void aFileWithASecondNameIsWrittenInPlace() throws IOException {
        Path file = Files.writeString(directory.resolve("f"), "old and long");
        Path second = Files.createLink(directory.resolve("g"), file);

        write("> " + file, "new\n", true);

        assertThat(second).hasContent("new\n");
    }

    @Test
    void whatIsAppendedStandsBehindWhatIsThere() throws IOException {
        Path file = directory.resolve("f");
        write(">> " + file, "a\n", true);
        write(">> " + file, "b\n", true);

        assertThat(file).hasContent("a\nb\n");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
    }

    @Test
    void aStreamWithoutEndIsInTheFileAsItComes() {
        Path file = directory.resolve("f");
        try (PipelineExecution flow =
                new PipelineExecution(Pipeline.parse("x > " + file).get(0), NOWHERE, true, () -> {})) {
            flow.input().println("a");
            flow.input().flush();

            assertThat(file).hasContent("a\n");
        }
    }

    @Test
    void aDeviceIsNotReplaced() {
        write("> /dev/null", "a\n", true);

        assertThat(Files.isRegularFile(Path.of("/dev/null"))).isFalse();
    }

    @Test
    void aFullDiskIsTold() {
        assumeTrue(Files.exists(Path.of("/dev/full")));

        assertThatThrownBy(() -> write("> /dev/full", "a\n", true))
                .hasMessage("cannot write /dev/full: No space left on device");
    }

    @Test
    void aDirectoryAndAPlaceThatIsNotThereAreRefused() {
        assertThatThrownBy(() -> write("> " + directory, "a", true))
                .hasMessage("cannot write " + directory + ": it is a directory");
        assertThatThrownBy(() -> write("> " + directory + "/no/f", "a", true))
                .hasMessage("cannot write " + directory + "/no/f: its directory does not exist");
    }
}
