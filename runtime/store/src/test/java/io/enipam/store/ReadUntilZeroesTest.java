package io.enipam.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.store.Disk.FileImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A start reads a journal file of 16 MiB without the zeroes at its end. */
class ReadUntilZeroesTest {
    @TempDir
    Path directory;

    @ParameterizedTest
    @CsvSource({"0, 0", "1, 0", "1, 1", "5000, 4096", "65536, 65536", "65537, 65537", "300000, 200001", "300000, 65536"
    })
    void whatIsReadAndZeroesBehindItAreTheFile(int length, int used) throws IOException {
        byte[] content = new byte[length];
        Arrays.fill(content, 0, used, (byte) 7);
        Path file = Files.write(directory.resolve("file"), content);

        for (Disk disk : new Disk[] {Disk.local(), new CrashingDisk()}) {
            FileImage read = disk.readUntilZeroes(file);

            assertThat(read.length()).isEqualTo(length);
            assertThat(Arrays.copyOf(read.bytes(), length)).isEqualTo(content);
            assertThat(read.bytes().length).isBetween(used, Math.min(length, used + (64 << 10)));
        }
    }

    @Test
    void aFileThatIsNotThereIsNoEmptyOne() {
        assertThatThrownBy(() -> Disk.local().readUntilZeroes(directory.resolve("none")))
                .isInstanceOf(IOException.class);
    }
}
