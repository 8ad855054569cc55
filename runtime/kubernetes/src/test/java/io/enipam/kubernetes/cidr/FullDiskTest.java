package io.enipam.kubernetes.cidr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.enipam.kubernetes.cidr.AddressFileStore.AddressOwner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A directory on a disk of two pages. */
class FullDiskTest {
    @TempDir
    Path directory;

    private HostLocalFileStore files;

    private int run(String... command) throws Exception {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getInputStream().readAllBytes();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return process.exitValue();
    }

    @BeforeEach
    void mount() throws Exception {
        boolean mounted;
        try {
            mounted = run("mount", "-t", "tmpfs", "-o", "size=8k", "tmpfs", directory.toString()) == 0;
        } catch (IOException e) {
            mounted = false;
        }
        assumeTrue(mounted, "a small disk cannot be mounted here: that needs root");
        files = new HostLocalFileStore(directory);
    }

    @AfterEach
    void unmount() throws Exception {
        run("umount", directory.toString());
    }

    @Test
    void aFullDiskGivesNoAddressAndTakesNone() throws Exception {
        assertThat(files.reserve("10.64.0.2", AddressOwner.IDLE)).isTrue();
        assertThat(files.reserve("10.64.0.3", AddressOwner.IDLE)).isTrue();
        assertThatThrownBy(() -> files.reserve("10.64.0.4", AddressOwner.IDLE))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("the file of an address cannot be made: " + directory)
                .hasMessageContaining("No space left on device");
        assertThat(Files.exists(directory.resolve("10.64.0.4")))
                .as("half a file")
                .isFalse();

        AddressOwner sandbox = AddressOwner.sandbox("0".repeat(64), "eth0");
        assertThat(files.changeOwner("10.64.0.2", sandbox)).isTrue();
        assertThat(files.owner("10.64.0.2")).contains(sandbox);
        files.free("10.64.0.3");
        assertThat(files.reserve("10.64.0.4", AddressOwner.IDLE)).isTrue();
    }
}
