package io.enipam.frontends.terway;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.sdk.PodRef;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CidrSandboxStoreTest {
    private static final PodRef POD = new PodRef("default", "web-0");

    @TempDir
    Path directory;

    @Test
    void aSandboxIsToldTheSameCidrAfterTheDaemonsDeath() {
        new CidrSandboxStore(directory.resolve("not/there/yet")).remember("c1", "10.7.0.0/24");

        CidrSandboxStore again = new CidrSandboxStore(directory.resolve("not/there/yet"));
        assertThat(again.find("c1")).contains("10.7.0.0/24");
        again.forget("c1", POD);
        assertThat(again.find("c1")).isEmpty();
        again.forget("c1", POD);
    }

    @Test
    void theNewestSandboxOfAPodIsTheOneThatWasToldLastWhateverTheClockSays() {
        CidrSandboxStore sandboxes = new CidrSandboxStore(directory);
        sandboxes.rememberNewest(POD, "c1");
        sandboxes.rememberNewest(POD, "c2");
        sandboxes.rememberNewest(new PodRef("default", "web-1"), "other");
        assertThat(new CidrSandboxStore(directory).newest(POD)).contains("c2");

        sandboxes.forget("c1", POD);
        assertThat(sandboxes.newest(POD)).contains("c2");
        sandboxes.forget("c2", POD);
        assertThat(sandboxes.newest(POD)).isEmpty();
    }

    @Test
    void theLongestContainerIdIsAFilesName() {
        CidrSandboxStore sandboxes = new CidrSandboxStore(directory);
        sandboxes.remember("a".repeat(253), "10.7.0.0/24");

        assertThat(sandboxes.find("a".repeat(253))).contains("10.7.0.0/24");
    }

    @Test
    void sandboxesWhoseDelNeverComesDoNotFillTheDirectory() throws IOException {
        CidrSandboxStore sandboxes = new CidrSandboxStore(directory);
        for (int i = 0; i < CidrSandboxStore.MOST; i++) {
            Path file = Files.writeString(directory.resolve("c" + i), "10.7.0.0/24\n");
            Files.setLastModifiedTime(file, FileTime.fromMillis(1_000L * (i + 1)));
        }

        sandboxes.remember("next", "10.7.0.0/24");

        assertThat(sandboxes.find("c0")).as("the oldest").isEmpty();
        assertThat(sandboxes.find("c1")).isPresent();
        assertThat(sandboxes.find("next")).isPresent();
    }
}
