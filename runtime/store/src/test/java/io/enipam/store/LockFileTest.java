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
    void a_new_file_and_one_that_others_could_read_are_the_owners_alone() throws Exception {
        LockFile.take(file()).close();
        assertThat(rights(file())).isEqualTo("rw-------");
        try (LockFile lock = LockFile.take(readable())) {
            assertThat(rights(file())).isEqualTo("rw-------");
            assertThat(lock.isLinked()).isTrue();
        }
    }

    @Test
    void a_shared_lock_of_a_reader_keeps_no_process_out() throws Exception {
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
    void a_database_opens_although_a_reader_holds_its_lock_shared() throws Exception {
        JournaledResourceDb.open(temp, SMALL).close();
        Files.setPosixFilePermissions(file(), PosixFilePermissions.fromString("rw-r--r--"));
        try (LockHolder reader = LockHolder.shared(file())) {
            assertThatCode(() -> JournaledResourceDb.open(temp, SMALL).close()).doesNotThrowAnyException();
        }
    }

    @Test
    void the_message_names_the_process_that_holds_the_lock_and_not_the_one_that_wrote_into_the_file() throws Exception {
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
    void a_lock_whose_file_was_removed_is_taken_anew_unless_another_process_was_faster() throws Exception {
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
