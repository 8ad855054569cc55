package io.enipam.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.testing.TestThreads;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EphemeralRootTest {
    @TempDir
    Path directory;

    @Test
    void goesThoughSomethingThatEndsAtTheSameTimeStillWritesIntoIt() throws Exception {
        Path root = directory.resolve("root");
        EphemeralRoot ephemeral = EphemeralRoot.claim(root);
        Path cloud = Files.createDirectories(root.resolve("cloud"));
        CountDownLatch writing = new CountDownLatch(1);
        CompletableFuture<Void> late = CompletableFuture.runAsync(
                () -> {
                    for (int n = 0; n < 2_000; n++) {
                        try {
                            Files.writeString(cloud.resolve("state-" + n), "late");
                        } catch (IOException gone) {
                            return; // the directory is gone, as it should be
                        }
                        writing.countDown();
                    }
                },
                TestThreads.PER_TASK);
        writing.await();

        ephemeral.delete();
        late.join();

        assertThat(root).doesNotExist();
    }

    @Test
    void aDirectoryThatHadOtherThingsInItStays() throws IOException {
        Path root = Files.createDirectory(directory.resolve("root"));
        Path mine = Files.writeString(root.resolve("thesis.txt"), "years of work");

        EphemeralRoot ephemeral = EphemeralRoot.claim(root);
        ephemeral.delete();

        assertThat(ephemeral.ours()).isFalse();
        assertThat(mine).hasContent("years of work");
    }
}
