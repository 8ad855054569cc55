package io.enipam.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.store.LockFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who may write where the daemon's files are. */
class DaemonLayoutTest {
    @TempDir
    Path root;

    private static String rights(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    private static Path open(Path directory) throws IOException {
        Files.createDirectories(directory);
        return Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
    }

    @Test
    void noOtherUserMayMakeFilesAmongTheDaemonsOrReadItsLock() throws Exception {
        DaemonLayout layout = DaemonLayout.below(root);
        open(layout.lib());
        open(layout.run());
        open(layout.received());
        Files.createFile(layout.lock());
        Files.setPosixFilePermissions(layout.lock(), PosixFilePermissions.fromString("rw-r--r--"));

        layout.prepare();
        layout.prepareReceived();
        try (LockFile lock = layout.takeLock()) {
            assertThat(rights(layout.lib())).isEqualTo("rwxr-xr-x");
            assertThat(rights(layout.run())).isEqualTo("rwxr-xr-x");
            assertThat(rights(layout.received())).isEqualTo("rwxr-xr-x");
            assertThat(rights(layout.lock())).isEqualTo("rw-------");
        }
    }
}
