package io.enipam.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.enipam.daemon.testing.EmulatedSurroundings;
import io.enipam.daemon.testing.LivingDaemon;
import io.enipam.daemon.testing.SomebodyElse;
import io.enipam.v1.CniAddRequest;
import io.enipam.v1.Pool;
import io.enipam.v1.Resource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A restart with another mode: the whole daemon with the real client on the emulated cloud. An instance has three secondary
 * ENIs, and an ADD waits for less time than the pool's regular comparisons with the cloud are apart.
 */
@Timeout(300)
class DaemonModeChangeTest {
    private static final String ALLOCATION = "allocation: {timeout: 60s}\n";
    private static final String WHOLE =
            "daemon: {mode: ENIOnly}\npool: {min_idle: 0, max_idle: 0, cool_down: 0s}\n" + ALLOCATION;

    @TempDir
    Path root;

    private final EmulatedSurroundings surroundings = new EmulatedSurroundings();

    @AutoClose
    private LivingDaemon daemon;

    private void start(String yaml) throws IOException {
        DaemonLayout layout = DaemonLayout.below(root);
        Files.createDirectories(layout.enipamYaml().resolveSibling("."));
        Files.writeString(layout.enipamYaml(), yaml);
        daemon = LivingDaemon.start(root, surroundings);
    }

    private void restart(String yaml) throws IOException {
        daemon.close();
        start(yaml);
    }

    /** Waits for as long as an ADD may take here, and not for the client's 30 s: on a busy machine three ENIs leave slowly. */
    private Resource add(String pod) {
        return daemon.client()
                .control()
                .withDeadlineAfter(90, TimeUnit.SECONDS)
                .cniAdd(CniAddRequest.newBuilder().setPod("default/" + pod).build())
                .getLease()
                .getResource();
    }

    private void del(String pod) {
        daemon.client().del("default/" + pod);
    }

    private Pool pool() {
        return daemon.client().pool();
    }

    private List<String> events() {
        return daemon.client().events().stream()
                .map(event -> event.getType() + " " + event.getMessage())
                .toList();
    }

    @Test
    void wholeEnisAreLentAsSoonAsThoseOfTheFormerModeHaveGone() throws IOException {
        // takes three ENIs of ten addresses
        start("daemon: {mode: ENIMultiIP}\npool: {min_idle: 30, max_idle: 30, cool_down: 0s}\n" + ALLOCATION);
        assertThat(add("old").getKind()).isEqualTo("eni-ip");
        del("old");

        restart(WHOLE);

        assertThat(add("new").getKind()).isEqualTo("eni");
        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(pool().getCapacity()).isEqualTo(3));
        assertThat(events()).noneMatch(event -> event.startsWith("ForeignEnis"));
    }

    @Test
    void theEnisOfAnotherProgramAreCountedAgainWhenAnAddWaitsForWantOfCapacity() throws IOException {
        start(WHOLE);
        SomebodyElse before = surroundings.somebodyElse();
        List<String> theirs = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            String eni = before.makes(Optional.empty());
            before.attaches(eni);
            theirs.add(eni);
        }
        restart(WHOLE);
        assertThat(pool().getCapacity()).isZero();

        SomebodyElse other = surroundings.somebodyElse();
        theirs.forEach(other::detaches);

        assertThat(add("new").getKind()).isEqualTo("eni");
    }

    @Test
    void addressesOfDeletedWholeEnisServePodsThoughTheCloudLendsThemBeforeThePoolKnows() throws IOException {
        start(WHOLE);
        add("old-1");
        add("old-2");
        del("old-1");

        restart("daemon: {mode: ENIMultiIP}\npool: {min_idle: 0, max_idle: 5, cool_down: 0s}\n" + ALLOCATION);
        del("old-2");
        List<String> lent = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            lent.add(add("new-" + i).getAddresses(0));
        }

        assertThat(lent).doesNotHaveDuplicates();
        assertThat(events())
                .noneMatch(event -> event.startsWith("ResourceCreateFailed"))
                .as("the watermarks are those of the mode in force")
                .noneMatch(event -> event.startsWith("ConfigAdjusted pool.max_idle"));
        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(events()).anyMatch(event -> event.startsWith("FactoryDrained")));
    }
}
