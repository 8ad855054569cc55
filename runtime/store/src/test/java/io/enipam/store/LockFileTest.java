package io.enipam.store;

import static io.enipam.store.TestRecords.SMALL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The lock against processes of this program, and of others. */
class LockFileTest {
    @TempDir
    Path temp;

    private Path file() {
        return temp.resolve("lock");
    }

    private Path readable() throws IOException {
        Path file = Files.writeString(file(), "999999\n");
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    }

    private static String rights(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    @Test
    void aNewFileAndOneThatOthersCouldReadAreTheOwnersAlone() throws Exception {
        LockFile.take(file()).close();
        assertThat(rights(file())).isEqualTo("rw-------");
        try (LockFile lock = LockFile.take(readable())) {
            assertThat(rights(file())).isEqualTo("rw-------");
            assertThat(lock.isLinked()).isTrue();
        }
    }

    @Test
    void aSharedLockOfAReaderKeepsNoProcessOut() throws Exception {
        try (LockHolder reader = LockHolder.shared(readable());
                LockFile lock = LockFile.take(file())) {
            assertThat(lock.isLinked()).isTrue();
            assertThat(rights(file())).isEqualTo("rw-------");
            assertThatThrownBy(() -> LockHolder.exclusive(file()))
                    .as("the new file is locked")
                    .hasMessageContaining("did not lock");
        }
        assertThat(file()).hasContent(ProcessHandle.current().pid() + "\n");
        assertThat(temp).isDirectoryNotContaining("glob:**.shared");
    }

    @Test
    void aDatabaseOpensAlthoughAReaderHoldsItsLockShared() throws Exception {
        JournaledResourceDb.open(temp, SMALL).close();
        Files.setPosixFilePermissions(file(), PosixFilePermissions.fromString("rw-r--r--"));
        try (LockHolder reader = LockHolder.shared(file())) {
            assertThatCode(() -> JournaledResourceDb.open(temp, SMALL).close()).doesNotThrowAnyException();
        }
    }

    @Test
    void theMessageNamesTheProcessThatHoldsTheLockAndNotTheOneThatWroteIntoTheFile() throws Exception {
        try (LockHolder other = LockHolder.exclusive(readable())) {
            assertThatThrownBy(() -> LockFile.take(file()))
                    .isInstanceOf(LockFile.InUseException.class)
                    .hasMessage(file() + " is locked by pid " + other.pid());
            assertThatThrownBy(() -> JournaledResourceDb.open(temp, SMALL))
                    .isInstanceOf(StoreException.class)
                    .hasMessage(temp + " is in use by another process (pid " + other.pid() + ")");
        }
    }

    @Test
    void aLockWhoseFileWasRemovedIsTakenAnewUnlessAnotherProcessWasFaster() throws Exception {
        try (LockFile lock = LockFile.take(file())) {
            assertThat(lock.renew()).as("the same file").isTrue();
            Files.delete(file());
            assertThat(lock.isLinked()).isFalse();
            Files.createFile(file());
            try (LockHolder other = LockHolder.exclusive(file())) {
                assertThatThrownBy(lock::renew).hasMessageContaining("pid " + other.pid());
            }
            assertThat(lock.renew()).as("the same file").isFalse();
            assertThat(lock.isLinked()).isTrue();
        }
        LockFile.take(file()).close();
    }
}
